"""What a visitor who speaks to the server without a browser can do to everybody else."""

from __future__ import annotations

import asyncio
import json
import socket
import urllib.error
import urllib.request
from email.message import Message
from pathlib import Path

import pytest
from browser.conftest import Server
from browser.plain_client import visiting
from jobs.waiting import until
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartParser
from starlette.requests import Request
from websockets import InvalidStatus

from pmwpub.ui.server.own_browser import identity
from pmwpub.ui.server.serving import uploads_stay_in_memory


def test_a_visitor_who_empties_the_caches_leaves_the_workers_as_they_are(server: Server) -> None:
    with visiting(server.url) as visitor, visiting(server.url) as other:
        other.open("population=nowhere")
        assert until(lambda: len(server.workers()) == 2)
        workers = sorted(server.workers())
        for _ in range(8):
            visitor.clear_caches()
            visitor.open()
            other.open("population=nowhere")
        assert sorted(server.workers()) == workers
    assert "Traceback" not in server.log()


def asked(url: str, **headers: str) -> tuple[int, Message, bytes]:
    """Status, headers and body of a plain request."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.headers, refusal.read()


def test_every_answer_forbids_frames_foreign_scripts_and_guessing_of_types(server: Server) -> None:
    for path in ("/", "/release", "/_stcore/health", "/ready", "/_stcore/upload_file/nobody/nothing"):
        _, headers, _ = asked(server.url + path)
        policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
        assert policy["frame-ancestors"] == "'none'", path
        assert policy["default-src"] == "'self'", path
        assert "unsafe-inline" not in policy["script-src"], path
        assert "unsafe-eval'" not in policy["script-src"].replace("'wasm-unsafe-eval'", ""), path
        assert headers["X-Frame-Options"] == "DENY", path
        assert headers["X-Content-Type-Options"] == "nosniff", path
        assert headers["Referrer-Policy"] == "no-referrer", path


def test_a_page_on_another_port_of_this_machine_is_another_site(server: Server) -> None:
    for origin in ("http://localhost:1", "http://127.0.0.1", "https://example.org", "null"):
        status, _, body = asked(f"{server.url}/_stcore/health", Origin=origin)
        assert (status, body) == (403, b"Another site's page."), origin
        with pytest.raises(InvalidStatus), visiting(server.url, origin=origin):
            pytest.fail(f"{origin} was let in")
    assert asked(f"{server.url}/_stcore/health", Origin=server.url)[0] == 200
    assert asked(f"{server.url}/_stcore/health")[0] == 200


def test_a_server_is_ready_once_it_is_warm_and_not_while_its_store_is_gone(server: Server) -> None:
    assert until(lambda: asked(f"{server.url}/ready")[0] == 200)
    assert json.loads(asked(f"{server.url}/ready")[2]) == dict.fromkeys(
        ("ready", "store", "witness", "workers", "warm"), True
    )
    file = server.store / "ledger.sqlite"
    for own in server.store.glob("ledger.sqlite*"):
        own.rename(own.with_name(f"away-{own.name}"))
    file.mkdir()
    status, _, body = asked(f"{server.url}/ready")
    assert (status, json.loads(body)["ready"], json.loads(body)["store"]) == (503, False, False)
    assert str(server.store).encode() not in body, "what it says is public"
    assert asked(f"{server.url}/_stcore/health")[0] == 200, "it lives"


def test_an_upload_that_breaks_off_leaves_no_traceback_and_the_next_one_arrives(server: Server) -> None:
    with visiting(server.url) as visitor:
        visitor.open()
        lines = [f"{name}: {value}" for name, value in visitor.passes().items()]
        target = f"PUT /_stcore/upload_file/{visitor.session}/broken HTTP/1.1"
        lines = [target, f"Host: localhost:{server.port}", "Content-Length: 3000000", *lines, "", "--edge\r\n"]
        with socket.create_connection(("localhost", server.port)) as broken:
            broken.sendall("\r\n".join(lines).encode())
        assert visitor.upload("a.csv", b"sex\nF\n") == 204
    assert "Traceback" not in server.log()


def test_a_server_for_viewers_only_takes_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PMWPUB_VIEWERS_ONLY", "1")
    server = Server(tmp_path)
    server.start()
    try:
        with visiting(server.url) as visitor:
            visitor.open()
            assert visitor.upload("a.csv", b"sex\nF\n") == 403
    finally:
        server.stop()


def test_an_upload_is_held_in_memory_and_in_no_file_while_it_arrives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MultiPartParser, "spool_max_size", MultiPartParser.spool_max_size)
    form = b'--edge\r\nContent-Disposition: form-data; name="f"; filename="a.csv"\r\n\r\n'
    body = form + b"F\n" * 2_000_000 + b"\r\n--edge--\r\n"

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def arrive() -> object:
        scope = {"type": "http", "method": "PUT", "headers": [(b"content-type", b"multipart/form-data; boundary=edge")]}
        return (await Request(scope, receive).form())["f"]  # type: ignore[arg-type]

    uploads_stay_in_memory()
    upload = asyncio.run(arrive())
    assert isinstance(upload, UploadFile)
    assert upload.size == 4_000_000
    assert upload.file._rolled is False  # type: ignore[attr-defined]
    upload.file.close()


def test_a_session_is_its_own_browsers_and_its_id_opens_it_to_nobody_else(server: Server) -> None:
    with visiting(server.url, cookie="steward") as steward:
        steward.open()
        steward.press("Open the demo")
        with visiting(server.url, resume=steward.session, cookie="thief") as thief:
            thief.open()
            assert thief.session != steward.session
            assert thief.upload("a.csv", b"sex\nF\n", session=steward.session) == 403
            assert thief.upload("a.csv", b"sex\nF\n") == 204
        assert steward.upload("a.csv", b"sex\nF\n") == 204
    with visiting(server.url, resume=steward.session, cookie="steward") as again:
        again.open()
        assert again.session == steward.session, "a lost connection finds its session again"


def test_a_page_gives_a_browser_its_secret_which_no_script_reads_and_no_client_can_name(server: Server) -> None:
    _, headers, _ = asked(f"{server.url}/", Accept="text/html")
    given = headers["Set-Cookie"]
    assert given.startswith("pmwpub_browser=")
    assert {"HttpOnly", "SameSite=Lax"} <= set(given.split("; "))
    _, headers, _ = asked(f"{server.url}/", Accept="text/html", Cookie=given.partition(";")[0])
    assert headers["Set-Cookie"] is None
    with visiting(server.url, cookie="steward") as steward:
        steward.open()
        named = steward.passes() | {"Cookie": "", "X-Pmwpub-Browser": identity("steward")}
        address = f"{server.url}/_stcore/upload_file/{steward.session}/a-file"
        with pytest.raises(urllib.error.HTTPError, match="403") as refusal:
            urllib.request.urlopen(urllib.request.Request(address, b"", named, method="PUT"))
        assert refusal.value.read() == b"Another browser's session."
        refusal.value.close()
