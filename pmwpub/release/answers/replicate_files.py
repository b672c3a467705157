"""Replicate weights as files for survey software: a table of weights, and a note that says how they are read."""

from __future__ import annotations

import hashlib
import json

import numpy as np

from pmwpub.errors import PlanError
from pmwpub.mechanisms.table_fit.intervals.cell_intervals import LARGE_CELL
from pmwpub.mechanisms.table_fit.replicates.raked_replicates import NEAR
from pmwpub.mechanisms.table_fit.replicates.replicate_weights import (
    REPLICATES,
    ReplicateWeights,
    check_asked,
    replicate_weights,
)
from pmwpub.plans.weighing import sum_of_weights
from pmwpub.progress import Progress, unwatched
from pmwpub.records import Distribution, Floats
from pmwpub.release.answers.release_answers import ReleaseAnswers
from pmwpub.release.bundle import WEIGHTS, Bundle
from pmwpub.tabular.coding.decode import CSV_ROWS, csv_cells, csv_line, csv_lines
from pmwpub.tabular.files.text.inert_cells import inert
from pmwpub.tabular.schema.column_types import WEIGHT
from pmwpub.tabular.schema.table_schema import Schema

TABLE = "replicate-weights.csv"
DIGITS = 6
"""Of a weight: what is lost is at most five millionths of it."""

NONE_WITHOUT = (
    "Replicate weights carry the errors that the intervals of a release by table fit have, and this release has none."
)
REPRODUCE = (
    "The variance of a share over the replicates, about the share by the column weight, is the squared standard error "
    "of its interval, for cells of at least 1 % and of one or two of the columns that the release measured; for "
    "smaller cells it may be less. It is the error for this private table's shares, not for a wider population's, and "
    "no part of the privacy guarantee. Other statistics get the error that these errors make of them."
)


def replicate_files(
    bundle: Bundle,
    *,
    replicates: int = REPLICATES,
    seed: int = 0,
    table: str = TABLE,
    progress: Progress = unwatched,
) -> dict[str, bytes]:
    """The table, one row an atom in the order of weights.csv, and its note: name -> bytes.

    table  the table's name, ending in .csv; the note has the same with .json

    Raises CertificateError for files that are not those of the certificate, PlanError for a release without intervals,
    for a number of replicates that cannot be made, and where a column's name is that of a replicate.

    Privacy: a function of the release's published files and of a public seed; costs nothing.
    """
    check_asked(replicates, seed)
    answers = ReleaseAnswers(bundle)
    intervals = answers.intervals
    if intervals is None:
        raise PlanError(" ".join([NONE_WITHOUT, answers.remark]).strip())
    names = replicate_names(bundle.schema, replicates)
    made = replicate_weights(intervals, replicates=replicates, seed=seed, progress=progress)
    released = intervals.release.released
    body = _csv(bundle, released, names, made.weights, progress)
    note = _note(bundle, made, seed=seed, table=table, body=body)
    return {table: body, note_name(table): json.dumps(note, indent=1, ensure_ascii=False).encode() + b"\n"}


def note_name(table: str) -> str:
    """The name of a table's note."""
    return table.removesuffix(".csv") + ".json"


def replicate_names(schema: Schema, replicates: int) -> list[str]:
    """weight_1, weight_2, ...; PlanError where a column of the schema has such a name."""
    names = [f"{WEIGHT}_{number}" for number in range(1, replicates + 1)]
    taken = sorted(set(names) & set(schema.domain.names))
    if taken:
        raise PlanError(f"The release has a column {taken[0]!r}, which is the name of a replicate.")
    return names


def _csv(bundle: Bundle, released: Distribution, names: list[str], made: Floats, progress: Progress) -> bytes:
    """The schema's columns as labels, then `weight` and the replicates in rows of the private table, to `DIGITS`.

    In its own weights where its rows are weighed.
    """
    schema, support, n = bundle.schema, released.support, sum_of_weights(bundle.certificate)
    parts = [csv_line([*map(inert, schema.domain.names), WEIGHT, *names]).encode()]
    labels = [np.array(csv_cells(one.levels, alone=False), dtype=object) for one in schema.domain.attributes]
    for begin in range(0, len(support), CSV_ROWS):
        progress(1, 1)  # whoever watches may still stop it
        rows = slice(begin, begin + CSV_ROWS)
        columns = [texts[support.codes[rows, place]].tolist() for place, texts in enumerate(labels)]
        for one in (released.weights[rows], *made[rows].T):
            columns.append([f"{weight:.{DIGITS}g}" for weight in (n * one).tolist()])
        parts.append(csv_lines(columns))
    return b"".join(parts)


def _note(bundle: Bundle, made: ReplicateWeights, *, seed: int, table: str, body: bytes) -> dict[str, object]:
    replicates, found, certificate = made.weights.shape[1], made.reproduced, bundle.certificate
    return {
        "type": "bootstrap",
        "scale": 1 / replicates,
        "rscales": 1,
        "mse": True,
        "combined_weights": True,
        "replicates": replicates,
        "weights": WEIGHT,
        "repweights": f"{WEIGHT}_1 to {WEIGHT}_{replicates}",
        "sum_of_weights": sum_of_weights(certificate),
        "words": REPRODUCE,
        "reproduced": {
            "cells": found.cells,
            "of_a_share_of_at_least": LARGE_CELL,
            f"within_{100 * NEAR:.0f}_percent": round(found.near, 4),
            "median_ratio": round(found.median, 4),
        },
        "R": (
            f'survey::svrepdesign(data = read.csv("{table}"), weights = ~{WEIGHT}, repweights = "^{WEIGHT}_[0-9]+$", '
            f'type = "bootstrap", scale = 1/{replicates}, rscales = rep(1, {replicates}), combined.weights = TRUE, '
            "mse = TRUE)"
        ),
        "seed": seed,
        "file": table,
        "sha256": hashlib.sha256(body).hexdigest(),
        "plan_sha256": certificate.plan_sha256,
        "weights_sha256": certificate.files[WEIGHTS],
    }
