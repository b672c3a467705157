"""What a worker does with private households. Counts come by pipe, only a release leaves."""

from __future__ import annotations

from dataclasses import dataclass

from pmwpub.mechanisms.households.household_atoms import HouseholdAtoms
from pmwpub.mechanisms.households.household_counts import HouseholdCounts, HouseholdTables
from pmwpub.mechanisms.households.household_fit import HouseholdRelease, household_fit
from pmwpub.mechanisms.households.household_pmw_pub import HouseholdRoundRelease, household_pmw_pub
from pmwpub.mechanisms.households.household_rounds import HouseholdRounds
from pmwpub.mechanisms.households.household_schedule import HouseholdSchedule
from pmwpub.mechanisms.households.household_scores import HouseholdProblem
from pmwpub.progress import Progress


@dataclass(frozen=True, eq=False, repr=False)
class HouseholdRoundWork:
    """One release of households by PMW^Pub. Privacy: it holds private counts; its repr shows nothing."""

    atoms: HouseholdAtoms
    queries: HouseholdTables
    counts: HouseholdCounts
    schedule: HouseholdRounds


@dataclass(frozen=True, eq=False, repr=False)
class HouseholdWork:
    """One release of households. Privacy: it holds private counts; its repr shows nothing."""

    atoms: HouseholdAtoms
    counts: HouseholdCounts
    schedule: HouseholdSchedule


def fit_households(work: HouseholdWork, progress: Progress) -> HouseholdRelease:
    """Run table fit of households once, with the secure noise source.

    Privacy: one mechanism, charged before: see `household_fit`.
    """
    return household_fit(work.counts, work.atoms, work.schedule, progress=progress)


def run_household_rounds(work: HouseholdRoundWork, progress: Progress) -> HouseholdRoundRelease:
    """Run PMW^Pub of households once, with the secure noise source.

    Privacy: one run, charged before: see `household_pmw_pub`.
    """
    problem = HouseholdProblem(work.queries, work.atoms)
    return household_pmw_pub(work.counts, problem, work.schedule, progress=progress)
