"""The accuracy theorem as a question: its answers agree with each other, and with the theorem read by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pytest

from pmwpub.errors import BoundError
from pmwpub.service.simulations.theorem_calculator import AccuracyQuestion, Facts, facts_of, rows_that_suffice

FACTS = Facts(20_000, 12_000, 121_848, Fraction(1, 20_000**2))
ASKED = AccuracyQuestion(FACTS, epsilon=1.0, best_mixture=0.01, beta=0.05)


def test_the_bound_is_the_four_parts_of_proposition_a_1_by_hand() -> None:
    e, t, n = ASKED.tilde, ASKED.rounds, 20_000
    luck = math.log(3 / 0.05)
    settled = math.sqrt(4 * math.log(12_000) / t + 4 * t / (e * n) ** 2 + 4 * math.sqrt(luck) / (e * n))
    chosen = 2 * math.sqrt(2 * t) * math.log(121_848) / (e * n)
    assert ASKED.bound == pytest.approx(2 * 0.01 + settled + chosen + math.sqrt(luck / (2 * t)))


def test_the_best_number_of_rounds_is_the_lowest_of_those_that_are_drawn() -> None:
    parts = ASKED.by_rounds()
    assert min(parts, key=lambda one: one.total).rounds == ASKED.rounds
    assert min(one.total for one in parts) == pytest.approx(ASKED.bound)
    assert [one.rounds for one in parts] == sorted({one.rounds for one in parts})


def test_the_line_over_epsilon_has_the_questions_own_epsilon_with_its_bound() -> None:
    line = ASKED.by_epsilon((0.5, 2.0))
    assert line.epsilons == (0.5, 1.0, 2.0)
    assert line.errors[1] == pytest.approx(ASKED.bound)


@pytest.mark.parametrize("k", [1, 4])
def test_with_the_rows_or_the_epsilon_that_it_says_are_needed_the_bound_is_the_wanted_error(k: int) -> None:
    asked = replace(ASKED, facts=replace(FACTS, rows_per_person=k))
    rows, epsilon = asked.needed(0.3)
    assert replace(asked, facts=replace(asked.facts, n=math.ceil(rows))).bound == pytest.approx(0.3, rel=1e-3)
    assert replace(asked, epsilon=epsilon).bound == pytest.approx(0.3, rel=1e-3)


def test_an_error_below_twice_the_best_mixture_error_is_never_promised() -> None:
    with pytest.raises(BoundError, match="never falls"):
        ASKED.needed(0.02)


def test_rows_that_suffice_are_those_of_proposition_4_3_and_each_person_counts_k_times() -> None:
    private, public = rows_that_suffice(0.1, 0.05, 1000, rows_per_person=3, second_divergence=0.0, max_divergence=0.0)
    assert private == 3 * math.ceil(800 * math.log(80_000))
    assert public == math.ceil((3200 + 80 / 3) * math.log(80_080))


def test_without_a_population_the_facts_are_the_demos() -> None:
    assert facts_of(None) == FACTS
