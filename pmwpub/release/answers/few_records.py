"""Coded rows of a release that few public records carry, and what leaving them out, or merging them, would change.

Each coded row of a release is the row of a public person, or one with a column changed. Columns that point to a person
are named by the steward; what stands here is a function of the release and of the public table alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pmwpub.errors import WorkloadError
from pmwpub.mechanisms.table_fit.intervals.released_tables import answers_of
from pmwpub.queries.workload import Workload
from pmwpub.records import Bools, Codes, Distribution, Floats, Ints, Support

MERGING = (
    "Merging gives the weight of each such row to the rows that stay and agree with it in all named columns but the "
    "last; where none does, in all but the last two, and so on. Name the columns that matter most first."
)
"""How rows are merged, said beside what it costs."""


@dataclass(frozen=True)
class AnswersChanged:
    """By how much answers to the workload would differ from the release's own, as shares of rows."""

    largest: float
    mean: float


@dataclass(frozen=True)
class FewRecords:
    """Coded rows whose combination in the named columns fewer than `least` public records have.

    share         of the release's rows
    combinations  how many combinations they have
    dropped       what leaving them out would change; None where no row would be left
    merged        what merging them would change, by `MERGING`; None alike
    """

    columns: tuple[str, ...]
    least: int
    share: float
    combinations: int
    dropped: AnswersChanged | None
    merged: AnswersChanged | None


def few_records(
    released: Distribution, public: Support, columns: Sequence[str], least: int, workload: Workload
) -> FewRecords:
    """Look for such rows in a release; nothing of it is changed.

    public   the public people's rows, with how often each stands there
    columns  names, those that matter most first

    Raises WorkloadError for no column, one that repeats or is unknown, and for `least` below 2.

    Privacy: a function of the release and the public table alone.
    """
    named = _positions(released, columns)
    groups, few = _few(released, public, named, least)
    share = float(released.weights[few].sum())
    combinations = len(np.unique(groups[few & (released.weights > 0)]))
    if not few.any():
        unchanged = AnswersChanged(0.0, 0.0)
        return FewRecords(tuple(columns), least, share, combinations, unchanged, unchanged)
    if not released.weights[~few].sum() > 0:
        return FewRecords(tuple(columns), least, share, combinations, None, None)
    before = answers_of(released, workload)
    changes = [
        np.abs(answers_of(Distribution(released.support, weights), workload) - before)
        for weights in (_dropped(released.weights, few), _merged(released, few, named))
    ]
    dropped, merged = (AnswersChanged(float(one.max()), float(one.mean())) for one in changes)
    return FewRecords(tuple(columns), least, share, combinations, dropped, merged)


Rule = Literal["drop", "merge"]


def without_few(
    released: Distribution, public: Support, columns: Sequence[str], least: int, rule: Rule
) -> Distribution:
    """The weights of a release once such rows are left out ("drop") or merged ("merge", by `MERGING`).

    Raises WorkloadError as `few_records`, and where no row would be left.

    Privacy: a function of the release and the public table alone.
    """
    named = _positions(released, columns)
    _, few = _few(released, public, named, least)
    if not released.weights[~few].sum() > 0:
        raise WorkloadError("No row would be left; name fewer columns, or fewer records.")
    weights = _dropped(released.weights, few) if rule == "drop" else _merged(released, few, named)
    return Distribution(released.support, weights)


def _few(released: Distribution, public: Support, named: list[int], least: int) -> tuple[Ints, Bools]:
    """Groups of atoms that agree in the named columns, and which atoms few public records have."""
    if least < 2:
        raise WorkloadError("Fewer than how many records are few? At least 2.")
    groups, records = _records(released.support, public, named)
    few: Bools = records[groups] < least
    return groups, few


def _positions(released: Distribution, columns: Sequence[str]) -> list[int]:
    domain = released.support.domain
    unknown = [name for name in columns if name not in domain.names]
    if unknown:
        raise WorkloadError(f"The release has no column {unknown[0]!r}; it has {', '.join(domain.names)}.")
    if not columns or len(set(columns)) < len(columns):
        raise WorkloadError("Name one column or more, each once.")
    return [domain.index(name) for name in columns]


def _grouped(codes: Codes) -> Ints:
    """int64 (rows,): a number for each different row."""
    if codes.shape[1] == 0:
        return np.zeros(len(codes), dtype=np.int64)
    numbers: Ints = np.unique(codes, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return numbers


def _records(atoms: Support, public: Support, named: list[int]) -> tuple[Ints, Ints]:
    """int64 (atoms,) groups of atoms that agree in the named columns, and int64 (groups,) public records of each."""
    both = _grouped(np.concatenate([atoms.codes[:, named], public.codes[:, named]]))
    groups, of_public = both[: len(atoms)], both[len(atoms) :]
    records = np.zeros(int(both.max()) + 1, dtype=np.int64)
    np.add.at(records, of_public, public.multiplicity)
    return groups, records


def _dropped(weights: Floats, few: Bools) -> Floats:
    left = np.where(few, 0.0, weights)
    return left / left.sum()


def _merged(released: Distribution, few: Bools, named: list[int]) -> Floats:
    """The weights once few rows have given theirs away, as `MERGING` says."""
    weights, codes = released.weights, released.support.codes
    found, waiting = np.where(few, 0.0, weights), few.copy()
    for length in range(len(named) - 1, -1, -1):
        groups = _grouped(codes[:, named[:length]])
        size = int(groups.max()) + 1
        kept = np.bincount(groups[~few], weights[~few], minlength=size)
        given = np.bincount(groups[waiting], weights[waiting], minlength=size)
        taken = kept > 0
        factor = np.divide(given, kept, out=np.zeros(size), where=taken)
        found[~few] += weights[~few] * factor[groups[~few]]
        waiting &= ~taken[groups]
    return found / found.sum()
