"""The project as somebody has it who installed its wheel: built, unpacked away from the checkout, started by name."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 120
BUILD = "import sys, hatchling.build; print(hatchling.build.build_wheel(sys.argv[1]))"
PROBE = Path(__file__).with_name("server_probe")


def built_wheel(folder: Path) -> Path:
    """The wheel of this checkout, built without a network by the backend that pyproject.toml names."""
    ran = subprocess.run([sys.executable, "-c", BUILD, str(folder)], cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return folder / ran.stdout.split()[-1]


def unpacked(wheel: Path, folder: Path) -> Path:
    """The folder that now holds what the wheel holds, as an installation would."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


@dataclass
class InstalledApp:
    """`pmwpub app` of an unpacked wheel, started in a folder of its own on a throwaway store.

    site      where the wheel is unpacked
    place     the current folder; the store stands in it
    home      the user's; a folder that may hold settings of Streamlit
    """

    site: Path
    place: Path
    home: Path
    environment: dict[str, str] = field(default_factory=dict)
    port: int = 0
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"

    @property
    def store_url(self) -> str:
        return f"sqlite:///{self.place / 'ledger.sqlite'}"

    def start(self, *arguments: str, base: str = "") -> None:
        """Start and wait until it answers below `base`."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = [sys.executable, "-m", "pmwpub.cli", "app", "--headless", "--port", str(self.port), *arguments]
        path = os.pathsep.join([str(self.site), str(PROBE)])
        own = {"HOME": str(self.home), "PYTHONPATH": path, "PMWPUB_STORE": self.store_url}
        own["SERVER_PROBE"] = str(self.place / "options.json")
        with (self.place / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                command, cwd=self.place, env=os.environ | own | self.environment, stdout=log, stderr=log
            )
        deadline = time.monotonic() + START_SECONDS
        while not self._healthy(base):
            assert self.process.poll() is None, self.log()
            assert time.monotonic() < deadline, self.log()
            time.sleep(0.2)

    def stop(self) -> int:
        """End the server; its exit status."""
        assert self.process is not None
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(90)

    def log(self) -> str:
        return (self.place / "server.log").read_text()

    def options(self) -> dict[str, Any]:
        """Every option of Streamlit as the running server itself has it, and where its code stands."""
        written = self.place / "options.json"
        deadline = time.monotonic() + START_SECONDS
        while not written.exists():
            assert time.monotonic() < deadline, self.log()
            time.sleep(0.1)
        return json.loads(written.read_text())

    def listening(self) -> set[str]:
        """The addresses at which the server or a process that it started takes connections, as the kernel has them."""
        assert self.process is not None
        return set().union(*(_listening(pid) for pid in _family(self.process.pid)))

    def _healthy(self, base: str) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}{base}/_stcore/health", timeout=2) as answer:
                return answer.status == 200
        except OSError:
            return False


def _family(pid: int) -> list[int]:
    children = [int(one) for task in Path(f"/proc/{pid}/task").glob("*/children") for one in task.read_text().split()]
    return [pid, *(one for child in children for one in _family(child))]


def _listening(pid: int) -> set[str]:
    """Addresses in the kernel's own hexadecimal spelling, a colon and the port."""
    sockets = {os.readlink(link) for link in Path(f"/proc/{pid}/fd").iterdir() if link.is_symlink()}
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets:
                found.add(fields[1])
    return found
