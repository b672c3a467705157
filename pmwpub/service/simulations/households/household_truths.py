"""Households that play the private ones: what is asked of them, and what is measured, as a release has it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from pmwpub.evaluation.households.household_stages import HouseholdStage
from pmwpub.mechanisms.households.household_counts import HouseholdTables
from pmwpub.plans.household_plans import planned_tables
from pmwpub.queries.workload import Workload
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

    Raises PlanError for more cells than a release of households measures.
    """
    own = Workload.all_kway(schema.own_domain, min(2, len(schema.own_domain.attributes)))
    return HouseholdStage(HouseholdTables(workload, own), planned_tables(schema, workload), truth, candidates, delta)
