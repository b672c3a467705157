"""Errors against a truth that may be looked at, and sweeps that show them against epsilon. Nothing here is private."""

from pmwpub.evaluation.baseline_registry import (
    BASELINES,
    PEERS,
    TABLE_FIT,
    TABLE_FIT_GROWN,
    baseline_of,
    is_baseline,
    label_of,
)
from pmwpub.evaluation.measures import Errors, errors, errors_of
from pmwpub.evaluation.methods import METHODS, PMW_PUB, SIMPLEST, UNCHANGED, Variant, variant_of
from pmwpub.evaluation.resampling import halves, part_of_table, part_rows, resampled
from pmwpub.evaluation.runs import FloorOf, Found, Run, Stage, Task
from pmwpub.evaluation.sweep import MOST_ROUNDS, Sweep, simulate, under_todays_names
from pmwpub.evaluation.sweep_results import (
    MEASURES,
    CertifiedFloor,
    Measure,
    RefusedMethod,
    SimulatedError,
    Simulation,
    Summary,
    summarise,
)
from pmwpub.evaluation.verdicts import (
    NotBeaten,
    Reach,
    baseline_lines,
    best_lines,
    fewest_rounds,
    not_beaten,
    reach,
)  # fmt: skip
from pmwpub.evaluation.workers import Borrowed, Here, LocalProcesses, Workers, cores

__all__ = [
    "BASELINES",
    "MEASURES",
    "METHODS",
    "MOST_ROUNDS",
    "PEERS",
    "PMW_PUB",
    "SIMPLEST",
    "TABLE_FIT",
    "TABLE_FIT_GROWN",
    "UNCHANGED",
    "Borrowed",
    "CertifiedFloor",
    "Errors",
    "FloorOf",
    "Found",
    "Here",
    "LocalProcesses",
    "Measure",
    "NotBeaten",
    "Reach",
    "RefusedMethod",
    "Run",
    "SimulatedError",
    "Simulation",
    "Stage",
    "Summary",
    "Sweep",
    "Task",
    "Variant",
    "Workers",
    "baseline_lines",
    "baseline_of",
    "best_lines",
    "cores",
    "errors",
    "errors_of",
    "fewest_rounds",
    "halves",
    "is_baseline",
    "label_of",
    "not_beaten",
    "part_of_table",
    "part_rows",
    "reach",
    "resampled",
    "simulate",
    "summarise",
    "under_todays_names",
    "variant_of",
]
