"""What a process that holds private rows may do with memory: no crash dump writes it to disk, and it has its limit."""

from __future__ import annotations

import resource


def no_core_dumps() -> None:
    """Forbid core files for this process and its children."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def limit_memory(megabytes: int) -> None:
    """Let this process hold so many MB of data at most; a task that wants more ends as crashed. 0 is no limit."""
    if megabytes:
        resource.setrlimit(resource.RLIMIT_DATA, (megabytes << 20, megabytes << 20))
