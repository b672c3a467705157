"""Sets of attributes of which no two are of one lineage: all of them, how many, and a sample; old samples stay."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from pmwpub.domain import Attribute, Domain, Nesting
from pmwpub.errors import DomainError, WorkloadError
from pmwpub.queries import attribute_sets
from pmwpub.queries.workload import Workload


def nested(*lineages: int) -> Domain:
    """Columns of four levels, and parents of two: lineages of these sizes."""
    attributes = [Attribute(f"c{j}", ("a", "b", "c", "d")) for j in range(len(lineages))]
    nestings = []
    for j, size in enumerate(lineages):
        for number in range(size - 1):
            nestings.append(Nesting(j, len(attributes), (0, 0, 1, 1) if number % 2 else (0, 1, 1, 0)))
            attributes.append(Attribute(f"p{j}.{number}", ("x", "y")))
    return Domain(tuple(attributes), tuple(nestings))


def allowed(domain: Domain, k: int) -> list[tuple[int, ...]]:
    """By looking at every set."""
    lineages = [set(lineage) for lineage in domain.lineages]
    sets = itertools.combinations(range(len(domain.attributes)), k)
    return [one for one in sets if all(len(lineage & set(one)) <= 1 for lineage in lineages)]


@given(st.lists(st.integers(1, 4), min_size=1, max_size=5), st.integers(1, 4))
def test_every_set_is_listed_once_in_order_and_none_has_two_of_a_lineage(lineages: list[int], k: int) -> None:
    domain = nested(*lineages)
    found = list(attribute_sets.every(domain, k))
    assert found == allowed(domain, k)
    assert attribute_sets.how_many(domain, k) == len(found)


def test_two_lineages_of_two_and_three_and_one_alone_have_eleven_pairs() -> None:
    assert attribute_sets.how_many(nested(2, 3, 1), 2) == 2 * 3 + 2 * 1 + 3 * 1


@given(st.lists(st.integers(1, 3), min_size=2, max_size=5), st.integers(0, 1_000), st.data())
def test_a_sample_has_as_many_different_allowed_sets_as_asked(
    lineages: list[int], seed: int, data: st.DataObject
) -> None:
    domain = nested(*lineages)
    every = allowed(domain, 2)
    wanted = data.draw(st.integers(1, len(every)))
    found = attribute_sets.sampled(domain, 2, wanted, seed)
    assert found == sorted(set(found))
    assert len(found) == wanted
    assert set(found) <= set(every)


def test_each_allowed_set_is_sampled_as_often() -> None:
    """Single draws of 13 sets over 13,000 seeds, by chi-square at 1e-6; a law that favours one set by half fails."""
    domain = nested(3, 2, 1, 1)
    every = allowed(domain, 2)
    drawn = [attribute_sets.sampled(domain, 2, 1, seed)[0] for seed in range(1_000 * len(every))]
    often = np.array([drawn.count(one) for one in every])
    limit = chi2.isf(1e-6, len(every) - 1)
    assert float(((often - 1_000) ** 2 / 1_000).sum()) < limit
    favoured = np.where(np.arange(len(every)) == 0, often + 500, often - 500 // (len(every) - 1))
    assert float(((favoured - 1_000) ** 2 / 1_000).sum()) > limit


def test_a_sample_of_very_many_sets_draws_no_list_of_them() -> None:
    domain = nested(*[3] * 60)
    found = attribute_sets.sampled(domain, 8, 50, 1)
    assert len(set(found)) == 50
    assert all(domain.related(one) is None for one in found)


@pytest.mark.parametrize(("attributes", "k", "sets", "seed"), [(6, 2, 12, 3), (30, 3, 40, 0), (12, 4, 100, 7)])
def test_without_parents_the_sample_is_that_of_old_plans(attributes: int, k: int, sets: int, seed: int) -> None:
    """As plans drew it before columns had parents."""
    generator = random.Random(seed)
    every = list(itertools.combinations(range(attributes), k))
    chosen = set(generator.sample(every, sets)) if len(every) <= 4 * sets else set()
    while len(chosen) < sets:
        chosen.add(tuple(sorted(generator.sample(range(attributes), k))))
    assert attribute_sets.sampled(nested(*[1] * attributes), k, sets, seed) == sorted(chosen)


def test_k_is_at_most_the_number_of_lineages() -> None:
    with pytest.raises(
        WorkloadError, match="between 1 and 2, the number of attributes; a column and its parents count"
    ):
        Workload.all_kway(nested(2, 2), 3)


def test_a_marginal_of_a_column_and_its_parent_is_refused_by_their_names() -> None:
    with pytest.raises(WorkloadError, match=r"'c0' and 'p0\.0' are levels of one column"):
        Workload.of(nested(2, 1), [["c0", "p0.0", "c1"]])


def test_possible_rows_are_those_of_the_columns_alone() -> None:
    assert nested(2, 3).size == 4 * 4


@pytest.mark.parametrize(
    "nesting",
    [
        Nesting(0, 2, (0, 1)),
        Nesting(0, 1, (0, 1)),
        Nesting(0, 1, (0, 0, 0, 2)),
        Nesting(0, 1, (0, 0, 0, 0)),
        Nesting(0, 0, (0, 1, 2, 3)),
    ],
    ids=["no such attribute", "too few codes", "a code beyond", "a level of the parent without any below", "itself"],
)
def test_a_nesting_that_fits_no_attributes_is_refused(nesting: Nesting) -> None:
    attributes = (Attribute("c", ("a", "b", "c", "d")), Attribute("p", ("x", "y")))
    with pytest.raises(DomainError):
        Domain(attributes, (nesting,))


def test_a_projection_keeps_the_parents_whose_child_stays() -> None:
    domain = nested(3, 1)
    kept = domain.project(["p0.0", "c0"])
    assert kept.nestings == (Nesting(1, 0, (0, 1, 1, 0)),)
    assert domain.project(["p0.0", "p0.1"]).nestings == ()
