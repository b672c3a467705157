"""What a server costs: its processor time by the kernel's count, its memory, and a rerun of each page by itself."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from browser.plain_client import visiting

PAGES = ("", "prepare", "compare", "release", "hand_over", "ledger", "what_if", "story")
TICK = os.sysconf("SC_CLK_TCK")


def cpu(pid: int) -> float:
    """Seconds that a process has computed so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def megabytes(pid: int) -> float:
    """Resident memory of a process; 0 of one that is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return int(next((line.split()[1] for line in lines if line.startswith("VmRSS")), 0)) / 1e3


def below(pid: int) -> list[int]:
    """The processes that a process started, and that those started."""
    try:
        tasks = [task.read_text() for task in Path(f"/proc/{pid}/task").glob("*/children")]
    except OSError:
        return []
    children = [int(child) for task in tasks for child in task.split()]
    return [*children, *(one for child in children for one in below(child))]


def memory(pid: int) -> tuple[float, float]:
    """Resident MB of a server, and of its workers with all that they started."""
    return megabytes(pid), sum(map(megabytes, below(pid)))


def page_costs(
    url: str, pid: int, query: str, sessions: int, reruns: int, pages: Sequence[str] = PAGES
) -> Iterator[tuple[str, float]]:
    """Seconds of the server's processor a rerun, page by page, with nothing else at work."""
    with ExitStack() as stack:
        clients = [stack.enter_context(visiting(url)) for _ in range(sessions)]
        for page in pages:
            for client in clients:
                client.open(query, page)
            before = cpu(pid)
            for _ in range(reruns):
                for client in clients:
                    client.open(query, page)
            yield page, (cpu(pid) - before) / (reruns * sessions)
