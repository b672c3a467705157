"""What a service may do for those who use it: whether it spends at all, and to whom comparisons of tables are answered.

Comparing a table with private ones is a question about private rows. Two modes answer it differently:

single user  all sessions are one trusted steward's, on this machine alone: comparisons, also with the tables that
             were charged, are answered, in words without counts; what they find takes a decision before a purchase
shared       any other server, and any with accounts: tables are compared in memory, with those that the same session
             loaded and with public ones; what the store's fingerprints say is answered to nobody, and changes nothing
             that anybody sees
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self

from pmwpub.accounts.account_rules import CLAIM, AccountRules
from pmwpub.errors import PlanError, SettingRefused, ViewersOnly
from pmwpub.ledger import Ledger
from pmwpub.settings import MODE, VIEWERS_ONLY, Settings, switch


class Mode(StrEnum):
    """Who the sessions of a service are."""

    SINGLE_USER = "single-user"
    SHARED = "shared"


@dataclass(frozen=True)
class Policy:
    """The rules that a service was started under.

    mode          who is answered when tables are compared
    viewers_only  nothing is loaded, changed, bought or simulated; what is stored is shown
    simulated_rows  the largest n that a simulation on public tables draws
    accounts      how people's tokens are read; None where nobody signs in. With accounts the mode is shared
    """

    mode: Mode = Mode.SINGLE_USER
    viewers_only: bool = False
    simulated_rows: int = Settings.simulated_rows
    accounts: AccountRules | None = None

    @classmethod
    def declared(cls, address: str | None, environment: Mapping[str, str] = os.environ) -> Self:
        """The policy of a service at an address, as the environment declares it.

        address  what the server listens on; None listens everywhere. A program without a server passes "localhost"

        Without a declaration a loopback address is a single user's, and any other is shared.
        Raises SettingRefused for an unknown variable or value, and for a single user's server on any other address.
        """
        settings = Settings.declared(environment)
        mode = _mode(environment.get(MODE, ""), address, accounts=settings.accounts is not None)
        return cls(mode, switch(environment, VIEWERS_ONLY), settings.simulated_rows, settings.accounts)

    def beside(self, ledger: Ledger, environment: Mapping[str, str] = os.environ) -> Self:
        """This policy on a store, shared where the store has served a shared service and nothing was declared.

        A program beside a server then does not answer what the server keeps to itself.
        """
        if self.answers and not environment.get(MODE) and ledger.has_loads():
            return replace(self, mode=Mode.SHARED)
        return self

    @property
    def answers(self) -> bool:
        """Whether comparisons with charged tables are answered."""
        return self.mode is Mode.SINGLE_USER

    def refuse_viewers(self) -> None:
        """Raise ViewersOnly on a server for viewers alone: for all that loads, changes, buys or simulates."""
        if self.viewers_only:
            raise ViewersOnly(
                "This service is for viewers alone: nothing is loaded, changed, bought or simulated here. "
                "Nothing was charged."
            )

    def refuse_unanswered(self) -> None:
        """Raise PlanError in a shared service: nobody there is told whether a table serves several populations."""
        if not self.answers:
            raise PlanError("A shared service answers no comparison with other populations, so none is to be decided.")

    def refuse_simulating(self, n: int) -> None:
        """Raise PlanError for a simulation of so many rows as would exhaust the machine for everybody."""
        if n > self.simulated_rows:
            raise PlanError(
                f"Simulations here draw at most {self.simulated_rows:,} rows, and the population has {n:,}. "
                "Nothing was begun. Whoever runs the server may set PMWPUB_SIMULATED_ROWS higher."
            )


def _mode(declared: str, address: str | None, *, accounts: bool) -> Mode:
    here = is_loopback(address)
    if not declared:
        return Mode.SINGLE_USER if here and not accounts else Mode.SHARED
    if declared not in list(Mode):
        raise SettingRefused(f"{MODE} is {' or '.join(Mode)}; {declared[:40]!r} came.")
    if declared == Mode.SINGLE_USER and not here:
        raise SettingRefused(
            f"{MODE}={Mode.SINGLE_USER} is for a server on a loopback address alone: all its sessions count as one "
            f"trusted person's. Listen on localhost, or declare {MODE}={Mode.SHARED}."
        )
    if declared == Mode.SINGLE_USER and accounts:
        raise SettingRefused(
            f"{MODE}={Mode.SINGLE_USER} is for a server of one person, and {CLAIM} declares accounts; leave one out."
        )
    return Mode(declared)


def is_loopback(address: str | None) -> bool:
    """Whether a server at this address can be reached from its own machine alone."""
    if address is None:
        return False
    try:
        return ipaddress.ip_address(address.strip("[]")).is_loopback
    except ValueError:
        return address.lower() == "localhost"
