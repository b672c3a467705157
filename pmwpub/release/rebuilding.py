"""Making a release again from its certificate, its schema and the public tables: what rebuild.py runs."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from pmwpub.errors import CertificateError, DomainError, PlanError
from pmwpub.mechanisms.pmw_pub.algorithm import Measurement, rebuild
from pmwpub.mechanisms.table_fit.intervals.believed_drift import BelievedDrift
from pmwpub.mechanisms.table_fit.pool_fit import equal_mixture
from pmwpub.mechanisms.table_fit.pool_weights import effective_rows, mixed
from pmwpub.mechanisms.table_fit.table_fit import TableRelease, refit
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule
from pmwpub.plans.weighing import mass_of
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload
from pmwpub.records import Distribution, Support
from pmwpub.release.answers.interval_strengths import near_strengths as near_strengths  # rebuild.py of before asks here
from pmwpub.release.answers.interval_strengths import strengths_json
from pmwpub.release.bundle import INTERVALS, MEASUREMENTS, PUBLIC_VALUES, SCHEMA, SYNTHETIC, TABLES, VALUES, WEIGHTS
from pmwpub.release.certificate import Certificate
from pmwpub.release.certificates.certificate_parts import Stated
from pmwpub.release.certificates.certificate_reading import AnyCertificate
from pmwpub.release.certificates.stated_plans import check_public_tables, plan_of, readings_of, table_plan_of
from pmwpub.release.certificates.table_certificate import PoolCertificate, TableCertificate
from pmwpub.release.certificates.unchanged_certificate import UnchangedCertificate
from pmwpub.release.measured.measurements import measurements_csv
from pmwpub.release.measured.tables_csv import read_all_tables
from pmwpub.release.synthesis import synthetic_csv
from pmwpub.tabular.coding.decode import read_weights, weights_csv
from pmwpub.tabular.coding.encode import encode_public, weighed_by
from pmwpub.tabular.coding.public_values import PublicValues, StoredValues
from pmwpub.tabular.files.container import FileLimits, load
from pmwpub.tabular.files.reading import TextTable, read_table
from pmwpub.tabular.schema.table_schema import Schema

TOLERANCE = 1e-6
"""The total variation distance within which the weights of table fit are made again by other versions, and on machines
whose exponential or order of operations rounds otherwise. On the same versions of everything they agree to the bit."""


def rebuilt(
    certificate: AnyCertificate,
    schema_json: bytes,
    tables: Sequence[bytes | Path],
    noisy_tables: bytes = b"",
    weights: bytes = b"",
) -> dict[str, bytes]:
    """weights.csv, measurements.csv of PMW^Pub and, where the certificate says how it was drawn, synthetic.csv.

    tables        the public tables in any order: a path, or the bytes of a CSV
    noisy_tables  tables.csv, of a release by table fit
    weights       weights.csv as released, where it is at hand: rows are drawn from it where it is the certificate's and
                  the weights are `near` it, for rows follow weights to the last bit

    Float sums run in one fixed order whatever the number of threads, and the exponential is the C library's: the same
    steps give the same bytes. Raises CertificateError where schema, workload, plan, tables or noisy tables are not
    those that the certificate names.
    """
    schema, contents = schema_of(certificate, schema_json), [load(table, FileLimits()) for table in tables]
    files = _again(certificate, schema, supports_of(certificate, schema, contents, written=True), noisy_tables)
    if differing(certificate, files) and isinstance(certificate, Certificate):
        # Versions that could not read back what they wrote dropped public rows with such cells.
        earlier = _again(certificate, schema, supports_of(certificate, schema, contents, written=False), noisy_tables)
        files = files if differing(certificate, earlier) else earlier
    if certificate.cell_kind == PUBLIC_VALUES:
        read = [_table(certificate, contents, place) for place in range(len(certificate.candidate))]
        support = read_weights(files[WEIGHTS], schema).support
        files[VALUES] = PublicValues.of(read, schema).to_csv(schema, support)
    stored = bool(weights) and not differing(certificate, {WEIGHTS: weights})
    drawn_from = {WEIGHTS: weights} if stored and near(certificate, files[WEIGHTS], weights, schema) else {}
    return files | redrawn(certificate, files | drawn_from, schema)


def near(certificate: AnyCertificate, made: bytes, weights: bytes, schema: Schema) -> bool:
    """Whether weights that were made again are the released ones but for rounding: of table fit, the same rows in the
    same order, and at most TOLERANCE apart in total variation; of PMW^Pub, equal."""
    if made == weights or not isinstance(certificate, TableCertificate):
        return made == weights
    again, released = read_weights(made, schema), read_weights(weights, schema)
    if not np.array_equal(again.support.codes, released.support.codes):
        return False
    return float(np.abs(again.weights - released.weights).sum()) / 2.0 <= TOLERANCE


def _again(
    certificate: AnyCertificate, schema: Schema, supports: Sequence[Support], noisy_tables: bytes
) -> dict[str, bytes]:
    """weights.csv, and measurements.csv of PMW^Pub, by the certificate's steps from the public rows."""
    workload = workload_of(certificate, schema)
    if isinstance(certificate, UnchangedCertificate):
        return {WEIGHTS: weights_csv(Distribution.empirical(_merged(supports)), schema)}
    if isinstance(certificate, TableCertificate):
        found = _refitted(certificate, workload, supports, noisy_tables)
        made = {WEIGHTS: weights_csv(found.distribution, schema)}
        if INTERVALS in certificate.files:
            made[INTERVALS] = _strengths(certificate, found, workload, supports)
        return made
    transcript = tuple(Measurement(line.number, line.noisy_count) for line in certificate.transcript)
    schedule, problem = plan_of(certificate).schedule(certificate.repeat), PublicProblem(workload, _merged(supports))
    return {
        WEIGHTS: weights_csv(rebuild(problem, schedule, transcript, mass_of(certificate)), schema),
        MEASUREMENTS: measurements_csv(certificate),
    }


def _refitted(
    certificate: TableCertificate, workload: Workload, supports: Sequence[Support], content: bytes
) -> TableRelease:
    """A release by table fit, from its noisy tables and the choices that the certificate records."""
    prior, schedule = _priors(certificate, supports)[1], _schedule(certificate, workload, supports)
    if [str(noise.scale) for noise in schedule.all_noises] != [table.scale for table in certificate.tables]:
        raise CertificateError("The noise that the certificate states is not that of its plan on this public table.")
    if certificate.chosen is None or not certificate.chosen.fits(schedule.constants, schedule.growth):
        raise CertificateError("What the certificate says that the noisy tables chose is nothing that a run chooses.")
    if differing(certificate, {TABLES: content}):
        raise CertificateError(
            "tables.csv is not the file that the certificate names; it is read beside the certificate."
        )
    noisy, coarse = read_all_tables(content, certificate, schedule.tables)
    try:
        choices = certificate.chosen.choices(schedule.tables)
        weights = refit(prior, schedule, noisy, choices, mass_of(certificate), coarse)
        return TableRelease(weights, noisy, choices, schedule.rho, coarse)
    except (ArithmeticError, ValueError, DomainError, PlanError) as failure:
        raise CertificateError("No weights follow from these noisy tables and choices.") from failure


def _schedule(certificate: TableCertificate, workload: Workload, supports: Sequence[Support]) -> TableSchedule:
    shared = _priors(certificate, supports)[0]
    return table_plan_of(certificate).schedule(workload, shared, complete=certificate.complete)


def _strengths(
    certificate: TableCertificate, found: TableRelease, workload: Workload, supports: Sequence[Support]
) -> bytes:
    """intervals.json of a release that was made again."""
    rows = _merged(supports).people
    if isinstance(certificate, PoolCertificate):
        rows = effective_rows(supports, certificate.pool_parts or ())
    schedule = _schedule(certificate, workload, supports)
    return strengths_json(BelievedDrift.of(found, schedule, mass_of(certificate), rows), schedule.tables)


def _priors(certificate: TableCertificate, supports: Sequence[Support]) -> tuple[Support, Support]:
    """What the budget was shared by, and what was fitted: of one public table the same."""
    if not isinstance(certificate, PoolCertificate):
        merged = _merged(supports)
        return merged, merged
    if not certificate.parts_fit:
        raise CertificateError("What the public tables of the pool contributed is nothing that a run chooses.")
    return equal_mixture(supports), mixed(supports, certificate.pool_parts or ())


def redrawn(certificate: Stated, files: Mapping[str, bytes], schema: Schema) -> dict[str, bytes]:
    """synthetic.csv from weights.csv, and values.csv where it is used, as the certificate says; nothing where it names
    no rows."""
    rows, seed = certificate.rows, certificate.row_seed
    if rows is None or seed is None:
        return {}
    if certificate.cell_kind == PUBLIC_VALUES and VALUES not in files:
        raise CertificateError(f"{VALUES} is missing.")
    body = synthetic_csv(
        read_weights(files[WEIGHTS], schema),
        schema,
        rows,
        seed=seed,
        cells=certificate.cell_kind,
        columns=certificate.columns,
        values=StoredValues.from_csv(files[VALUES], schema) if certificate.cell_kind == PUBLIC_VALUES else None,
    )
    return {SYNTHETIC: body}


def differing(certificate: Stated, files: Mapping[str, bytes]) -> list[str]:
    """The names of the files whose hash is not the certificate's."""
    return [
        name
        for name, body in files.items()
        if name in certificate.files and hashlib.sha256(body).hexdigest() != certificate.files[name]
    ]


def schema_of(certificate: Stated, schema_json: bytes) -> Schema:
    """The schema, once it is seen to be the certificate's."""
    schema = Schema.from_json(schema_json)
    if schema.sha256 != certificate.schema_sha256 or differing(certificate, {SCHEMA: schema_json}):
        raise CertificateError("schema.json is not the schema that the certificate names.")
    return schema


def workload_of(certificate: Stated, schema: Schema) -> Workload:
    """The workload that the certificate describes, once its hash agrees."""
    workload = certificate.workload.build(schema.domain)
    if workload.sha256 != certificate.workload_sha256:
        raise CertificateError("The certificate's workload is not the one that its hash names.")
    return workload


def supports_of(
    certificate: AnyCertificate,
    schema: Schema,
    contents: Sequence[bytes],
    *,
    written: bool = True,
    weighed: bool = True,
) -> list[Support]:
    """The support of each public table, in the certificate's order; CertificateError as `rebuilt` where one is missing,
    or is weighed by something else than the certificate says.

    contents  bytes of CSV, in any order
    written   as `encode_public` has it
    weighed   rows count with their weight, where the schema weighs them; else each counts once
    """
    tables = [_table(certificate, contents, place) for place in range(len(certificate.candidate))]
    encoded = [encode_public(table, schema, written=written) for table in tables]
    for one, stated in zip(encoded, certificate.candidate, strict=True):
        if weighed_by(one, schema) != (stated.weighed_by or ""):
            raise CertificateError("The certificate has public rows weighed in another way than schema and table.")
    if any(one.weighed_by for one in certificate.candidate):
        check_public_tables(certificate)
    return [one.support if weighed else Support.of(one.dataset) for one in encoded]


def _merged(supports: Sequence[Support]) -> Support:
    """One public table, or the pool of several merged into one."""
    return supports[0] if len(supports) == 1 else Support.union(*supports)


def _table(certificate: AnyCertificate, contents: Sequence[bytes], place: int) -> TextTable:
    """A public table of the certificate, found among the given ones by its hash."""
    known = {hashlib.sha256(content).hexdigest(): content for content in contents}
    lacking = [candidate.name for candidate in certificate.candidate if candidate.sha256 not in known]
    if lacking:
        raise CertificateError(f"No given table has the SHA-256 of {', '.join(lacking)}; give the very file.")
    return read_table(known[certificate.candidate[place].sha256], options=readings_of(certificate)[place])
