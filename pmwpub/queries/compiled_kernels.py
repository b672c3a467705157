"""Compiling loops with a cache on disk where there is a place for one, and without where there is none.

Numba refuses to make a function whose cache has no place (a read-only installation of a user without a home), and
breaks off where the cache cannot be written (a full disk). The loops need no cache: without one they are compiled anew
by each process. An image of a container is compiled when it is built, and read-only from then on: what it holds beside
the source is read there, and not added to.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, InTreeCacheLocator
from numba.core.runtime import rtsys

from pmwpub.queries.lean_numba import tried_numba


class _BesideTheSource(InTreeCacheLocator):
    """The folder of compiled code beside a module that this process cannot write to: it is read if it is there."""

    def ensure_cache_path(self) -> None:
        if not Path(self.get_cache_path()).is_dir():
            raise FileNotFoundError(self.get_cache_path())


class _Places(CompileResultCacheImpl):
    """Where a cache may lie: in the first of numba's own places that can be written, else where it was made before."""

    _locator_classes = (*CompileResultCacheImpl._locator_classes, _BesideTheSource)


class _Lenient(FunctionCache):
    """A cache that what goes wrong with its files leaves empty.

    Before it reads a loop numba loads some hundred modules of what code may be compiled with. A loop that is compiled
    already needs the runtime alone; for one that is not, numba loads them when it compiles.
    """

    _impl_class = _Places

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            if not tried_numba():
                return super().load_overload(sig, target_context)
            rtsys.initialize(target_context)
            return self._load_overload(sig, target_context)
        except OSError:
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        with suppress(OSError):
            super().save_overload(sig, data)


def compiled(function: Callable[..., Any]) -> Any:
    """The function as a serial loop that runs without the interpreter lock, compiled for each type at its first use."""
    made = numba.njit(nogil=True)(function)
    with suppress(RuntimeError):  # of a cache that has no place
        made._cache = _Lenient(function)
    return made
