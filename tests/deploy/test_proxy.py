"""The proxy's file, in nginx itself: what it passes on, what it refuses, and what its logs do not say."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest
from support.proxy import Proxy, configured, refusal, started

pytestmark = pytest.mark.skipif(bool(refusal()), reason=f"No proxy can be started here: {refusal()}")

SESSION = "3f1c9a52-0b7e-4f5d-9a7a-5d0c5a1e7b11"
UPLOAD = f"/_stcore/upload_file/{SESSION}/a-file"
TOLD = [UPLOAD, f"/tools/pmwpub{UPLOAD}", f"/?population={SESSION}", f"/oauth2callback?code={SESSION}"]
MEGABYTE = 2**20


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    with started(tmp_path_factory.mktemp("proxy")) as running:
        yield running


@pytest.mark.parametrize(
    ("fault", "words"),
    [((), ""), (("limit_conn visitors 200;", "limit_conn nobody 200;"), "nobody"), (("http {", "htp {"), "htp")],
    ids=["as it is", "unknown zone", "misspelt"],
)
def test_nginx_takes_the_file_and_refuses_it_with_a_fault(fault: tuple[str, str], words: str, tmp_path: Path) -> None:
    configured(tmp_path, 8501, *([fault] if fault else []))
    command = ["nginx", "-t", "-q", "-e", str(tmp_path / "err"), "-p", str(tmp_path), "-c", "nginx.conf"]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert (ran.returncode == 0) is (not words), ran.stderr
    assert words in ran.stderr


def test_the_app_is_told_its_own_name_the_visitors_address_and_that_there_is_tls(proxy: Proxy) -> None:
    told = proxy.reached("/", **{"X-Forwarded-For": "10.9.8.7", "Origin": "https://elsewhere.example"})
    assert told["host"] == "localhost:8501"
    assert told["x-forwarded-for"] == "127.0.0.1", "not what a visitor says of itself"
    assert told["x-forwarded-proto"] == "https"
    assert told["origin"] == "https://elsewhere.example", "which the app itself refuses"
    assert "upgrade" not in told


def test_a_websocket_is_asked_for_at_the_app(proxy: Proxy) -> None:
    answer, _ = proxy.ask("GET", "/_stcore/stream", Upgrade="websocket", Connection="Upgrade")
    assert answer.status == 101


def test_answers_ask_for_tls_from_now_on_and_cookies_go_over_it_alone(proxy: Proxy) -> None:
    answer, _ = proxy.ask("GET", "/")
    assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"
    assert answer.headers["Set-Cookie"].lower() == "one=1; path=/; secure"


@pytest.mark.parametrize(
    ("address", "length", "status"),
    [(UPLOAD, 201 * MEGABYTE + 1, 413), ("/", 64 * 1024 + 1, 413), ("/_stcore/stream", 64 * 1024 + 1, 413)],
)
def test_a_body_beyond_its_bound_is_refused_by_the_length_that_it_announces(
    proxy: Proxy, address: str, length: int, status: int
) -> None:
    proxy.app.begun.clear()
    assert proxy.announce(address, length) == status
    assert not proxy.app.begun.is_set()


def test_an_upload_up_to_the_bound_reaches_the_app(proxy: Proxy) -> None:
    _, body = proxy.ask("PUT", UPLOAD, bytes(3 * MEGABYTE))
    assert json.loads(body)["sent"] == 3 * MEGABYTE


def test_the_servers_counts_are_answered_to_nobody(proxy: Proxy) -> None:
    assert proxy.ask("GET", "/_stcore/metrics")[0].status == 404


def test_without_tls_nothing_is_answered_but_a_refusal(proxy: Proxy) -> None:
    plain = HTTPConnection("localhost", proxy.port, timeout=30)
    plain.request("GET", "/")
    assert plain.getresponse().status == 400
    plain.close()


def _secrets_in_logs(place: Path, *faults: tuple[str, str]) -> bool:
    """Whether logs have a session's id after requests that went well, were too large, or found no app."""
    with started(place, *faults) as running:
        for address in TOLD:
            assert running.ask("GET", address)[0].status == 200
        assert running.announce(UPLOAD, 202 * MEGABYTE) == 413
        running.app.shutdown()
        running.app.server_close()
        for address in TOLD:
            assert running.ask("GET", address, Referer=f"https://localhost{address}")[0].status == 502
    assert re.search(r" GET upload 200 200 ", running.logged()), "what happened is logged all the same"
    assert re.search(r" PUT upload 413 - ", running.logged())
    assert re.search(r" GET sign-in 502 502 ", running.logged())
    return SESSION in running.logged()


def test_logs_hold_no_address_of_an_upload_a_page_or_a_sign_in(tmp_path: Path) -> None:
    assert not _secrets_in_logs(tmp_path)


@pytest.mark.parametrize(
    "fault",
    [("$request_method $kind", "$request_method $kind $status $upstream_status $request_uri"),
     ("error_log /dev/null crit;", "error_log /dev/stderr error;")],
    ids=["access", "errors"],
)  # fmt: skip
def test_logs_would_hold_them_otherwise(fault: tuple[str, str], tmp_path: Path) -> None:
    assert _secrets_in_logs(tmp_path, fault)


def _written_while_uploading(place: Path, *faults: tuple[str, str]) -> set[str]:
    """Files in the proxy's temporary space while half of an upload is there."""
    with started(place, *faults) as running:
        connection = running.connection()
        connection.putrequest("PUT", UPLOAD)
        connection.putheader("Content-Length", str(2 * MEGABYTE))
        connection.endheaders()
        connection.send(bytes(MEGABYTE))
        if not faults:
            assert running.app.begun.wait(30), "it is passed on before it is whole"
        else:
            _until(lambda: bool(running.files()))
        found = running.files()
        connection.send(bytes(MEGABYTE))
        assert json.loads(connection.getresponse().read())["sent"] == 2 * MEGABYTE
        connection.close()
    return found


def _until(holds: Callable[[], bool]) -> None:
    for _ in range(600):
        if holds():
            return
        time.sleep(0.05)


def test_an_upload_is_passed_on_as_it_comes_and_written_nowhere(tmp_path: Path) -> None:
    assert _written_while_uploading(tmp_path) == set()


def test_it_would_be_written_otherwise(tmp_path: Path) -> None:
    assert _written_while_uploading(tmp_path, ("proxy_request_buffering off;", ""))
