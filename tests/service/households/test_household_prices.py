"""A release of households whose noise would cost more than its plan says is not bought."""

from __future__ import annotations

import pytest
from service.households.test_household_purchases import Town

from pmwpub.errors import PlanError
from pmwpub.mechanisms.households.household_schedule import HouseholdSchedule
from pmwpub.privacy.budget import ZCDP
from pmwpub.service import Service


@pytest.mark.fault("noise of households that costs more than is charged")
def test_noise_beyond_the_budget_of_the_plan_is_refused_before_a_charge(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    town = Town(service)
    plan = town.plan()
    monkeypatch.setattr(HouseholdSchedule, "rho", property(lambda schedule: ZCDP(plan.budget.units + 1)))
    with pytest.raises(PlanError, match="would cost more than the budget of the plan"):
        town.buy(plan)
    assert town.spent == ZCDP(0)
    monkeypatch.setattr(HouseholdSchedule, "rho", property(lambda schedule: plan.budget))
    town.buy(plan)
    assert town.spent == plan.budget
