"""Loads of private tables, and tables under several populations: the operator's own record.

Of it, an owner sees what is about populations of his or her own alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pmwpub.ledger import Attempt
from pmwpub.service.core import Service
from pmwpub.service.operating.operators import refuse_others

NOTHING_RECORDED = (
    "No private table was loaded into a session of this server yet. Each such load is recorded in the store and listed "
    "here; those of a demo's generated table are not."
)


@dataclass(frozen=True)
class TableLoad:
    """One load of a private table: under which population, and where else the very same table was.

    charged_under  the populations, this one included, that charges were made for it under
    loaded_under   the other populations under which it was loaded
    """

    time: str
    population: str
    charged_under: tuple[str, ...]
    loaded_under: tuple[str, ...]

    @property
    def elsewhere(self) -> bool:
        """Whether the table was charged or loaded under another population too."""
        return bool(self.loaded_under) or any(name != self.population for name in self.charged_under)


def loads(service: Service) -> list[TableLoad]:
    """Every load that was recorded, the newest first.

    Privacy: exact answers about private tables, for the operator alone.
    """
    refuse_others(service)
    return _newest_first(service.ledger.attempts())


def own_loads(service: Service, population: str) -> list[TableLoad]:
    """The loads under a population, the newest first, for its owner; none on a server without accounts.

    Privacy: exact answers about private tables, for who owns both, and for operators. To an owner no table under a
    population of somebody else's changes anything of it.
    """
    if service.policy.accounts is None or service.ledger.actor() is None:
        return []
    return [one for one in _newest_first(service.ledger.attempts()) if one.population == population]


def shared_tables(service: Service) -> list[tuple[str, ...]]:
    """The populations of each table that was charged under several, decided or not.

    Privacy: exact answers about private tables, for the operator alone.
    """
    refuse_others(service)
    return service.ledger.shared_tables()


def _newest_first(found: Sequence[Attempt]) -> list[TableLoad]:
    return [TableLoad(one.time, one.population, one.charged_under, one.loaded_under) for one in reversed(found)]
