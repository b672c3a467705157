"""What the paper's experiments share: its grids, data, runs that are kept on disk, hyperparameters by validation.

A finished run is a line in the folder PMWPUB_PAPER (default: scratch/paper beside this project's benchmarks); a script
that was stopped goes on where it was. Everything is a simulation with seeded noise on rows that may be looked at.

Data: ADULT (UCI Machine Learning Repository) and American Community Survey rows from IPUMS USA as given by the NIST
temporal map challenge, in the folder PMWPUB_DATA (default: ../shared/data).
"""

from __future__ import annotations

import argparse
import csv
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np

from pmwpub.cli.evaluate_journal import Journal
from pmwpub.evaluation import (
    UNCHANGED,
    LocalProcesses,
    SimulatedError,
    Simulation,
    Stage,
    Sweep,
    fewest_rounds,
    simulate,
    summarise,
)  # fmt: skip
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support
from pmwpub.tabular.coding.encode import encode_public
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.schema.table_schema import Schema

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("PMWPUB_DATA", ROOT.parent / "shared" / "data"))
KEPT = Path(os.environ.get("PMWPUB_PAPER", ROOT / "scratch" / "paper"))
OUT = ROOT / "docs" / "results"

EPSILONS = (0.1, 0.15, 0.2, 0.25, 0.5, 1.0)
ROUNDS = (5, 10, 25, 50, 75, 100, 125, 150, 200, 250, 300)
SAMPLES = (500, 250, 100, 50, 25, 10)
ETAS = (5, 4, 3, 2)
LAMBDAS = ("0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1", "0.5")
JI_ELKAN = tuple(f"ji-elkan+lambda={value}" for value in LAMBDAS)
MATRIX = ("hdmm+even", "residual-planner+even")
"""The paper's grids, and beyond them where their edge was best: 25 and 10 samples, lambda of 0.0025 and 0.001. HDMM
could not run there. `+even`: the design that weighs all marginals alike."""

VALIDATION = (1000, 1001, 1002)
"""Seeds of the runs on a validation pair (the paper: five): of a single one, chance would choose."""


@dataclass(frozen=True)
class Options:
    """How much of an experiment is made."""

    seeds: int
    workers: int
    small: bool = False

    @property
    def dual_query(self) -> tuple[str, ...]:
        """DualQuery's grid, whole or the part of it that is quick (and was better where both were tried)."""
        tried = SAMPLES[2:] if self.small else SAMPLES
        return tuple(f"dual-query+samples={samples}+eta={eta}" for samples in tried for eta in ETAS)


def options(description: str | None) -> Options:
    """From the command line."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--seeds", type=int, default=5, help="runs of each kind (the paper: 5)")
    parser.add_argument("--workers", type=int, default=1, help="processes of this machine")
    parser.add_argument("--small", action="store_true", help="DualQuery with at most 100 samples: a tenth of its time")
    parsed = parser.parse_args()
    return Options(parsed.seeds, parsed.workers, parsed.small)


def run(name: str, stage: Stage, sweep: Sweep, workers: int = 1) -> Simulation:
    """Make a sweep, or what is missing of it; every finished part is kept under `name`."""
    KEPT.mkdir(parents=True, exist_ok=True)
    journal = Journal(KEPT / name, stage)
    known, began = journal.known(), time.perf_counter()
    found = simulate(
        stage, sweep, workers=LocalProcesses(workers) if workers > 1 else None, known=known, on_found=journal.add
    )
    for one in found.refused:
        print(f"{name}: {one.method} did not run at epsilon {one.epsilon:g}. {one.reason}")
    print(f"{name}: {len(found.errors)} runs, {time.perf_counter() - began:.0f} s", flush=True)
    return found


def rounds_sweep(
    methods: Sequence[str], seed: int, epsilons: Sequence[float] = EPSILONS, rounds: Sequence[int] = ROUNDS
) -> Sweep:
    """One run of every method at every epsilon and T of a grid, the paper's by default, with a seed of its own."""
    return Sweep(tuple(epsilons), tuple(rounds), 1, tuple(methods), floors=False, first_seed=seed)


def validation(
    problem: str,
    pair: Callable[[int], Stage],
    methods: Sequence[str],
    epsilons: Sequence[float] = EPSILONS,
    rounds: Sequence[int] = ROUNDS,
    *,
    workers: int,
) -> list[SimulatedError]:
    """Runs on validation pairs, by their seed, with each seed of `VALIDATION`."""
    found: list[SimulatedError] = []
    for seed in VALIDATION:
        sweep = rounds_sweep(methods, seed, epsilons, rounds)
        found += run(f"{problem}-validation-{seed}", pair(seed), sweep, workers).errors
    return found


def write(name: str, lines: Iterable[tuple[str, SimulatedError]]) -> None:
    """A figure's runs as CSV, for the results page: the panel that each belongs to, and the run."""
    columns = ["panel", *(field.name for field in fields(SimulatedError) if field.name != "contributions")]
    OUT.mkdir(parents=True, exist_ok=True)
    with (OUT / f"{name}.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows({"panel": panel, **rounded(one.written)} for panel, one in lines)
    print(f"{OUT / name}.csv", flush=True)


def rounded(values: dict[str, object]) -> dict[str, object]:
    """Errors with six digits: a file that people read."""
    return {key: f"{value:.6g}" if key.endswith("error") else value for key, value in values.items()}


Chosen = Mapping[tuple[str, str, float], tuple[str, int]]
"""(candidate, family, epsilon) -> the method with its parameters, and T, that did best on a validation pair."""


def chosen(results: Iterable[SimulatedError]) -> Chosen:
    """By candidate, family and epsilon: the parameters of the least mean largest error, then the fewest rounds that do
    as well (`fewest_rounds`)."""
    best: dict[tuple[str, str, float], tuple[str, int]] = {}
    lines = [line for line in summarise(results) if line.method != UNCHANGED]
    for key in dict.fromkeys((line.candidate, line.method.partition("+")[0], line.epsilon) for line in lines):
        own = [line for line in lines if (line.candidate, line.method.partition("+")[0], line.epsilon) == key]
        method = min(own, key=lambda line: line.mean).method
        line = fewest_rounds(line for line in own if line.method == method)
        best[key] = (method, line.rounds)
    return best


def played(picked: Chosen, played_by: Mapping[str, str]) -> Chosen:
    """The choices by the candidates of the test, each played by another table on the validation pair."""
    return {
        (name, kind, epsilon): value
        for (player, kind, epsilon), value in picked.items()
        for name in [candidate for candidate, by in played_by.items() if by == player] or [""]
    }


def run_chosen(name: str, stage: Stage, picked: Chosen, seed: int, workers: int = 1) -> list[SimulatedError]:
    """One run, with a seed, of what validation chose; each candidate of the stage gets its own choice."""
    found: list[SimulatedError] = []
    for (candidate, _, epsilon), (method, rounds) in picked.items():
        own = {candidate: stage.candidates[candidate]} if candidate else dict(list(stage.candidates.items())[:1])
        sweep = Sweep((epsilon,), (rounds,) if rounds else (1,), 1, (method,), floors=False, first_seed=seed)
        found += run(f"{name}-{candidate or 'none'}", replace(stage, candidates=own), sweep, workers).errors
    return found


def stage_of(workload: Workload, truth: Dataset, candidates: Mapping[str, Dataset]) -> Stage:
    """delta = 1/n^2, as in the paper."""
    supports = {name: Support.of(table) for name, table in candidates.items()}
    return Stage(workload, count(workload, truth), supports, Fraction(1, len(truth) ** 2), rows=truth)


@cache
def adult_table() -> Dataset:
    schema = Schema.from_json((DATA / "adult" / "schema.json").read_bytes())
    return encode_public(read_table(DATA / "adult" / "adult.csv.gz"), schema).dataset


def adult_workload() -> Workload:
    """256 sampled 3-way marginals of 286."""
    return Workload.sampled(adult_table().domain, 3, 256, 0)


def adult_pair(bias: float, seed: int) -> tuple[Dataset, Dataset]:
    """Private: 90 % of the rows, without replacement. Public: as many as the other 10 %, drawn with replacement from
    all rows, women with probability r + bias. The paper draws both with replacement."""
    table, rng = adult_table(), np.random.default_rng(seed)
    women = np.flatnonzero(table.codes[:, table.domain.index("sex")] == 0)
    men = np.setdiff1d(np.arange(len(table)), women)
    private = rng.permutation(len(table))[: int(0.9 * len(table))]
    size = len(table) - len(private)
    drawn = rng.binomial(size, min(1.0, max(0.0, len(women) / len(table) + bias)))
    public = np.concatenate([rng.choice(women, drawn), rng.choice(men, size - drawn)])
    return Dataset(table.domain, table.codes[private]), Dataset(table.domain, table.codes[public])


@cache
def census(name: str) -> Dataset:
    """A table of Ohio or Illinois, such as oh_2018: 29 attributes."""
    schema = Schema.from_json((DATA / "acs_il_oh" / "schema.json").read_bytes())
    return encode_public(read_table(DATA / "acs_il_oh" / f"{name}.csv.gz"), schema).dataset


def narrowed(table: Dataset, names: Sequence[str]) -> Dataset:
    """The table on some attributes."""
    kept = [table.domain.index(name) for name in names]
    return Dataset(table.domain.project(names), table.codes[:, kept])


def reduced_names() -> list[str]:
    """The census attributes of at most four levels: 12 of them, 196,608 possible rows, 792 sets of five. The paper's
    ACS (reduced) has 15, 98,304 and 3,003."""
    domain = census("oh_2018").domain
    return [attribute.name for attribute in domain.attributes if 2 <= attribute.size <= 4]
