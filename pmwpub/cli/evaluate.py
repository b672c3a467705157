"""What `evaluate` does: a sweep on data that may be looked at."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path

from pmwpub.addresses import scheduler_address
from pmwpub.cli.evaluate_journal import Journal, journal_path
from pmwpub.cli.evaluating.error_files import write_errors, write_page
from pmwpub.cli.evaluating.given_truth import given_truth
from pmwpub.cli.evaluating.household_evaluation import FITTED, evaluate_households
from pmwpub.cli.inputs import Json, progress, read, store_files
from pmwpub.errors import BudgetError, PlanError
from pmwpub.evaluation import (
    BASELINES,
    METHODS,
    MOST_ROUNDS,
    SIMPLEST,
    TABLE_FIT,
    Sweep,
    not_beaten,
    simulate,
    under_todays_names,
)  # fmt: skip
from pmwpub.numerals import read_whole
from pmwpub.outputs import apart, writable
from pmwpub.privacy.budget import MAX_EPSILON, ApproxDP, as_fraction, zcdp_of
from pmwpub.service.simulations.proved_bounds import ProvedBounds, bounds_on
from pmwpub.tabular.households.household_schema import is_household_schema
from pmwpub.tasks.simulation_work import SweepPlace


def evaluate(parsed: argparse.Namespace) -> Json:
    """`evaluate`: a sweep on data that may be looked at. Not private, and it says so."""
    print("pmwpub: evaluate compares with the truth itself; use it on data that may be looked at.", file=sys.stderr)
    of_households = is_household_schema(read(parsed.schema))
    sweep, place = _sweep(parsed, FITTED if of_households else SIMPLEST), _place(parsed)
    if of_households:
        return evaluate_households(parsed, sweep, place)
    if parsed.theory and not (parsed.floors and parsed.html):
        raise PlanError("--theory draws on the page of --html and needs each table's floor: give --floors --html too.")
    out = Path(parsed.out)
    written = [out, journal_path(out), *([Path(parsed.html)] if parsed.html is not None else [])]
    apart(written, [parsed.schema, parsed.truth, *parsed.public, *store_files(parsed.store)])
    writable(written)
    given = given_truth(parsed)
    stage = given.stage
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
    write_errors(out, found, refusals=stage.weights is not None)
    if parsed.html is not None:
        bounds = bounds_on(stage, found) if parsed.theory else ProvedBounds()
        write_page(Path(parsed.html), found, stage, Path(parsed.truth).name, bounds, given.words)
    journal.close()
    return {
        "not_private": True,
        "noise": "seeded, for simulations only: the same command gives the same numbers on any workers",
        "errors": parsed.out,
        "runs": len(found.errors),
        "resumed": len(known),
        "n": stage.people,
        **given.stated,
        "refused": [asdict(one) for one in found.refused],
        "floors": [asdict(floor) for floor in found.floors],
        "not_expected_to_beat_unchanged": [
            {"candidate": one.candidate, "epsilons": list(one.epsilons)} for one in not_beaten(found.errors)
        ],
    }


def _sweep(parsed: argparse.Namespace, default: tuple[str, ...]) -> Sweep:
    methods = default if parsed.methods is None else tuple(parsed.methods.split(","))
    if methods == ("all",):
        methods = (*METHODS, TABLE_FIT, *BASELINES)
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
