"""tables.csv: every noisy cell of a release by table fit, in whole rows and not clamped."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product, repeat

import numpy as np

from pmwpub.domain import Domain
from pmwpub.errors import CertificateError, DomainError
from pmwpub.mechanisms.table_fit.coarse_tables import CoarseTable
from pmwpub.queries.workload import Workload
from pmwpub.records import Ints
from pmwpub.release.certificates.table_certificate import TableCertificate
from pmwpub.tabular.coding.decode import inert
from pmwpub.tabular.files.text.quoted_csv import csv_bytes

HEADER = ("table", "columns", "levels", "noisy_count", "sigma")


def tables_csv(certificate: TableCertificate, tables: Workload, noisy: Ints, coarse: Ints | None = None) -> bytes:
    """One line a cell, UTF-8, comma, LF; text quoted and inert in a spreadsheet.

    tables       what was measured, in the certificate's order, but for coarse tables
    noisy        int64 (cells of `tables`,)
    coarse       int64 (cells of the coarse tables,), which come behind; None where there are none
    noisy_count  a count of private rows plus noise, whole; it may be negative or above n
    sigma        of the noise on noisy_count, in rows
    """
    counts = iter(noisy.tolist() + ([] if coarse is None else coarse.tolist()))
    return csv_bytes(HEADER, _lines(certificate, tables, counts))


def _lines(certificate: TableCertificate, tables: Workload, counts: Iterator[int]) -> Iterator[Iterable[object]]:
    words = _words(certificate, tables)
    for number, (table, cells) in enumerate(zip(certificate.tables, words, strict=True), start=1):
        columns, sigma = inert("; ".join(table.columns)), float(Fraction(table.scale))
        # Levels come before counts: where a table ends, no count of the next one is taken.
        yield from zip(repeat(number), repeat(columns), map(inert, cells), counts, repeat(sigma), strict=False)


def _words(certificate: TableCertificate, tables: Workload) -> Iterator[Iterator[str]]:
    """The cells of each table, as they are named."""
    for marginal in tables.marginals:
        own = [tables.domain.attributes[place].levels for place in marginal.attributes]
        yield ("; ".join(levels) for levels in product(*own))  # the last one's change first, as in cells
    for table in certificate.coarse(tables.domain):
        yield _merged(tables.domain, table)


def _merged(domain: Domain, table: CoarseTable) -> Iterator[str]:
    """Each cell of a coarse table by its first and last level."""
    levels, cells = domain.attributes[table.attribute].levels, table.cell_of(domain)
    for cell in range(int(cells.max()) + 1):
        own = np.flatnonzero(cells == cell)
        yield levels[own[0]] + (f" to {levels[own[-1]]}" if len(own) > 1 else "")


def read_tables(content: bytes, certificate: TableCertificate, tables: Workload) -> Ints:
    """int64 (cells,): the noisy counts of a tables.csv, but those of coarse tables.

    Raises CertificateError unless it is, byte for byte, what is written of these counts.
    """
    return read_all_tables(content, certificate, tables)[0]


def read_all_tables(content: bytes, certificate: TableCertificate, tables: Workload) -> tuple[Ints, Ints | None]:
    """The same, and int64 those of the coarse tables; None where there are none."""
    try:
        lines = list(csv.reader(io.StringIO(content.decode())))[1:]
        counts = np.array([int(line[3]) for line in lines], dtype=np.int64)
        coarse = certificate.coarse(tables.domain)
        merged = sum(int(table.cell_of(tables.domain).max()) + 1 for table in coarse)
    except (ValueError, LookupError, OverflowError, csv.Error) as failure:
        raise CertificateError("tables.csv is not the list of noisy counts that it should be.") from failure
    except DomainError as failure:
        raise CertificateError("tables.csv lists a column that the schema lacks.") from failure
    noisy, rest = counts[: tables.queries], counts[tables.queries :] if coarse else None
    stated = (len(certificate.tables), len(certificate.sigmas), len(counts))
    plain = len(tables.marginals)
    wanted = (plain + len(coarse), plain, tables.queries + merged)
    if stated != wanted or tables_csv(certificate, tables, noisy, rest) != content:
        raise CertificateError("tables.csv does not list the tables that the certificate names.")
    return noisy, rest
