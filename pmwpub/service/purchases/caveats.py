"""What a certificate and the ledger must say beyond (epsilon, delta), from the ledger's recorded events."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pmwpub.ledger import Mark
from pmwpub.ledger.recovery.vouching import unvouched

PRIVATE_NUMBERS_SEEN = "private numbers seen"
"""The kind of mark that records that the steward opened numbers which no epsilon covers."""

SEEN = "chosen after private numbers were seen; not covered by (ε, δ)"
UNVOUCHED = "made when nothing vouched for the ledger any more: charges may be missing from it, and from (ε, δ)"
_AFTER = re.compile(r", opened after charge (\d+)$")

Row = Mapping[str, str | int | float]


def renumbered(note: str, numbers: Mapping[int, int]) -> str:
    """The note of a mark in a store to which its population was moved: after which charge of that store it stands.

    numbers  the number of each charge there by the one that it had; both rise with the order of the charges
    """
    if not _AFTER.search(note):
        return note
    last = max((there for here, there in numbers.items() if here <= _after(note)), default=0)
    return _AFTER.sub(f", opened after charge {last}", note)


def noted(what: str, last_charge: int) -> str:
    """The note of a mark of opened numbers: what was opened, and which charge stood last, for a clock may be wrong."""
    return f"{what}, opened after charge {last_charge}"


def remarks_from(marks: Sequence[Mark]) -> tuple[str, ...]:
    """One remark for each different thing that was seen, and one where nothing vouches for what was spent.

    Everything that is chosen after numbers were seen may depend on them.

    marks  the marks recorded before the plan was sent; their notes are public text
    """
    notes = dict.fromkeys(mark.note.strip() for mark in marks if mark.kind == PRIVATE_NUMBERS_SEEN)
    seen = tuple(f"{SEEN}: {note}" if note else SEEN for note in notes)
    return (*seen, UNVOUCHED) if unvouched(marks) else seen


def with_remarks(rows: Sequence[Row], marks: Sequence[Mark]) -> list[dict[str, str | int | float]]:
    """The ledger's rows, each with a `remark`: SEEN for every charge made after private numbers were first opened.

    A mark that does not say after which charge it was made counts for all charges. So does a mark that nothing vouches
    for the ledger: a sum may be too low by charges that were made before those that are shown.
    """
    opened = min((_after(mark.note) for mark in marks if mark.kind == PRIVATE_NUMBERS_SEEN), default=None)
    always = [UNVOUCHED] if unvouched(marks) else []
    return [
        {**row, "remark": "; ".join(([SEEN] if opened is not None and int(row["id"]) > opened else []) + always)}
        for row in rows
    ]


def _after(note: str) -> int:
    found = _AFTER.search(note.strip())
    return int(found[1]) if found else 0
