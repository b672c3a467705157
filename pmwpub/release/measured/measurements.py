"""The noisy measurements of a release as a table: one line a round."""

from __future__ import annotations

from fractions import Fraction

from pmwpub.release.certificate import Certificate, TranscriptLine
from pmwpub.tabular.files.text.inert_cells import inert
from pmwpub.tabular.files.text.quoted_csv import csv_bytes

HEADER = ("round", "query", "noisy_count", "noisy_answer", "sigma")


def query_text(line: TranscriptLine) -> str:
    """A query in words: "sex=F; age=[18, 65)"."""
    return "; ".join(f"{attribute}={level}" for attribute, level in line.query.items())


def sigma_rows(certificate: Certificate) -> float:
    """The standard deviation of the noise on each count, in rows."""
    return float(Fraction(certificate.measurement_scale))


def measurements_csv(certificate: Certificate) -> bytes:
    """The measurements as CSV (UTF-8, comma, LF); text is quoted, and inert in a spreadsheet.

    noisy_count   a count of private rows plus noise, whole; it may be negative or above n
    noisy_answer  noisy_count / n, clamped to [0, 1]
    sigma         of the noise on noisy_count, in rows
    """
    sigma = sigma_rows(certificate)
    lines = (
        [number, inert(query_text(line)), line.noisy_count, line.noisy_answer, sigma]
        for number, line in enumerate(certificate.transcript, start=1)
    )
    return csv_bytes(HEADER, lines)
