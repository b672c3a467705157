"""What `evaluate` runs on: a truth that may be looked at, and public tables, by a schema."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from pmwpub.cli.inputs import read, refuse_private_rows, workload_choice
from pmwpub.errors import PlanError
from pmwpub.evaluation import Stage, WeighedTruth
from pmwpub.privacy.budget import as_fraction
from pmwpub.queries.counts import count
from pmwpub.service.inputs.known_tables import PUBLIC, TRUTH
from pmwpub.service.simulations.truths.weighed_simulations import NO_OWN_WEIGHTS, OWN_SUM, weighed_words
from pmwpub.tabular.coding.encode import Encoded, encode_public
from pmwpub.tabular.files.given_files import Files
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.tabular.weights.weight_column import WeightColumn


@dataclass(frozen=True, eq=False)
class GivenTruth:
    """The stage of a command.

    column  by which the truth's rows are weighed; shares are of their own sum. None where each counts as one
    """

    stage: Stage
    column: WeightColumn | None = None

    @property
    def words(self) -> str:
        """How rows were weighed; "" where they were not."""
        return "" if self.column is None else weighed_words(self.column, self.stage.counts.n, OWN_SUM)

    @property
    def stated(self) -> dict[str, object]:
        """The same for the answer of the command; cap and total in units."""
        if self.column is None:
            return {}
        own = {"column": self.column.name, "cap": self.column.units[1], "unit": self.column.unit}
        return {"weights": own | {"total": self.stage.counts.n}, "weighed": self.words}


def given_truth(parsed: argparse.Namespace) -> GivenTruth:
    """Read the truth and the public tables; PlanError where a truth is to be weighed and has no weights."""
    schema = Schema.from_json(read(parsed.schema))
    files = Files(parsed.read, [parsed.truth, *parsed.public])
    refuse_private_rows(parsed.store, {parsed.truth: files.table(parsed.truth)}, TRUTH, schema)
    refuse_private_rows(parsed.store, {path: files.table(path) for path in parsed.public}, PUBLIC, schema)
    truth = _encoded(files, parsed.truth, schema, ruled=False)
    supports = {Path(path).name: _encoded(files, path, schema).support for path in parsed.public}
    workload, rows = workload_choice(parsed).build(schema.domain), truth.dataset
    delta = as_fraction(parsed.delta) if parsed.delta else Fraction(1, max(2, len(rows)) ** 2)
    column = schema.weight_column
    if column is None:
        return GivenTruth(Stage(workload, count(workload, rows), supports, delta, rows=rows))
    if truth.as_truth is None:
        raise PlanError(NO_OWN_WEIGHTS.format(truth=Path(parsed.truth).name, column=column.name))
    weighed = WeighedTruth.of(rows, truth.as_truth, column.units[1])
    return GivenTruth(Stage.weighing(workload, weighed, supports, delta), column)


def _encoded(files: Files, path: str, schema: Schema, *, ruled: bool = True) -> Encoded:
    """A table's rows; the truth keeps those that break a rule of the schema, as a private table does."""
    table = files.table(path)
    with files.naming(path):
        return encode_public(table, schema, ruled=ruled)
