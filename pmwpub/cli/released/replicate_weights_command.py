"""The command `replicate-weights`."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from pmwpub.cli.inputs import Json, progress, store_files
from pmwpub.errors import FileRefused, PlanError
from pmwpub.outputs import apart, writable, write_files
from pmwpub.release import checking
from pmwpub.release.answers.replicate_files import note_name, replicate_files


def replicate_weights(parsed: argparse.Namespace) -> Json:
    """`replicate-weights`: weights for survey software and their note; free, from a release's files alone."""
    table = Path(parsed.output)
    if table.suffix != ".csv":
        raise PlanError("Replicate weights are written as CSV: give -o a name that ends in .csv.")
    note = table.with_name(note_name(table.name))
    apart([table, note], [parsed.release, *store_files(parsed.store)])
    writable([table, note])
    bundle = checking.bundle_in(Path(parsed.release))
    files = replicate_files(bundle, replicates=parsed.replicates, seed=parsed.seed, table=table.name, progress=progress)
    try:
        write_files({table: files[table.name], note: files[note.name]})
    except OSError as failure:
        raise FileRefused(f"{table} cannot be written: {failure.strerror}.") from failure
    found: Json = json.loads(files[note.name])
    return found | {"file": str(table), "note": str(note)}
