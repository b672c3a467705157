"""What a certificate must say beyond (epsilon, delta), from the ledger's recorded events."""

from __future__ import annotations

from collections.abc import Sequence

from pmwpub.ledger import Mark

PRIVATE_NUMBERS_SEEN = "private numbers seen"
"""The kind of mark that records that the steward opened numbers which no epsilon covers."""

SEEN = "chosen after private numbers were seen; not covered by (ε, δ)"


def remarks_from(marks: Sequence[Mark]) -> tuple[str, ...]:
    """One remark for each different thing that was seen: everything chosen afterwards may depend on it.

    marks  those recorded before the plan was sent; their notes are public text
    """
    notes = dict.fromkeys(mark.note.strip() for mark in marks if mark.kind == PRIVATE_NUMBERS_SEEN)
    return tuple(f"{SEEN}: {note}" if note else SEEN for note in notes)
