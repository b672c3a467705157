"""The command `certificate export`."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from pathlib import Path

from pmwpub.cli.inputs import Json, read, store_files
from pmwpub.errors import FileRefused
from pmwpub.outputs import apart, made_folder, writable, write_file, write_files
from pmwpub.release import checking
from pmwpub.release.catalogue.about_release import AboutRelease
from pmwpub.release.catalogue.published_households import AnyPublished, PublishedHouseholds
from pmwpub.release.catalogue.published_release import PublishedRelease
from pmwpub.release.catalogue.record_formats import Record, record_of
from pmwpub.release.certificates.certificate_signature import SIGNATURE, signature_in
from pmwpub.release.households.household_checks import household_files_in, is_of_households


def export_record(parsed: argparse.Namespace) -> Json:
    """`certificate export`: a record of a finished release, from its own files; free."""
    output, folder = Path(parsed.output), Path(parsed.release)
    apart([output], [parsed.release, parsed.about, *store_files(parsed.store)])
    parts = household_files_in(folder) if is_of_households(folder) else dict(checking.bundle_in(folder).parts)
    about = AboutRelease() if parsed.about is None else AboutRelease.from_json(read(parsed.about))
    signature = signature_in(folder)
    files = parts | ({} if signature is None else {SIGNATURE: signature})
    kind = PublishedHouseholds if is_of_households(folder) else PublishedRelease
    release: AnyPublished = kind.of(files, about, datetime.now(UTC).date())
    record = record_of(release, parsed.format)
    _write(record, output, folder)
    return {"format": parsed.format, "file": parsed.output, "to_fill_in": list(record.lacking)}


def _write(record: Record, output: Path, folder: Path) -> None:
    """A record of one file as that file; one of several into a folder that is new or empty."""
    if len(record.files) == 1:
        (body,) = record.files.values()
        writable([output])
        write_file(output, body)
        return
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise FileRefused(f"{output} is not empty; a record that is a folder is written into a new one.")
    with made_folder(output):
        try:
            write_files({output / name: body for name, body in record.files.items()})
        except OSError as failure:
            raise FileRefused(f"{output} cannot be written: {failure.strerror}.") from failure
