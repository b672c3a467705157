"""A visitor without a browser: streamlit's own protocol over a websocket, with whatever messages one likes."""

from __future__ import annotations

import secrets
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string
from websockets import Origin, Subprotocol
from websockets.sync.client import ClientConnection, connect

PATIENCE = 120.0
"""Seconds until an answer that must come is given up for good."""

UNFINISHED = ForwardMsg.FINISHED_EARLY_FOR_RERUN
"""What a run ends with that asks for another one, which follows by itself."""


class PlainClient:
    """One session of a running server; `visiting` makes one. Like a browser it does one thing after another.

    session   the server's id of it, once a page ran
    query     the query of the page's address, as the page last set it
    elements  what stands on the page, each by its place
    timers    fragments of the page that are to run again and again: seconds by the fragment's id
    sent      every message that was sent, for somebody else to send it again
    """

    def __init__(self, socket: ClientConnection, url: str, cookie: str, account: str = "") -> None:
        self.session = ""
        self.query = ""
        self.elements: dict[tuple[int, ...], Element] = {}
        self.timers: dict[str, float] = {}
        self.sent: list[BackMsg] = []
        self._cookie = cookie
        self._account = account
        self._socket = socket
        self._url = url
        self._page = ""
        self._pages: dict[str, str] = {}
        self._states: dict[str, WidgetState] = {}

    def open(self, query: str = "", page: str = "") -> list[ForwardMsg]:
        """Run a page at an address, the first one unless named; all messages until that run was over."""
        self.query, self._states = query, {}
        message = BackMsg()
        message.rerun_script.query_string = query
        if page in self._pages:
            message.rerun_script.page_script_hash = self._pages[page]
        else:
            message.rerun_script.page_name = page
        return self._until_finished(message)

    def press(self, label: str) -> list[ForwardMsg]:
        """Click the button of that label."""
        pressed = WidgetState(id=self.widget("button", label).id, trigger_value=True)
        return self._until_finished(self._changed(pressed))

    def change(self, state: WidgetState) -> list[ForwardMsg]:
        """Give a widget another value, and run the page with it."""
        self._states[state.id] = state
        return self._until_finished(self._changed())

    def type(self, label: str, words: str) -> list[ForwardMsg]:
        """Type into the text field of that label, and run the page with it."""
        return self.change(WidgetState(id=self.widget("text_input", label).id, string_value=words))

    def run_fragment(self, fragment: str) -> list[ForwardMsg]:
        """Run a part of the page by itself, as a browser does by the clock."""
        message = self._changed()
        message.rerun_script.fragment_id, message.rerun_script.is_auto_rerun = fragment, True
        return self._until_finished(message)

    def every(self, kind: str) -> Iterator[Any]:
        """What stands on the page of one kind, such as "button"; another thread may be reading the page meanwhile."""
        return (getattr(one, kind) for one in list(self.elements.values()) if one.WhichOneof("type") == kind)

    def widget(self, kind: str, label: str) -> Any:
        """The first widget of a kind whose label begins so; LookupError if there is none."""
        found = next((one for one in self.every(kind) if one.label.startswith(label)), None)
        if found is None:
            raise LookupError(f"{label!r} is not among {[one.label for one in self.every(kind)]}")
        return found

    def has(self, kind: str, label: str) -> bool:
        """Whether such a widget is there."""
        return any(one.label.startswith(label) for one in self.every(kind))

    def upload(self, name: str, content: bytes, *, session: str = "") -> int:
        """Send a file to a session's upload address, this one's unless given, as an uploader does; the status."""
        body = (
            f'--edge\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode()
            + content
            + b"\r\n--edge--\r\n"
        )
        request = urllib.request.Request(
            f"{self._url}/_stcore/upload_file/{session or self.session}/a-file", body, self.passes(), method="PUT"
        )
        try:
            with urllib.request.urlopen(request) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as refusal:
            return refusal.code

    def passes(self) -> dict[str, str]:
        """Headers that an upload needs: its type, and the token against forged requests, which anybody can make up."""
        token = generate_xsrf_token_string()
        return {
            "Content-Type": "multipart/form-data; boundary=edge",
            "X-Xsrftoken": token,
            "Cookie": "; ".join([f"_streamlit_xsrf={token}", f"pmwpub_browser={self._cookie}", self._account]),
        }

    def send(self, message: BackMsg) -> list[ForwardMsg]:
        """Send any message that runs a page, such as one that another session sent; all until that run was over."""
        return self._until_finished(message)

    def clear_caches(self) -> None:
        """The message that empties the server's caches for everybody."""
        self._socket.send(BackMsg(clear_cache=True).SerializeToString())

    def _changed(self, *pressed: WidgetState) -> BackMsg:
        message = BackMsg()
        message.rerun_script.query_string = self.query
        message.rerun_script.page_script_hash = self._page
        message.rerun_script.widget_states.widgets.extend([*self._states.values(), *pressed])
        return message

    def _until_finished(self, message: BackMsg) -> list[ForwardMsg]:
        self._socket.send(message.SerializeToString())
        self.sent.append(message)
        seen: list[ForwardMsg] = []
        begun = False  # what comes before is left over from a run that a lost connection ended
        while not begun or seen[-1].WhichOneof("type") != "script_finished" or seen[-1].script_finished == UNFINISHED:
            answer = ForwardMsg()
            answer.ParseFromString(self._socket.recv(PATIENCE, decode=False))
            begun = begun or answer.WhichOneof("type") == "new_session"
            self._take(answer)
            seen.append(answer)
        return seen

    def _take(self, answer: ForwardMsg) -> None:
        """Keep what a message changes on the page."""
        match answer.WhichOneof("type"):
            case "new_session":
                self.session = answer.new_session.initialize.session_id
                if not answer.metadata.run.fragment_ids:
                    self._begin_page(answer.new_session.page_script_hash)
            case "navigation":
                self._pages = {one.url_pathname: one.page_script_hash for one in answer.navigation.app_pages}
                self._page = answer.navigation.page_script_hash
            case "page_info_changed":
                self.query = answer.page_info_changed.query_string
            case "auto_rerun":
                self.timers[answer.auto_rerun.fragment_id] = answer.auto_rerun.interval
            case "delta" if answer.delta.WhichOneof("type") == "new_element":
                element = answer.delta.new_element
                self.elements[tuple(answer.metadata.delta_path)] = element
                drawn = getattr(element, element.WhichOneof("type") or "", None)
                if getattr(drawn, "set_value", False):  # the page itself gave the widget a value
                    self._states.pop(drawn.id, None)

    def _begin_page(self, page: str) -> None:
        if page != self._page:
            self._states = {}
        self._page = page
        self.elements, self.timers = {}, {}


@contextmanager
def visiting(
    url: str, *, origin: str | None = None, resume: str | None = None, cookie: str = "", account: str = ""
) -> Iterator[PlainClient]:
    """A visitor of the server at an address.

    origin  the site whose page opened the connection; the server's own unless given
    resume  the id of an earlier session that the visitor asks to go on with
    cookie  the secret of the visitor's browser; a new one unless given
    account the cookies of somebody who signed in, as a browser sends them
    """
    cookie, token = cookie or secrets.token_urlsafe(), generate_xsrf_token_string()
    named = ("streamlit", token, *(() if resume is None else (resume,)))
    known = [Subprotocol(one) for one in (named if account or resume is not None else named[:1])]
    with connect(
        f"{url.replace('http', 'ws', 1)}/_stcore/stream",
        subprotocols=known,
        origin=Origin(url if origin is None else origin),
        max_size=None,
        additional_headers={"Cookie": "; ".join([f"_streamlit_xsrf={token}", f"pmwpub_browser={cookie}", account])},
    ) as socket:
        yield PlainClient(socket, url, cookie, account)
