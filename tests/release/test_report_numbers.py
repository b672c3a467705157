from __future__ import annotations

from pmwpub.release.report_numbers import percent, rows


def test_shares_and_rows_read_as_words() -> None:
    assert (percent(0.12345), rows(1), rows(1200)) == ("12.35 %", "1 row", "1,200 rows")
