"""The guided story's numbers: read back as stored, and what is worked out from them."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from pmwpub.privacy.budget import ApproxDP, zcdp_of
from pmwpub.service.inputs.bundled_sample import CANDIDATES
from pmwpub.service.simulations import story_numbers


def test_the_stored_story_has_all_that_the_screens_draw() -> None:
    found = story_numbers.story()
    assert (found.rows, found.marginals, found.queries) == (20_000, 1140, 121_848)
    assert Fraction(found.delta) == Fraction(1, 20_000**2)
    assert [one.candidate for one in found.simulation.floors] == list(CANDIDATES)
    for method, labels in (("pmw-pub", list(CANDIDATES)), ("unchanged", list(CANDIDATES)), ("noise alone", [""])):
        curves = story_numbers.curves(found, method)
        assert [curve.label for curve in curves] == labels
        assert all(curve.epsilons == (0.1, 0.25, 0.5, 1.0) for curve in curves)


def test_what_was_bought_is_the_best_table_beside_doing_without() -> None:
    found = story_numbers.bought(story_numbers.story())
    curves = {curve.label: curve.mean[-1] for curve in story_numbers.curves(story_numbers.story(), "pmw-pub")}
    assert found.released == min(curves.values()) == curves[found.table]
    assert found.floor < found.released < found.unchanged
    assert found.released < found.alone
    assert found.epsilon_of_noise > 1


def test_half_the_noise_takes_four_times_the_rho() -> None:
    delta = Fraction(1, 10**9)
    needed = story_numbers.noise_epsilon(0.2, 0.1, delta)
    rho = float(zcdp_of(ApproxDP(Fraction(1), delta)).rho)
    assert float(zcdp_of(ApproxDP(Fraction(needed), delta)).rho) == pytest.approx(4 * rho, rel=1e-6)
    assert story_numbers.noise_epsilon(0.1, 0.1, delta) == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.0])
def test_with_and_without_the_person_every_answer_is_about_as_likely(epsilon: float) -> None:
    points = story_numbers.odds(epsilon, reach=400)
    assert sum(p for _, p, _ in points) == pytest.approx(1.0, abs=1e-9)
    assert sum(p for _, _, p in points) == pytest.approx(1.0, abs=1e-9)
    ratios = [math.log(p / q) for _, p, q in points if p > 1e-250 and q > 1e-250]
    assert max(map(abs, ratios)) == pytest.approx(epsilon)


def test_the_story_knows_both_engines_on_every_table() -> None:
    stored = story_numbers.story()
    fitted = {curve.label: curve.mean[-1] for curve in story_numbers.curves(stored, "table-fit")}
    assert list(fitted) == list(CANDIDATES)
    found = story_numbers.bought(stored)
    assert found.fitted == fitted[found.table]
    assert found.floor < found.fitted < found.unchanged
