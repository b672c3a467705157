"""Every kind of plan that may be booked has the reader by which it, and what it bought, is asked before it is moved."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from service.households.test_household_purchases import Town, rounds

from pmwpub.ledger import Booking, PlanKey
from pmwpub.plans import (
    AssessmentPlan,
    BestPlan,
    ErrorPlan,
    HouseholdAssessmentPlan,
    HouseholdBestPlan,
    HouseholdErrorPlan,
    MisfitPlan,
    WeightTotalPlan,
)
from pmwpub.service import Service
from pmwpub.service.moving.readable_results import READERS, check_result
from pmwpub.service.purchases.protocol import Plan

HASH, OTHER = "0" * 64, "1" * 64
INPUTS = {"schema_sha256": HASH, "workload_sha256": HASH, "workload": {"k": 1}, "candidates": (HASH, OTHER)}
OWN: dict[str, Any] = {"n": 400, "rows_per_person": 1}
HOMES: dict[str, Any] = {"n": 60, "largest": 4, "epsilon": "1"}
RULE = {"id": "home", "largest": 4}
NOISY = {"value": 0.25, "low": 0.2, "high": 0.3, "confidence": 0.95, "epsilon": "1/25"}
SHARE = {"value": 0.25, "low": 0.2, "high": 0.3}
SHARES = [{"column": "sex", **SHARE}, {"column": None, **SHARE}]

STORED: dict[str, tuple[Any, dict[str, Any]]] = {
    "assessment": (
        AssessmentPlan.model_validate({**OWN, "inputs": INPUTS, "epsilon": "1", "floor": True, "start": False}),
        {"floor": NOISY, "remarks": []},
    ),
    "best": (
        BestPlan.model_validate({**OWN, "inputs": INPUTS, "epsilon": "1", "pools": ((HASH,), (OTHER,))}),
        {"candidate": [OTHER], "remarks": []},
    ),
    "error": (
        ErrorPlan.model_validate({**OWN, "release": HASH, "release_repeat": 0, "epsilon": "1"}),
        {"error": NOISY, "remarks": []},
    ),
    "household-assessment": (
        HouseholdAssessmentPlan.model_validate(
            {**HOMES, "inputs": INPUTS | {"candidates": (HASH,)}, "household": RULE, "start": False}
        ),
        {"floor": NOISY, "remarks": []},
    ),
    "household-best": (
        HouseholdBestPlan.model_validate({**HOMES, "inputs": INPUTS, "household": RULE}),
        {"candidate": [OTHER], "remarks": []},
    ),
    "household-error": (HouseholdErrorPlan.model_validate({**HOMES, "release": HASH}), {"error": NOISY, "remarks": []}),
    "misfits": (
        MisfitPlan.model_validate({**OWN, "schema_sha256": HASH, "columns": ("sex",), "half_width": "0.2"}),
        {"misfits": SHARES, "confidence": 0.95, "remarks": []},
    ),
    "weight-total": (
        WeightTotalPlan.model_validate(
            {**OWN, "schema_sha256": HASH, "column": "w", "unit": "1", "cap": 5, "rho_units": 10**14}
        ),
        {"total": 600, "half_width": 9, "remarks": []},
    ),
}
OTHERWISE: dict[str, list[dict[str, Any]]] = {
    "assessment": [{"floor": 1}, {"floor": NOISY | {"value": "x"}}, {"start": NOISY}],
    "best": [{"candidate": ["2" * 64]}, {"candidate": 7}],
    "error": [{"error": NOISY | {"epsilon": "much"}}, {"error": NOISY | {"low": None}}],
    "household-assessment": [{"floor": 1}, {"floor": None}, {"start": NOISY}],
    "household-best": [{"candidate": ["2" * 64]}, {"candidate": [HASH, OTHER]}, {"candidate": 7}],
    "household-error": [{"error": NOISY | {"epsilon": "much"}}, {"error": None}],
    "misfits": [{"misfits": []}, {"misfits": SHARES[1:]}, {"misfits": [SHARES[0] | {"column": "age"}, SHARES[1]]}],
    "weight-total": [{"total": "x"}, {"total": 1.5}, {"half_width": -1}, {"remarks": "none"}],
}


def read(plan: str, body: bytes | None) -> None:
    check_result(Booking(0, "town", PlanKey(HASH), plan, (), "done", "2026-01-01T00:00:00+00:00"), body)


def test_every_kind_of_plan_that_may_be_booked_has_a_reader() -> None:
    assert {kind.model_fields["kind"].default for kind in get_args(Plan)} == set(READERS)


@pytest.mark.parametrize("kind", READERS)
def test_a_kind_alone_is_no_plan(kind: str) -> None:
    for body in (None, b"{}"):
        with pytest.raises(ValueError, match="validation error"):
            read(json.dumps({"kind": kind}), body)


@pytest.mark.parametrize("kind", STORED)
def test_numbers_are_read_as_they_are_stored_and_in_no_other_way(kind: str) -> None:
    plan, body = STORED[kind]
    read(plan.canonical, None)
    read(plan.canonical, json.dumps(body).encode())
    for other in (b"junk", b"{}", b"[]", b"7", *(json.dumps(body | one).encode() for one in OTHERWISE[kind])):
        with pytest.raises(ValueError, match=r"."):
            read(plan.canonical, other)


def test_a_release_of_households_is_read_back_with_its_files(service: Service) -> None:
    town = Town(service)
    for plan in (town.plan(), rounds(town)):
        outcome = town.buy(plan)
        assert outcome.result is not None
        text, stored = plan.canonical, json.loads(outcome.result)
        read(text, outcome.result)
        lacking = {key: [] for key in stored if stored[key] != []}  # rounds have no noisy cells
        for other in (b"junk", b"{}", b"[]", *(json.dumps(stored | {key: []}).encode() for key in lacking)):
            with pytest.raises(Exception, match=r"."):
                read(text, other)


def test_a_plan_of_no_known_kind_says_nothing_that_is_read_of_every_plan() -> None:
    read('{"kind":"of a later program","text":"b"}', b"\x00")
    for said in ('"kept_ids":7', '"epsilon":"x"', '"setting":"part"', '"criteria":7'):
        with pytest.raises(ValueError, match="kind that is known"):
            read(f'{{"kind":"of a later program",{said}}}', b"\x00")
