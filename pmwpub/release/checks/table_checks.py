"""What is checked of a release by table fit: its tables, their noise and its price, and tables.csv."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from pmwpub.plans.weighing import reach_of
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.vector_gaussian import VectorGaussian
from pmwpub.release.answers.interval_strengths import are_least, read_strengths
from pmwpub.release.bundle import INTERVALS, SCHEMA, TABLES
from pmwpub.release.certificates.stated_plans import table_plan_of
from pmwpub.release.certificates.table_certificate import (
    MECHANISM,
    POOL_MECHANISM,
    RANGES_MECHANISM,
    THREE_WAY_MECHANISM,
    PoolCertificate,
    TableCertificate,
)
from pmwpub.release.checks.engine_checks import EngineChecks, Files, given, stated_rho, stated_workload
from pmwpub.release.measured.tables_csv import read_tables
from pmwpub.release.rebuilding import schema_of


def table_checks(certificate: TableCertificate, files: Files) -> EngineChecks:
    """The checks of a release by table fit."""
    return EngineChecks(
        mechanism=_mechanism(certificate),
        agreement="the schema, the workload and the tables agree",
        agrees=lambda: _agrees(certificate, files),
        same_terms=lambda: _same_terms(certificate),
        price=lambda: _price(certificate),
        measured=(
            (f"{TABLES} lists the tables that the certificate names", lambda: _listed(certificate, files)),
            *_strengths(certificate, files),
        ),
    )


def _mechanism(certificate: TableCertificate) -> str:
    if isinstance(certificate, PoolCertificate):
        return POOL_MECHANISM
    if certificate.with_coarse:
        return RANGES_MECHANISM
    return THREE_WAY_MECHANISM if certificate.three_way else MECHANISM


def _agrees(certificate: TableCertificate, files: Files) -> str:
    workload = stated_workload(certificate, files)
    tables = certificate.measured(workload)
    attributes, coarse = workload.domain.attributes, table_plan_of(certificate).coarse(workload.domain)
    names: list[tuple[tuple[str, ...], int | None]] = [
        (tuple(attributes[a].name for a in one.attributes), None) for one in tables.marginals
    ]
    names += [((attributes[one.attribute].name,), one.width) for one in (coarse.tables if coarse else ())]
    if workload.queries != certificate.queries or names != [(one.columns, one.merged) for one in certificate.tables]:
        return "other tables are named."
    schema = schema_of(certificate, given(files, SCHEMA))
    complete = schema.complete and certificate.weights is None
    return "" if certificate.complete == complete else "whether each cell has a level is stated wrongly."


def _same_terms(certificate: TableCertificate) -> bool:
    """Whether there is a plan, each choice is of a column that was measured, and a pool's parts are of its tables."""
    plan = table_plan_of(certificate)
    measured = {name for table in certificate.tables for name in table.columns}
    chosen = certificate.chosen
    if chosen is None or (isinstance(certificate, PoolCertificate) and not certificate.parts_fit):
        return False
    if certificate.three_way != (plan.three_way_share is not None):
        return False
    return {*chosen.moved, *chosen.lacking} <= measured and chosen.fits(plan.constants, plan.growth)


def _price(certificate: TableCertificate) -> str:
    """The budget is charged whole; the noise of all tables together costs no more."""
    plan = table_plan_of(certificate)
    moved = Fraction(2 * reach_of(plan) ** 2)
    if plan.budget != stated_rho(certificate.rho):
        return "the plan costs another rho."
    costs = (VectorGaussian(Fraction(table.scale), moved).rho for table in certificate.tables)
    return "" if sum(costs, ZCDP(0)) <= plan.budget else "the tables' noise costs more than that."


def _listed(certificate: TableCertificate, files: Files) -> str:
    read_tables(given(files, TABLES), certificate, certificate.measured(stated_workload(certificate, files)))
    return ""


def _strengths(certificate: TableCertificate, files: Files) -> tuple[tuple[str, Callable[[], str]], ...]:
    """The statement about intervals.json; releases of before have none."""
    if INTERVALS not in certificate.files:
        return ()

    def read() -> str:
        drift = read_strengths(given(files, INTERVALS), certificate.measured(stated_workload(certificate, files)))
        least = table_plan_of(certificate).constants.least_strength
        return "" if drift.believed or are_least(drift, least) else "they failed, and are not the least ones."

    return ((f"{INTERVALS} has a strength for each column that was measured", read),)
