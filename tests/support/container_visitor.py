"""Run as a program on a container's network: goes through its proxy as a browser does, and prints what it saw as JSON.

The proxy's certificate is trusted by SSL_CERT_FILE.
"""

from __future__ import annotations

import json
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from browser.plain_client import PlainClient, visiting
from websockets.exceptions import InvalidHandshake

ADDRESS = "https://localhost:8443"
SECONDS = 240
CSV = b"age,sex\n" + b"30,f\n41,m\n" * 30


def ready() -> dict[str, bool]:
    """What the server last said of itself, until it says that it is ready or the time is over."""
    found: dict[str, bool] = {}
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline and not found.get("ready"):
        time.sleep(0.2)
        with suppress(OSError, ValueError):
            found = json.loads(_answer(f"{ADDRESS}/ready")[1])
    return found


def _answer(address: str, **headers: str) -> tuple[int, bytes, list[str]]:
    """Status, body and cookies of an address."""
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=SECONDS) as answer:
            return answer.status, answer.read(), answer.headers.get_all("Set-Cookie", [])
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read(), []


def of_another_site() -> str:
    """What became of a connection that another site's page opens."""
    try:
        with patient(lambda: visiting(ADDRESS, origin="https://elsewhere.example")):
            return "open"
    except InvalidHandshake as refused:
        return type(refused).__name__


@contextmanager
def patient(opening: Callable[[], AbstractContextManager[PlainClient]]) -> Iterator[PlainClient]:
    """A connection that is opened again while a busy machine takes longer for it than a client waits."""
    deadline = time.monotonic() + SECONDS
    with ExitStack() as stack:
        while True:
            try:
                client = stack.enter_context(opening())
                break
            except TimeoutError:
                if time.monotonic() > deadline:
                    raise
        yield client


def visit(client: PlainClient) -> dict[str, Any]:
    """Open the first page, see what stands there, and send a file to the session's own address."""
    client.open()
    buttons = [one.label for one in client.every("button")]
    return {"session": client.session, "buttons": buttons, "upload": client.upload("table.csv", CSV)}


def main() -> None:
    """Print what was seen."""
    found: dict[str, Any] = {"ready": ready()}
    status, _, cookies = _answer(f"{ADDRESS}/", Accept="text/html")
    found |= {"page": status, "secure": [cookie.lower().count("secure") for cookie in cookies]}
    found["another site"] = of_another_site()
    with patient(lambda: visiting(ADDRESS)) as client:
        found |= visit(client)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
