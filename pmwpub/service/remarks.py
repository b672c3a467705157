"""What a certificate and the ledger must say beyond (epsilon, delta), from the ledger's recorded events."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pmwpub.ledger import Mark

PRIVATE_NUMBERS_SEEN = "private numbers seen"
"""The kind of mark that records that the steward opened numbers which no epsilon covers."""

SEEN = "chosen after private numbers were seen; not covered by (ε, δ)"
_AFTER = re.compile(r", opened after charge (\d+)$")

Row = Mapping[str, str | int | float]


def noted(what: str, last_charge: int) -> str:
    """The note of such a mark: what was opened, and which charge stood last, for a clock may be wrong."""
    return f"{what}, opened after charge {last_charge}"


def remarks_from(marks: Sequence[Mark]) -> tuple[str, ...]:
    """One remark for each different thing that was seen: everything chosen afterwards may depend on it.

    marks  those recorded before the plan was sent; their notes are public text
    """
    notes = dict.fromkeys(mark.note.strip() for mark in marks if mark.kind == PRIVATE_NUMBERS_SEEN)
    return tuple(f"{SEEN}: {note}" if note else SEEN for note in notes)


def with_remarks(rows: Sequence[Row], marks: Sequence[Mark]) -> list[dict[str, str | int | float]]:
    """The ledger's rows, each with a `remark`: SEEN for every charge made after private numbers were first opened.

    A mark that does not say after which charge it was made counts for all.
    """
    seen = [_after(mark.note) for mark in marks if mark.kind == PRIVATE_NUMBERS_SEEN]
    return [{**row, "remark": SEEN if seen and int(row["id"]) > min(seen) else ""} for row in rows]


def _after(note: str) -> int:
    found = _AFTER.search(note.strip())
    return int(found[1]) if found else 0
