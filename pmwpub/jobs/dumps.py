"""No crash dump: a process that holds private rows never writes its memory to disk."""

from __future__ import annotations

import resource


def no_core_dumps() -> None:
    """Forbid core files for this process and its children."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
