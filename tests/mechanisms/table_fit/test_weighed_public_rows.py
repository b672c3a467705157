"""Weighed public rows in both engines: as the rows repeated, but for how far they are trusted; sums stay exact."""

from __future__ import annotations

import numpy as np
import pytest
from mechanisms.table_fit.toy_tables import BUDGET, SHAPE, planned
from support import tables
from support.fakes import FixedNoise

from pmwpub.errors import DomainError
from pmwpub.mechanisms.noisy_error.assessment import start_steps
from pmwpub.mechanisms.pmw_pub.reweight import Iterate, exact_within
from pmwpub.mechanisms.table_fit.pool_fit import pool_fit
from pmwpub.mechanisms.table_fit.pool_weights import effective_rows
from pmwpub.mechanisms.table_fit.table_fit import table_fit
from pmwpub.privacy.budget import ZCDP
from pmwpub.queries.counts import PrivateCounts, count
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support
from pmwpub.tabular.weights.weight_column import MOST_UNITS

ROWS = tables.table(SHAPE, 60, 11)
WEIGHTS = 1 + np.arange(60) % 4
"""Fifteen rows of each of 1 to 4: 150 in all, worth 150^2/450 = 50 rows."""
WEIGHED = Support.weighed(ROWS, WEIGHTS)
REPEATED = Support.of(Dataset(SHAPE, np.repeat(ROWS.codes, WEIGHTS, axis=0)))


def alike(private: Dataset, support: Support, budget: ZCDP = BUDGET) -> float:
    """N2 of a release whose noisy tables are exact."""
    plan = planned(support=support, budget=budget)
    return table_fit(count(plan.tables, private), support, plan, noise=FixedNoise()).choices.pair_strength


def test_a_weighed_table_is_trusted_as_the_rows_of_equal_weight_that_it_is_worth() -> None:
    """The private table is the public one by weight, so that nothing speaks against it but how few people it holds."""
    private = Dataset(SHAPE, np.repeat(ROWS.codes, WEIGHTS * 100, axis=0))
    assert (WEIGHED.rows, WEIGHED.people) == (150, 50)
    assert (alike(private, WEIGHED), alike(private, REPEATED)) == (50.0, 150.0)


def test_a_pool_is_trusted_as_its_tables_are_worth() -> None:
    other = Support.weighed(tables.table(SHAPE, 40, 12), np.full(40, 3))
    assert effective_rows([WEIGHED, other], (500, 500)) == round(1 / (0.25 / 50 + 0.25 / 40))
    private = Dataset(SHAPE, np.repeat(ROWS.codes, WEIGHTS * 100, axis=0))
    plan = planned(support=WEIGHED)
    found = pool_fit(count(plan.tables, private), [WEIGHED, WEIGHED], plan, noise=FixedNoise())
    assert found.release.choices.pair_strength == 50.0 * sum(part > 0 for part in found.parts)


def test_the_budget_is_shared_among_tables_as_by_the_rows_repeated() -> None:
    ours, theirs = planned(support=WEIGHED), planned(support=REPEATED)
    assert [str(noise.scale) for noise in ours.noises] == [str(noise.scale) for noise in theirs.noises]


def test_the_start_is_that_of_the_rows_repeated_also_where_64_bits_are_too_few() -> None:
    workload = Workload.all_kway(SHAPE, 2)
    heavy = Support(SHAPE, WEIGHED.codes, WEIGHED.multiplicity * 10**14)
    for n, steps in ((7, 4), (10**12, 2**20)):
        counts = PrivateCounts(np.zeros(workload.queries, dtype=np.int64), n)
        found = {start_steps(counts, PublicProblem(workload, one), steps) for one in (WEIGHED, REPEATED, heavy)}
        assert len(found) == 1


@pytest.mark.parametrize("private", [1, 60_000, 10**9, 10**12])
def test_public_rows_beyond_exact_sums_are_known_before_a_run(private: int) -> None:
    """4 S (2n + 1) is at most 2^62, and S at most 2^50: by hand, the largest S is taken and one more is not."""
    most = min(1 << 52, (1 << 62) // (2 * private + 1)) // 4
    assert exact_within(most, private)
    assert not exact_within(most + 1, private)
    Iterate(np.array([most]), private)
    with pytest.raises(DomainError, match="too many for exact 64-bit sums"):
        Iterate(np.array([most + 1]), private)


def test_a_public_file_of_ten_million_rows_of_the_cap_is_exact_beside_a_private_one_of_as_many() -> None:
    assert exact_within(10**7 * MOST_UNITS, 10**7)
