"""Whether a public file may be a copy out of the private one: the longest run of lines that stand in both.

Single rows coincide by chance (41 % of the distinct ADULT rows of disjoint people do); long runs of them do not.
Privacy: what comes out depends on private rows and is for the steward only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from pmwpub.tabular.options import ReadOptions
from pmwpub.tabular.reading import TextTable

_DOUBLINGS = 10  # runs are followed to 2,047 lines
_FALSE_ALARM = 1e-6
_CELL_END = "\x1f"
Numbers = npt.NDArray[np.signedinteger]


def shared_run(private: bytes, public: bytes) -> int:
    """The most lines in a row that both files hold, up to 2,047; headers, empty lines and line ends are left out."""
    return _longest(*_coded(_lines(private), _lines(public)))


def long_run(private: TextTable, public: TextTable) -> int:
    """The longest shared run if chance hardly explains it, else 0.

    Rows drawn independently from the tables' own frequencies (p and q of row x, collision rate c = sum_x p_x q_x)
    share a run of L lines with probability at most n m c^L (union bound over places); it must be below 1e-6.
    Raw lines are compared where both files are plain UTF-8 with commas, else the cells.
    """
    if private.options == public.options == ReadOptions():
        pair = _coded(_lines(private.content), _lines(public.content))
    else:
        pair = _coded(_rows(private), _rows(public))
    found = _longest(*pair)
    return found if found > _chance_run(*pair) else 0


def _lines(content: bytes) -> list[bytes]:
    return [line for line in content.splitlines() if line][1:]


def _rows(table: TextTable) -> list[str]:
    return [_CELL_END.join(row) for row in zip(*(table.frame[name].tolist() for name in table.header), strict=True)]


def _coded(private: Sequence[object], public: Sequence[object]) -> tuple[Numbers, Numbers]:
    """Both sequences as numbers, equal for equal lines."""
    codes, _ = pd.factorize(np.array([*private, *public], dtype=object))
    return codes[: len(private)], codes[len(private) :]


def _chance_run(private: Numbers, public: Numbers) -> float:
    """The longest run that independent rows may share: n m c^L = 1e-6 solved for L."""
    most = int(max(private.max(initial=0), public.max(initial=0))) + 1
    rates = [np.bincount(codes, minlength=most) / max(1, len(codes)) for codes in (private, public)]
    collision = min(1.0, float(rates[0] @ rates[1]))
    if collision in (0.0, 1.0):
        return math.inf if collision else 0.0
    return max(1.0, math.log(len(private) * len(public) / _FALSE_ALARM) / -math.log(collision))


def _longest(private: Numbers, public: Numbers) -> int:
    """The longest common run, by doubling: windows of 2^k lines get numbers, equal for equal windows."""
    windows = [(private, public)]
    if not _meet(*windows[0]):
        return 0
    for doubling in range(_DOUBLINGS):
        wider = _joined(windows[-1], windows[-1], 1 << doubling)
        if not _meet(*wider):
            break
        windows.append(wider)
    length = 1 << (len(windows) - 1)
    run = windows[-1]
    for doubling in reversed(range(len(windows) - 1)):
        wider = _joined(run, windows[doubling], length)
        if _meet(*wider):
            run, length = wider, length + (1 << doubling)
    return length


def _joined(first: tuple[Numbers, Numbers], second: tuple[Numbers, Numbers], distance: int) -> tuple[Numbers, Numbers]:
    """Numbers of the windows of `first` that are followed, `distance` lines on, by a window of `second`."""
    most = int(max(codes.max(initial=0) for codes in second)) + 1
    pairs = [one[: max(0, len(two) - distance)] * most + two[distance:] for one, two in zip(first, second, strict=True)]
    _, numbers = np.unique(np.concatenate(pairs), return_inverse=True)
    return numbers[: len(pairs[0])], numbers[len(pairs[0]) :]


def _meet(private: Numbers, public: Numbers) -> bool:
    return len(private) > 0 and len(public) > 0 and bool(np.isin(private, public).any())
