"""What a finished release measured, as a table for people. Post-processing of released bytes alone."""

from __future__ import annotations

from fractions import Fraction
from math import prod

from pmwpub import figures
from pmwpub.domain import Domain
from pmwpub.mechanisms.table_fit.coarse_tables import CoarseTable
from pmwpub.plans.weighing import counted_in
from pmwpub.release.bundle import Bundle
from pmwpub.release.certificate import Certificate
from pmwpub.release.certificates.measured_parts import MeasuredTable
from pmwpub.release.certificates.table_certificate import TableCertificate


def extent(bundle: Bundle) -> tuple[str, int]:
    """What was measured, and how often: ("Rounds", 25) of PMW^Pub, ("Noisy tables", 91) of table fit."""
    certificate = bundle.certificate
    if isinstance(certificate, TableCertificate):
        return "Noisy tables", len(certificate.tables)
    return "Rounds", certificate.rounds if isinstance(certificate, Certificate) else 0


def _table(table: MeasuredTable, domain: Domain) -> tuple[str, int]:
    """Which columns a table has, and how many cells."""
    places = [domain.index(name) for name in table.columns]
    if table.merged is not None:
        cells = CoarseTable(places[0], table.merged).cell_of(domain)
        return f"{table.columns[0]}, each {table.merged} levels merged", int(cells.max()) + 1
    return " × ".join(table.columns), prod(domain.shape[place] for place in places)


def noisy_answers(bundle: Bundle) -> figures.Table:
    """A row a round with its query and noisy share; of table fit a row a table with the deviation of its noise."""
    certificate = bundle.certificate
    if isinstance(certificate, TableCertificate):
        domain = bundle.schema.domain
        rows = tuple(
            (number, *_table(table, domain), float(Fraction(table.scale)))
            for number, table in enumerate(certificate.tables, start=1)
        )
        return figures.Table(("table", "columns", "cells", f"deviation of the noise ({counted_in(certificate)})"), rows)
    whole = "rows" if certificate.weights is None else "the total weight"
    transcript = certificate.transcript if isinstance(certificate, Certificate) else ()
    return figures.Table(
        ("round", "query", f"noisy share of {whole}"),
        tuple(
            (number, " · ".join(f"{name} = {level}" for name, level in line.query.items()), line.noisy_answer)
            for number, line in enumerate(transcript, start=1)
        ),
    )
