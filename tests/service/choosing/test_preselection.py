"""Which candidate is preselected, and what is said of it, through the service."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pmwpub.noisy_interval import NoisyInterval
from pmwpub.service.bought.assessments import Assessed, assessed, assessment_plan
from pmwpub.service.choosing.expected_error import ExpectedError
from pmwpub.service.choosing.preselection import NOTHING, preselected, tied_with_first, untold
from pmwpub.service.choosing.simulated_pairs import pairs_at, simulate_pairs
from pmwpub.service.inputs import study_store
from pmwpub.service.inputs.study import Study
from pmwpub.service.purchases import AssessmentPurchase, buy
from pmwpub.service.simulations.sweep_range import SweepRange
from tests.service.conftest import Bench

TERMS = SweepRange(epsilons=(0.5, 2.0), rounds=(5,), runs=1)


def today(bench: Bench) -> Study:
    return study_store.study(bench.service, bench.name)


def offered(bench: Bench) -> list[tuple[str, ...]]:
    return [(sha256,) for sha256 in bench.candidates]


@pytest.fixture
def bought(bench: Bench) -> list[Assessed]:
    """What was bought of all three, at one price."""
    current = today(bench)
    plans = [assessment_plan(current, pool, epsilon="0.2") for pool in offered(bench)]
    outcomes = buy(bench.service, bench.private, [AssessmentPurchase(plan) for plan in plans], tick=True)
    return [assessed(bench.service, current, outcome.booking) for outcome in outcomes]


def as_drawn(found: Assessed, floor: float, start: float, bar: float = 0.01) -> Assessed:
    """The purchase with other numbers."""

    def noisy(value: float) -> NoisyInterval:
        return NoisyInterval(value, max(0, value - bar), value + bar, 0.95, "1/25")

    return replace(found, floor=noisy(floor), start=noisy(start))


def test_without_any_number_nobody_is_preselected(bench: Bench) -> None:
    found = preselected(bench.service, today(bench), [], offered(bench), epsilon=1.0)
    assert (found.pool, found.reason, found.expected) == (None, NOTHING, ())


def test_the_only_candidate_is_taken_whatever_is_known(bench: Bench) -> None:
    found = preselected(bench.service, today(bench), [], offered(bench)[:1], epsilon=1.0)
    assert (found.pool, found.reason) == (offered(bench)[0], "b.csv is the only candidate.")


def test_without_a_simulation_a_clear_floor_decides_and_a_start_within_a_tie(
    bench: Bench, bought: list[Assessed]
) -> None:
    def taken(*numbers: tuple[float, float]) -> tuple[str | None, str]:
        given = [as_drawn(one, *pair) for one, pair in zip(bought, numbers, strict=True)]
        found = preselected(bench.service, today(bench), given, offered(bench), epsilon=1.0)
        return None if found.pool is None else today(bench).names(found.pool), found.reason

    name, reason = taken((0.2, 0.3), (0.05, 0.4), (0.2, 0.3))
    assert (name, "clear of the others" in reason) == ("c.csv", True)
    name, reason = taken((0.05, 0.3), (0.051, 0.1), (0.2, 0.05))
    assert (name, "too close to call" in reason) == ("c.csv", True)


def test_a_tie_of_floors_without_starts_preselects_nobody(bench: Bench, bought: list[Assessed]) -> None:
    given = [replace(as_drawn(one, 0.05, 0.1), start=None) for one in bought]
    found = preselected(bench.service, today(bench), given, offered(bench), epsilon=1.0)
    assert found.pool is None
    assert "too close to call" in found.reason


def test_simulations_decide_and_the_sentence_names_who_played_the_truth(bench: Bench) -> None:
    simulate_pairs(bench.service, today(bench), TERMS)
    found = preselected(bench.service, today(bench), [], offered(bench), epsilon=1.0)
    errors = [one.error for _, one in found.expected]
    assert errors == sorted(errors)
    assert found.pool == found.expected[0][0]
    assert len(found.expected) == 3
    for words in ("least expected error at ε = 1", "b.csv", "c.csv", "d.csv", "no floor or start of them was bought"):
        assert words in found.reason


def played(error: float, low: float, high: float, *truths: str) -> ExpectedError:
    return ExpectedError("", error, low, high, 0.0, 0.2, len(truths), truths=truths)


@pytest.mark.parametrize(
    ("second", "known", "tied"),
    [
        (played(0.10, 0.08, 0.12, "b"), [], True),
        (played(0.10, 0.095, 0.12, "b"), [], False),  # the first lies below where this one may
        (played(0.13, 0.08, 0.15, "b"), [], False),  # this one lies above where the first may
        (played(0.10, 0.08, 0.12, "b", "d"), [], False),  # d played the truth of both
        (played(0.10, 0.08, 0.12, "b"), [("b",)], False),
        (played(0.10, 0.08, 0.12, "b"), [("c",)], False),
    ],
)
def test_two_that_play_the_truth_of_each_other_are_not_told_apart_until_something_is_bought(
    second: ExpectedError, known: list[tuple[str, ...]], *, tied: bool
) -> None:
    first = played(0.09, 0.07, 0.12, "c", *(["d"] if "d" in second.truths else []))
    assert tied_with_first([(("b",), first), (("c",), second)], known) == ((("c",),) if tied else ())


def test_that_two_are_not_told_apart_stands_in_the_reason_and_a_third_table_ends_it(bench: Bench) -> None:
    simulate_pairs(bench.service, today(bench), TERMS)
    assert preselected(bench.service, today(bench), [], offered(bench), epsilon=1.0).tied == (), "d played it to both"
    assert "It and c.csv cannot be told apart until a start is bought" in untold(today(bench), offered(bench)[1:2])


def test_the_same_floors_and_another_start_change_the_choice(bench: Bench, bought: list[Assessed]) -> None:
    """Starts of 0.5 for all but one: whoever it is, it is expected to be best."""
    simulate_pairs(bench.service, today(bench), TERMS)
    for place in range(3):
        given = [as_drawn(one, 0.02, 0.03 if own == place else 0.5, 0.001) for own, one in enumerate(bought)]
        found = preselected(bench.service, today(bench), given, offered(bench), epsilon=1.0)
        assert found.pool == offered(bench)[place]


def test_between_two_simulated_epsilons_the_error_lies_between_theirs(bench: Bench) -> None:
    simulate_pairs(bench.service, today(bench), TERMS)
    low, high, between = (pairs_at(bench.service, today(bench), at, "pmw-pub") for at in (0.5, 2.0, 1.0))
    assert (len(between.pairs), between.reached) == (6, True)
    for first, last, one in zip(low.pairs, high.pairs, between.pairs, strict=True):
        # The middle of the logarithms of 0.5 and 2 is that of 1.
        assert one.error == pytest.approx((first.error * last.error) ** 0.5)
    assert not pairs_at(bench.service, today(bench), 5.0, "pmw-pub").reached
    assert pairs_at(bench.service, today(bench), 1.0, "table-fit").pairs == ()


def test_the_simulation_that_reaches_epsilon_counts_whichever_came_last_and_a_far_one_never(bench: Bench) -> None:
    current = today(bench)
    simulate_pairs(bench.service, current, replace(TERMS, epsilons=(0.1,)))
    asked = pairs_at(bench.service, current, 0.1, "pmw-pub")
    assert (bool(asked.pairs), asked.reached) == (True, True)
    simulate_pairs(bench.service, current, replace(TERMS, epsilons=(3.0,)))
    assert pairs_at(bench.service, current, 0.1, "pmw-pub").pairs == asked.pairs
    near = pairs_at(bench.service, current, 0.2, "pmw-pub")
    assert (near.pairs, near.reached) == (asked.pairs, False), "0.1 is nearer to 0.2 than 3 is"
    assert pairs_at(bench.service, current, 0.02, "pmw-pub").pairs == ()
    assert pairs_at(bench.service, current, 100.0, "pmw-pub").pairs == ()
