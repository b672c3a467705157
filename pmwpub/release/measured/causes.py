"""Which noisy measurements pulled at a marginal of a release: rounds of PMW^Pub, or cells of table fit's tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from pmwpub.plans.weighing import mass_of
from pmwpub.queries.incidence import PublicProblem, quantise
from pmwpub.queries.workload import Workload
from pmwpub.records import Distribution, Ints
from pmwpub.release.certificate import Certificate
from pmwpub.release.certificates.certificate_reading import AnyCertificate
from pmwpub.release.certificates.table_certificate import TableCertificate
from pmwpub.release.certificates.unchanged_certificate import UnchangedCertificate
from pmwpub.release.measured.measurements import sigma_rows
from pmwpub.release.measured.tables_csv import read_tables

MOST_CELLS = 300
"""Cells of noisy tables that are taken for causes: those furthest from the public table, in deviations of the noise."""


@dataclass(frozen=True)
class Cause:
    """A noisy measurement that pulled at a marginal.

    number            the round, or the table, from 1; `unit` says which
    query             (column, level) pairs
    noisy             the noisy answer; public, released  what the public table and the release answer; all shares
    sigma             of the noise, as a share
    columns           how many columns of the marginal the query is about
    prefix            whether the query is "at most" a level, and so about several cells together
    """

    number: int
    query: tuple[tuple[str, str], ...]
    noisy: float
    public: float
    released: float
    sigma: float
    columns: int
    unit: Literal["round", "table"] = "round"
    prefix: bool = False


def causes_of(
    certificate: AnyCertificate,
    released: Distribution,
    workload: Workload,
    noisy_tables: bytes = b"",
    public: Ints | None = None,
) -> tuple[Cause, ...]:
    """Every measurement that may be a cause, `columns` still 0: noisy answer, public table, release.

    workload      the release's own
    noisy_tables  tables.csv of a release by table fit
    public        int64 (m,), how often the public table has each atom; None where the multiplicities say it
    """
    if isinstance(certificate, UnchangedCertificate):
        return ()
    if isinstance(certificate, TableCertificate):
        return _cells(certificate, released, workload, noisy_tables, public)
    return _rounds(certificate, released, workload)


def _rounds(certificate: Certificate, released: Distribution, workload: Workload) -> tuple[Cause, ...]:
    problem, public = PublicProblem(workload, released.support), Distribution.empirical(released.support)
    sigma, found = sigma_rows(certificate) / mass_of(certificate), []
    for number, line in enumerate(certificate.transcript, start=1):
        members = problem.members(line.number)
        shares = (float(public.weights[members].sum()), float(released.weights[members].sum()))
        query = tuple(line.query.items())
        found.append(
            Cause(
                number,
                query,
                line.noisy_answer,
                *shares,
                sigma=sigma,
                columns=0,
                prefix=workload.is_prefix(line.number),
            )
        )
    return tuple(found)


def _cells(
    certificate: TableCertificate, released: Distribution, workload: Workload, noisy_tables: bytes, public: Ints | None
) -> tuple[Cause, ...]:
    """The cells whose noisy share lies furthest from the public table's, in standard deviations of their noise."""
    tables = certificate.measured(workload)
    noisy = read_tables(noisy_tables, certificate, tables) / mass_of(certificate)
    problem = PublicProblem(tables, released.support)
    quantised = quantise(released.weights, 1)
    after = problem.sums(quantised.values) / quantised.total
    rows = released.support.multiplicity if public is None else public
    before = problem.sums(rows) / rows.sum()
    sigma = np.repeat(np.array(certificate.sigmas) / mass_of(certificate), np.diff(tables.offsets))
    furthest = np.argsort(-np.abs(noisy - before) / sigma, kind="stable")[:MOST_CELLS]
    number = np.searchsorted(tables.offsets, furthest, side="right")
    return tuple(
        Cause(
            int(table),
            tuple(tables.labels(int(cell)).items()),
            float(noisy[cell]),
            float(before[cell]),
            float(after[cell]),
            sigma=float(sigma[cell]),
            columns=0,
            unit="table",
        )
        for cell, table in zip(furthest, number, strict=True)
    )


def touching(causes: Sequence[Cause], names: Sequence[str], limit: int = 3) -> tuple[Cause, ...]:
    """The measurements that touch a marginal: most of its columns first, then the greatest surprise first.

    A measurement reweights the rows of its query's cell, so it moves every marginal that shares a column with it.
    The surprise is how far the noisy answer lay from the public table's. A query that was measured again is named
    once, by its most surprising round.
    """
    wanted = set(names)
    shared = [(len(wanted & {name for name, _ in one.query}), one) for one in causes]
    found = [replace(one, columns=columns) for columns, one in shared if columns]
    found.sort(key=lambda one: (-one.columns, -abs(one.noisy - one.public), one.number))
    once = {one.query: one for one in reversed(found)}
    return tuple(one for one in found if once[one.query] is one)[:limit]
