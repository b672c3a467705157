"""What a worker does for errors, floors and choices of households. Counts come by pipe, only noisy numbers leave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from pmwpub.errors import JobUnresolved
from pmwpub.mechanisms.households.household_atoms import HouseholdAtoms
from pmwpub.mechanisms.households.household_counts import HouseholdCounts, HouseholdTables
from pmwpub.mechanisms.households.household_errors import (
    KnownError,
    household_choice,
    household_error_release,
    household_floor_release,
)
from pmwpub.mechanisms.households.household_mixture import HouseholdMixture
from pmwpub.mechanisms.households.household_scores import HouseholdProblem
from pmwpub.mechanisms.noisy_error.assessment import NoisyError, Purpose, Unresolved
from pmwpub.progress import Progress
from pmwpub.records import Ints

UNRESOLVED = "What was asked about the households could not be resolved."


@dataclass(frozen=True, eq=False, repr=False)
class HouseholdErrorWork:
    """The error of weighted households. Privacy: it holds private counts; its repr shows nothing.

    weights  int64 (m,), whole
    """

    tables: HouseholdTables
    atoms: HouseholdAtoms
    weights: Ints
    counts: HouseholdCounts
    epsilon: Fraction


@dataclass(frozen=True, eq=False, repr=False)
class HouseholdAssessmentWork:
    """A floor and a start, each at its own epsilon. Privacy: it holds private counts; its repr shows nothing."""

    tables: HouseholdTables
    atoms: HouseholdAtoms
    counts: HouseholdCounts
    epsilons: Mapping[Purpose, Fraction]


@dataclass(frozen=True, eq=False, repr=False)
class HouseholdBestWork:
    """One choice among public tables. Privacy: it holds private counts; its repr shows nothing."""

    tables: HouseholdTables
    offered: tuple[HouseholdAtoms, ...]
    counts: HouseholdCounts
    epsilon: Fraction
    by: Literal["floor", "start"]


def error_of_households(work: HouseholdErrorWork, progress: Progress) -> NoisyError:
    """The noisy error of a release, with the secure noise source.

    Privacy: one mechanism, charged before: see `household_error_release`.
    """
    progress(0, 1)
    return household_error_release(work.counts, HouseholdProblem(work.tables, work.atoms), work.weights, work.epsilon)


def assess_households(work: HouseholdAssessmentWork, progress: Progress) -> dict[Purpose, NoisyError]:
    """The noisy floor and start that were bought; JobUnresolved where the floor cannot be resolved.

    Privacy: one mechanism each, charged before: see `household_floor_release` and `household_error_release`.
    """
    progress(0, 1)
    counts, problem = work.counts, HouseholdProblem(work.tables, work.atoms)
    found: dict[Purpose, NoisyError] = {}
    if "start" in work.epsilons:
        found["start"] = household_error_release(counts, problem, work.atoms.multiplicity, work.epsilons["start"])
    if "floor" in work.epsilons:
        state = HouseholdMixture(counts, problem)
        floor = household_floor_release(state, work.epsilons["floor"], progress=progress)
        if isinstance(floor, Unresolved):
            raise JobUnresolved(UNRESOLVED)
        found["floor"] = floor
    return found


def choose_households(work: HouseholdBestWork, progress: Progress) -> int:
    """The place of the public table that was chosen; JobUnresolved where the choice cannot be resolved.

    Privacy: one mechanism, charged before: see `household_choice`.
    """
    progress(0, 1)
    counts = work.counts
    problems = [HouseholdProblem(work.tables, atoms) for atoms in work.offered]
    states = [
        HouseholdMixture(counts, problem) if work.by == "floor" else KnownError.of(counts, problem)
        for problem in problems
    ]
    found = household_choice(states, work.epsilon, progress=progress)
    if isinstance(found, Unresolved):
        raise JobUnresolved(UNRESOLVED)
    return found.candidate
