"""A release of a pool with learnt weights, end to end, has the law of what is charged."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest
from mechanisms.table_fit.test_table_fit_laws import CASES as OF_TABLES
from mechanisms.table_fit.test_table_fit_laws import Neighbours
from mechanisms.table_fit.toy_tables import planned
from support import tables
from support.planting import plant_twice_the_rho
from support.statistical import AUDIT

from pmwpub.mechanisms.table_fit.pool_fit import equal_mixture, pool_fit
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.vector_gaussian import VectorGaussian
from pmwpub.queries.counts import count
from pmwpub.records import Dataset, Support


@dataclass(frozen=True)
class PoolNeighbours(Neighbours):
    """As `Neighbours`, with two public tables of as many rows: their equal mixture is the table of both together."""

    @cached_property
    def tables(self) -> list[Dataset]:
        return [tables.table(self.workload.domain, 50, seed) for seed in (3, 4)]

    @cached_property
    def public(self) -> Dataset:
        return Dataset(self.workload.domain, np.concatenate([one.codes for one in self.tables]))

    @cached_property
    def plan(self) -> TableSchedule:
        supports = [Support.of(one) for one in self.tables]
        return planned(self.workload, equal_mixture(supports), ZCDP.at_most(self.rho), self.k)

    def hits(self, mine: bool, runs: int) -> int:
        supports = [Support.of(one) for one in self.tables]
        counts = count(self.plan.tables, Dataset(self.workload.domain, self.ours if mine else self.theirs))
        near, found = np.repeat(self.reach, np.diff(self.plan.tables.offsets)), 0
        for _ in range(runs):
            noisy = pool_fit(counts, supports, self.plan).release.noisy
            found += int((np.abs(noisy - self.counts[True]) <= near).sum()) >= self.least
        return found


CASES = {
    name: PoolNeighbours(case.k, case.ours, case.theirs, case.sizes, case.rho, case.runs)
    for name, case in OF_TABLES.items()
}
every = pytest.mark.parametrize("name", CASES)


@every
def test_the_shares_of_a_pool_are_those_of_all_its_rows_where_its_tables_have_as_many(name: str) -> None:
    together = planned(
        CASES[name].workload, Support.of(CASES[name].public), ZCDP.at_most(CASES[name].rho), CASES[name].k
    )
    assert together.shares == CASES[name].plan.shares


@pytest.mark.audit
@every
@pytest.mark.parametrize("mine", [True, False], ids=["ours", "theirs"])
def test_an_event_of_a_pool_is_as_frequent_as_the_exact_law_at_the_charge_has_it(name: str, mine: bool) -> None:
    gate = CASES[name].gate(mine, AUDIT)
    gate.assert_passed(CASES[name].hits(mine, gate.runs))


@pytest.mark.audit
@pytest.mark.fault("twice the charged rho in a pool")
@every
def test_noise_for_twice_the_charged_rho_fails_the_audit_of_a_pool(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant_twice_the_rho(monkeypatch, VectorGaussian)
    gate = CASES[name].gate(True, AUDIT)
    with pytest.raises(AssertionError, match="the event happened in"):
        gate.assert_passed(CASES[name].hits(True, gate.runs))
