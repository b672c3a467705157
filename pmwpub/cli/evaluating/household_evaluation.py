"""`evaluate` under a schema of households: the errors of tables of persons and of households."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path

from pmwpub.cli.evaluating.error_files import write_household_errors, write_household_page
from pmwpub.cli.inputs import Json, progress, read, refuse_private_rows, store_files, workload_choice
from pmwpub.errors import PlanError
from pmwpub.evaluation import TABLE_FIT, UNCHANGED, Sweep
from pmwpub.evaluation.households.household_stages import COMBINED, HouseholdStage
from pmwpub.evaluation.households.household_sweeps import simulate_households
from pmwpub.outputs import apart, writable
from pmwpub.privacy.budget import as_fraction
from pmwpub.service.inputs.known_tables import PUBLIC, TRUTH
from pmwpub.service.simulations.households.household_truths import check_simulated_rounds, household_stage
from pmwpub.tabular.files.given_files import Files
from pmwpub.tabular.households.grouped_persons import Households
from pmwpub.tabular.households.household_schema import HouseholdSchema
from pmwpub.tabular.households.reading_households import private_households, public_households
from pmwpub.tasks.simulation_work import SweepPlace

FITTED = (TABLE_FIT, UNCHANGED)
"""What is simulated of households where no method is named."""


def evaluate_households(parsed: argparse.Namespace, sweep: Sweep, place: SweepPlace) -> Json:
    """A sweep over households that may be looked at. Not private, and it says so."""
    if parsed.theory or parsed.prefixes:
        raise PlanError("A simulation of households takes no --theory and no --prefixes; leave them out.")
    check_simulated_rounds(sweep)
    out = Path(parsed.out)
    written = [out, *([Path(parsed.html)] if parsed.html is not None else [])]
    apart(written, [parsed.schema, parsed.truth, *parsed.public, *store_files(parsed.store)])
    writable(written)
    stage = _stage(parsed)
    found = simulate_households(stage, sweep, workers=place.workers(), progress=progress)
    for one in found.refused:
        print(f"pmwpub: {one.method} at epsilon {one.epsilon:g} did not run: {one.reason}", file=sys.stderr)
    write_household_errors(out, found)
    if parsed.html is not None:
        write_household_page(Path(parsed.html), found, stage, Path(parsed.truth).name)
    return {
        "not_private": True,
        "noise": "seeded, for simulations only: the same command gives the same numbers on any workers",
        "errors": parsed.out,
        "runs": len(next(iter(found.levels.values())).errors),
        "n": stage.n,
        "unit": f"household of at most {stage.largest} persons",
        "refused": [asdict(one) for one in found.refused],
        "floors": [asdict(floor) for floor in found.levels[COMBINED].floors],
    }


def _stage(parsed: argparse.Namespace) -> HouseholdStage:
    schema = HouseholdSchema.from_json(read(parsed.schema))
    files = Files(parsed.read, [parsed.truth, *parsed.public])
    refuse_private_rows(parsed.store, {parsed.truth: files.table(parsed.truth)}, TRUTH, schema.persons)
    refuse_private_rows(parsed.store, {path: files.table(path) for path in parsed.public}, PUBLIC, schema.persons)
    with files.naming(parsed.truth):
        truth = private_households(files.table(parsed.truth), schema)
    delta = as_fraction(parsed.delta) if parsed.delta else Fraction(1, max(2, len(truth)) ** 2)
    workload = workload_choice(parsed).build(schema.persons.domain)
    return household_stage(schema, workload, truth, _candidates(files, parsed.public, schema), delta)


def _candidates(files: Files, paths: Sequence[str], schema: HouseholdSchema) -> dict[str, Households]:
    found = {}
    for path in paths:
        with files.naming(path):
            found[Path(path).name] = public_households(files.table(path), schema).households
    return found
