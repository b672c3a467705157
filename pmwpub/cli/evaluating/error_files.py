"""The errors of a sweep as a file of CSV, and as a page."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict, fields
from pathlib import Path

from pmwpub.evaluation import SimulatedError, Simulation, Stage
from pmwpub.evaluation.households.household_stages import HouseholdStage
from pmwpub.evaluation.households.household_sweeps import HouseholdSimulation
from pmwpub.figures import self_contained
from pmwpub.outputs import write_file
from pmwpub.plans.weighing import shares_of_what
from pmwpub.rounding import up
from pmwpub.service.simulations.error_figure import error_plot
from pmwpub.service.simulations.findings import not_run
from pmwpub.service.simulations.households.household_truths import LEVEL_WHOLES, LEVEL_WORDS
from pmwpub.service.simulations.proved_bounds import ProvedBounds

DID_NOT_RUN = "did_not_run"
"""The last column of a file with lines of methods that could not run."""


def write_errors(path: Path, found: Simulation, *, refusals: bool = False) -> None:
    """A line a run.

    refusals  whether each method that could not run has a line too: without errors, and with the reason
    """
    text = io.StringIO(newline="")
    names = [field.name for field in fields(SimulatedError) if field.name != "contributions"]
    writer = csv.DictWriter(text, [*names, DID_NOT_RUN] if refusals else names, extrasaction="ignore")
    writer.writeheader()
    writer.writerows(asdict(line) for line in found.errors)
    for one in found.refused if refusals else ():
        line = {"method": one.method, "epsilon": one.epsilon, "rounds": one.rounds or "", DID_NOT_RUN: one.reason}
        writer.writerow(line)
    write_file(path, text.getvalue().encode())


def write_page(path: Path, found: Simulation, stage: Stage, truth: str, bounds: ProvedBounds, words: str = "") -> None:
    """The figure with what it rests on.

    words  how the rows of the truth were weighed, if they were
    """
    weighed = (words, *(f"{one.label} did not run: {one.reason}" for one in not_run(found))) if words else ()
    notes = (
        f"A simulation, not private: {truth} played the private table (n = {stage.people:,}).",
        f"Workload of {stage.workload.queries:,} queries; delta = {up(stage.delta, 3)}; seeded noise.",
        *weighed,
        *bounds.words,
    )
    plot = error_plot(found, bounds=bounds.lines, whole=shares_of_what(weighed=stage.weights is not None))
    write_file(path, self_contained(plot, title="Error against epsilon, by simulation", notes=notes))


def write_household_errors(path: Path, found: HouseholdSimulation) -> None:
    """A line a run and level, and one for each method that could not run."""
    text = io.StringIO(newline="")
    names = [field.name for field in fields(SimulatedError) if field.name != "contributions"]
    writer = csv.DictWriter(text, ["level", *names, DID_NOT_RUN], extrasaction="ignore")
    writer.writeheader()
    for level, simulation in found.levels.items():
        writer.writerows({"level": level} | asdict(line) for line in simulation.errors)
    writer.writerows({"method": one.method, "epsilon": one.epsilon, DID_NOT_RUN: one.reason} for one in found.refused)
    write_file(path, text.getvalue().encode())


def write_household_page(path: Path, found: HouseholdSimulation, stage: HouseholdStage, truth: str) -> None:
    """A figure for each level, with what they rest on."""
    refused = not_run(Simulation(refused=found.refused))
    notes = (
        f"A simulation, not private: {truth} played the private households (n = {stage.n:,} of at most "
        f"{stage.largest} persons). Each is one public household or another, whole; one household is protected.",
        f"{stage.asked.persons.queries:,} cells of persons and {stage.asked.own.queries:,} of households; "
        f"delta = {up(stage.delta, 3)}; seeded noise.",
        *(f"{one.label} did not run: {one.reason}" for one in refused),
    )
    plots = [
        (LEVEL_WORDS[level], error_plot(simulation, whole=LEVEL_WHOLES[level]))
        for level, simulation in found.levels.items()
    ]
    title = f"Error against epsilon, by simulation. {plots[0][0]}"
    write_file(path, self_contained(plots[0][1], title=title, notes=notes, further=plots[1:]))
