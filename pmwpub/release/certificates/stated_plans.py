"""The plan that a certificate states, and how it has the public tables read."""

from __future__ import annotations

import hashlib
from typing import TypeVar

from pydantic import ValidationError
from pydantic_core import to_json

from pmwpub.errors import CertificateError
from pmwpub.plans import AnyReleasePlan, AnyTablePlan, ReleasePlan, TableFitPlan, UnchangedPlan, WeightedPoolPlan
from pmwpub.plans.weighing import fits_column
from pmwpub.release.certificate import Certificate
from pmwpub.release.certificates.certificate_reading import AnyCertificate
from pmwpub.release.certificates.table_certificate import PoolCertificate, TableCertificate
from pmwpub.release.certificates.unchanged_certificate import UnchangedCertificate
from pmwpub.tabular.files.text.read_options import ReadOptions
from pmwpub.tabular.schema.table_schema import Schema

Planned = TypeVar("Planned", ReleasePlan, TableFitPlan, UnchangedPlan, WeightedPoolPlan)


def plan_of(certificate: Certificate) -> ReleasePlan:
    """The plan, once its hash and its replay seed agree."""
    plan = _planned(certificate, ReleasePlan)
    if plan.schedule(certificate.repeat).replay_seed != certificate.replay_seed:
        raise CertificateError("The certificate's replay seed is not its plan's.")
    return plan


def table_plan_of(certificate: TableCertificate) -> AnyTablePlan:
    """The plan of a release by table fit, once its hash agrees."""
    if isinstance(certificate, PoolCertificate):
        return _planned(certificate, WeightedPoolPlan)
    return _planned(certificate, TableFitPlan)


def any_plan_of(certificate: AnyCertificate) -> AnyReleasePlan | UnchangedPlan:
    """The plan of a release of any engine, or of a public table unchanged."""
    if isinstance(certificate, UnchangedCertificate):
        return _planned(certificate, UnchangedPlan)
    return table_plan_of(certificate) if isinstance(certificate, TableCertificate) else plan_of(certificate)


def _planned(certificate: AnyCertificate, kind: type[Planned]) -> Planned:
    if certificate.plan is None:
        raise CertificateError("This certificate is of an earlier version and lacks the plan; it cannot be rebuilt.")
    text = to_json(certificate.plan).decode()  # numbers as a plan's own text has them
    if hashlib.sha256(text.encode()).hexdigest() != certificate.plan_sha256:
        raise CertificateError("The certificate's plan is not the one that its hash names.")
    try:
        plan = kind.model_validate_json(text, strict=True)
    except ValidationError as failure:
        raise CertificateError("The certificate's plan is none of a release.") from failure
    if plan.canonical != text:
        raise CertificateError("The certificate's plan is not written as a plan is.")
    return plan


def readings_of(certificate: AnyCertificate) -> list[ReadOptions]:
    """How each public table is read, in the certificate's order: what the plan and the certificate say alike.

    A plan that says nothing is of before plans said it, or reads all tables by default: the certificate then speaks.
    Raises CertificateError where both speak and differ.
    """
    inputs = any_plan_of(certificate).inputs
    for candidate in certificate.candidate if inputs.read_as else ():
        planned = inputs.reading_of(candidate.sha256)
        if candidate.read_as != planned and (planned is not None or candidate.read_as != ReadOptions().spelt):
            raise CertificateError("The certificate has its public tables read in another way than its plan.")
    return [_options(candidate.read_as) for candidate in certificate.candidate]


def check_public_tables(certificate: AnyCertificate) -> None:
    """Raise CertificateError where plan and certificate differ in how public tables are read, or in which are
    weighed."""
    readings_of(certificate)
    stated = tuple(sorted(one.sha256 for one in certificate.candidate if one.weighed_by))
    if any_plan_of(certificate).inputs.weighed != stated:
        raise CertificateError("The certificate weighs other public tables than its plan.")


def weighs_as(certificate: AnyCertificate, schema: Schema) -> bool:
    """Whether rows are weighed as a schema says: public ones, and private ones where they were counted."""
    column, plan = schema.public_weights, any_plan_of(certificate)
    public = {one.weighed_by for one in certificate.candidate} - {None}
    if not public <= (set() if column is None else {column.words}):
        return False
    return isinstance(certificate, UnchangedCertificate) or fits_column(plan.weights, schema.weight_column)


def _options(text: str | None) -> ReadOptions:
    return ReadOptions() if text is None else ReadOptions.parse(text)
