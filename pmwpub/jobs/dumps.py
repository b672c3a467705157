"""What a process that holds private rows may do with memory: no crash dump writes it to disk, and it has its limit.

Windows has neither such limits nor such files: there nothing is forbidden, and a limit that is asked for is refused by
`settings.worker_memory`.
"""

from __future__ import annotations

try:
    import resource
except ImportError:
    resource = None  # type: ignore[assignment]


def no_core_dumps() -> None:
    """Forbid core files for this process and its children."""
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def limit_memory(megabytes: int) -> None:
    """Let this process hold so many MB of data at most; a task that wants more ends as crashed. 0 is no limit."""
    if megabytes and resource is not None:
        resource.setrlimit(resource.RLIMIT_DATA, (megabytes << 20, megabytes << 20))
