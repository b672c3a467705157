"""Answers of a stored release with their intervals: from its own files alone, whatever its engine."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from pmwpub.errors import CertificateError, WorkloadError
from pmwpub.mechanisms.table_fit.intervals.believed_drift import BelievedDrift
from pmwpub.mechanisms.table_fit.intervals.cell_intervals import (
    DEVIATIONS,
    LARGEST_ORDER,
    Basis,
    CellIntervals,
    MarginalIntervals,
    Misfit,
)
from pmwpub.mechanisms.table_fit.intervals.contrast_intervals import ContrastIntervals, mean_of
from pmwpub.mechanisms.table_fit.intervals.released_tables import ReleasedTables, marginal_of
from pmwpub.mechanisms.table_fit.measured_tables import measured_tables
from pmwpub.plans.weighing import mass_of
from pmwpub.queries.workload import Workload, check_unrelated
from pmwpub.records import Distribution
from pmwpub.release.answers.interval_strengths import read_strengths
from pmwpub.release.answers.main_intervals import MainIntervals, main_intervals
from pmwpub.release.answers.marginal_answers import (
    COVERS,
    COVERS_WEIGHT,
    CellAnswer,
    cell_answers,
    check_answered,
    uncovered,
)
from pmwpub.release.answers.number_answers import NumberAnswer, middles, reach_of_bins
from pmwpub.release.answers.ordered_answers import OrderedAnswers
from pmwpub.release.bundle import INTERVALS, SCHEMA, TABLES, WEIGHTS, Bundle
from pmwpub.release.certificate import Certificate
from pmwpub.release.certificates.stated_plans import table_plan_of
from pmwpub.release.certificates.table_certificate import TableCertificate
from pmwpub.release.measured.measurements import sigma_rows
from pmwpub.release.measured.tables_csv import read_all_tables
from pmwpub.release.rebuilding import differing, workload_of

_READ = (WEIGHTS, SCHEMA, TABLES, INTERVALS)

NO_STRENGTHS = (
    "This release was made before intervals were, so none is covered here; tables.csv lists its noisy cells, each with "
    "the deviation of its noise."
)
UNCHANGED = "A public table unchanged: its shares are exact, and how far the private table is from them was not asked."
KEPT = (
    "Rows of an ID beyond those that count, and rows without an ID, satisfy nothing: shares are of the rows that "
    "count, over all rows."
)
OF_WEIGHT = "Rows count as what they weigh here: where rows are spoken of, their weight is meant."
OF_ROUNDS = (
    "A release by PMW^Pub covers the cells that it measured; for all others nothing is known of how far off they are. "
    "A release by table fit covers the cells of all marginals of up to three columns."
)


class ReleaseAnswers:
    """Answers of one release to marginals of up to three columns.

    Privacy: a function of the release's published files. Raises CertificateError where these are not those that the
    certificate names.
    """

    def __init__(self, bundle: Bundle) -> None:
        self._bundle, self._certificate = bundle, bundle.certificate
        read = {name: body for name in _READ if (body := bundle.parts.get(name)) is not None}
        changed = differing(self._certificate, read)
        if changed:
            raise CertificateError(f"{', '.join(changed)} is not what the certificate names; nothing is answered.")
        self._strengths = read.get(INTERVALS) if INTERVALS in self._certificate.files else None

    def marginal(self, names: Sequence[str]) -> tuple[CellAnswer, ...]:
        """The cells of the marginal of these columns, each with its interval.

        Raises WorkloadError for none, more than three, a repeated or an unknown column, or two of one lineage,
        CertificateError for files that are not those of a release.
        """
        return cell_answers(self._workload, self._intervals_of(self._positions(names)))

    def within(self, names: Sequence[str], given: Sequence[str]) -> tuple[CellAnswer, ...]:
        """The cells of a marginal as shares of the rows that have their levels of the columns `given`.

        Raises WorkloadError as `marginal` does, and unless `given` are some of the marginal's columns, not all.
        """
        wanted = self._positions(names)
        parents = self._positions(given)
        if not set(parents) < set(wanted):
            raise WorkloadError("Shares are within some of the marginal's columns, and not within all of them.")
        if self._contrasts is not None:
            return cell_answers(self._workload, self._contrasts.within(wanted, parents))
        table = marginal_of(self._released, wanted)
        total = table.sum(axis=tuple(i for i, a in enumerate(wanted) if a not in parents), keepdims=True)
        shares = np.divide(table, total, out=np.zeros_like(table), where=total > 0)
        return cell_answers(self._workload, uncovered(shares, wanted))

    def difference(self, first: Mapping[str, str], second: Mapping[str, str]) -> NumberAnswer:
        """The share of rows of one cell less that of another of the same marginal.

        first, second  column -> level, of one to three columns

        Raises WorkloadError for cells of different marginals, the same cell twice, or an unknown column or level.
        """
        wanted = self._positions(list(first))
        if set(first) != set(second):
            raise WorkloadError("A difference is of two cells that have levels of the same columns.")
        cells = [tuple(self._code(a, one) for a in wanted) for one in (first, second)]
        words = [", ".join(f"{name} = {one[name]}" for name in self._named(wanted)) for one in (first, second)]
        what = f"share of {words[0]} less share of {words[1]}"
        if self._contrasts is not None:
            return NumberAnswer.of(what, self._contrasts.difference(wanted, *cells), difference=True)
        if cells[0] == cells[1]:
            raise WorkloadError("A difference is of two different cells.")
        table = marginal_of(self._released, wanted)
        return NumberAnswer.uncovered(what, float(table[cells[0]] - table[cells[1]]))

    def mean(self, name: str) -> NumberAnswer:
        """The mean of a numeric column over the rows that have a number; each bin counts as its middle.

        Raises WorkloadError for a column that is unknown or not numeric.
        """
        (wanted,) = self._positions([name])
        column, table = self._bundle.schema.attributes[wanted], marginal_of(self._released, (wanted,))
        values = middles(column)
        if all(value is None for value in values):
            raise WorkloadError(f"Column {name!r} is not numeric, so it has no mean.")
        what = f"mean of bin middles of {name}"
        if self._contrasts is not None:
            found = NumberAnswer.of(what, self._contrasts.mean(wanted, values), difference=False)
        else:
            found = NumberAnswer.uncovered(what, mean_of(table, values))
        return replace(found, binning=reach_of_bins(column, table))

    @cached_property
    def ordered(self) -> OrderedAnswers:
        """Shares of ranges, cumulative shares and quantiles."""
        found = self._tables
        return OrderedAnswers(self._bundle.schema, self._released, None if found is None else found[0])

    @property
    def numeric(self) -> tuple[str, ...]:
        """The columns that have a mean."""
        columns = self._bundle.schema.attributes
        return tuple(one.name for one in columns if any(value is not None for value in middles(one)))

    def _positions(self, names: Sequence[str]) -> tuple[int, ...]:
        """Ascending positions in the domain of one to three different columns."""
        domain = self._workload.domain
        unknown = [name for name in names if name not in domain.names]
        if unknown:
            raise WorkloadError(f"The release has no column {unknown[0]!r}; it has {', '.join(domain.names)}.")
        if not 1 <= len(set(names)) == len(names) <= LARGEST_ORDER:
            raise WorkloadError(f"A marginal is asked for by one to {LARGEST_ORDER} different columns.")
        found = tuple(sorted(domain.index(name) for name in names))
        check_unrelated(domain, found)
        check_answered([domain.shape[a] for a in found])
        return found

    def _named(self, wanted: Sequence[int]) -> list[str]:
        return [self._workload.domain.names[a] for a in wanted]

    def _code(self, attribute: int, cell: Mapping[str, str]) -> int:
        column = self._workload.domain.attributes[attribute]
        level = cell[column.name]
        if level not in column.levels:
            raise WorkloadError(f"Column {column.name!r} has no level {level!r}.")
        return column.levels.index(level)

    def workload(self) -> Iterator[tuple[CellAnswer, ...]]:
        """The marginals of the release's workload that have at most three columns, in its order."""
        for one in self._workload.marginals:
            if len(one.attributes) <= LARGEST_ORDER:
                yield cell_answers(self._workload, self._intervals_of(one.attributes))

    @property
    def misfit(self) -> Misfit | None:
        """How the release answers its own noisy tables; None for PMW^Pub, and where no strengths are stored."""
        found = self._by_tables
        return None if found is None else found.misfit

    @cached_property
    def main(self) -> MainIntervals | None:
        """How far off columns may be, in few numbers; None for PMW^Pub, and where no strengths are stored."""
        found = self._by_tables
        return None if found is None else main_intervals(lambda: found, measured_tables(self._workload))

    @property
    def intervals(self) -> CellIntervals | None:
        """The intervals of a release by table fit; None for PMW^Pub, and where no strengths are stored."""
        return self._by_tables

    @property
    def remark(self) -> str:
        """What limits the answers, and that rows are weighed; "" where there is nothing to say."""
        weighed = "" if self._certificate.weights is None else OF_WEIGHT
        return " ".join(filter(None, (self._limit, weighed)))

    @property
    def covers(self) -> str:
        """What intervals are for, and that they are no part of the guarantee."""
        return COVERS if self._certificate.weights is None else COVERS_WEIGHT

    @property
    def _limit(self) -> str:
        if isinstance(self._certificate, Certificate):
            return OF_ROUNDS
        if not isinstance(self._certificate, TableCertificate):
            return UNCHANGED
        if self._strengths is None:
            return NO_STRENGTHS
        return KEPT if self._bundle.schema.rows_beyond is not None else ""

    def _intervals_of(self, wanted: tuple[int, ...]) -> MarginalIntervals:
        if isinstance(self._certificate, Certificate):
            return self._by_rounds(self._certificate, wanted)
        if self._by_tables is None:
            return uncovered(marginal_of(self._released, wanted), wanted)
        return self._by_tables.of(wanted)

    @cached_property
    def _workload(self) -> Workload:
        return workload_of(self._certificate, self._bundle.schema)

    @cached_property
    def _released(self) -> Distribution:
        return self._bundle.distribution()

    @cached_property
    def _by_tables(self) -> CellIntervals | None:
        found = self._tables
        return None if found is None else CellIntervals(*found)

    @cached_property
    def _contrasts(self) -> ContrastIntervals | None:
        found = self._tables
        return None if found is None else ContrastIntervals(*found)

    @cached_property
    def _tables(self) -> tuple[ReleasedTables, BelievedDrift] | None:
        """What a release by table fit publishes of its tables, with the strengths; None where there are none."""
        certificate = self._certificate
        if not isinstance(certificate, TableCertificate) or self._strengths is None:
            return None
        if certificate.chosen is None:
            raise CertificateError("The certificate does not say what the noisy tables chose.")
        tables, plan = certificate.measured(self._workload), table_plan_of(certificate)
        noisy, coarse = read_all_tables(self._bundle.parts[TABLES], certificate, tables)
        release = ReleasedTables(
            tables,
            np.array(certificate.sigmas) / mass_of(certificate),
            noisy,
            self._released,
            certificate.chosen.choices(tables),
            plan.constants,
            mass_of(certificate),
            certificate.complete,
            plan.coarse(tables.domain),
            coarse,
        )
        return release, read_strengths(self._strengths, tables)

    def _by_rounds(self, certificate: Certificate, wanted: tuple[int, ...]) -> MarginalIntervals:
        """The cells of a marginal that rounds measured: the mean of a cell's noisy counts, and its deviation."""
        table = marginal_of(self._released, wanted)
        found, counts = uncovered(table, wanted), dict[tuple[int, ...], list[int]]()
        for line in certificate.transcript:
            if self._workload.is_prefix(line.number):
                continue  # "at most" is said of several cells together
            marginal, cell = self._workload.query(line.number)
            if marginal.attributes == wanted:
                counts.setdefault(cell, []).append(line.noisy_count)
        shares, low, high, basis = table.copy(), found.low.copy(), found.high.copy(), found.basis.copy()
        for cell, noisy in counts.items():
            half = DEVIATIONS * sigma_rows(certificate) / mass_of(certificate) / math.sqrt(len(noisy))
            shares[cell] = min(max(sum(noisy) / len(noisy) / mass_of(certificate), 0.0), 1.0)
            low[cell], high[cell] = max(shares[cell] - half, 0.0), min(shares[cell] + half, 1.0)
            basis[cell] = Basis.NOISY
        return MarginalIntervals(wanted, table, shares, low, high, basis)
