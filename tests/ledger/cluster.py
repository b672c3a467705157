"""A PostgreSQL of a test's own, which it may stop and start again."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


def programs() -> Path | None:
    """Where PostgreSQL's own programs are, if they are installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    return found[-1].parent if found else None


@dataclass(frozen=True)
class Cluster:
    """A database cluster in `folder`."""

    folder: Path
    port: int

    @property
    def url(self) -> str:
        return f"postgresql+psycopg://pmwpub@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        options = f"-h 127.0.0.1 -p {self.port} -k {self.folder}"
        self.run("pg_ctl", "start", "-D", f"{self.folder}/data", "-w", "-s", "-l", f"{self.folder}/log", "-o", options)

    def stop(self) -> None:
        """As after a crash: connections end, nothing is said."""
        self.run("pg_ctl", "stop", "-D", f"{self.folder}/data", "-m", "immediate", "-w", "-s")

    def run(self, program: str, *arguments: str) -> None:
        """PostgreSQL refuses to run as root: then the user that its package made runs it."""
        before = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        command = [*before, f"{programs()}/{program}", *arguments]
        subprocess.run(command, check=True, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    """One in `folder`, which is made; stopped at the end. Its superuser pmwpub needs no password, on loopback only."""
    folder.mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        made = Cluster(folder, free.getsockname()[1])
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
    made.run("initdb", "-D", f"{folder}/data", "-U", "pmwpub", "-E", "UTF8", "--locale=C", "--auth=trust", "-N")
    made.start()
    try:
        yield made
    finally:
        made.stop()
