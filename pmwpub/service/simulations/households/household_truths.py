"""Households that play the private ones: what is asked of them, and what is measured, as a release has it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from pmwpub.errors import PlanError
from pmwpub.evaluation import PMW_PUB, Sweep
from pmwpub.evaluation.households.household_stages import HouseholdStage
from pmwpub.mechanisms.households.household_counts import HouseholdTables
from pmwpub.plans.household_plans import planned_tables
from pmwpub.plans.household_round_plans import MOST_ROUNDS
from pmwpub.queries.workload import Workload
from pmwpub.service.inputs.study import MINIMUM_ROWS
from pmwpub.tabular.households.grouped_persons import Households
from pmwpub.tabular.households.household_schema import HouseholdSchema

LEVEL_WORDS = {
    "persons": "Tables of persons: shares of all persons",
    "households": "Tables of households: shares of all households",
    "combined": "Both together: persons per household over the largest household, and shares of households",
}
"""What errors are of, by the level."""

LEVEL_WHOLES = {
    "persons": "all persons",
    "households": "all households",
    "combined": "all households, or of the most persons they may have",
}
"""What errors are shares of, by the level."""


def household_stage(
    schema: HouseholdSchema,
    workload: Workload,
    truth: Households,
    candidates: Mapping[str, Households],
    delta: Fraction,
) -> HouseholdStage:
    """The stage of a sweep: errors are over the workload's marginals of persons, and every two columns of the
    households' own.

    Raises PlanError for more cells than a release of households measures, and for a truth of fewer households than one
    needs.
    """
    if len(truth) < MINIMUM_ROWS:
        raise PlanError(
            f"A simulation of households needs a truth of at least {MINIMUM_ROWS} households, as a release does; it "
            f"has {len(truth)}."
        )
    own = Workload.all_kway(schema.own_domain, min(2, len(schema.own_domain.attributes)))
    return HouseholdStage(HouseholdTables(workload, own), planned_tables(schema, workload), truth, candidates, delta)


def check_simulated_rounds(sweep: Sweep) -> None:
    """Raise PlanError for more rounds than a release of households may have."""
    if PMW_PUB in sweep.methods and any(rounds > MOST_ROUNDS for rounds in sweep.rounds):
        raise PlanError(
            f"PMW^Pub of households has at most {MOST_ROUNDS:,} rounds, in a simulation as in a release; "
            f"{max(sweep.rounds):,} came."
        )
