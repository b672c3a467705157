"""Seconds from the server's start to its first page, in a browser that is already open.

    python benchmarks/first_page.py [--runs 3] [--port 8777] [--chromium /usr/bin/chromium]

Each run starts `streamlit run app.py` on an empty store in a temporary folder, as `make app` does, asks for the page
as soon as the port answers, and stops once Home is on the screen. Beside the wall time stand the server's processor
seconds by then, and which of the large libraries it had loaded.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
LIBRARIES = ("pandas", "pyarrow", "sqlalchemy", "numba", "llvmlite", "opendp", "scipy", "highspy", "gmpy2")


@contextmanager
def server(port: int, folder: str) -> Iterator[int]:
    """A server of its own; its process id."""
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        "app.py",
        "--server.headless",
        "true",
        "--server.port",
        str(port),
    ]
    environment = os.environ | {"PMWPUB_STORE": f"sqlite:///{folder}/ledger.sqlite3"}
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        yield process.pid
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("localhost", port)) == 0


def measured(page: Page, port: int) -> str:
    """One start, in words."""
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        with server(port, folder) as process:
            while not answers(port):
                time.sleep(0.02)
            listening = time.perf_counter() - started
            page.goto(f"http://localhost:{port}", wait_until="commit")
            page.get_by_role("heading", level=1).first.wait_for()
            page.get_by_role("button", name="Open the demo").wait_for()
            shown = time.perf_counter() - started
            ticks = Path(f"/proc/{process}/stat").read_text().split()[13:15]
            maps = Path(f"/proc/{process}/maps").read_text()
    seconds = sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
    loaded = [name for name in LIBRARIES if f"site-packages/{name}" in maps]
    return f"listening {listening:.2f} s, page {shown:.2f} s, server {seconds:.2f} s of processor; {', '.join(loaded)}"


def main(runs: int, port: int, chromium: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium)
        page = browser.new_page()
        page.goto("about:blank")
        for _ in range(runs):
            print(measured(page, port), flush=True)
        browser.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--port", type=int, default=8777)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    given = parser.parse_args()
    main(given.runs, given.port, given.chromium)
