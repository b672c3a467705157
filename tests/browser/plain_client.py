"""A visitor without a browser: streamlit's own protocol over a websocket, with whatever messages one likes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets import Origin, Subprotocol
from websockets.sync.client import ClientConnection, connect

PATIENCE = 120.0
"""Seconds until an answer that must come is given up for good."""


class PlainClient:
    """One session of a running server; `visiting` makes one.

    session  the server's id of it, once a page ran
    """

    def __init__(self, socket: ClientConnection) -> None:
        self.session = ""
        self._socket = socket

    def open(self, query: str = "") -> list[ForwardMsg]:
        """Run the app at an address; all messages until that run was over."""
        message = BackMsg()
        message.rerun_script.query_string = query
        return self._until_finished(message)

    def clear_caches(self) -> None:
        """The message that empties the server's caches for everybody."""
        self._socket.send(BackMsg(clear_cache=True).SerializeToString())

    def _until_finished(self, message: BackMsg) -> list[ForwardMsg]:
        self._socket.send(message.SerializeToString())
        seen: list[ForwardMsg] = []
        while not seen or seen[-1].WhichOneof("type") != "script_finished":
            answer = ForwardMsg()
            answer.ParseFromString(self._socket.recv(PATIENCE, decode=False))
            if answer.WhichOneof("type") == "new_session":
                self.session = answer.new_session.initialize.session_id
            seen.append(answer)
        return seen


@contextmanager
def visiting(url: str, *, origin: str | None = None, resume: str | None = None) -> Iterator[PlainClient]:
    """A visitor of the server at an address.

    origin  the site whose page opened the connection; the server's own unless given
    resume  the id of an earlier session that the visitor asks to go on with
    """
    known = [Subprotocol(one) for one in ("streamlit", *(() if resume is None else ("none", resume)))]
    with connect(
        f"{url.replace('http', 'ws', 1)}/_stcore/stream",
        subprotocols=known,
        origin=Origin(url if origin is None else origin),
        max_size=None,
    ) as socket:
        yield PlainClient(socket)
