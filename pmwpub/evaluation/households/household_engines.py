"""How releases of households are made in a simulation, by the engine's name. A further engine is one entry more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Protocol

from pmwpub.errors import PmwPubError
from pmwpub.evaluation.baseline_registry import TABLE_FIT, label_of
from pmwpub.evaluation.households.household_stages import HouseholdStage
from pmwpub.evaluation.methods import PMW_PUB, UNCHANGED
from pmwpub.evaluation.runs import Run
from pmwpub.mechanisms.households.household_counts import HouseholdTables, count_households
from pmwpub.mechanisms.households.household_fit import household_fit
from pmwpub.mechanisms.households.household_pmw_pub import household_pmw_pub
from pmwpub.mechanisms.households.household_rounds import HouseholdRounds, household_rounds
from pmwpub.mechanisms.households.household_schedule import HouseholdSchedule, household_schedule
from pmwpub.mechanisms.households.household_scores import HouseholdProblem
from pmwpub.mechanisms.households.household_steps import started
from pmwpub.mechanisms.table_fit.fit_constants import FitConstants
from pmwpub.privacy.noise import NoiseSource
from pmwpub.records import Floats

OWN_ONE_WAY_SHARE = Fraction(1, 2)
"""As plans of releases of households have it."""

NO_HOUSEHOLDS = (
    "{label} does not take households: it is proved, and made, for rows of which one person owns at most k, and what "
    "is priced so protects a household of H persons only at H² times the ρ."
)


class HouseholdEngine(Protocol):
    """A way to release households."""

    @property
    def has_rounds(self) -> bool:
        """Whether the number of rounds is a parameter of the sweep."""
        ...

    def refusal(self, stage: HouseholdStage, run: Run) -> str:
        """Why a run cannot be made, by public sizes alone; "" if it can."""
        ...

    def weights(self, stage: HouseholdStage, run: Run, noise: NoiseSource) -> Floats:
        """float64 (m,): released weights on the atoms of the run's candidate."""
        ...


@dataclass(frozen=True)
class FittedHouseholds:
    """Table fit over both levels, with the constants and shares of a release."""

    has_rounds = False

    def refusal(self, stage: HouseholdStage, run: Run) -> str:
        try:
            plan = self.schedule(stage, run)
            _ = plan.persons.noises, plan.own.noises
        except PmwPubError as error:
            return str(error)
        return ""

    def weights(self, stage: HouseholdStage, run: Run, noise: NoiseSource) -> Floats:
        plan = self.schedule(stage, run)
        counts = count_households(plan.tables, stage.truth)
        return household_fit(counts, stage.atoms(run.candidate), plan, noise=noise).weights

    def schedule(self, stage: HouseholdStage, run: Run) -> HouseholdSchedule:
        """How the budget is shared, as a plan shares it."""
        budget, tables = stage.budget(run.epsilon), stage.measured
        advised = FitConstants.advised(
            tables.persons, budget, n=stage.n, delta=stage.delta, rows_per_person=stage.largest
        )
        own = replace(advised, one_way_share=OWN_ONE_WAY_SHARE)
        public = stage.candidates[run.candidate]
        return household_schedule(tables, public, budget, n=stage.n, constants=advised, own_constants=own)


@dataclass(frozen=True)
class RoundsOfHouseholds:
    """PMW^Pub over both levels: queries of persons and of households, selected and measured in rounds."""

    has_rounds = True

    def refusal(self, stage: HouseholdStage, run: Run) -> str:
        try:
            plan = self.schedule(stage, run)
            started(self.problem(stage, run), plan.start, plan.n)
        except PmwPubError as error:
            return str(error)
        return ""

    def weights(self, stage: HouseholdStage, run: Run, noise: NoiseSource) -> Floats:
        problem = self.problem(stage, run)
        counts = count_households(problem.tables, stage.truth)
        return household_pmw_pub(counts, problem, self.schedule(stage, run), noise=noise).weights

    def problem(self, stage: HouseholdStage, run: Run) -> HouseholdProblem:
        """What a release selects among: of persons what is asked, of households every one and two columns."""
        return HouseholdProblem(HouseholdTables(stage.asked.persons, stage.measured.own), stage.atoms(run.candidate))

    def schedule(self, stage: HouseholdStage, run: Run) -> HouseholdRounds:
        """The rounds of a release at the same budget, with the settings that it has where none is said."""
        return household_rounds(stage.budget(run.epsilon), run.rounds, n=stage.n, largest=stage.largest)


ROUNDS = (25,)
"""Of PMW^Pub over households where none are said, as a release has them."""

HOUSEHOLD_ENGINES: Mapping[str, HouseholdEngine] = MappingProxyType(
    {TABLE_FIT: FittedHouseholds(), PMW_PUB: RoundsOfHouseholds()}
)
"""The engines that take households, by a method's name."""


def household_refusal(stage: HouseholdStage, run: Run) -> str:
    """Why a run cannot be made, in words; "" if it can."""
    if run.method == UNCHANGED:
        return ""
    engine = HOUSEHOLD_ENGINES.get(run.method)
    if engine is None:
        return NO_HOUSEHOLDS.format(label=label_of(run.method, parameters=True))
    return engine.refusal(stage, run)
