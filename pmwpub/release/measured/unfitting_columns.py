"""Columns of a release whose noisy cells add up to far less than all: their private cells probably fit no level."""

from __future__ import annotations

import csv
import io
import math

from pmwpub.plans.weighing import mass_of, shares_of_what
from pmwpub.release.certificates.certificate_reading import AnyCertificate
from pmwpub.release.certificates.table_certificate import TableCertificate

DEVIATIONS = 3
"""Of a sum's noise, by which it has to lie below the half."""


def unfitting_columns(certificate: AnyCertificate, tables: bytes) -> tuple[str, ...]:
    """A remark on each column whose levels' noisy counts sum to less than half of n, by more than the noise.

    tables  tables.csv of the release; of one without such tables nothing is said

    Privacy: post-processing of the released noisy tables; no private cell is read, and nothing is charged.
    """
    if not isinstance(certificate, TableCertificate):
        return ()
    alone = [number for number, _ in enumerate(certificate.sigmas) if len(certificate.tables[number].columns) == 1]
    counts: dict[int, list[int]] = {number: [] for number in alone}
    lines = csv.reader(io.TextIOWrapper(io.BytesIO(tables), "utf-8", newline=""))
    next(lines, None)
    for line in lines:
        number = int(line[0]) - 1
        if number > max(alone, default=-1):  # tables of one column stand first
            break
        if number in counts:
            counts[number].append(int(line[3]))
    whole, what = mass_of(certificate), shares_of_what(weighed=certificate.weights is not None)
    found = []
    for number, own in counts.items():
        spread = certificate.sigmas[number] * math.sqrt(len(own))
        if sum(own) + DEVIATIONS * spread < whole / 2:
            found.append(_words(certificate.tables[number].columns[0], max(0.0, sum(own) / whole), what))
    return tuple(found)


def _words(column: str, share: float, what: str) -> str:
    return (
        f"the levels of {column} add up to about {100 * share:.0f} % of {what}: its cells probably do not fit the "
        "schema, and answers on it are of little use"
    )
