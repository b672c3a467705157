"""Waiting for something to become true."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

PATIENCE = 120.0
"""Seconds until a state that must come is given up for good, on however busy a machine."""


def until(true: Callable[[], object], seconds: float = PATIENCE) -> bool:
    """Wait for a state; whether it came."""
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def alive(pid: int) -> bool:
    """Whether a process runs (a zombie does not)."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"
