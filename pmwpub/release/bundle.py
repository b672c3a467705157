"""A finished release as stored bytes: written once, then only read."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Self

from pmwpub.errors import PlanError
from pmwpub.mechanisms.pmw_pub.algorithm import Release
from pmwpub.mechanisms.table_fit.intervals.believed_drift import BelievedDrift, released_tables
from pmwpub.mechanisms.table_fit.intervals.cell_intervals import CellIntervals
from pmwpub.mechanisms.table_fit.pool_fit import PoolRelease
from pmwpub.mechanisms.table_fit.table_fit import TableRelease
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule
from pmwpub.plans import AnyTablePlan, ReleasePlan, UnchangedPlan, WeightedPoolPlan
from pmwpub.plans.weighing import mass_of
from pmwpub.queries.workload import Workload
from pmwpub.records import Distribution, Support
from pmwpub.release.answers.interval_strengths import INTERVALS as INTERVALS
from pmwpub.release.answers.interval_strengths import strengths_json
from pmwpub.release.answers.main_intervals import MainIntervals, main_intervals
from pmwpub.release.certificate import Certificate
from pmwpub.release.certificates.certificate_parts import Cells, Columns, Origin, Provenance, Stated
from pmwpub.release.certificates.certificate_reading import AnyCertificate, read_certificate
from pmwpub.release.certificates.table_certificate import PoolCertificate, TableCertificate
from pmwpub.release.certificates.unchanged_certificate import UnchangedCertificate
from pmwpub.release.measured.measurements import measurements_csv
from pmwpub.release.measured.tables_csv import tables_csv
from pmwpub.release.number_cells import NO_VALUES
from pmwpub.release.report import Choices, report_html
from pmwpub.release.reporting.pending_report import LOST, PENDING, kept_or_lost, report_or_pending
from pmwpub.release.synthesis import MAX_ROWS, synthetic_csv
from pmwpub.tabular.coding.decode import read_weights, weights_csv
from pmwpub.tabular.coding.public_values import LEAST, PublicValues, StoredValues
from pmwpub.tabular.schema.table_schema import Schema

WEIGHTS = "weights.csv"
SYNTHETIC = "synthetic.csv"
CERTIFICATE = "certificate.json"
SCHEMA = "schema.json"
MEASUREMENTS = "measurements.csv"
TABLES = "tables.csv"
REPORT = "report.html"
REBUILD = "rebuild.py"
ALL_FILES = (SYNTHETIC, WEIGHTS, SCHEMA, MEASUREMENTS, TABLES, INTERVALS, REPORT, REBUILD, CERTIFICATE)
"""What releases hand out, the certificate last: measurements.csv those of PMW^Pub, tables.csv those of table fit,
intervals.json what its intervals rest on."""

VALUES = "values.csv"
"""The public values, stored with every release; handed out where cells are drawn from them."""

KEPT = frozenset((VALUES, PENDING, VALUES + LOST, PENDING + LOST))
"""What is stored with a release and not handed out as it is."""

PUBLIC_VALUES = "public-values"
REAPPEAR = (
    "Numbers are drawn from the public table's own values, so raw values of public people reappear: of all rows of a "
    f"bin, and of those of one combination of levels where it has at least {LEAST} records. values.csv lists them."
)
"""What is said wherever cells are drawn from public values."""

ROW_SEED = 0
_TIMELESS = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Bundle:
    """The files of one release as they were stored; only the synthetic table is drawn anew, by its public seed.

    parts  name -> bytes: weights.csv, schema.json and certificate.json; also measurements.csv or tables.csv,
           report.html, rebuild.py and values.csv, which releases of earlier versions lack; what a report needs where
           it could not be made
    """

    parts: Mapping[str, bytes] = field(repr=False)

    @classmethod
    def of(
        cls,
        plan: ReleasePlan,
        release: Release,
        workload: Workload,
        schema: Schema,
        provenance: Provenance,
        choices: Choices = Choices(),  # noqa: B008 - frozen
        values: PublicValues | None = None,
    ) -> Self:
        """Put a PMW^Pub release into files, and all of them but the certificate under the certificate's hashes.

        values  of the public tables; their hash stands in the certificates of synthetic tables that are drawn from them
        """
        plain = Certificate.of(plan, release, workload, provenance)
        measured = {MEASUREMENTS: measurements_csv(plain)}
        return cls._of(plain, measured, release.distribution, schema, workload, choices, values)

    @classmethod
    def of_tables(
        cls,
        plan: AnyTablePlan,
        found: TableRelease | PoolRelease,
        drift: BelievedDrift,
        schedule: TableSchedule,
        workload: Workload,
        schema: Schema,
        provenance: Provenance,
        choices: Choices = Choices(),  # noqa: B008 - frozen
        values: PublicValues | None = None,
        public: Support | None = None,
    ) -> Self:
        """Put a release by table fit into files, as `of` does.

        drift   the strengths that the release's intervals rest on
        public  the public table's support, where rows were added to it
        """
        if isinstance(found, PoolRelease) and isinstance(plan, WeightedPoolPlan):
            release: TableRelease = found.release
            plain: TableCertificate = PoolCertificate.of_pool(plan, found, schedule, workload, provenance)
        elif isinstance(found, TableRelease):
            release, plain = found, TableCertificate.of(plan, found, schedule, workload, provenance)
        else:
            raise PlanError("A release of a pool belongs to the plan of a pool.")
        measured = {
            TABLES: tables_csv(plain, schedule.tables, release.noisy, release.coarse),
            INTERVALS: strengths_json(drift, schedule.tables),
        }

        def intervals() -> MainIntervals | None:
            made = partial(CellIntervals, released_tables(release, schedule, mass_of(plan)), drift)
            return main_intervals(made, schedule.tables)

        return cls._of(plain, measured, release.distribution, schema, workload, choices, values, public, intervals)

    @classmethod
    def of_public_table(
        cls,
        plan: UnchangedPlan,
        support: Support,
        workload: Workload,
        schema: Schema,
        origin: Origin,
        choices: Choices = Choices(),  # noqa: B008 - frozen
        values: PublicValues | None = None,
    ) -> Self:
        """Put a public table unchanged into files: its rows have the weights that they have in it.

        Privacy: a function of public things; costs nothing.
        """
        plain = UnchangedCertificate.of(plan, workload, origin)
        return cls._of(plain, {}, Distribution.empirical(support), schema, workload, choices, values)

    @classmethod
    def _of(
        cls,
        plain: AnyCertificate,
        measured: Mapping[str, bytes],
        released: Distribution,
        schema: Schema,
        workload: Workload,
        choices: Choices,
        values: PublicValues | None,
        public: Support | None = None,
        intervals: Callable[[], MainIntervals | None] = lambda: None,
    ) -> Self:
        parts = {
            WEIGHTS: weights_csv(released, schema),
            SCHEMA: schema.to_json().encode(),
            **measured,
            REBUILD: rebuild_script(),
        }
        certificate, noisy = plain.with_files(parts), parts.get(TABLES, b"")

        def report() -> bytes:
            return report_html(certificate, schema, released, workload, choices, noisy, public, intervals())

        made = report_or_pending(REPORT, report, choices, released, public)
        named = certificate.with_files({name: body for name, body in made.items() if name == REPORT})
        parts |= made | {CERTIFICATE: named.to_bytes()}
        if values is not None:
            parts |= kept_or_lost(VALUES, lambda: values.to_csv(schema, released.support))
        return cls(parts)

    def to_bytes(self) -> bytes:
        """A zip archive without times: the same release gives the same bytes."""
        return pack(self.parts)

    @classmethod
    def from_bytes(cls, stored: bytes) -> Self:
        """The bundle back from its stored bytes."""
        with zipfile.ZipFile(io.BytesIO(stored)) as archive:
            return cls({name: archive.read(name) for name in archive.namelist()})

    @property
    def weights(self) -> bytes:
        """The bytes of weights.csv."""
        return self.parts[WEIGHTS]

    @cached_property
    def schema(self) -> Schema:
        """The schema that the release was made under."""
        return Schema.from_json(self.parts[SCHEMA])

    @cached_property
    def certificate(self) -> AnyCertificate:
        """The certificate as stored, before a synthetic table is named."""
        return read_certificate(self.parts[CERTIFICATE])

    @property
    def rows(self) -> int:
        """The rows of a synthetic table by default: as many as the private table has, or the most that one may have."""
        return min(self.certificate.n, MAX_ROWS)

    def distribution(self) -> Distribution:
        """The released weights."""
        return read_weights(self.weights, self.schema)

    @property
    def has_values(self) -> bool:
        """Whether synthetic cells can be drawn from public values."""
        return VALUES in self.parts

    def synthetic(
        self,
        rows: int | None = None,
        seed: int = ROW_SEED,
        cells: Cells = "labels",
        columns: Columns = "attributes",
    ) -> bytes:
        """A synthetic table as CSV, by default with as many rows as the private one, up to MAX_ROWS; free of charge.

        cells, columns  as `synthetic_csv` has them; PlanError for public values that are not stored
        """
        if cells == PUBLIC_VALUES and not self.has_values:
            raise PlanError(NO_VALUES)
        return synthetic_csv(
            self.distribution(),
            self.schema,
            self.rows if rows is None else rows,
            seed=seed,
            cells=cells,
            columns=columns,
            values=StoredValues.from_csv(self.parts[VALUES], self.schema) if cells == PUBLIC_VALUES else None,
        )

    def files(
        self,
        rows: int | None = None,
        seed: int = ROW_SEED,
        cells: Cells = "labels",
        columns: Columns = "attributes",
    ) -> dict[str, bytes]:
        """Everything that is handed out: name -> bytes; the certificate lists the others' hashes."""
        made = {SYNTHETIC: self.synthetic(rows, seed, cells, columns)}
        kept = KEPT - {VALUES} if cells == PUBLIC_VALUES else KEPT
        handed = {name: body for name, body in self.parts.items() if name not in kept}
        stated = self.stated(made | handed, rows, seed, cells, columns)
        return made | handed | {CERTIFICATE: stated.to_bytes()}

    def stated(
        self,
        files: Mapping[str, bytes],
        rows: int | None = None,
        seed: int = ROW_SEED,
        cells: Cells = "labels",
        columns: Columns = "attributes",
    ) -> AnyCertificate:
        """The certificate that travels with a synthetic table of so many rows."""
        drawn_from = (SYNTHETIC, VALUES) if cells == PUBLIC_VALUES else (SYNTHETIC,)
        named = self.certificate.with_files({name: files[name] for name in drawn_from})
        return named.with_rows(self.rows if rows is None else rows, seed, cells, columns)


def files_of(certificate: Stated) -> tuple[str, ...]:
    """What a release hands out beside its certificate, which states the hash of each."""
    measured = {Certificate: MEASUREMENTS, UnchangedCertificate: ""}.get(type(certificate), TABLES)
    others = {CERTIFICATE, MEASUREMENTS, TABLES} - {measured}
    if INTERVALS not in certificate.files:  # releases of before have none, nor have those without noisy tables
        others.add(INTERVALS)
    drawn_from = (VALUES,) if certificate.cell_kind == PUBLIC_VALUES else ()
    return (*(name for name in ALL_FILES if name not in others), *drawn_from)


def rebuild_script() -> bytes:
    """rebuild.py as it is put into every bundle: this version's own module."""
    return Path(__file__).with_name(REBUILD).read_bytes()


def pack(files: Mapping[str, bytes]) -> bytes:
    """A zip archive of files in order, without times."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, body in files.items():
            archive.writestr(zipfile.ZipInfo(name, _TIMELESS), body, compress_type=zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
