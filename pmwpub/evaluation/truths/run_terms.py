"""What is public of a run of a sweep, and what the run has: the truth, the candidates, its noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pmwpub.errors import MethodRefused
from pmwpub.evaluation.truths.weighed_truths import TruthWeights, WeighedTruth
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import NoiseSource
from pmwpub.queries.counts import PrivateCounts, count
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.repeated_rows import RepeatedRows
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support

NO_ROWS = "It needs the rows of the truth, which this sweep does not hand on."


@dataclass(frozen=True)
class RunTerms:
    """What is public of a run: the workload, n, the budget, k.

    candidates  how many public tables the sweep has
    weights     how rows are weighed; n is T and k is k W then. None where each counts as one
    """

    workload: Workload
    n: int
    budget: ZCDP
    rows_per_person: int = 1
    candidates: int = 1
    weights: TruthWeights | None = None

    @property
    def people(self) -> int:
        """How many rows there are, whatever they weigh."""
        return self.n if self.weights is None else self.weights.people

    @property
    def cap(self) -> int:
        """The most that one row adds to a count."""
        return 1 if self.weights is None else self.weights.cap


@dataclass(frozen=True, eq=False, repr=False)
class Case:
    """What a baseline runs on: data that may be looked at, or a steward's own data for the steward's eyes alone.

    counts    of the workload on `rows`
    rows      the truth, for a baseline that needs more of it than its counts
    problem   the candidate, for a baseline that uses one
    rounds    for a baseline that has them
    seed      numbers the run; for public choices alone
    candidates  by name, for a method that takes all public tables of the sweep together
    weighed   the truth where its rows are weighed, for a method that takes weights; `rows` is None then
    """

    terms: RunTerms
    counts: PrivateCounts
    rows: Dataset | RepeatedRows | None
    problem: PublicProblem | None
    rounds: int
    seed: int
    noise: NoiseSource
    candidates: Mapping[str, Support] = field(default_factory=dict)
    weighed: WeighedTruth | None = None


def rows_of(case: Case) -> Dataset | RepeatedRows:
    """The truth's rows; MethodRefused where the sweep has none."""
    if case.rows is None:
        raise MethodRefused(NO_ROWS)
    return case.rows


def counts_on(case: Case, tables: Workload) -> PrivateCounts:
    """The truth's counts of other tables, of rows that may be weighed; MethodRefused where the sweep has no rows."""
    return count(tables, rows_of(case)) if case.weighed is None else case.weighed.counts(tables)


def refuse_for(why: str) -> None:
    """Raise MethodRefused for a reason, unless it is empty."""
    if why:
        raise MethodRefused(why)
