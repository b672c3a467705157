"""What a worker does for a sweep over households. All of it is public."""

from __future__ import annotations

from dataclasses import dataclass, field

from pmwpub.evaluation import Sweep
from pmwpub.evaluation.households.household_stages import HouseholdStage
from pmwpub.evaluation.households.household_sweeps import HouseholdSimulation, simulate_households
from pmwpub.progress import Progress
from pmwpub.tasks.simulation_work import SweepPlace


@dataclass(frozen=True, eq=False, repr=False)
class HouseholdSweepWork:
    """A sweep, and where its runs are made."""

    stage: HouseholdStage
    sweep: Sweep
    place: SweepPlace = field(default_factory=SweepPlace)


def simulate_releases(work: HouseholdSweepWork, progress: Progress) -> HouseholdSimulation:
    """Make the sweep."""
    return simulate_households(work.stage, work.sweep, workers=work.place.workers(), progress=progress)
