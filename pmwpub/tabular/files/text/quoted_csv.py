"""CSV as this program writes it: UTF-8, comma, LF, and quotes around all that is no number."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence


def csv_bytes(header: Sequence[str], lines: Iterable[Iterable[object]]) -> bytes:
    """A header and lines of cells; whoever has cells that were typed makes them inert first."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(lines)
    return buffer.getvalue().encode()
