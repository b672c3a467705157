"""measurements.csv: one line a round, exact, and inert in a spreadsheet."""

from __future__ import annotations

import csv
import io
from fractions import Fraction

from release.bundles import FORMULA, Made

from pmwpub.release.bundle import MEASUREMENTS
from pmwpub.release.measured.measurements import measurements_csv, query_text
from pmwpub.tabular.coding.decode import inert


def test_each_round_is_a_line_with_its_query_count_answer_and_sigma(made: Made) -> None:
    certificate = made.bundle.certificate
    header, *lines = csv.reader(io.StringIO(made.bundle.parts[MEASUREMENTS].decode()))
    assert header == ["round", "query", "noisy_count", "noisy_answer", "sigma"]
    assert len(lines) == certificate.rounds == len(certificate.transcript)
    for number, (line, measured) in enumerate(zip(lines, certificate.transcript, strict=True), start=1):
        assert (int(line[0]), int(line[2]), float(line[3])) == (number, measured.noisy_count, measured.noisy_answer)
        assert float(line[4]) == float(Fraction(certificate.measurement_scale))
        assert line[1] == inert("; ".join(f"{name}={level}" for name, level in measured.query.items()))


def test_a_query_that_begins_like_a_formula_is_made_inert(made: Made) -> None:
    certificate = made.bundle.certificate
    line = certificate.transcript[0].model_copy(update={"query": {"=age": "[0, 18)", "x": f"{FORMULA}\r\n,"}})
    assert query_text(line).startswith("=age=")
    body = measurements_csv(certificate.model_copy(update={"transcript": (line,)}))
    _, cells = csv.reader(io.StringIO(body.decode(), newline=""))
    assert cells[1] == f"'=age=[0, 18); x={FORMULA}\r\n,"
