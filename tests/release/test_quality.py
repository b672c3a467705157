"""The quality of a release against sums by hand: distances, causes, support in effect."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from release.bundles import Made
from support import tables

from pmwpub.domain import Attribute, Domain
from pmwpub.queries.workload import Workload
from pmwpub.records import Distribution, Support
from pmwpub.release import quality
from pmwpub.release.measured import causes
from pmwpub.release.measured.causes import Cause

# Four atoms of (colour, size); the public table has 10 rows, 4, 3, 2 and 1 of them.
DOMAIN = Domain((Attribute("colour", ("red", "blue")), Attribute("size", ("s", "l"))))
SUPPORT = Support(DOMAIN, np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([4, 3, 2, 1]))
RELEASED = Distribution(SUPPORT, np.array([0.5, 0.0, 0.25, 0.25]))


def test_distances_of_one_and_two_columns_by_hand() -> None:
    one = quality.compared(RELEASED, 1)
    # colour: public 0.7, 0.3; release 0.5, 0.5. size: public 0.6, 0.4; release 0.75, 0.25.
    assert one.distance.tolist() == pytest.approx([0.2, 0.15])
    assert [one.names(place) for place in one.order] == [("colour",), ("size",)]
    two = quality.compared(RELEASED, 2)
    # 0.4 -> 0.5, 0.3 -> 0, 0.2 -> 0.25, 0.1 -> 0.25: half of 0.1 + 0.3 + 0.05 + 0.15
    assert two.distance.tolist() == pytest.approx([0.3])
    assert two.cells(0, two.public).tolist() == [[0.4, 0.3], [0.2, 0.1]]
    assert two.complete


def test_a_marginal_that_falls_short_of_one_lacks_rows_that_count_as_a_cell_of_their_own() -> None:
    workload = Workload.all_kway(DOMAIN, 1)
    full, lacking = np.array([0.5, 0.5, 0.6, 0.4]), np.array([0.5, 0.3, 0.6, 0.4])
    # As distributions with one more cell, (0.5, 0.5, 0) and (0.5, 0.3, 0.2): half of 0.2 + 0.2.
    assert quality.distances(workload, full, lacking).tolist() == pytest.approx([0.2, 0.0])


@given(st.integers(0, 10_000))
def test_no_marginal_of_more_columns_moves_less_than_one_of_its_parts(seed: int) -> None:
    rng = np.random.default_rng(seed)
    support = tables.support(tables.domain(2, 3, 2), 12, seed)
    released = Distribution(support, rng.dirichlet(np.ones(len(support))))
    one, two = quality.compared(released, 1), quality.compared(released, 2)
    moved = {one.names(place)[0]: float(one.distance[place]) for place in one.order}
    for place, (first, second) in enumerate(itertools.combinations(support.domain.names, 2)):
        assert two.names(place) == (first, second)
        assert max(moved[first], moved[second]) <= two.distance[place] + 1e-12
        assert two.distance[place] <= 1


def test_concentration_by_hand() -> None:
    found = quality.concentration(RELEASED)
    # 1 / (0.25 + 0.0625 + 0.0625)
    assert found.effective == pytest.approx(8 / 3)
    assert (found.atoms, found.largest, found.half) == (4, 0.5, 1)
    even = quality.concentration(Distribution.uniform(SUPPORT))
    assert even.effective == pytest.approx(4)
    assert even.half == 2


def test_the_heaviest_rows_come_with_their_labels_and_their_public_weight() -> None:
    first, second = quality.heaviest(RELEASED, 2)
    assert (first.row, first.weight, first.public) == (("red", "s"), 0.5, 0.4)
    assert (second.row, second.weight, second.public) == (("blue", "s"), 0.25, 0.2)


def _cause(number: int, noisy: float, public: float, *columns: str) -> Cause:
    return Cause(number, tuple((column, "x") for column in columns), noisy, public, noisy, 0.0, 0)


def test_measurements_of_most_columns_come_first_then_the_most_surprising_and_a_query_once() -> None:
    known = [
        _cause(1, 0.5, 0.1, "a", "z"),
        _cause(2, 0.2, 0.1, "a", "b"),
        _cause(3, 0.9, 0.1, "y", "z"),
        _cause(4, 0.2, 0.1, "b", "c"),
        _cause(5, 0.3, 0.1, "a", "b"),
    ]
    found = causes.touching(known, ("a", "b"), limit=9)
    assert [(one.number, one.columns) for one in found] == [(5, 2), (1, 1), (4, 1)]
    assert causes.touching(known, ("q",)) == ()


def test_every_round_is_a_cause_with_what_public_table_and_release_answer(made: Made) -> None:
    certificate = made.bundle.certificate
    workload = certificate.workload.build(made.bundle.schema.domain)
    released = made.bundle.distribution()
    found = causes.causes_of(certificate, released, workload)
    assert [one.number for one in found] == list(range(1, certificate.rounds + 1))
    names = released.support.domain.names
    labels = [
        dict(
            zip(
                names, (a.levels[c] for a, c in zip(released.support.domain.attributes, atom, strict=True)), strict=True
            )
        )
        for atom in released.support.codes
    ]
    for one, line in zip(found, certificate.transcript, strict=True):
        inside = [all(row[name] == level for name, level in one.query) for row in labels]
        assert one.noisy == line.noisy_answer
        assert one.released == pytest.approx(float(released.weights[inside].sum()))
        assert one.public == pytest.approx(sum(inside) / len(inside))


def test_all_marginals_are_compared_where_they_fit_and_a_public_sample_where_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    domain = tables.domain(*[2] * 12)
    support = tables.support(domain, 40, 1)
    assert quality.compared(Distribution.uniform(support), 3).complete
    # 220 marginals of 8 cells: 220 m + 1,760 steps for m atoms. Half of them must do.
    monkeypatch.setattr(quality, "MOST_STEPS", (220 * len(support) + 1760) // 2)
    part, again = (quality.compared(Distribution.uniform(support), 3) for _ in range(2))
    assert not part.complete
    assert len(part.workload.marginals) == 110
    assert part.workload == again.workload


@given(st.lists(st.integers(2, 9), min_size=3, max_size=7), st.integers(1, 3))
def test_the_cells_of_all_marginals_are_counted_without_listing_them(shape: list[int], ways: int) -> None:
    expected = sum(math.prod(sizes) for sizes in itertools.combinations(shape, ways))
    assert quality._cells(tables.domain(*shape), ways) == expected
