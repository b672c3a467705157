"""The command `few-records`."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from pmwpub.cli.inputs import Json, one_line
from pmwpub.errors import CertificateError
from pmwpub.records import Support
from pmwpub.release import checking
from pmwpub.release.answers.few_records import MERGING, few_records
from pmwpub.release.bundle import SCHEMA, WEIGHTS, Bundle
from pmwpub.release.certificates.certificate_parts import PUBLIC_PEOPLE
from pmwpub.release.rebuilding import differing, schema_of, supports_of, workload_of
from pmwpub.tabular.files.container import FileLimits, load


def few_records_of(parsed: argparse.Namespace) -> Json:
    """`few-records`: coded rows of a release that few public records carry; free, from its files and public tables."""
    bundle = Bundle(checking.read_folder(Path(parsed.release)))
    certificate, read = bundle.certificate, {name: bundle.parts.get(name, b"") for name in (WEIGHTS, SCHEMA)}
    changed = differing(certificate, read)
    if changed:
        raise CertificateError(f"{', '.join(changed)} is not what the certificate names; nothing is said of it.")
    contents, schema = [load(Path(name), FileLimits()) for name in parsed.public], schema_of(certificate, read[SCHEMA])
    public = Support.union(*supports_of(certificate, schema, contents))
    workload = workload_of(certificate, schema)
    found = few_records(bundle.distribution(), public, one_line(parsed.columns), parsed.fewest, workload)
    return asdict(found) | {"merging": MERGING, "public_people": PUBLIC_PEOPLE}
