"""What is said of a suspicious column, and which come first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Suspicion = Literal["names rows", "repeated id", "names tables", "constant", "weight", "separating", "may name rows"]
SUSPICIONS: tuple[Suspicion, ...] = (
    "names rows",
    "repeated id",
    "names tables",
    "constant",
    "weight",
    "separating",
    "may name rows",
)
"""The worst first."""

Advice = Literal["leave out", "declare id", "keep"]


@dataclass(frozen=True)
class Verdict:
    """Why a column would waste a budget; from public facts alone.

    kind        what is suspected
    why         in words, with numbers of the public tables
    remedy      what to do: leave it out, declare it as the column of person IDs, or keep it, knowing
    leaves_out  whether a draft leaves the column out unless it is told to keep it
    weight      the cap and unit that public tables propose where rows may be weighed by it, as a remedy has them
    """

    column: str
    kind: Suspicion
    why: str
    remedy: Advice
    leaves_out: bool
    weight: str | None = None

    @property
    def rank(self) -> int:
        """Smaller for what is worse."""
        return SUSPICIONS.index(self.kind)
