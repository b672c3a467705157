"""nginx with the file that operators are given, before a stand-in for the app that says what reached it."""

from __future__ import annotations

import json
import os
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPResponse, HTTPSConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from support.container import DEPLOY

START_SECONDS = 30
CERTIFICATE = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
OF_LOCALHOST = ["-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]


def refusal() -> str:
    """Why no proxy can be started here; empty where one can."""
    missing = [name for name in ("nginx", "openssl") if shutil.which(name) is None]
    return f"missing: {', '.join(missing)}" if missing else ""


def certify(folder: Path) -> Path:
    """A certificate for localhost that it signed itself, and its key, under the names that the proxy looks for."""
    files = ["-keyout", str(folder / "tls.key"), "-out", str(folder / "tls.crt")]
    subprocess.run([*CERTIFICATE, *OF_LOCALHOST, *files], check=True, capture_output=True)
    return folder / "tls.crt"


class _StandIn(BaseHTTPRequestHandler):
    """Takes everything; answers with the headers and with how much it was sent."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._take()

    def do_PUT(self) -> None:
        self._take()

    def log_message(self, format: str, *args: object) -> None:
        """It says nothing of its own."""

    def _take(self) -> None:
        length = int(self.headers.get("Content-Length", "0"))
        self.server.begun.set()  # type: ignore[attr-defined]
        found = json.dumps({"sent": len(self.rfile.read(length)), **{k.lower(): v for k, v in self.headers.items()}})
        upgrade = self.headers.get("Upgrade")
        self.send_response(101 if upgrade else 200)
        if upgrade:
            self.send_header("Upgrade", upgrade)
            self.send_header("Connection", "Upgrade")
        else:
            self.send_header("Connection", "close")  # so that an app that has ended has ended for good
        self.send_header("Set-Cookie", "one=1; Path=/")
        self.send_header("Content-Length", str(len(found)))
        self.end_headers()
        self.wfile.write(found.encode())


class _App(ThreadingHTTPServer):
    """The stand-in, and whether a request has begun to reach it."""

    daemon_threads = True

    def __init__(self) -> None:
        self.begun = threading.Event()
        super().__init__(("127.0.0.1", 0), _StandIn)


@dataclass
class Proxy:
    """A running proxy; `started` makes one.

    place  the folder of all its files
    app    what it passes requests on to
    pid    of the process that started its workers
    """

    place: Path
    app: _App
    port: int
    pid: int
    context: ssl.SSLContext = field(repr=False)

    def connection(self) -> HTTPSConnection:
        return HTTPSConnection("localhost", self.port, timeout=30, context=self.context)

    def ask(self, method: str, address: str, body: bytes = b"", **headers: str) -> tuple[HTTPResponse, bytes]:
        """The answer to one request, and its body."""
        connection = self.connection()
        try:
            connection.request(method, address, body or None, headers)
            answer = connection.getresponse()
            return answer, answer.read()
        finally:
            connection.close()

    def announce(self, address: str, length: int) -> int:
        """The status of an upload that says how long it will be, and sends nothing."""
        connection = self.connection()
        try:
            connection.putrequest("PUT", address)
            connection.putheader("Content-Length", str(length))
            connection.endheaders()
            return connection.getresponse().status
        finally:
            connection.close()

    def reached(self, address: str, **headers: str) -> dict[str, Any]:
        """What the stand-in was told by a request to an address."""
        return json.loads(self.ask("GET", address, **headers)[1])

    def logged(self) -> str:
        """All that it wrote to its streams."""
        return (self.place / "out").read_text() + (self.place / "err").read_text()

    def files(self) -> set[str]:
        """Files in its temporary space that its workers have open; their names are taken away at once."""
        workers = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        links = [link for worker in workers for link in Path(f"/proc/{worker}/fd").iterdir()]
        return {name for name in map(_target, links) if name.startswith(str(self.place / "tmp"))}


def _target(link: Path) -> str:
    """What an open file was called; "" of one that was closed meanwhile."""
    try:
        return os.readlink(link)
    except OSError:
        return ""


def _moved(text: str, place: Path, listens: int, app: int) -> str:
    """The configuration with places and ports of the test's own."""
    for old, new in {
        " /tmp/": f" {place}/tmp/",
        "listen 8443": f"listen 127.0.0.1:{listens}",
        "127.0.0.1:8501": f"127.0.0.1:{app}",
        "/etc/pmwpub/tls": str(place),
        "/dev/stdout": str(place / "out"),
        "/dev/stderr": str(place / "err"),
    }.items():
        assert old in text
        text = text.replace(old, new)
    return text


def configured(place: Path, app: int, *faults: tuple[str, str]) -> int:
    """Write the configuration, with faults planted, and its certificate to a folder; the port that it listens on."""
    text = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    for old, new in faults:
        assert old in text
        text = text.replace(old, new)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (place / "tmp").mkdir()
    (place / "nginx.conf").write_text(_moved(text, place, port, app), encoding="utf-8")
    certify(place)
    return port


@contextmanager
def started(place: Path, *faults: tuple[str, str]) -> Iterator[Proxy]:
    """A proxy with its stand-in, until the block ends; what is in its logs is then whole."""
    app = _App()
    threading.Thread(target=app.serve_forever, daemon=True).start()
    port = configured(place, app.server_port, *faults)
    command = ["nginx", "-e", str(place / "err"), "-p", str(place), "-c", "nginx.conf", "-g", "daemon off; user root;"]
    process = subprocess.Popen(command)
    try:
        yield Proxy(place, app, port, process.pid, _answering(process, place, port))
    finally:
        process.terminate()
        process.wait(30)
        app.shutdown()
        app.server_close()


def _answering(process: subprocess.Popen[bytes], place: Path, port: int) -> ssl.SSLContext:
    """Whom to trust when asking it, once it answers."""
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return ssl.create_default_context(cafile=str(place / "tls.crt"))
        time.sleep(0.05)
    raise AssertionError((place / "err").read_text())
