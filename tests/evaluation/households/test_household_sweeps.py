"""Simulated releases of households: errors by hand at each level, the law of a release, and who takes no households."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from support.households import csv_of, homes, schema_text

from pmwpub.evaluation import PMW_PUB, TABLE_FIT, UNCHANGED, CertifiedFloor, Run, Sweep
from pmwpub.evaluation.households import household_engines
from pmwpub.evaluation.households.household_engines import HOUSEHOLD_ENGINES, FittedHouseholds, RoundsOfHouseholds
from pmwpub.evaluation.households.household_stages import LEVELS, HouseholdStage, cell_weights
from pmwpub.evaluation.households.household_sweeps import HouseholdSimulation, simulate_households
from pmwpub.mechanisms.households.household_counts import count_households
from pmwpub.plan_inputs import WorkloadChoice
from pmwpub.service.households import household_releases
from pmwpub.service.simulations.households.household_truths import household_stage
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.households.household_schema import HouseholdSchema
from pmwpub.tabular.households.reading_households import private_households, public_households

FLOORS = Sweep((1.0,), methods=(UNCHANGED,))
SCHEMA = HouseholdSchema.from_json(schema_text())


def stage_of(truth: list[list[str]], *, k: int = 2, **public: list[list[str]]) -> HouseholdStage:
    workload = WorkloadChoice(k=k).build(SCHEMA.persons.domain)
    private = private_households(read_table(csv_of(truth).encode()), SCHEMA)
    candidates = {
        f"{name}.csv": public_households(read_table(csv_of(some).encode()), SCHEMA).households
        for name, some in public.items()
    }
    return household_stage(SCHEMA, workload, private, candidates, Fraction(1, max(2, len(private)) ** 2))


def swept(stage: HouseholdStage, *methods: str, epsilons: tuple[float, ...] = (1.0, 50.0)) -> HouseholdSimulation:
    return simulate_households(stage, Sweep(epsilons, runs=2, methods=methods, floors=False))


def test_errors_of_the_table_unchanged_are_those_by_hand_at_each_level() -> None:
    alone, family = ["own,adult,f"], ["rent,adult,m", "rent,child,f"]
    found = swept(stage_of([alone, family], k=1, b=[alone, alone]), UNCHANGED, epsilons=(1.0,))
    lines = {level: simulation.errors[0] for level, simulation in found.levels.items()}
    # Of three persons one owns, one is a child, two are women; of the public ones all own, none is, all are.
    gaps = [2 / 3, 2 / 3, 1 / 3, 1 / 3, 0, 1 / 3, 1 / 3]
    assert lines["persons"].max_error == pytest.approx(2 / 3)
    assert lines["persons"].mean_error == pytest.approx(sum(gaps) / 7)
    # Half of the households are of one person, own and have no child; of the public ones all are and do. Each of three
    # pairs of columns has two cells that are off by a half: 6 of 8 + 8 + 4 cells.
    assert lines["households"].max_error == pytest.approx(1 / 2)
    assert lines["households"].mean_error == pytest.approx(6 / 2 / 20)
    # Persons per household, over H = 4: who owns 1/2 and 1, who rents 1 and 0, children 1/2 and 0, adults 1 and 1,
    # women 1 and 1, men 1/2 and 0.
    own = [1 / 8, 1 / 4, 1 / 8, 0, 0, 0, 1 / 8]
    assert lines["combined"].mean_error == pytest.approx((sum(own) + 6 / 2) / 27)
    assert lines["combined"].max_error == pytest.approx(1 / 2)


def test_a_public_table_of_the_very_households_is_off_by_nothing_and_a_fit_to_no_noise_by_little() -> None:
    truth = homes(30, 1)
    stage = stage_of(truth, k=1, b=truth, c=truth + 30 * [["own,adult,f"]])
    same = swept(stage, UNCHANGED, epsilons=(1.0,))
    fitted = simulate_households(stage, Sweep((5_000.0,), runs=1, methods=(UNCHANGED, TABLE_FIT), floors=False))
    assert tuple(same.levels) == tuple(fitted.levels) == LEVELS
    for level in LEVELS:
        assert same.levels[level].errors[0].max_error == pytest.approx(0, abs=1e-12)
        found = {(one.candidate, one.method): one.max_error for one in fitted.levels[level].errors}
        assert found["c.csv", TABLE_FIT] < 0.2 * found["c.csv", UNCHANGED]  # some mixture is exact; seeded noise


def test_weights_of_cells_are_counts_where_each_weighs_one() -> None:
    stage = stage_of(homes(40, 3), b=homes(40, 4))
    exact = count_households(stage.asked, stage.truth)
    ones = np.ones(len(stage.truth.persons))
    assert cell_weights(stage.asked.persons, stage.truth.persons.codes, ones).tolist() == exact.persons.tolist()


def test_the_noise_is_that_of_a_release_at_the_same_price() -> None:
    """H sqrt 2 for a table of persons and sqrt 2 for one of households, the shares those of a plan."""
    stage = stage_of(homes(40, 3), b=homes(40, 4))
    plan = FittedHouseholds().schedule(stage, Run("b.csv", TABLE_FIT, 1.0, 0, 0))
    assert (plan.persons.sensitivity, plan.own.sensitivity, plan.n) == (4, 1, 40)
    assert plan.rho <= stage.budget(1.0)
    assert household_engines.OWN_ONE_WAY_SHARE == household_releases.OWN_ONE_WAY_SHARE
    assert plan.own.constants.one_way_share == household_engines.OWN_ONE_WAY_SHARE


def test_rounds_cost_what_a_release_s_do_and_ask_what_is_compared() -> None:
    """T epsilon0^2 in all, sigma = H/epsilon0 persons or 1/epsilon0 households; 25 rounds where none are said."""
    stage = stage_of(homes(40, 3), b=homes(40, 4))
    engine = RoundsOfHouseholds()
    plan = engine.schedule(stage, Run("b.csv", PMW_PUB, 1.0, 5, 0))
    assert plan.rho <= stage.budget(1.0)
    assert float(plan.rho.rho) == pytest.approx(float(stage.budget(1.0).rho), rel=1e-3)
    assert (plan.rounds, plan.n, plan.largest) == (5, 40, 4)
    assert "too few" in engine.refusal(stage, Run("b.csv", PMW_PUB, 1.0, 10**18, 0))
    lines = swept(stage, PMW_PUB, epsilons=(1.0,)).levels["combined"].errors
    assert [(one.rounds, one.seed) for one in lines] == [(25, 0), (25, 1)]
    many = simulate_households(
        stage, Sweep((5_000.0,), rounds=(60,), runs=1, methods=(UNCHANGED, PMW_PUB), floors=False)
    )
    unchanged, fitted = many.levels["combined"].errors
    assert fitted.max_error < unchanged.max_error


def test_what_takes_no_households_says_so_and_has_no_line() -> None:
    stage = stage_of(homes(40, 3), b=homes(40, 4))
    others = ("hdmm", "mwem", "table-fit-grown", f"{PMW_PUB}+average")
    found = swept(stage, UNCHANGED, *others, epsilons=(1.0,))
    assert {one.method for one in found.levels["persons"].errors} == {UNCHANGED}
    assert [one.method for one in found.refused] == list(others)
    assert all("does not take households" in one.reason for one in found.refused)
    assert all(simulation.refused == found.refused for simulation in found.levels.values())


def test_runs_are_the_same_again_and_an_engine_that_is_added_takes_part(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = stage_of(homes(20, 3), k=1, b=homes(20, 4))
    again = [swept(stage, TABLE_FIT, epsilons=(1.0,)) for _ in range(2)]
    assert again[0] == again[1]

    class Added(FittedHouseholds):
        has_rounds = True

    monkeypatch.setattr(household_engines, "HOUSEHOLD_ENGINES", {**HOUSEHOLD_ENGINES, PMW_PUB: Added()})
    monkeypatch.setattr(
        "pmwpub.evaluation.households.household_sweeps.HOUSEHOLD_ENGINES", household_engines.HOUSEHOLD_ENGINES
    )
    sweep = Sweep((1.0,), rounds=(3, 5), runs=2, methods=(PMW_PUB,), floors=False)
    lines = simulate_households(stage, sweep).levels["persons"].errors
    assert [(one.rounds, one.seed) for one in lines] == [(3, 0), (3, 1), (5, 0), (5, 1)]


def test_the_floor_is_of_both_levels_together_and_no_mixture_is_below_it() -> None:
    alone, family = ["own,adult,f"], ["rent,adult,m", "rent,child,f"]
    one_kind = stage_of([alone, family], k=1, b=[alone, alone])  # its one mixture is off by a half, see above
    floors = {level: own.floors for level, own in simulate_households(one_kind, FLOORS).levels.items()}
    assert floors == {"persons": [], "households": [], "combined": [CertifiedFloor("b.csv", 0.5, 0.5)]}
    truth = homes(30, 1)
    stage = stage_of(truth, k=1, b=homes(20, 2), c=[*truth, *[alone] * 30])
    some, all_of_them = simulate_households(stage, FLOORS).levels["combined"].floors
    assert (some.candidate, all_of_them.candidate) == ("b.csv", "c.csv")
    assert all_of_them.upper <= 1e-3  # half of its households are the truth's own
    assert 0 <= some.lower <= some.upper <= 1
