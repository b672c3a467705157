"""The command `schema draft`."""

from __future__ import annotations

import argparse
from pathlib import Path

from pmwpub.cli.inputs import Json, store_files
from pmwpub.outputs import apart, writable, write_file
from pmwpub.tabular.files.given_files import Files
from pmwpub.tabular.schema.codebook import read_codebook
from pmwpub.tabular.schema.drafting import draft


def draft_schema(parsed: argparse.Namespace) -> Json:
    """`schema draft`: levels and bins from public tables and a codebook."""
    out = Path(parsed.out)
    apart([out], [*parsed.public, parsed.codebook, *store_files(parsed.store)])
    writable([out])
    files = Files(parsed.read, [*parsed.public, parsed.codebook])
    codebook = None
    if parsed.codebook is not None:
        with files.naming(parsed.codebook):
            codebook = read_codebook(Path(parsed.codebook), options=files.options(parsed.codebook))
    schema = draft(
        [files.table(path) for path in parsed.public],
        bins=parsed.bins,
        binning=parsed.binning,
        max_levels=parsed.max_levels,
        codebook=codebook,
    )
    write_file(out, schema.to_json().encode())
    return {
        "schema": parsed.out,
        "schema_sha256": schema.sha256,
        "attributes": len(schema.domain.attributes),
        "dimension": schema.domain.dimension,
        "ignored": [column.name for column in schema.columns if column.name not in schema.domain.names],
    }
