"""A server of its own on a throwaway store, and a headless Chromium to look at it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[2]
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
START_SECONDS = 90


@dataclass
class Server:
    """`streamlit run app.py` on a free port; it can be stopped and started again on the same store.

    database  the store's address; a SQLite file in the folder `store` unless given
    options   of Streamlit, for the command
    base      the base path that the options set, with a slash behind it
    """

    store: Path
    script: str = "app.py"
    database: str = ""
    options: tuple[str, ...] = ()
    base: str = ""
    port: int = 0
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"

    @property
    def store_url(self) -> str:
        return self.database or f"sqlite:///{self.store / 'ledger.sqlite'}"

    def start(self) -> None:
        """Start and wait until it answers."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = [sys.executable, "-m", "streamlit", "run", self.script, "--server.port", str(self.port)]
        command += ["--server.headless", "true", *self.options]
        environment = {**os.environ, "PMWPUB_STORE": self.store_url}
        with (self.store / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                [*command, "--server.headless", "true", *self.options],
                cwd=ROOT,
                env=environment,
                stdout=log,
                stderr=log,
            )
        deadline = time.monotonic() + START_SECONDS
        while not self._healthy():
            assert time.monotonic() < deadline, (self.store / "server.log").read_text()
            time.sleep(0.2)

    def stop(self) -> None:
        """End the server, and with it its workers."""
        if self.process is not None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(90)
            self.process = None

    def workers(self) -> list[int]:
        """The process ids of this server's own workers."""
        assert self.process is not None
        tasks = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        children = [int(pid) for task in tasks for pid in task.read_text().split()]
        return [pid for pid in children if b"pmwpub.jobs" in Path(f"/proc/{pid}/cmdline").read_bytes()]

    def log(self) -> str:
        return (self.store / "server.log").read_text()

    def is_ready(self) -> bool:
        """Whether every worker stood its try: until then a purchase waits, and is refused after a while."""
        try:
            with urllib.request.urlopen(f"{self.url}/{self.base}ready", timeout=2) as answer:
                return int(answer.status) == 200
        except OSError:
            return False

    def _healthy(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/{self.base}_stcore/health", timeout=2) as answer:
                return answer.status == 200
        except OSError:
            return False


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A running server."""
    server = Server(tmp_path)
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium, driven by Playwright; skipped where either is missing.

    Per module, for Playwright keeps an event loop in this thread that other tests must not meet.
    """
    sync_api = pytest.importorskip("playwright.sync_api")
    binary = shutil.which("chromium") or shutil.which("chromium-browser")
    if binary is None:
        pytest.skip("No Chromium is installed.")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=binary, args=list(QUIET))
        yield browser
        browser.close()
