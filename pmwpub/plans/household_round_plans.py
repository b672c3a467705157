"""The plan of a release of households by PMW^Pub; see `pmwpub.plans`."""

from __future__ import annotations

import hashlib
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, TypeAdapter

from pmwpub.mechanisms.households.household_rounds import HouseholdRounds, household_rounds
from pmwpub.mechanisms.pmw_pub.algorithm import Output, Replay, Start
from pmwpub.plan_inputs import Reading
from pmwpub.plans.household_plans import HouseholdPlan, PlanOfHouseholds

MOST_ROUNDS = 1_000
"""Each computes every score anew: 0.2 seconds at the most public persons and cells that are taken."""


class HouseholdRoundPlan(PlanOfHouseholds):
    """One release of households by PMW^Pub.

    selection  the law that picks a query: "exponential" or "permute-and-flip"
    """

    kind: Literal["households-pmw-pub"] = "households-pmw-pub"
    rounds: int = Field(ge=1, le=MOST_ROUNDS)
    selection: Literal["exponential", "permute-and-flip"] = "exponential"
    output: Output = Output.LAST
    start: Start = Start.PUBLIC
    replay: Replay = Replay.HALF
    private_read_as: Reading = None

    def replay_seed(self, repeat: int) -> int:
        """The public seed of the replay order: a function of the plan and of how often it was drawn."""
        return int(hashlib.sha256(f"{self.sha256}:{repeat}".encode()).hexdigest()[:12], 16)

    def schedule(self, repeat: int = 0) -> HouseholdRounds:
        """How the run spends the budget; BudgetError where a round's share would be zero."""
        from pmwpub.privacy.selection import ExponentialMechanism, PermuteAndFlip

        return household_rounds(
            self.budget,
            self.rounds,
            n=self.n,
            largest=self.largest,
            selection=ExponentialMechanism if self.selection == "exponential" else PermuteAndFlip,
            output=self.output,
            start=self.start,
            replay=self.replay,
            replay_seed=self.replay_seed(repeat),
        )


AnyHouseholdPlan = HouseholdPlan | HouseholdRoundPlan
"""The plans of releases of households, of either engine."""

_PLAN: TypeAdapter[AnyHouseholdPlan] = TypeAdapter(
    Annotated[AnyHouseholdPlan, Field(discriminator="kind")], config=ConfigDict(defer_build=True)
)


def household_plan_of(text: str) -> AnyHouseholdPlan:
    """A plan of a release of households from its canonical text; ValueError for any other."""
    return _PLAN.validate_json(text)
