"""Compiling loops with a cache on disk where there is a place for one, and without where there is none.

Numba refuses to make a function whose cache has no place (a read-only installation of a user without a home), and
breaks off where the cache cannot be written (a full disk). The loops need no cache: without one they are compiled anew
by each process.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any

import numba
from numba.core.caching import FunctionCache

_ALGEBRA = "scipy.linalg.cython_blas"


def _load_without_algebra() -> None:
    """Import Numba's array functions without SciPy's linear algebra, which they look for and no loop here uses.

    It takes as long to load as Numba itself. Python takes an entry of None for a module that is not there; the entry
    stands for the time of this import, and only where no other thread could ask for the module meanwhile.
    """
    if threading.active_count() > 1 or _ALGEBRA in sys.modules:
        return
    sys.modules[_ALGEBRA] = None  # type: ignore[assignment]
    try:
        import_module("numba.np.arraymath")
    finally:
        del sys.modules[_ALGEBRA]


_load_without_algebra()


class _Lenient(FunctionCache):
    """A cache that what goes wrong with its files leaves empty."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
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
