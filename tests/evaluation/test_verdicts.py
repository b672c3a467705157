"""What a sweep says about choosing, from runs whose means are plain."""

from __future__ import annotations

import pytest

from pmwpub.evaluation import (
    PMW_PUB,
    UNCHANGED,
    CertifiedFloor,
    SimulatedError,
    Summary,
    best_lines,
    fewest_rounds,
    not_beaten,
    reach,
)

EPSILONS = (0.1, 0.25, 0.5, 1.0)


def runs(candidate: str, means: tuple[float, ...], *, spread: float = 0.0, rounds: int = 5) -> list[SimulatedError]:
    """Three runs at each epsilon, around these maxima: their standard error is spread/sqrt(3)."""
    return [
        SimulatedError(PMW_PUB, candidate, epsilon, rounds, seed, mean + offset, mean / 2, mean / 3)
        for epsilon, mean in zip(EPSILONS, means, strict=True)
        for seed, offset in enumerate((-spread, 0.0, spread))
    ]


def unchanged(candidate: str, error: float) -> list[SimulatedError]:
    return [SimulatedError(UNCHANGED, candidate, epsilon, 0, 0, error, error / 4, error / 3) for epsilon in EPSILONS]


def test_an_unbiased_table_is_not_beaten_up_to_a_small_epsilon() -> None:
    """ADULT at no bias, in round numbers: 0.0142 and 0.0135 against 0.0148 is no clear gain, 0.0110 is."""
    (found,) = not_beaten(runs("b", (0.0142, 0.0135, 0.0110, 0.0084)) + unchanged("b", 0.0148))
    assert (found.candidate, found.epsilons, found.all_below) == ("b", (0.1, 0.25), True)
    assert (found.mean, found.unchanged) == (pytest.approx(0.0135), 0.0148)


def test_a_noisy_gain_is_no_clear_one() -> None:
    means = (0.30, 0.20, 0.10, 0.05)
    assert not_beaten(runs("b", means) + unchanged("b", 0.4)) == []
    (found,) = not_beaten(runs("b", means, spread=0.1) + unchanged("b", 0.4))
    assert found.epsilons == (0.1,), "0.30 + 2 * 0.0577 is above 0.4, 0.20 + 0.115 is not"


def test_a_gap_among_the_epsilons_is_said() -> None:
    (found,) = not_beaten(runs("b", (0.1, 0.2, 0.1, 0.1)) + unchanged("b", 0.2))
    assert (found.epsilons, found.all_below) == ((0.25,), False)


def test_each_measure_is_compared_with_its_own() -> None:
    found = not_beaten(runs("b", (0.1,) * 4) + unchanged("b", 0.2), "mean_error")
    assert [(one.mean, one.unchanged) for one in found] == [(pytest.approx(0.05), 0.05)]


def test_a_sweep_without_the_table_unchanged_says_nothing_of_it() -> None:
    assert not_beaten(runs("b", (0.3,) * 4)) == []


def test_the_best_line_is_the_lowest_at_each_epsilon() -> None:
    lines = best_lines(runs("b", (0.3, 0.2, 0.2, 0.2), rounds=5) + runs("b", (0.4, 0.1, 0.1, 0.3), rounds=50))
    assert [(line.epsilon, line.rounds, round(line.mean, 6)) for line in lines] == [
        (0.1, 5, 0.3), (0.25, 50, 0.1), (0.5, 50, 0.1), (1.0, 5, 0.2),
    ]  # fmt: skip


def summaries(means: dict[int, tuple[float, float]]) -> list[Summary]:
    return [Summary(PMW_PUB, "b", 1.0, rounds, 5, mean, error) for rounds, (mean, error) in means.items()]


def test_the_fewest_rounds_that_do_as_well_as_the_best_are_chosen() -> None:
    # 0.0331 <= 1.1 * 0.0311, and 0.0416 <= 0.0311 + 2 * 0.006.
    means = {5: 0.0622, 7: 0.0489, 10: 0.0416, 14: 0.0331, 20: 0.0312, 28: 0.0312, 40: 0.0311}
    assert fewest_rounds(summaries({t: (mean, 0.001) for t, mean in means.items()})).rounds == 14, (
        "0.0331 <= 1.1 * 0.0311"
    )
    assert fewest_rounds(summaries({t: (mean, 0.006) for t, mean in means.items()})).rounds == 10, (
        "0.0416 <= 0.0311 + 2 s.e."
    )
    assert fewest_rounds(summaries({100: (0.3, 0.0), 50: (0.1, 0.0), 20: (0.2, 0.0)})).rounds == 50


def test_the_smallest_epsilon_for_an_error_or_never() -> None:
    results = runs("b", (0.3, 0.2, 0.1, 0.09)) + runs("d", (0.3, 0.3, 0.3, 0.29)) + unchanged("b", 0.4)
    near, far = reach(results, [CertifiedFloor("d", 0.28, 0.281)], 0.2001)
    assert (near.candidate, near.epsilon, near.floor) == ("b", 0.25, 0.0)
    assert (far.candidate, far.epsilon, far.best, far.largest, far.floor) == ("d", None, 0.29, 1.0, 0.28)


def fits(candidate: str, means: tuple[float, ...]) -> list[SimulatedError]:
    """One run of table fit at each epsilon."""
    pairs = zip(EPSILONS, means, strict=True)
    return [SimulatedError("table-fit", candidate, epsilon, 0, 0, mean, mean, mean) for epsilon, mean in pairs]


def test_each_engine_has_its_own_smallest_epsilon_and_the_better_one_comes_first() -> None:
    results = runs("b", (0.3, 0.2, 0.1, 0.09)) + fits("b", (0.2, 0.1, 0.05, 0.04)) + unchanged("b", 0.4)
    fitted, released = reach(results, [], 0.1001)
    assert (fitted.engine, fitted.epsilon, fitted.best) == ("table-fit", 0.25, 0.04)
    assert (released.engine, released.epsilon, released.best) == (PMW_PUB, 0.5, pytest.approx(0.09))


def test_a_release_is_not_beaten_by_the_free_table_where_either_engine_beats_it() -> None:
    weak = runs("b", (0.1, 0.1, 0.1, 0.1)) + unchanged("b", 0.1)
    (found,) = not_beaten(weak + fits("b", (0.1, 0.099, 0.05, 0.04)))
    assert (found.engine, found.epsilons, found.mean) == ("table-fit", (0.1, 0.25), 0.099)
    assert not_beaten(weak + fits("b", (0.05, 0.05, 0.05, 0.04))) == []
