"""What the ledger keeps of a private table, keyed fingerprints, and how a table relates to those that were charged."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

TableKind = Literal["new", "same", "changed", "elsewhere"]


@dataclass(frozen=True)
class TableHandle:
    """A private table's keyed fingerprints, to be passed to `book`; its repr shows nothing.

    digest  the fingerprint of its cells
    views   the fingerprints of its rows as a mechanism sees them, where a schema says how; tables that share one are
            the same, however they are written
    """

    digest: bytes = field(repr=False)
    views: tuple[bytes, ...] = field(default=(), repr=False)

    @property
    def digests(self) -> tuple[bytes, ...]:
        """The fingerprint of the cells, then those of the views."""
        return (self.digest, *self.views)


@dataclass(frozen=True)
class TableVerdict:
    """How a private table relates to those that charges were made for. For the steward only.

    kind         "new": the population has no charge on a table yet; "same" as or "changed" since the last one;
                 "elsewhere": charged under other populations too, and not acknowledged, so `book` refuses it
    populations  all the others that used this very table, acknowledged or not
    table        what to pass to `book`
    """

    kind: TableKind
    populations: tuple[str, ...]
    table: TableHandle
