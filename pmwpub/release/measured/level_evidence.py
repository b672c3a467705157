"""What a release's own noisy counts say of single levels and columns, for nothing: post-processing of what was sold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pmwpub.plans.weighing import mass_of
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload
from pmwpub.records import Distribution, Floats, Support
from pmwpub.release.certificates.certificate_reading import AnyCertificate
from pmwpub.release.certificates.table_certificate import TableCertificate
from pmwpub.release.measured.causes import Cause
from pmwpub.release.measured.tables_csv import read_tables

EVIDENT = 5.0
"""Deviations of the noise: fewer than one cell in a million is so far off by chance, and a release has thousands."""

NONE_FOUND = 2.0
"""Deviations: a noisy count within so many of zero is as that of no row."""


@dataclass(frozen=True)
class LevelEvidence:
    """A level whose noisy counts evidently differ from the public table, or a column whose levels evidently lack rows.

    level   None: the noisy counts of all levels together fall short of the rows
    public  share of the public rows that have the level; of a column 1
    noisy   share of the private rows, as measured; of a level of PMW^Pub the mean of the measured cells
    sigma   of that share's noise
    times   how many noisy cells say so
    absent  whether they are as those of no row
    """

    column: str
    level: str | None
    public: float
    noisy: float
    sigma: float
    times: int
    absent: bool

    @property
    def words(self) -> str:
        """As one sentence, plain text."""
        if self.level is None:
            lacking = f"{100 * (1 - self.noisy):.1f} % (±{196 * self.sigma:.1f})"
            return f"{self.column}: the noisy counts of its levels leave {lacking} of the rows without a level."
        begins = f"{self.column} = {self.level}: {100 * self.public:.1f} % in the public table, measured "
        if self.absent:
            times = "once" if self.times == 1 else f"{self.times:,} times"
            return f"{begins}0 {times} (noise ±{196 * self.sigma:.1f} points)."
        return f"{begins}{100 * self.noisy:.1f} % (±{196 * self.sigma:.1f})."


def level_evidence(
    certificate: AnyCertificate, public: Support, workload: Workload, causes: Sequence[Cause], tables: bytes
) -> tuple[LevelEvidence, ...]:
    """What is evident, columns that lack rows first, then levels by how far they are off.

    public  the public table's support
    causes  of PMW^Pub: every round, as `causes_of` gives them
    tables  tables.csv of a release by table fit

    Privacy: a function of the release and of the public table.
    """
    if isinstance(certificate, TableCertificate):
        found = _of_tables(certificate, public, workload, tables)
    else:
        found = _of_rounds(public, causes)
    return tuple(sorted(found, key=lambda one: (one.level is not None, -abs(one.noisy - one.public))))


def _of_rounds(support: Support, causes: Sequence[Cause]) -> list[LevelEvidence]:
    """Levels of which every measured cell is as one of no row, although the public table has evidently more there.

    One such cell tells of the cell; of the level only where it is the level's own, or where it was seen in several. A
    prefix is of several levels together, and of a column beside it prefixes tell of the same rows again: none counts.
    """
    measured: dict[tuple[str, str], list[Cause]] = {}
    for cause in (one for one in causes if not one.prefix):
        for pair in cause.query:
            measured.setdefault(pair, []).append(cause)
    public, found = Distribution.empirical(support), []
    for (column, level), own in measured.items():
        absent = all(one.noisy <= NONE_FOUND * one.sigma and one.public > EVIDENT * one.sigma for one in own)
        alone = any(len(one.query) == 1 for one in own)
        if absent and (alone or len({one.query for one in own}) > 1):
            share = float(public.one_way(column)[_code(support, column, level)])
            mean = float(np.mean([one.noisy for one in own]))
            found.append(LevelEvidence(column, level, share, mean, own[0].sigma, len(own), absent=True))
    return found


def _of_tables(
    certificate: TableCertificate, public: Support, workload: Workload, content: bytes
) -> list[LevelEvidence]:
    """The cells of 1-way tables beside the public shares, and what these tables' sums lack."""
    tables = certificate.measured(workload)
    noisy = read_tables(content, certificate, tables) / mass_of(certificate)
    before = PublicProblem(tables, public).start_sums / public.rows
    found: list[LevelEvidence] = []
    for place, marginal in enumerate(tables.marginals):
        if len(marginal.attributes) == 1:
            attribute = tables.domain.attributes[marginal.attributes[0]]
            cells = slice(tables.offsets[place], tables.offsets[place + 1])
            sigma = certificate.sigmas[place] / mass_of(certificate)
            found += _of_one_table(attribute.name, attribute.levels, noisy[cells], before[cells], sigma)
    return found


def _of_one_table(
    column: str, levels: Sequence[str], noisy: Floats, before: Floats, sigma: float
) -> list[LevelEvidence]:
    found = [
        LevelEvidence(column, level, public, share, sigma, 1, absent=share <= NONE_FOUND * sigma)
        for level, share, public in zip(levels, noisy.tolist(), before.tolist(), strict=True)
        if abs(share - public) > EVIDENT * sigma
    ]
    total, spread = float(noisy.sum()), sigma * math.sqrt(len(levels))
    if 1.0 - total > EVIDENT * spread:
        found.append(LevelEvidence(column, None, 1.0, total, spread, len(levels), absent=False))
    return found


def _code(public: Support, column: str, level: str) -> int:
    domain = public.domain
    return domain.attributes[domain.index(column)].levels.index(level)
