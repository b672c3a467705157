"""The command `few-records`."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from pmwpub.cli.inputs import Json, one_line, store_files
from pmwpub.errors import CertificateError, PlanError
from pmwpub.outputs import apart, writable, write_file
from pmwpub.records import Support
from pmwpub.release import checking
from pmwpub.release.answers.few_records import MERGING, few_records, without_few
from pmwpub.release.bundle import ROW_SEED, SCHEMA, WEIGHTS
from pmwpub.release.certificates.certificate_parts import PUBLIC_PEOPLE
from pmwpub.release.rebuilding import differing, schema_of, supports_of, workload_of
from pmwpub.release.synthesis import synthetic_csv
from pmwpub.tabular.files.container import FileLimits, load

UNNAMED = (
    "A function of the release and of public tables, so it costs nothing and keeps the release's promise; no "
    "certificate names it, and its answers are off by what the rule changes too."
)


def few_records_of(parsed: argparse.Namespace) -> Json:
    """`few-records`: coded rows of a release that few public records carry; free, from its files and public tables."""
    if (parsed.rule is None) != (parsed.output is None):
        raise PlanError("A table without these rows is written by a rule (--rule) into a file (-o): give both or none.")
    written = [] if parsed.output is None else [Path(parsed.output)]
    apart(written, [parsed.release, *map(Path, parsed.public), *store_files(parsed.store)])
    writable(written)
    bundle = checking.bundle_in(Path(parsed.release))
    certificate, read = bundle.certificate, {name: bundle.parts.get(name, b"") for name in (WEIGHTS, SCHEMA)}
    changed = differing(certificate, read)
    if changed:
        raise CertificateError(f"{', '.join(changed)} is not what the certificate names; nothing is said of it.")
    contents, schema = [load(Path(name), FileLimits()) for name in parsed.public], schema_of(certificate, read[SCHEMA])
    public = Support.union(*supports_of(certificate, schema, contents, weighed=False))
    workload, released, columns = workload_of(certificate, schema), bundle.distribution(), one_line(parsed.columns)
    found = few_records(released, public, columns, parsed.fewest, workload)
    said = asdict(found) | {"merging": MERGING, "public_people": PUBLIC_PEOPLE}
    if not written:
        return said
    left = without_few(released, public, columns, parsed.fewest, parsed.rule)
    write_file(written[0], synthetic_csv(left, schema, bundle.rows, seed=ROW_SEED))
    return said | {"file": parsed.output, "file_is": UNNAMED}
