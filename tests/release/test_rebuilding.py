"""The parts of a rebuild: what belongs to a certificate, and what does not."""

from __future__ import annotations

import hashlib

import pytest
from release.bundles import Made, public_csv

from pmwpub.errors import CertificateError
from pmwpub.release.bundle import MEASUREMENTS, SCHEMA, SYNTHETIC, WEIGHTS
from pmwpub.release.certificates.stated_plans import plan_of
from pmwpub.release.rebuilding import differing, rebuilt, schema_of, workload_of


def test_a_certificate_without_rows_rebuilds_weights_and_measurements(made: Made) -> None:
    bundle = made.bundle
    files = rebuilt(bundle.certificate, bundle.parts[SCHEMA], made.publics)
    assert files == {WEIGHTS: bundle.weights, MEASUREMENTS: bundle.parts[MEASUREMENTS]}


def test_a_certificate_with_rows_rebuilds_the_synthetic_table(made: Made) -> None:
    files = made.bundle.files(rows=31, seed=2, cells="numbers")
    stated = made.bundle.stated(files, 31, 2, "numbers")
    assert rebuilt(stated, files[SCHEMA], made.publics)[SYNTHETIC] == files[SYNTHETIC]


def test_the_plan_in_a_certificate_has_its_hash(made: Made) -> None:
    certificate = made.bundle.certificate
    assert plan_of(certificate).sha256 == certificate.plan_sha256
    changed = certificate.model_copy(update={"plan": {**(certificate.plan or {}), "rounds": 7}})
    with pytest.raises(CertificateError, match="plan"):
        plan_of(changed)
    with pytest.raises(CertificateError, match="earlier version"):
        plan_of(certificate.model_copy(update={"plan": None}))


def test_another_schema_workload_or_table_is_refused(made: Made) -> None:
    certificate, schema_json = made.bundle.certificate, made.bundle.parts[SCHEMA]
    with pytest.raises(CertificateError, match="schema"):
        schema_of(certificate, schema_json.replace(b"120", b"121"))
    with pytest.raises(CertificateError, match="schema"):
        schema_of(certificate, schema_json + b" ")
    schema = schema_of(certificate, schema_json)
    with pytest.raises(CertificateError, match="workload"):
        workload_of(certificate.model_copy(update={"workload_sha256": "0" * 64}), schema)
    with pytest.raises(CertificateError, match="SHA-256"):
        rebuilt(certificate, schema_json, [public_csv(60, 8)])


def test_differing_files_are_those_of_another_hash(made: Made) -> None:
    certificate = made.bundle.certificate
    assert differing(certificate, made.bundle.parts) == []
    assert differing(certificate, {WEIGHTS: b"", "unknown": b""}) == [WEIGHTS]
    assert certificate.files[WEIGHTS] == hashlib.sha256(made.bundle.weights).hexdigest()
