"""Records of a stored release as they are downloaded: made from its bytes when somebody asks for one."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from importlib.util import find_spec

from pmwpub.release.bundle import Bundle, pack
from pmwpub.release.catalogue.about_release import AboutRelease
from pmwpub.release.catalogue.published_release import PublishedRelease
from pmwpub.release.catalogue.record_formats import RecordFormat, record_of
from pmwpub.release.certificates.certificate_parts import Cells, Columns
from pmwpub.service.bought.release_files import JSON, ZIP, ReleaseFile
from pmwpub.service.records.signed_files import declared_key, signed

OFFERED: tuple[tuple[RecordFormat, str, str, str], ...] = (
    ("croissant", "croissant.json", JSON, ""),
    ("ro-crate", "ro-crate.zip", ZIP, "rocrate"),
    ("registry", "registry-entry.yaml", "application/yaml", "yaml"),
    ("nist-800-226", "nist-800-226.json", JSON, ""),
)
"""Each format with its file's name and media type, and the package that it needs."""


def record_files(bundle: Bundle, *, rows: int, seed: int, cells: Cells, columns: Columns) -> list[ReleaseFile]:
    """The records that can be made here, each as one file; a crate is a zip archive.

    rows, seed, cells, columns  of the synthetic table that they describe

    Privacy: post-processing of released files; nothing is charged.
    """

    def made(wanted: RecordFormat) -> bytes:
        files = signed(bundle.files(rows, seed, cells, columns), declared_key())
        release = PublishedRelease.of(files, AboutRelease(), datetime.now(UTC).date())
        found = record_of(release, wanted).files
        return pack(found) if wanted == "ro-crate" else next(iter(found.values()))

    return [
        ReleaseFile(name, kind, partial(made, wanted))
        for wanted, name, kind, package in OFFERED
        if not package or find_spec(package) is not None
    ]
