"""What a finished release measured, as a table for people. Post-processing of released bytes alone."""

from __future__ import annotations

from math import prod

from pmwpub import figures
from pmwpub.release.bundle import Bundle
from pmwpub.release.certificate import Certificate
from pmwpub.release.certificates.table_certificate import TableCertificate


def extent(bundle: Bundle) -> tuple[str, int]:
    """What was measured, and how often: ("Rounds", 25) of PMW^Pub, ("Noisy tables", 91) of table fit."""
    certificate = bundle.certificate
    if isinstance(certificate, TableCertificate):
        return "Noisy tables", len(certificate.tables)
    return "Rounds", certificate.rounds if isinstance(certificate, Certificate) else 0


def noisy_answers(bundle: Bundle) -> figures.Table:
    """A row a round with its query and noisy share; of table fit a row a table with the deviation of its noise."""
    certificate = bundle.certificate
    if isinstance(certificate, TableCertificate):
        sizes = {one.name: one.size for one in bundle.schema.domain.attributes}
        rows = tuple(
            (number, " × ".join(table.columns), prod(sizes[name] for name in table.columns), sigma)
            for number, (table, sigma) in enumerate(zip(certificate.tables, certificate.sigmas, strict=True), start=1)
        )
        return figures.Table(("table", "columns", "cells", "deviation of the noise (rows)"), rows)
    transcript = certificate.transcript if isinstance(certificate, Certificate) else ()
    return figures.Table(
        ("round", "query", "noisy share of rows"),
        tuple(
            (number, " · ".join(f"{name} = {level}" for name, level in line.query.items()), line.noisy_answer)
            for number, line in enumerate(transcript, start=1)
        ),
    )
