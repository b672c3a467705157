"""Numba without what it loads only because it is there: a third of the time that a command waits for it.

Numba looks for scipy's linear algebra, for the measuring of test coverage and for a settings file in YAML. No loop of
this program takes any of them. A command is a program of its own, so nobody else's loops lack them there; in a server
or a notebook they are left alone, and so they are with any numba but the one that this was tried with.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from types import FrameType, ModuleType
from typing import NoReturn

TRIED_NUMBA = "0.68.1"
"""The numba that is tried without what is left out here and in `compiled_kernels`; another one is given all it asks."""

UNUSED = ("scipy.linalg", "coverage", "yaml")


class _RefusedToNumba(MetaPathFinder):
    """Finds nothing; where numba asks for one of `UNUSED`, it is as if that were not installed."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        if name in UNUSED and _asker().partition(".")[0] == "numba" and tried_numba():
            _refuse(name)


def tried_numba() -> bool:
    """Whether the numba that is loaded, or is being loaded, is the one that was tried."""
    return getattr(sys.modules.get("numba"), "__version__", "") == TRIED_NUMBA


def _asker() -> str:
    """The module whose import statement is at work."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = str(frame.f_globals.get("__name__", ""))
        if not name.startswith(("importlib", __name__)):
            return name
        frame = frame.f_back
    return ""


def _refuse(name: str) -> NoReturn:
    raise ModuleNotFoundError(f"numba does without {name} here", name=name)


@contextmanager
def numba_alone() -> Iterator[None]:
    """Refuse numba what no loop here takes, until the block ends; everybody else is given it."""
    finder = _RefusedToNumba()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
