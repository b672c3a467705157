"""Rows that few public records carry: counted, left out and merged by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import tables

from pmwpub.errors import WorkloadError
from pmwpub.queries.workload import Workload
from pmwpub.records import Distribution, Support
from pmwpub.release.answers.few_records import few_records, without_few

SHAPE = tables.domain(2, 3, 2)
ONES = Workload.all_kway(SHAPE, 1)
ATOMS = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 2, 0], [1, 2, 1]])
PUBLIC = Support(SHAPE, ATOMS, np.array([3, 1, 1, 4, 2]))
RELEASED = Distribution(PUBLIC, np.array([0.3, 0.1, 0.2, 0.1, 0.3]))


def test_rows_are_few_where_their_combination_has_few_public_records() -> None:
    # Records of (a0, a1): (0, 0) 4, (0, 1) 1, (1, 2) 6.
    found = few_records(RELEASED, PUBLIC, ["a0", "a1"], 5, ONES)
    assert (found.share, found.combinations) == (pytest.approx(0.6), 2)
    assert few_records(RELEASED, PUBLIC, ["a0", "a1"], 4, ONES).share == pytest.approx(0.2)
    # Of all three columns each atom counts by itself.
    assert few_records(RELEASED, PUBLIC, ["a0", "a1", "a2"], 2, ONES).share == pytest.approx(0.3)


def test_leaving_out_and_merging_change_answers_as_by_hand() -> None:
    found = few_records(RELEASED, PUBLIC, ["a0", "a1"], 4, ONES)
    # Without (0, 1, 0) the weights are .3, .1, .1, .3 over .8: a1 has (.5, 0, .5) for (.4, .2, .4), a0 (.5, .5) for
    # (.6, .4), a2 (.5, .5) for (.6, .4).
    assert found.dropped is not None
    assert found.dropped.largest == pytest.approx(0.2)
    assert found.dropped.mean == pytest.approx((0.1 + 0.1 + 0.1 + 0.2 + 0.1 + 0.1 + 0.1) / 7)
    # Merged: its .2 goes to the rows that stay with a0 = 0, .3 and .1, so they have .45 and .15. a1 has (.6, 0, .4), a0
    # is as it was, a2 has (.45 + .1, .15 + .3) = (.55, .45) for (.6, .4).
    assert found.merged is not None
    assert found.merged.largest == pytest.approx(0.2)
    assert found.merged.mean == pytest.approx((0.0 + 0.0 + 0.2 + 0.2 + 0.0 + 0.05 + 0.05) / 7)


def test_the_weights_that_are_left_are_those_whose_answers_were_compared() -> None:
    dropped, merged = (without_few(RELEASED, PUBLIC, ["a0", "a1"], 4, rule) for rule in ("drop", "merge"))
    assert dropped.weights == pytest.approx(np.array([0.3, 0.1, 0, 0.1, 0.3]) / 0.8)
    assert merged.weights == pytest.approx(np.array([0.45, 0.15, 0, 0.1, 0.3]))
    with pytest.raises(WorkloadError):
        without_few(RELEASED, PUBLIC, ["a0"], 50, "drop")


def test_where_no_row_agrees_in_the_first_column_all_that_stay_take_part() -> None:
    # By (a1, a0) with fewer than 5 records only (2, 1) stays: nothing of a1 agrees, so its two rows share all.
    found = few_records(RELEASED, PUBLIC, ["a1", "a0"], 5, ONES)
    assert found.merged == found.dropped


def test_rows_that_were_added_have_no_public_record() -> None:
    public = Support(SHAPE, ATOMS[1:], np.array([1, 1, 4, 2]))
    assert few_records(RELEASED, public, ["a0", "a1", "a2"], 2, ONES).share == pytest.approx(0.3 + 0.1 + 0.2)


def test_nothing_is_few_or_everything() -> None:
    nobody = few_records(RELEASED, PUBLIC, ["a2"], 3, ONES)
    assert (nobody.share, nobody.combinations) == (0, 0)
    assert nobody.dropped is not None
    assert nobody.dropped.largest == 0
    everybody = few_records(RELEASED, PUBLIC, ["a0"], 50, ONES)
    assert everybody.share == pytest.approx(1)
    assert everybody.dropped is None
    assert everybody.merged is None


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.permutations(["a0", "a1", "a2"]), st.integers(1, 3), st.integers(2, 6))
def test_counts_are_what_a_loop_counts(seed: int, names: list[str], many: int, least: int) -> None:
    rng = np.random.default_rng(seed)
    atoms = np.array(
        [row for row in itertools.product(range(2), range(3), range(2)) if rng.random() < 0.7] or [[0, 0, 0]]
    )
    public = Support(SHAPE, atoms, rng.integers(1, 5, len(atoms)))
    released = Distribution(public, rng.dirichlet(np.ones(len(atoms))))
    places = [int(name[1]) for name in names[:many]]
    share, combinations = 0.0, set()
    for atom, weight in zip(atoms, released.weights, strict=True):
        alike = (atoms[:, places] == atom[places]).all(axis=1)
        if public.multiplicity[alike].sum() < least:
            share += weight
            combinations.add(tuple(atom[places]))
    found = few_records(released, public, names[:many], least, ONES)
    assert (found.share, found.combinations) == (pytest.approx(share), len(combinations))


@pytest.mark.parametrize("names", [[], ["a0", "a0"], ["town"]])
def test_columns_are_named_once_and_are_the_releases(names: list[str]) -> None:
    with pytest.raises(WorkloadError):
        few_records(RELEASED, PUBLIC, names, 5, ONES)
    with pytest.raises(WorkloadError):
        few_records(RELEASED, PUBLIC, ["a0"], 1, ONES)
