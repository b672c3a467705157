"""What may be bought of weighed rows: plans that weigh them as the schema does, and those that count rows knowingly."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from pmwpub.errors import PlanError
from pmwpub.ledger import Balance, Population
from pmwpub.plans import AcceptancePlan, ErrorPlan, MisfitPlan, ReleasePlan, WeightTotalPlan
from pmwpub.plans.weighing import Weighing, fits_column, mass_of, reach_of
from pmwpub.service.inputs.study import Study
from pmwpub.service.weighing.weighed_plans import WEIGHED, check_weights
from pmwpub.tabular.schema.table_schema import Schema

OWN = Weighing(column="w", cap=5, unit="2", total=600)
HASH = "0" * 64


def study(*, cap: object = 10, total: object = 1_200, totals: dict[Any, Any] | None = None) -> Study:
    keys = {"cap": cap, "unit": None if cap is None else 2, "total": total}
    weight = {"name": "w", "kind": "weight"} | {key: value for key, value in keys.items() if value is not None}
    columns = [{"name": "sex", "kind": "categorical", "levels": ["F", "M"], "same": []}, weight]
    schema = Schema.from_json(json.dumps({"version": 2, "missing_tokens": [], "columns": columns}))
    terms = Population("town", 400, 3, "one resident", Fraction(2), Fraction(1, 400**2))
    return Study(terms, Balance.__new__(Balance), schema, (), None, demo=False, totals=totals or {})


def release(weights: Weighing | None) -> ReleasePlan:
    inputs = {"schema_sha256": HASH, "workload_sha256": HASH, "workload": {"k": 1}, "candidates": (HASH,)}
    body = {"n": 400, "rows_per_person": 3, "inputs": inputs, "rho_units": 10**14, "rounds": 2, "weights": weights}
    return ReleasePlan.model_validate(body)


def test_a_plan_has_k_w_for_k_and_t_for_n() -> None:
    assert (mass_of(release(OWN)), reach_of(release(OWN))) == (600, 15)
    assert (mass_of(release(None)), reach_of(release(None))) == (400, 3)
    schedule = release(OWN).schedule()
    assert schedule.sensitivity == 15
    assert schedule.share.measurement.scale == 15 / schedule.share.epsilon0


def test_a_plan_without_weights_is_written_as_ever() -> None:
    assert "weights" not in release(None).canonical
    assert json.loads(release(OWN).canonical)["weights"]["total"] == 600


def test_a_plan_that_weighs_as_the_schema_does_may_be_bought() -> None:
    check_weights(study(), release(OWN))
    check_weights(study(cap=None, total=None), release(None))


@pytest.mark.parametrize(
    "weights",
    [
        None,
        OWN.model_copy(update={"cap": 4}),
        OWN.model_copy(update={"unit": "1"}),
        OWN.model_copy(update={"total": 601}),
        OWN.model_copy(update={"measured": HASH}),
    ],
)
@pytest.mark.fault("a weight left out of account")
def test_a_plan_that_weighs_otherwise_or_not_at_all_is_refused(weights: Weighing | None) -> None:
    with pytest.raises(PlanError, match="in another way"):
        check_weights(study(), release(weights))


def test_a_plan_that_weighs_rows_is_refused_where_the_schema_does_not() -> None:
    with pytest.raises(PlanError, match="in another way"):
        check_weights(study(cap=None, total=None), release(OWN))


def test_a_bought_total_is_what_plans_are_made_with_and_no_other() -> None:
    current = study(total=None, totals={("w", "2", 5): ((577, HASH),)})
    assert current.weights == Weighing(column="w", cap=5, unit="2", total=577, measured=HASH)
    check_weights(current, release(current.weights))
    with pytest.raises(PlanError, match="in another way"):
        check_weights(current, release(OWN))
    with pytest.raises(PlanError, match="a total to be taken of"):
        check_weights(study(total=None, totals={("w", "2", 6): ((577, HASH),)}), release(OWN))


def error(weights: Weighing | None) -> ErrorPlan:
    return ErrorPlan(n=400, rows_per_person=3, release=HASH, release_repeat=0, epsilon="1", weights=weights)


def test_of_several_totals_plans_take_the_first_and_errors_the_one_of_their_release() -> None:
    totals = {("w", "2", 5): ((577, HASH), (1, "1" * 64))}
    current = study(total=None, totals=totals)
    best, other = (Weighing(column="w", cap=5, unit="2", total=t, measured=h) for t, h in totals["w", "2", 5])
    assert current.weights == best
    for plan in (release(best), error(best), error(other)):
        check_weights(current, plan)
    never = best.model_copy(update={"total": 578})
    for refused in (release(other), error(never), error(OWN), error(None)):
        with pytest.raises(PlanError, match="in another way"):
            check_weights(current, refused)
    with pytest.raises(PlanError, match="in another way"):
        check_weights(study(), error(best))


def test_a_total_whose_interval_is_wider_than_all_that_it_could_be_is_refused() -> None:
    # n W = 400 * 5 = 2,000 units and k W = 15: the half-width is 1.96 * 15/sqrt(2 rho).
    made = {"n": 400, "rows_per_person": 3, "schema_sha256": HASH, "column": "w", "unit": "2", "cap": 5}
    narrow, wide = (WeightTotalPlan(**made, rho_units=units) for units in (110 * 10**9, 106 * 10**9))
    assert narrow.law.half_width < 2_000 < wide.law.half_width
    check_weights(study(total=None), narrow)
    with pytest.raises(PlanError, match="400 rows of at most 5 units weigh 2,000 at most"):
        check_weights(study(total=None), wide)


def test_a_look_at_the_fit_counts_rows_and_an_acceptance_is_refused() -> None:
    look = MisfitPlan(n=400, rows_per_person=3, schema_sha256=HASH, columns=("sex",), half_width="1/10")
    check_weights(study(), look)
    assert AcceptancePlan not in WEIGHED
    with pytest.raises(PlanError, match="does not take weights through"):
        check_weights(study(), AcceptancePlan.model_construct(weights=None))
    total = WeightTotalPlan(
        n=400, rows_per_person=3, schema_sha256=HASH, column="w", unit="2", cap=5, rho_units=10**14
    )  # fmt: skip
    check_weights(study(total=None), total)


def test_no_total_is_planned_that_shares_could_not_be_taken_of() -> None:
    def planned(n: int) -> WeightTotalPlan:
        body = {"n": n, "rows_per_person": 1, "schema_sha256": HASH, "column": "w", "unit": "2", "cap": 1_000}
        return WeightTotalPlan.model_validate(body | {"rho_units": 10**14})

    assert planned(10**9).law.n == 10**9
    with pytest.raises(PlanError, match="Nothing was charged"):
        planned(10**9 + 1)


def test_a_certificate_s_weights_fit_the_column_that_they_name() -> None:
    column = study().schema.weight_column  # type: ignore[union-attr]
    assert fits_column(OWN, column)
    assert fits_column(None, None)
    assert not fits_column(None, column)
    assert not fits_column(OWN, None)
    assert not fits_column(OWN.model_copy(update={"measured": HASH}), column)
    assert not fits_column(OWN.model_copy(update={"total": 601}), column)
    bought = study(total=None).schema.weight_column  # type: ignore[union-attr]
    assert fits_column(OWN.model_copy(update={"total": 601, "measured": HASH}), bought)
