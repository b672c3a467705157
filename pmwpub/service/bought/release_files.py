"""The files of a finished release as they are downloaded: made from its stored bytes when somebody asks for one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import get_args

from pmwpub.release.bundle import (
    CERTIFICATE,
    INTERVALS,
    MEASUREMENTS,
    PUBLIC_VALUES,
    REAPPEAR,
    REBUILD,
    REPORT,
    SCHEMA,
    SYNTHETIC,
    TABLES,
    VALUES,
    WEIGHTS,
    Bundle,
    pack,
)
from pmwpub.release.certificates.certificate_parts import Cells, Columns
from pmwpub.release.certificates.charged_certificate import Charged
from pmwpub.release.measured.unfitting_columns import unfitting_columns
from pmwpub.release.notebooks.analyst_notebook import NOTEBOOK, analyst_notebook, with_notebook
from pmwpub.release.reporting.late_report import lacking
from pmwpub.release.synthesis import MAX_ROWS, MAX_SEED
from pmwpub.service.records.signed_files import SIGNATURE, declared_key, signed

__all__ = [
    "PUBLIC_VALUES",
    "REAPPEAR",
    "ROWS_ALLOWED",
    "SEEDS_ALLOWED",
    "Bundle",
    "Cells",
    "Columns",
    "ReleaseFile",
    "cells_of",
    "charge_of",
    "known_of",
    "lacking",
    "release_files",
]

CSV, JSON, ZIP, BYTES = "text/csv", "application/json", "application/zip", "application/octet-stream"
IPYNB = "application/x-ipynb+json"
PARTS = {
    REPORT: "text/html",
    WEIGHTS: CSV,
    MEASUREMENTS: CSV,
    TABLES: CSV,
    INTERVALS: JSON,
    SCHEMA: JSON,
    REBUILD: "text/x-python",
}
ROWS_ALLOWED = (1, MAX_ROWS)
"""The fewest and the most rows of a synthetic table."""
SEEDS_ALLOWED = (0, MAX_SEED)
"""The least and the largest row seed."""


@dataclass(frozen=True)
class ReleaseFile:
    """One file that is offered: its name, its media type, and what makes its bytes.

    main  whether it is the one that most people came for, the synthetic table
    """

    name: str
    media_type: str
    content: Callable[[], bytes] = field(repr=False)
    main: bool = False


def known_of(bundle: Bundle) -> tuple[str, ...]:
    """What a reader must know of a release: its certificate's remarks, what it lacks, which columns fit little."""
    unfit = unfitting_columns(bundle.certificate, bundle.parts.get(TABLES, b""))
    return (*bundle.certificate.remarks, *filter(None, [lacking(bundle)]), *unfit)


def charge_of(bundle: Bundle) -> tuple[int, int] | None:
    """The number of a release's charge, and which draw of its plan it is, from 1; None where nothing was charged."""
    certificate = bundle.certificate
    return (certificate.charge_id, certificate.repeat + 1) if isinstance(certificate, Charged) else None


def cells_of(bundle: Bundle) -> list[Cells]:
    """Every way to write the cells of a release's numeric columns: public values where they are stored with it."""
    return [cells for cells in get_args(Cells) if cells != PUBLIC_VALUES or bundle.has_values]


def release_files(
    bundle: Bundle, archive: str, *, rows: int, seed: int, cells: Cells, columns: Columns = "attributes"
) -> list[ReleaseFile]:
    """Every file of a release, the synthetic table first, and last all of them together in a zip archive.

    Where a key is declared, the signature of the certificate is one of them.

    archive                     the archive's name
    rows, seed, cells, columns  of the synthetic table; the certificate and the archive state them

    Making the bytes raises PlanError for rows or a seed out of range.

    Privacy: post-processing of the released weights; nothing is charged.
    """
    key = declared_key()

    def made() -> dict[str, bytes]:
        return signed(bundle.files(rows, seed, cells, columns), key)

    handed = PARTS | {VALUES: CSV} if cells == PUBLIC_VALUES else PARTS
    signature = [] if key is None else [ReleaseFile(SIGNATURE, BYTES, lambda: made()[SIGNATURE])]
    parts = [(name, kind, bundle.parts[name]) for name, kind in handed.items() if name in bundle.parts]
    return [
        ReleaseFile(SYNTHETIC, CSV, lambda: bundle.synthetic(rows, seed, cells, columns), main=True),
        ReleaseFile(CERTIFICATE, JSON, lambda: bundle.files(rows, seed, cells, columns)[CERTIFICATE]),
        *signature,
        *(ReleaseFile(name, kind, lambda body=body: body) for name, kind, body in parts),  # type: ignore[misc]
        ReleaseFile(NOTEBOOK, IPYNB, lambda: analyst_notebook(bundle)),
        ReleaseFile(archive, ZIP, lambda: pack(with_notebook(bundle, made()))),
    ]
