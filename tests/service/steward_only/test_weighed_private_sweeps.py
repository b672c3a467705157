"""Simulated releases on a private table whose rows are weighed, for its steward alone: of weight, in shares of T."""

from __future__ import annotations

import json
from fractions import Fraction

import buying
import pytest

from pmwpub.errors import PlanError
from pmwpub.evaluation import PMW_PUB, UNCHANGED
from pmwpub.ledger import Population
from pmwpub.plans import WorkloadChoice
from pmwpub.service import Service
from pmwpub.service.bought import releases
from pmwpub.service.inputs import study_store
from pmwpub.service.simulations.sweep_range import SweepRange
from pmwpub.service.steward_only.private_sweeps import sweep_private
from pmwpub.tabular.schema.table_schema import Schema

PRIVATE = ["F,1"] * 60 + ["M,9"] * 20  # of M each counts as 4: 60 and 80 units
TERMS = SweepRange(epsilons=(2.0,), rounds=(2,), runs=1, methods=(UNCHANGED, PMW_PUB, "hdmm"))


def schema_of(total: int | None) -> Schema:
    column = {"name": "w", "kind": "weight", "cap": 4, "unit": 1} | ({} if total is None else {"total": total})
    sex = {"name": "sex", "kind": "categorical", "levels": ["F", "M"]}
    return Schema.from_json(json.dumps({"version": 2, "missing_tokens": [], "columns": [sex, column]}))


def test_the_private_table_is_weighed_as_plans_weigh_it(service: Service) -> None:
    service.ledger.register(Population("people", 80, 1, "one person", Fraction(4), Fraction(1, 6_400)))
    public = ("sex\n" + "F\n" * 30 + "M\n" * 30).encode()
    candidate = study_store.add_candidate(service, "people", "b.csv", public, attested=True)
    study_store.save_schema(service, "people", schema_of(140))
    study_store.choose_workload(service, "people", WorkloadChoice(k=1))
    private = study_store.load_private(service, "people", ("sex,w\n" + "\n".join(PRIVATE) + "\n").encode())
    current = study_store.study(service, "people")
    plan = releases.release_plan(service, current, [candidate], epsilon="0.5", rounds=2)
    buying.buy(service, private, plan, current=current)
    found = sweep_private(service, private, current, TERMS).simulation
    assert found is not None
    (unchanged,) = [one for one in found.errors if one.method == UNCHANGED]
    assert unchanged.max_error == pytest.approx(80 / 140 - 1 / 2)
    assert {one.method for one in found.errors} == {UNCHANGED, PMW_PUB}
    assert ["does not take weights" in one.reason for one in found.refused] == [True]


def test_without_a_total_nothing_is_looked_at(service: Service) -> None:
    service.ledger.register(Population("people", 80, 1, "one person", Fraction(4), Fraction(1, 6_400)))
    study_store.add_candidate(service, "people", "b.csv", b"sex\nF\nM\n", attested=True)
    study_store.save_schema(service, "people", schema_of(None))
    study_store.choose_workload(service, "people", WorkloadChoice(k=1))
    private = study_store.load_private(service, "people", ("sex,w\n" + "\n".join(PRIVATE) + "\n").encode())
    with pytest.raises(PlanError, match="shares need a total"):
        sweep_private(service, private, study_store.study(service, "people"), TERMS)
    assert service.ledger.marks("people") == []
