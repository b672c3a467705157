"""Simulated releases of households of a study: stored by content, found again, and who takes no households."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from fractions import Fraction

import pytest
from support.households import csv_of, homes, schema_text

from pmwpub.errors import LedgerError, PlanError
from pmwpub.evaluation import PMW_PUB, TABLE_FIT, UNCHANGED
from pmwpub.ledger import Population
from pmwpub.plans import WorkloadChoice
from pmwpub.service import Service
from pmwpub.service.inputs import study_store
from pmwpub.service.inputs.study import Study
from pmwpub.service.simulations.households import household_explorations
from pmwpub.service.simulations.households.household_explorations import (
    HouseholdTerms,
    explore_households,
    household_exploration,
    takes_no_households,
)
from pmwpub.tabular.households.household_schema import HouseholdSchema

N, SCHEMA = 80, HouseholdSchema.from_json(schema_text())
UNIT = "one household of 1 to 4 persons"


def study_of(service: Service, **files: list[list[str]]) -> tuple[Study, Mapping[str, str]]:
    """A population of 80 households with these public tables; each one's content by its name."""
    service.ledger.register(Population("homes", N, 4, UNIT, Fraction(4), Fraction(1, N * N)))
    known = {
        name: study_store.add_candidate(service, "homes", f"{name}.csv", csv_of(some).encode(), attested=True)
        for name, some in files.items()
    }
    study_store.save_schema(service, "homes", SCHEMA.persons)
    study_store.choose_workload(service, "homes", WorkloadChoice(k=1))
    return study_store.study(service, "homes"), known


def test_a_sweep_is_stored_and_found_again_and_says_who_takes_no_households(service: Service) -> None:
    current, known = study_of(service, b=homes(40, 1), c=homes(30, 2))
    terms = HouseholdTerms(known["b"], epsilons=(2.0,), runs=1)
    assert household_exploration(service, current, SCHEMA, terms).simulation is None
    found = explore_households(service, current, SCHEMA, terms).simulation
    assert found is not None
    assert tuple(found.levels) == ("persons", "households", "combined")
    for simulation in found.levels.values():
        assert [(one.candidate, one.method) for one in simulation.errors] == [
            ("c.csv", UNCHANGED),
            ("c.csv", TABLE_FIT),
            ("c.csv", PMW_PUB),
        ]
    assert household_exploration(service, current, SCHEMA, terms).simulation == found
    said = takes_no_households(found)
    for label in ("MWEM", "HDMM"):
        assert label in said
    assert "PMW^Pub" not in said, "both engines take households"
    assert service.ledger.balance("homes").spent.units == 0


def test_the_truth_is_drawn_to_n_households_and_one_table_is_cut_in_two(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    current, known = study_of(service, b=homes(40, 1))
    seen = []
    real = household_explorations.household_stage

    def staged(*given: object) -> object:
        seen.append(real(*given))  # type: ignore[arg-type]
        return seen[-1]

    monkeypatch.setattr(household_explorations, "household_stage", staged)
    found = explore_households(service, current, SCHEMA, HouseholdTerms(known["b"], epsilons=(2.0,), runs=1))
    (stage,) = seen
    assert (stage.n, stage.largest, stage.delta) == (N, 4, Fraction(1, N * N))
    assert {name: len(some) for name, some in stage.candidates.items()} == {"other half of b.csv": 20}
    assert found.simulation is not None


def test_another_table_another_rule_or_other_terms_are_another_question(service: Service) -> None:
    current, known = study_of(service, b=homes(10, 1), c=homes(10, 2))
    other = HouseholdSchema.from_json(schema_text(columns=[]))
    terms = HouseholdTerms(known["b"], epsilons=(2.0,), runs=1)
    asked = [(SCHEMA, terms), (other, terms), (SCHEMA, HouseholdTerms(known["c"], (2.0,), 1))]
    asked += [(SCHEMA, HouseholdTerms(known["b"], (1.0,), 1)), (SCHEMA, HouseholdTerms(known["b"], (2.0,), 2))]
    keys = {household_exploration(service, current, *one).key for one in asked}
    assert len(keys) == len(asked)


def test_a_table_that_is_not_there_or_an_empty_grid_begins_nothing(service: Service) -> None:
    current, known = study_of(service, b=homes(10, 1))
    with pytest.raises(LedgerError):
        explore_households(service, current, SCHEMA, HouseholdTerms(hashlib.sha256(b"").hexdigest(), (2.0,), 1))
    with pytest.raises(PlanError):
        explore_households(service, current, SCHEMA, HouseholdTerms(known["b"], (), 1))
