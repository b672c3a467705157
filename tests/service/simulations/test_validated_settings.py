"""Settings chosen on a public pair: which ones, from which sweeps, and what a certificate says of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import buying
import pytest

from pmwpub.evaluation import PMW_PUB, UNCHANGED, SimulatedError, Simulation, Variant
from pmwpub.mechanisms.pmw_pub.algorithm import Output
from pmwpub.privacy.budget import ZCDP
from pmwpub.service.bought import releases
from pmwpub.service.core import MemoryCache
from pmwpub.service.inputs import study_store
from pmwpub.service.simulations import explorations, validated_settings
from pmwpub.service.simulations.explorations import ASKED, SIMULATION
from pmwpub.service.simulations.sweep_range import SweepRange

if TYPE_CHECKING:
    from conftest import Bench

    from pmwpub.plans import ReleasePlan

TERMS = SweepRange(epsilons=(0.5, 2.0), rounds=(2, 6), runs=1, methods=(PMW_PUB, f"{PMW_PUB}+average", UNCHANGED))


def found_on_the_pair(bench: Bench, errors: dict[tuple[float, int, str], float], candidate: int = 1) -> None:
    """A finished validation sweep with these errors: b.csv is the truth."""
    current = study_store.study(bench.service, bench.name)
    terms = replace(TERMS, candidates=((bench.candidates[candidate],),))
    explorations.explore(bench.service, current, bench.candidates[0], terms)
    bench.service.cache = MemoryCache()  # what was made is kept by its key; here it is replaced
    name = current.candidate(bench.candidates[candidate]).name
    lines = [
        SimulatedError(method, name, epsilon, rounds, seed, error, 0.0, 0.0)
        for (epsilon, rounds, method), error in errors.items()
        for seed in range(2)
    ]
    key = bench.service.ledger.documents(bench.name, ASKED)[-1].key
    bench.service.ledger.put_document(bench.name, SIMULATION, key, Simulation(lines).to_bytes())


AVERAGE = f"{PMW_PUB}+average"
ERRORS = {
    (0.5, 2, PMW_PUB): 0.4, (0.5, 6, PMW_PUB): 0.3, (0.5, 2, AVERAGE): 0.2, (0.5, 6, AVERAGE): 0.5,
    (2.0, 2, PMW_PUB): 0.4, (2.0, 6, PMW_PUB): 0.1, (2.0, 2, AVERAGE): 0.2, (2.0, 6, AVERAGE): 0.2,
    (0.5, 0, UNCHANGED): 0.01, (2.0, 0, UNCHANGED): 0.01,
}  # fmt: skip


def planned(bench: Bench, **settings: object) -> ReleasePlan:
    current = study_store.study(bench.service, bench.name)
    given = {"epsilon": "0.6", "rounds": 2, "output": "average"} | settings
    return releases.release_plan(bench.service, current, bench.candidates[:1], **given)  # type: ignore[arg-type]


def test_the_settings_of_the_least_error_at_the_nearest_epsilon_are_chosen(bench: Bench) -> None:
    found_on_the_pair(bench, ERRORS)
    current = study_store.study(bench.service, bench.name)
    (small,) = validated_settings.tuned(bench.service, current, 0.6)
    assert (small.epsilon, small.rounds, small.variant) == (0.5, 2, Variant(output=Output.AVERAGE))
    assert (small.truth, small.candidate, small.mean, small.compared, small.runs) == ("b.csv", "c.csv", 0.2, 4, 2)
    (large,) = validated_settings.tuned(bench.service, current, 9.0)
    assert (large.epsilon, large.rounds, large.variant) == (2.0, 6, Variant())
    assert bench.service.ledger.balance(bench.name).spent == ZCDP(0)


def test_the_usual_validation_sweep_has_both_selections_and_both_outputs(bench: Bench) -> None:
    terms = validated_settings.validation_terms([bench.candidates[1]], (0.5,), runs=1)
    current = study_store.study(bench.service, bench.name)
    found = explorations.explore(bench.service, current, bench.candidates[0], terms).simulation
    assert found is not None
    assert len({(line.method, line.rounds) for line in found.errors if line.rounds}) == 4 * 9
    (chosen,) = validated_settings.tuned(bench.service, current, 0.5)
    best = min(line.max_error for line in found.errors if line.rounds)
    assert best <= chosen.mean <= 1.1 * best
    assert chosen.compared == 36


def test_a_sweep_without_a_choice_of_settings_chooses_none(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    explorations.explore(bench.service, current, bench.candidates[0], SweepRange(epsilons=(0.5,), rounds=(2,), runs=1))
    assert validated_settings.tuned(bench.service, current, 0.5) == []


def test_a_part_of_a_table_chooses_nothing_for_the_whole(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    terms = replace(TERMS, candidates=((bench.candidates[1],),), shares=(10.0,))
    explorations.explore(bench.service, current, bench.candidates[0], terms)
    assert validated_settings.tuned(bench.service, current, 0.5) == []


@pytest.mark.parametrize(
    ("settings", "fits"),
    [
        ({}, True),
        ({"rounds": 6}, False),
        ({"output": "last"}, False),
        ({"selection": "permute-and-flip"}, False),
        ({"start": "uniform"}, False),
        ({"epsilon": "3"}, False),
    ],
)
def test_a_plan_is_recognised_by_all_its_settings(bench: Bench, settings: dict[str, object], fits: bool) -> None:
    found_on_the_pair(bench, ERRORS)
    current = study_store.study(bench.service, bench.name)
    assert (validated_settings.tuning_of(bench.service, current, planned(bench, **settings)) is not None) == fits


def test_the_certificate_and_the_report_say_where_the_settings_come_from(bench: Bench) -> None:
    found_on_the_pair(bench, ERRORS)
    current = study_store.study(bench.service, bench.name)
    for plan in (planned(bench), planned(bench, rounds=3)):
        buying.buy(bench.service, bench.private, plan, current=current)
    tuned, other = (one.bundle for one in releases.releases(bench.service, current))
    assert tuned is not None
    assert other is not None
    said = tuned.certificate.settings_from
    assert "did best of 4 settings, with the fewest rounds that do as well" in said
    assert "in a simulation on public tables alone at epsilon 0.5" in said
    assert "b.csv played the private table and c.csv the public one" in said
    assert said.split(".")[0] in tuned.files(5, 0, "labels")["report.html"].decode()
    assert other.certificate.settings_from == ""


def test_what_is_tuned_later_is_not_said_of_an_earlier_release(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    buying.buy(bench.service, bench.private, planned(bench), current=current)
    found_on_the_pair(bench, ERRORS)
    (one,) = releases.releases(bench.service, study_store.study(bench.service, bench.name))
    assert one.bundle is not None
    assert one.bundle.certificate.settings_from == ""
