"""tables.csv: every noisy cell of a release by table fit, in whole rows and not clamped."""

from __future__ import annotations

import csv
import io
from itertools import product, repeat

import numpy as np

from pmwpub.errors import CertificateError
from pmwpub.queries.workload import Workload
from pmwpub.records import Ints
from pmwpub.release.certificates.table_certificate import TableCertificate
from pmwpub.tabular.coding.decode import inert

HEADER = ("table", "columns", "levels", "noisy_count", "sigma")


def tables_csv(certificate: TableCertificate, tables: Workload, noisy: Ints) -> bytes:
    """One line a cell, UTF-8, comma, LF; text quoted and inert in a spreadsheet.

    tables       what was measured, in the certificate's order
    noisy        int64 (cells of `tables`,)
    noisy_count  a count of private rows plus noise, whole; it may be negative or above n
    sigma        of the noise on noisy_count, in rows
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    writer.writerow(HEADER)
    for number, (table, sigma) in enumerate(zip(certificate.tables, certificate.sigmas, strict=True)):
        own = [tables.domain.attributes[place].levels for place in tables.marginals[number].attributes]
        levels = (inert("; ".join(some)) for some in product(*own))  # the last one's change first, as in cells
        counts = noisy[tables.offsets[number] : tables.offsets[number + 1]].tolist()
        columns = inert("; ".join(table.columns))
        writer.writerows(zip(repeat(number + 1), repeat(columns), levels, counts, repeat(sigma), strict=False))
    return buffer.getvalue().encode()


def read_tables(content: bytes, certificate: TableCertificate, tables: Workload) -> Ints:
    """int64 (cells,): the noisy counts of a tables.csv.

    Raises CertificateError unless it is, byte for byte, what is written of these counts.
    """
    try:
        lines = list(csv.reader(io.StringIO(content.decode())))[1:]
        noisy = np.array([int(line[3]) for line in lines], dtype=np.int64)
    except (ValueError, LookupError, OverflowError, csv.Error) as failure:
        raise CertificateError("tables.csv is not the list of noisy counts that it should be.") from failure
    stated = (len(certificate.tables), len(certificate.sigmas), len(noisy))
    measured = len(tables.offsets) - 1
    if stated != (measured, measured, tables.queries) or tables_csv(certificate, tables, noisy) != content:
        raise CertificateError("tables.csv does not list the tables that the certificate names.")
    return noisy
