"""What a simulation says, in the words of its values: which baselines need a remark, and what did not run."""

from __future__ import annotations

from pmwpub.evaluation import CertifiedFloor, RefusedMethod, SimulatedError, Simulation
from pmwpub.service.simulations.error_figure import error_plot, labels
from pmwpub.service.simulations.findings import DidNotRun, baseline_remarks, not_beaten, not_run, reach
from pmwpub.service.simulations.simulated_methods import baseline_labels, described_baseline, variants_beside


def error(method: str, epsilon: float, largest: float, candidate: str = "b.csv") -> SimulatedError:
    return SimulatedError(method, candidate, epsilon, 5, 0, largest, largest, largest)


FOUND = Simulation(
    [
        error("unchanged", 0.5, 0.2),
        error("pmw-pub", 0.5, 0.19),
        error("pmw-pub", 1.0, 0.1),
        error("hdmm", 0.5, 0.3, ""),
        error("hdmm", 1.0, 0.2, ""),
        error("ji-elkan", 0.5, 0.2),
    ],
    [CertifiedFloor("b.csv", 0.03, 0.04)],
    [RefusedMethod("mwem", 0.5, "no room"), RefusedMethod("mwem", 1.0, "no room"), RefusedMethod("aim", 0.5, "no aim")],
)


def test_a_gain_of_a_twentieth_is_not_beaten_and_one_of_a_half_is() -> None:
    (one,) = not_beaten(FOUND)
    assert (one.candidate, one.epsilons, one.unchanged) == ("b.csv", (0.5,), 0.2)


def test_the_least_epsilon_tried_whose_error_is_small_enough_is_named_with_the_floor() -> None:
    ((enough,), (never,)) = (reach(FOUND, wanted) for wanted in (0.1, 0.05))
    assert (enough.epsilon, enough.best, enough.floor) == (1.0, 0.1, 0.03)
    assert (never.epsilon, never.largest) == (None, 1.0)


def test_a_baseline_that_ran_says_once_what_its_line_means() -> None:
    assert baseline_remarks(FOUND) == [("HDMM (no rows)", "answers the workload without synthetic rows")]


def test_what_did_not_run_is_told_once_for_each_reason_with_all_its_epsilons() -> None:
    assert not_run(FOUND) == [DidNotRun("MWEM", (0.5, 1.0), "no room"), DidNotRun("AIM", (0.5,), "no aim")]


def test_methods_are_told_apart_as_people_choose_them() -> None:
    methods = ("pmw-pub", "unchanged", "pmw-pub+average", "hdmm", "ji-elkan")
    assert baseline_labels(methods) == ["HDMM (no rows)", "Ji–Elkan"]
    assert variants_beside(methods) == 1
    assert described_baseline("dual-query") == "DualQuery: without a public table"
    assert described_baseline("ji-elkan") == "Ji–Elkan: with each public table"


def test_pmw_pub_has_its_plain_name_and_its_rounds_beside_the_other_engine_and_the_tables_colour() -> None:
    alone = Simulation([one for one in FOUND.errors if one.method in ("unchanged", "pmw-pub")], FOUND.floors)
    assert labels(alone) == ["b.csv"]
    both = Simulation([*alone.errors, error("table-fit", 0.5, 0.05), error("table-fit", 1.0, 0.04)], FOUND.floors)
    assert labels(both) == ["b.csv, Table fit", "b.csv, PMW^Pub"]
    plot = error_plot(both, drawn=["b.csv, PMW^Pub"])
    assert "b.csv, PMW^Pub: 19 % at epsilon 0.5, T = 5, 10 % at epsilon 1, T = 5." in plot.alt
    assert "Table fit" not in plot.alt
    assert "nothing is achievable with b.csv" in plot.alt
