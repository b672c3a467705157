"""What it means that work ended without a result: for work that was charged, and for work that was free."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pmwpub.jobs import Ending, Reason

WHY: Mapping[Ending, str] = MappingProxyType(
    {
        Ending.CANCELLED: "The work was cancelled.",
        Ending.CLOSED: "The program closed before the work was over.",
        Ending.CRASHED: "The work ended by an unforeseen error.",
        Ending.DIED: "The worker process was gone before it could answer (killed, or out of memory).",
        Ending.REFUSED: "The work was refused.",
        Ending.UNRESOLVED: "The work came to its end without a result.",
    }
)

CHARGED = "Its charge stays, and nothing is drawn again."
FREE = "Nothing was charged."


def in_words(reason: Reason, *, charged: bool) -> str:
    """Why there is no result, and what that costs.

    charged  whether the work was paid for when it began

    Privacy: why charged work ended is for its steward alone; to everybody else all endings look alike. The words of a
    refusal enter no log.
    """
    return f"{reason.words or WHY[reason.ending]} {CHARGED if charged else FREE}"
