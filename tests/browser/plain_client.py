"""A visitor without a browser: streamlit's own protocol over a websocket, with whatever messages one likes."""

from __future__ import annotations

import secrets
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string
from websockets import Origin, Subprotocol
from websockets.sync.client import ClientConnection, connect

PATIENCE = 120.0
"""Seconds until an answer that must come is given up for good."""


class PlainClient:
    """One session of a running server; `visiting` makes one.

    session  the server's id of it, once a page ran
    """

    def __init__(self, socket: ClientConnection, url: str, cookie: str) -> None:
        self.session = ""
        self._cookie = cookie
        self._socket = socket
        self._url = url
        self._buttons: dict[str, str] = {}

    def open(self, query: str = "") -> list[ForwardMsg]:
        """Run the app at an address; all messages until that run was over."""
        message = BackMsg()
        message.rerun_script.query_string = query
        return self._until_finished(message)

    def press(self, label: str) -> list[ForwardMsg]:
        """Click the button of that label, which the last run drew."""
        message = BackMsg()
        pressed = message.rerun_script.widget_states.widgets.add()
        pressed.id, pressed.trigger_value = self._buttons[label], True
        return self._until_finished(message)

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
            "Cookie": f"_streamlit_xsrf={token}; pmwpub_browser={self._cookie}",
        }

    def clear_caches(self) -> None:
        """The message that empties the server's caches for everybody."""
        self._socket.send(BackMsg(clear_cache=True).SerializeToString())

    def _until_finished(self, message: BackMsg) -> list[ForwardMsg]:
        self._socket.send(message.SerializeToString())
        seen: list[ForwardMsg] = []
        begun = False  # what comes before is left over from a run that a lost connection ended
        while not begun or seen[-1].WhichOneof("type") != "script_finished":
            answer = ForwardMsg()
            answer.ParseFromString(self._socket.recv(PATIENCE, decode=False))
            if answer.WhichOneof("type") == "new_session":
                begun, self.session = True, answer.new_session.initialize.session_id
            button = answer.delta.new_element.button
            if button.id:
                self._buttons[button.label] = button.id
            seen.append(answer)
        return seen


@contextmanager
def visiting(
    url: str, *, origin: str | None = None, resume: str | None = None, cookie: str = ""
) -> Iterator[PlainClient]:
    """A visitor of the server at an address.

    origin  the site whose page opened the connection; the server's own unless given
    resume  the id of an earlier session that the visitor asks to go on with
    cookie  the secret of the visitor's browser; a new one unless given
    """
    cookie = cookie or secrets.token_urlsafe()
    known = [Subprotocol(one) for one in ("streamlit", *(() if resume is None else ("none", resume)))]
    with connect(
        f"{url.replace('http', 'ws', 1)}/_stcore/stream",
        subprotocols=known,
        origin=Origin(url if origin is None else origin),
        max_size=None,
        additional_headers={"Cookie": f"pmwpub_browser={cookie}"},
    ) as socket:
        yield PlainClient(socket, url, cookie)
