"""How a public table is read decides what is rebuilt: what the plan and the certificate say of it."""

from __future__ import annotations

import json

import pytest
from release.bundles import make, public_csv

from pmwpub.errors import CertificateError
from pmwpub.release.bundle import CERTIFICATE, WEIGHTS
from pmwpub.release.certificate import Certificate
from pmwpub.release.certificates.stated_plans import readings_of
from pmwpub.release.rebuilding import rebuilt
from pmwpub.tabular.files.text.read_options import ReadOptions

PUBLIC = public_csv(60, 1).replace(b",", b"|")
"""A comma stands in no cell, so a bar separates cells only where it is read so."""


@pytest.mark.parametrize("plan_says_so", [True, False])
def test_a_release_is_rebuilt_as_its_tables_were_read_whether_or_not_the_plan_says_how(plan_says_so: bool) -> None:
    made = make([PUBLIC], read_as="cp1252,bar", plan_says_so=plan_says_so)
    certificate = Certificate.from_bytes(made.bundle.parts[CERTIFICATE])
    assert readings_of(certificate) == [ReadOptions("cp1252", "|")]
    assert rebuilt(certificate, made.bundle.parts["schema.json"], [PUBLIC])[WEIGHTS] == made.bundle.weights
    assert certificate.to_bytes() == made.bundle.parts[CERTIFICATE]


@pytest.mark.parametrize("stated", ["latin-1,bar", "utf-8,comma", None])
def test_a_certificate_that_reads_its_tables_otherwise_than_its_plan_is_not_rebuilt(stated: str | None) -> None:
    made = make([PUBLIC], read_as="cp1252,bar")
    body = json.loads(made.bundle.parts[CERTIFICATE])
    body["candidate"][0]["read_as"] = stated
    certificate = Certificate.from_bytes(json.dumps(body).encode())
    with pytest.raises(CertificateError, match="another way than its plan"):
        rebuilt(certificate, made.bundle.parts["schema.json"], [PUBLIC])


def test_a_default_reading_that_somebody_confirmed_is_one_with_the_default() -> None:
    made = make([public_csv(60, 1)], read_as="utf-8,comma")
    certificate = made.bundle.certificate
    assert certificate.candidate[0].read_as == "utf-8,comma"
    assert certificate.plan_sha256 == make([public_csv(60, 1)]).bundle.certificate.plan_sha256
    assert readings_of(certificate) == [ReadOptions()]
