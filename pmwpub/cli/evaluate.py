"""What `evaluate` does: a sweep on data that may be looked at."""

from __future__ import annotations

import argparse
import csv
import io
import sys
from dataclasses import asdict, fields
from fractions import Fraction
from pathlib import Path

from pmwpub.addresses import scheduler_address
from pmwpub.cli.evaluate_journal import Journal, journal_path
from pmwpub.cli.inputs import Json, progress, read, refuse_private_rows, store_files, workload_choice
from pmwpub.errors import BudgetError, PlanError
from pmwpub.evaluation import (
    BASELINES,
    METHODS,
    MOST_ROUNDS,
    TABLE_FIT,
    SimulatedError,
    Simulation,
    Stage,
    Sweep,
    not_beaten,
    simulate,
    under_todays_names,
)  # fmt: skip
from pmwpub.figures import self_contained
from pmwpub.numerals import read_whole
from pmwpub.outputs import apart, writable, write_file
from pmwpub.privacy.budget import MAX_EPSILON, ApproxDP, as_fraction, zcdp_of
from pmwpub.queries.counts import count
from pmwpub.records import Dataset, Support
from pmwpub.rounding import up
from pmwpub.service.inputs.known_tables import PUBLIC, TRUTH
from pmwpub.service.inputs.study import NOT_SIMULATED
from pmwpub.service.simulations.error_figure import error_plot
from pmwpub.service.simulations.proved_bounds import ProvedBounds, bounds_on
from pmwpub.tabular.coding.encode import encode_public
from pmwpub.tabular.files.given_files import Files
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.tasks.simulation_work import SweepPlace


def evaluate(parsed: argparse.Namespace) -> Json:
    """`evaluate`: a sweep on data that may be looked at. Not private, and it says so."""
    print("pmwpub: evaluate compares with the truth itself; use it on data that may be looked at.", file=sys.stderr)
    sweep, place = _sweep(parsed), _place(parsed)
    if parsed.theory and not (parsed.floors and parsed.html):
        raise PlanError("--theory draws on the page of --html and needs each table's floor: give --floors --html too.")
    out = Path(parsed.out)
    written = [out, journal_path(out), *([Path(parsed.html)] if parsed.html is not None else [])]
    apart(written, [parsed.schema, parsed.truth, *parsed.public, *store_files(parsed.store)])
    writable(written)
    stage = _stage(parsed)
    for epsilon in sweep.epsilons:
        zcdp_of(ApproxDP(as_fraction(epsilon), stage.delta))  # refused now rather than after other runs
    journal = Journal(out, stage)
    kept = journal.known()
    known = under_todays_names(kept)
    if len(known) < len(kept):
        print(
            f"pmwpub: {len(kept) - len(known)} finished runs were kept twice, under two spellings of one method; "
            "those under its canonical name are used.",
            file=sys.stderr,
        )
    found = simulate(stage, sweep, workers=place.workers(), known=known, on_found=journal.add, progress=progress)
    for one in found.refused:
        rounds = f" with T = {one.rounds}" if one.rounds else ""
        print(f"pmwpub: {one.method} at epsilon {one.epsilon:g}{rounds} did not run: {one.reason}", file=sys.stderr)
    _write_errors(out, found.errors)
    if parsed.html is not None:
        bounds = bounds_on(stage, found) if parsed.theory else ProvedBounds()
        _write_page(Path(parsed.html), found, stage, Path(parsed.truth).name, bounds)
    journal.close()
    return {
        "not_private": True,
        "noise": "seeded, for simulations only: the same command gives the same numbers on any workers",
        "errors": parsed.out,
        "runs": len(found.errors),
        "resumed": len(known),
        "n": stage.counts.n,
        "refused": [asdict(one) for one in found.refused],
        "floors": [asdict(floor) for floor in found.floors],
        "not_expected_to_beat_unchanged": [
            {"candidate": one.candidate, "epsilons": list(one.epsilons)} for one in not_beaten(found.errors)
        ],
    }


def _sweep(parsed: argparse.Namespace) -> Sweep:
    methods = (*METHODS, TABLE_FIT, *BASELINES) if parsed.methods == "all" else tuple(parsed.methods.split(","))
    if parsed.runs < 1:
        raise PlanError(f"A sweep needs at least one run; --runs {parsed.runs} came.")
    return Sweep(
        epsilons=tuple(_epsilon(epsilon) for epsilon in parsed.epsilons.split(",")),
        rounds=tuple(_whole(rounds) for rounds in parsed.rounds.split(",")) if parsed.rounds else (),
        runs=parsed.runs,
        methods=methods,
        floors=parsed.floors,
    )


def _place(parsed: argparse.Namespace) -> SweepPlace:
    if parsed.dask is not None:
        return SweepPlace("dask", address=scheduler_address(parsed.dask))
    if parsed.workers < 1:
        raise PlanError(f"At least one worker is needed; --workers {parsed.workers} came.")
    return SweepPlace() if parsed.workers == 1 else SweepPlace("processes", parsed.workers)


def _stage(parsed: argparse.Namespace) -> Stage:
    schema = Schema.from_json(read(parsed.schema))
    if schema.weight_column is not None or schema.public_weights is not None:
        raise PlanError(NOT_SIMULATED)
    files = Files(parsed.read, [parsed.truth, *parsed.public])
    refuse_private_rows(parsed.store, {parsed.truth: files.table(parsed.truth)}, TRUTH, schema)
    refuse_private_rows(parsed.store, {path: files.table(path) for path in parsed.public}, PUBLIC, schema)
    truth = _encoded(files, parsed.truth, schema, ruled=False)
    supports = {Path(path).name: Support.of(_encoded(files, path, schema)) for path in parsed.public}
    workload = workload_choice(parsed).build(schema.domain)
    delta = as_fraction(parsed.delta) if parsed.delta else Fraction(1, max(2, len(truth)) ** 2)
    return Stage(workload, count(workload, truth), supports, delta, rows=truth)


def _epsilon(text: str) -> float:
    epsilon = as_fraction(text)
    if not 0 < epsilon <= MAX_EPSILON:
        raise PlanError(f"Epsilons lie above 0 and up to {MAX_EPSILON:,}; {text.strip()[:40]!r} came.")
    return float(epsilon)


def _whole(text: str) -> int:
    try:
        rounds = read_whole(text)
    except BudgetError:
        rounds = 0
    if not 1 <= rounds <= MOST_ROUNDS:
        raise PlanError(f"Rounds are whole numbers from 1 to {MOST_ROUNDS:,}; {text[:40]!r} came.")
    return rounds


def _encoded(files: Files, path: str, schema: Schema, *, ruled: bool = True) -> Dataset:
    """A table's rows; the truth keeps those that break a rule of the schema, as a private table does."""
    table = files.table(path)
    with files.naming(path):
        return encode_public(table, schema, ruled=ruled).dataset


def _write_errors(path: Path, errors: list[SimulatedError]) -> None:
    text = io.StringIO(newline="")
    names = [field.name for field in fields(SimulatedError) if field.name != "contributions"]
    writer = csv.DictWriter(text, names, extrasaction="ignore")
    writer.writeheader()
    writer.writerows(asdict(line) for line in errors)
    write_file(path, text.getvalue().encode())


def _write_page(path: Path, found: Simulation, stage: Stage, truth: str, bounds: ProvedBounds) -> None:
    notes = (
        f"A simulation, not private: {truth} played the private table (n = {stage.counts.n:,}).",
        f"Workload of {stage.workload.queries:,} queries; delta = {up(stage.delta, 3)}; seeded noise.",
        *bounds.words,
    )
    plot = error_plot(found, bounds=bounds.lines)
    write_file(path, self_contained(plot, title="Error against epsilon, by simulation", notes=notes))
