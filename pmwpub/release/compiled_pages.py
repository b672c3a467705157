"""Pages of a report, compiled once for all programs where there is a place for that, and by each program elsewhere."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path

from jinja2 import FileSystemBytecodeCache
from jinja2.bccache import Bucket


class CompiledPages(FileSystemBytecodeCache):
    """Compiled pages where Python keeps its own compiled modules, and as far to be trusted as these.

    Jinja compiles a page anew where the page, Jinja or Python is another one. What cannot be written is not kept.
    """

    @classmethod
    def beside(cls, module: Path) -> CompiledPages:
        """Those that a module compiles; where the module's text changes, such as how it compiles, they are others."""
        digest = hashlib.sha256(module.read_bytes()).hexdigest()
        return cls(str(Path(cache_from_source(str(module))).parent), f"page-{digest[:16]}-%s.cache")

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a compiled page, if that can be."""
        with suppress(OSError):
            super().dump_bytecode(bucket)
