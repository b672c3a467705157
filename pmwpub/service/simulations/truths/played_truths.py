"""Public tables that play the private one of a study, with their weights where the schema weighs rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from pmwpub.errors import PlanError
from pmwpub.evaluation import Stage, WeighedTruth, half_places, resampled
from pmwpub.plans.weighing import Weighing
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Ints, Support
from pmwpub.service.inputs.study import CandidateFacts, Study
from pmwpub.service.simulations.truths.weighed_simulations import KNOWN_TOTAL, NO_OWN_WEIGHTS, OWN_SUM, weighed_words
from pmwpub.tabular.coding.encode import Encoded


@dataclass(frozen=True, eq=False, repr=False)
class PlayedTruth:
    """A public table that plays the private one.

    own     int64 (rows,): what each row weighs, in units; None where it has no weights, or none are asked for
    public  int64 (rows,): what each weighs as a public row; None where each counts once. Where private rows are not
            weighed, it plays people who are drawn by this
    """

    name: str
    rows: Dataset
    own: Ints | None = field(default=None, repr=False)
    public: Ints | None = field(default=None, repr=False)

    @classmethod
    def of(cls, facts: CandidateFacts) -> PlayedTruth:
        """A candidate; PlanError where it does not fit the schema."""
        if facts.dataset is None:
            raise PlanError(f"{facts.name} does not fit the schema and cannot play the truth.")
        return cls(facts.name, facts.dataset, facts.as_truth, facts.weights)

    @classmethod
    def encoded(cls, name: str, table: Encoded) -> PlayedTruth:
        """A table that was read."""
        return cls(name, table.dataset, table.as_truth, table.weights)

    @property
    def support(self) -> Support:
        """Its rows as a public table's."""
        return Support.of(self.rows, self.public)

    def halves(self) -> tuple[PlayedTruth, Support]:
        """One half at random to play the truth, and the other one to play a public table."""
        half, rest = (self._at(places) for places in half_places(len(self.rows), 0))
        return half, rest.support

    def _at(self, places: Ints) -> PlayedTruth:
        own, public = (None if one is None else one[places] for one in (self.own, self.public))
        return PlayedTruth(self.name, Dataset(self.rows.domain, self.rows.codes[places]), own, public)

    def stage(
        self, current: Study, workload: Workload, supports: Mapping[str, Support], *, as_it_is: bool = False
    ) -> Stage:
        """The stage of a sweep: the table is resampled to the population's n rows, each with its weight, and then errs
        as a private table does. Its weights are scaled to T where that is known, else T is their own sum.

        as_it_is  the table itself has n rows

        Raises PlanError where rows are weighed, and the table has no weights and T is not known.
        """
        people, weighed = current.population, self._weighed(current, as_it_is=as_it_is)
        if weighed is not None:
            return Stage.weighing(workload, weighed, supports, people.delta, people.rows_per_person)
        rows = self.rows if as_it_is else resampled(self.support, people.n, 0)
        return Stage(workload, count(workload, rows), supports, people.delta, people.rows_per_person, rows=rows)

    def weighed(self, current: Study) -> WeighedTruth | None:
        """The table as `stage` resamples it, where the schema weighs rows; else None. Raises as that."""
        return self._weighed(current, as_it_is=False)

    def _weighed(self, current: Study, *, as_it_is: bool) -> WeighedTruth | None:
        column = None if current.schema is None else current.schema.weight_column
        if column is None:
            return None
        total, cap = known_total(current), column.units[1]
        if self.own is None and total is None:
            raise PlanError(NO_OWN_WEIGHTS.format(truth=self.name, column=column.name))
        own = _alike(self.rows) if self.own is None else self.own
        if as_it_is:
            return WeighedTruth.of(self.rows, own, cap, total=total)
        return WeighedTruth.drawn(self.rows, own, current.population.n, 0, cap, total)


def plays(current: Study, facts: CandidateFacts) -> bool:
    """Whether a table can play the private one: where rows are weighed, it has weights, or T is known; rows of a table
    without weights then weigh alike."""
    if not current.weighs_rows:
        return True
    return facts.as_truth is not None or known_total(current) is not None


def known_total(current: Study) -> int | None:
    """T, declared or bought, in units; None where rows are not weighed or it is not known."""
    weights = known_weights(current)
    return None if weights is None else weights.total


def known_weights(current: Study) -> Weighing | None:
    """How plans weigh rows now; None where they do not, or T is not known."""
    try:
        return current.weights
    except PlanError:
        return None


def weighed_setting(current: Study) -> dict[str, object]:
    """What a stored simulation depends on beside the schema, where that weighs rows; {} where it does not."""
    return {"total": known_total(current)} if current.weighs_rows else {}


def weighing_words(current: Study) -> str:
    """How simulations of a study weigh rows; "" where they do not."""
    column = None if current.schema is None else current.schema.weight_column
    if column is None:
        return ""
    weights = known_weights(current)
    return weighed_words(
        column, None if weights is None else weights.total, OWN_SUM if weights is None else KNOWN_TOTAL
    )


def _alike(rows: Dataset) -> Ints:
    return np.ones(len(rows), dtype=np.int64)
