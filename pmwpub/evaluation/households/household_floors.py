"""The least error of any mixture of public households on a truth that may be looked at, certified."""

from __future__ import annotations

from pmwpub.evaluation.households.household_stages import HouseholdStage
from pmwpub.evaluation.runs import FLOOR_STEPS, FLOOR_WIDTH, FloorOf
from pmwpub.evaluation.sweep_results import CertifiedFloor
from pmwpub.mechanisms.households.household_mixture import HouseholdMixture
from pmwpub.mechanisms.households.household_scores import HouseholdProblem


def household_floor(stage: HouseholdStage, task: FloorOf) -> CertifiedFloor:
    """The floor of one candidate, of persons per household over H and shares of households together.

    Privacy: none; the truth may be looked at by whoever gets the result.
    """
    state = HouseholdMixture(stage.exact, HouseholdProblem(stage.asked, stage.atoms(task.candidate)))
    for _ in range(FLOOR_STEPS):
        if state.exhausted or state.interval.upper - state.interval.lower <= FLOOR_WIDTH:
            break
        state.refine()
    return CertifiedFloor(task.candidate, float(state.interval.lower), float(state.interval.upper))
