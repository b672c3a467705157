"""When a tab is closed: after a grace for a lost connection its session ends, and with it what it holds of rows.

Streamlit keeps the session of a closed tab until another one comes, on an idle server without end, and files that were
uploaded in it too. Here each session that ran a page is looked at again and again, and closed once its tab is gone.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import threading
import time
from collections.abc import Callable

from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

GRACE_SECONDS = 30.0
"""A lost connection may come back for so long and finds its session again."""

EVERY_SECONDS = 5.0

LOG = logging.getLogger(__name__)


class Attendance:
    """The sessions that ran a page, and since when the tab of each has been gone."""

    def __init__(self, grace: float = GRACE_SECONDS) -> None:
        self._grace = grace
        self._lock = threading.Lock()
        self._gone: dict[str, float | None] = {}

    def note(self, session: str) -> None:
        """This session runs a page."""
        with self._lock:
            self._gone[session] = None

    def over(self, moment: float, is_here: Callable[[str], bool]) -> list[str]:
        """The sessions whose tabs have been gone for longer than the grace; they are no longer looked at."""
        with self._lock:
            for session, since in self._gone.items():
                self._gone[session] = None if is_here(session) else moment if since is None else since
            ended = [one for one, since in self._gone.items() if since is not None and moment - since >= self._grace]
            for session in ended:
                del self._gone[session]
            return ended


ATTENDANCE = Attendance()


def attend() -> None:
    """Every run of a page calls this."""
    running = get_script_run_ctx(suppress_warning=True)
    if running is not None:
        ATTENDANCE.note(running.session_id)


def end_sessions(moment: float) -> int:
    """Close the sessions whose tabs are gone, and give their memory back; how many there were.

    Privacy: afterwards no session state, upload or frame of a finished run refers to their private tables. A job that
    was booked owns its source until it ends. Memory that was given back is not wiped.
    """
    server = runtime.get_instance()
    ended = ATTENDANCE.over(moment, server.is_active_session)
    for session in ended:
        try:
            _end(server, session)
        except (AttributeError, LookupError, RuntimeError):  # one session that resists holds up no other
            LOG.warning("A session whose tab is gone could not be closed; it is tried again.")
            ATTENDANCE.note(session)
    if ended:
        gc.collect()
    return len(ended)


def _end(server: runtime.Runtime, session: str) -> None:
    known = server._session_mgr.get_session_info(session)
    server.close_session(session)
    if known is not None:  # the server's idle loop keeps the last session that it looked at, so it is emptied
        known.session.session_state.clear()
        known.session.session_state._new_widget_state.widget_metadata.clear()  # buttons' callbacks: see `Session`
        known.session._browser_queue.clear()


async def keep_house() -> None:
    """Close sessions as they end, for as long as the server runs; on the server's own event loop."""
    while True:
        await asyncio.sleep(EVERY_SECONDS)
        end_sessions(time.monotonic())
