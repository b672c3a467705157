"""CPU of the server a rerun, by page, and its memory: with Streamlit's full collection after each run, and without.

    python benchmarks/rerun_cost.py [--sessions 5] [--reruns 40]

Starts `streamlit run app.py` on a throwaway store with a demo in it, opens sessions that speak Streamlit's own protocol
over a websocket, and has each run each page again and again. CPU is the server process's own, by the kernel's count.
"""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets import Origin, Subprotocol
from websockets.sync.client import ClientConnection, connect

from pmwpub.jobs import InlineEngine
from pmwpub.ledger import Ledger
from pmwpub.service import Service
from pmwpub.service.inputs import demo

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("", "data", "workload", "candidates", "release", "explore", "ledger", "whatif", "story")
TICK = os.sysconf("SC_CLK_TCK")


@contextmanager
def serving(store: str, log: Path, collecting: str) -> Iterator[tuple[int, int]]:
    """A server; its port and process id."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    command += ["--server.headless", "true", "--runner.postScriptGC", collecting]
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=ROOT, env=os.environ | {"PMWPUB_STORE": store}, stdout=out, stderr=out)
    try:
        while not _answers(port):
            time.sleep(0.1)
        yield port, process.pid
    finally:
        process.terminate()
        process.wait()


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://localhost:{port}/_stcore/health", timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def run(connection: ClientConnection, page: str, query: str) -> None:
    """One run of a page, to its end."""
    message = BackMsg()
    message.rerun_script.query_string = query
    message.rerun_script.page_name = page
    connection.send(message.SerializeToString())
    answer = ForwardMsg()
    while answer.WhichOneof("type") != "script_finished" or answer.script_finished:
        answer.ParseFromString(connection.recv(60, decode=False))


def cpu(pid: int) -> float:
    """Seconds that a process has computed so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def megabytes(pid: int) -> float:
    """Resident memory."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1e3


def measure(collecting: str, sessions: int, reruns: int) -> None:
    """Print a line a page."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        store = f"sqlite:///{folder}/ledger.sqlite3"
        with Ledger.open(store) as ledger:
            name, _ = demo.open_demo(Service(ledger, InlineEngine()))
        port, pid = stack.enter_context(serving(store, Path(folder) / "log", collecting))
        url = f"ws://localhost:{port}/_stcore/stream"
        protocol, origin = [Subprotocol("streamlit")], Origin(f"http://localhost:{port}")
        opened = [
            stack.enter_context(connect(url, subprotocols=protocol, origin=origin, max_size=None))
            for _ in range(sessions)
        ]
        for page in PAGES:
            for one in opened:
                run(one, page, f"population={name}")
            before = cpu(pid)
            for _ in range(reruns):
                for one in opened:
                    run(one, page, f"population={name}")
            each = (cpu(pid) - before) / (reruns * sessions)
            print(
                f"postScriptGC={collecting:5}  {page or 'home':11}{1000 * each:7.1f} ms a rerun{megabytes(pid):8.0f} MB"
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=5)
    parser.add_argument("--reruns", type=int, default=40)
    asked = parser.parse_args()
    for setting in ("true", "false"):
        measure(setting, asked.sessions, asked.reruns)
