"""A release as it is handed out: its files, what they are called and hold, and what is promised of them."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Literal, Self, get_args

from pmwpub.errors import CertificateError, WorkloadError
from pmwpub.release.bundle import (
    CERTIFICATE,
    INTERVALS,
    MEASUREMENTS,
    REBUILD,
    REPORT,
    SCHEMA,
    SYNTHETIC,
    TABLES,
    VALUES,
    WEIGHTS,
)
from pmwpub.release.catalogue.about_release import AboutRelease
from pmwpub.release.certificates.certificate_parts import Candidate
from pmwpub.release.certificates.certificate_reading import AnyCertificate, read_certificate
from pmwpub.release.certificates.certificate_signature import SIGNATURE
from pmwpub.release.certificates.charged_certificate import Charged
from pmwpub.release.checklist import checklist
from pmwpub.release.measured import measurements, tables_csv
from pmwpub.release.rebuilding import differing, schema_of
from pmwpub.tabular.files.text.inert_cells import PLAIN_NUMBER
from pmwpub.tabular.nesting.parent_columns import ParentColumn
from pmwpub.tabular.schema.column_types import Column, EncodedColumn, IdColumn, NumericColumn
from pmwpub.tabular.schema.table_schema import Schema

Kind = Literal["text", "whole number", "number"]
TEXT, WHOLE, NUMBER = get_args(Kind)

CSV, JSON = "text/csv", "application/json"
FILES: Mapping[str, tuple[str, str]] = {
    SYNTHETIC: (CSV, "The synthetic table: rows that follow the released weights."),
    WEIGHTS: (CSV, "Every combination of levels in the release, with its share of the rows."),
    TABLES: (CSV, "Every noisy cell that was measured, in rows, with the deviation of its noise."),
    MEASUREMENTS: (CSV, "Every noisy measurement, in rows, with the deviation of its noise."),
    VALUES: (CSV, "The public values that numeric cells of the synthetic table were drawn from."),
    SCHEMA: (JSON, "How columns are coded: their levels and bins."),
    INTERVALS: (JSON, "What the intervals of the answers rest on."),
    REPORT: ("text/html", "The report for readers."),
    REBUILD: ("text/x-python", "A script that makes the weights and the synthetic table again from the public parts."),
    SIGNATURE: ("application/octet-stream", "The publisher's signature of certificate.json (Ed25519)."),
    CERTIFICATE: (JSON, "What is promised, what it cost, and the SHA-256 of every other file."),
}
"""The media type of each file, and what it is."""
OF_WEIGHTS: Mapping[str, str] = {
    WEIGHTS: "Every combination of levels in the release, with its share of the total weight.",
    TABLES: "Every noisy cell that was measured, in units of weight, with the deviation of its noise.",
    MEASUREMENTS: "Every noisy measurement, in units of weight, with the deviation of its noise.",
}
"""What files are of a release that weighs rows, where that is something else."""

MEASURED: Mapping[str, Kind] = {
    "table": "whole number",
    "round": "whole number",
    "noisy_count": "whole number",
    "noisy_answer": "number",
    "sigma": "number",
}
"""The columns of noisy counts that are no text."""


@dataclass(frozen=True)
class FileColumn:
    """A column of a CSV file: its header as it stands there, what its cells are, and what it means.

    key         whether a line is known by it
    references  the file, and the header of the column there, whose cells its own are; None of most columns
    """

    header: str
    kind: Kind
    meaning: str
    key: bool = False
    references: tuple[str, str] | None = None


@dataclass(frozen=True)
class PublishedFile:
    """One file that is handed out; `columns` are those of a table whose cells are described, else none."""

    name: str
    media_type: str
    meaning: str
    body: bytes = field(repr=False)
    columns: tuple[FileColumn, ...] = ()

    @cached_property
    def sha256(self) -> str:
        """The hash of the bytes, as hexadecimal digits."""
        return hashlib.sha256(self.body).hexdigest()


@dataclass(frozen=True)
class PublishedRelease:
    """A release that is described to others.

    files  name -> bytes, as they are handed out, certificate.json among them
    day    the day that is stated where nothing says when it was published

    Privacy: a function of the release's published files and of what its publisher says in public.
    """

    files: Mapping[str, bytes] = field(repr=False)
    about: AboutRelease
    day: date

    @classmethod
    def of(cls, files: Mapping[str, bytes], about: AboutRelease, day: date) -> Self:
        """The same, once every file is there that the certificate names, and is what it names.

        Raises CertificateError where that is not so, WorkloadError where a column is named that the release lacks.
        """
        found = cls(files, about, day)
        named = {CERTIFICATE, *found.certificate.files}
        wrong = sorted({*differing(found.certificate, files), *(named - set(files))})
        if wrong:
            raise CertificateError(f"{', '.join(wrong)} is not what the certificate names; no record is made of it.")
        found._refuse_unknown(about.columns)
        return found

    def _refuse_unknown(self, columns: Sequence[str]) -> None:
        names = self.schema.domain.names if columns else ()
        unknown = next((name for name in columns if name not in names), None)
        if unknown is not None:
            raise WorkloadError(f"The release has no column {unknown!r}; it has {', '.join(names)}.")

    @cached_property
    def certificate(self) -> AnyCertificate:
        """The certificate among the files."""
        return read_certificate(self.files[CERTIFICATE])

    @cached_property
    def schema(self) -> Schema:
        """The schema among the files."""
        return schema_of(self.certificate, self.files[SCHEMA])

    @property
    def name(self) -> str:
        """What it is called: by its publisher, or by its population."""
        return self.about.name or f"Synthetic data of {self.certificate.population}"

    @cached_property
    def answers(self) -> dict[str, str]:
        """The questions of NIST SP 800-226 with what holds for the release."""
        return dict(checklist(self.certificate, self.schema))

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The public tables that it rests on."""
        return tuple(self.certificate.candidate)

    @property
    def charged_at(self) -> str:
        """When it was charged, by the server's clock; "" of a release without a charge."""
        return self.certificate.charged_at if isinstance(self.certificate, Charged) else ""

    @property
    def published(self) -> date:
        """The day of publication as its publisher says it, else that of the charge, else the day that was given."""
        return self.about.published or charged_day(self.charged_at) or self.day

    @property
    def description(self) -> str:
        """What it is, in the publisher's words and in those of the certificate."""
        certificate = self.certificate
        promise = (
            "made without reading any private row"
            if not isinstance(certificate, Charged)
            else f"released under differential privacy from a private table of {certificate.n:,} rows"
        )
        own = f"A table of {certificate.rows or 0:,} synthetic rows, {promise}. Mechanism: {certificate.mechanism}."
        return f"{self.about.description} {own}".strip()

    @cached_property
    def described(self) -> tuple[PublishedFile, ...]:
        """The files in the order of their table here, the certificate last."""
        order = [name for name in FILES if name in self.files]
        weights = self.certificate.weights if isinstance(self.certificate, Charged) else None
        meanings = {name: words for name, (_, words) in FILES.items()} | ({} if weights is None else dict(OF_WEIGHTS))
        return tuple(
            PublishedFile(name, FILES[name][0], meanings[name], self.files[name], self._columns(name)) for name in order
        )

    def _columns(self, name: str) -> tuple[FileColumn, ...]:
        """The columns of one of the tables; none of a file whose cells are not described."""
        if name in (TABLES, MEASUREMENTS):
            header: tuple[str, ...] = tables_csv.HEADER if name == TABLES else measurements.HEADER
            return tuple(FileColumn(one, MEASURED.get(one, "text"), "") for one in header)
        if name not in (SYNTHETIC, WEIGHTS):
            return ()
        found = self._synthetic() if name == SYNTHETIC else self._weights()
        cells = csv.reader(io.TextIOWrapper(io.BytesIO(self.files[name]), "utf-8", newline=""))
        names = next(cells, [])
        if len(names) != len(found):
            raise CertificateError(f"{name} has other columns than its schema.")
        drawn = [place for place, (kind, _) in enumerate(found) if kind == NUMBER and name == SYNTHETIC]
        words = _with_words(cells, drawn)
        kinds = [TEXT if place in words else kind for place, (kind, _) in enumerate(found)]
        return tuple(
            FileColumn(own, kind, meaning) for own, kind, (_, meaning) in zip(names, kinds, found, strict=True)
        )

    def _weights(self) -> list[tuple[Kind, str]]:
        levels: list[tuple[Kind, str]] = [(TEXT, _levels(len(one.levels))) for one in self.schema.domain.attributes]
        return [*levels, (NUMBER, "The share of rows that have these levels; all of them add up to one.")]

    def _synthetic(self) -> list[tuple[Kind, str]]:
        certificate, schema = self.certificate, self.schema
        own = schema.encoded if certificate.columns == "attributes" else schema.columns
        return [self._cells(column) for column in (*own, *schema.parents)]

    def _cells(self, column: Column | ParentColumn) -> tuple[Kind, str]:
        """What the cells of a column of the synthetic table are, by the schema."""
        if isinstance(column, IdColumn):
            return WHOLE, "The number of the row; it points to nobody."
        if not isinstance(column, EncodedColumn | ParentColumn):
            return TEXT, "Left out of the release: blank."
        if isinstance(column, NumericColumn) and self.certificate.cell_kind != "labels":
            low, high = column.edges[0], column.edges[-1]
            return NUMBER, f"A number from {low:g} to {high:g}, drawn within one of {len(column.edges) - 1:,} bins."
        return TEXT, _levels(len(column.attribute.levels))


def charged_day(stated: str) -> date | None:
    """The day of a charge; None where no time was stated."""
    try:
        return date.fromisoformat(stated[:10])
    except ValueError:
        return None


def _levels(count: int) -> str:
    return "One level." if count == 1 else f"One of {count:,} levels; schema.json has them."


def _with_words(rows: Iterable[Sequence[str]], places: Sequence[int]) -> set[int]:
    """The places of these columns in which a cell is no plain number, such as a missing code or "1.000,5"."""
    found: set[int] = set()
    left = list(places)
    for row in rows if left else ():
        for place in left:
            if not PLAIN_NUMBER.fullmatch(row[place]):
                found.add(place)
        left = [place for place in left if place not in found]
        if not left:
            break
    return found
