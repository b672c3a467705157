"""What a service may do for those who use it: whether it spends at all, and to whom comparisons of tables are answered.

Comparing a table with private ones is a question about private rows. Two modes answer it differently:

single user  all sessions are one trusted steward's, on this machine alone: comparisons, also with the tables that
             were charged, are answered, in words without counts; what they find takes a decision before a purchase
shared       any other server: tables are compared in memory, with those that the same session loaded and with public
             ones; what the store's fingerprints say is answered to nobody, and changes nothing that anybody sees
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self

from pmwpub.errors import SettingRefused, ViewersOnly
from pmwpub.ledger import Ledger

MODE = "PMWPUB_MODE"
VIEWERS_ONLY = "PMWPUB_VIEWERS_ONLY"
_SWITCH = {"": False, "0": False, "1": True}


class Mode(StrEnum):
    """Who the sessions of a service are."""

    SINGLE_USER = "single-user"
    SHARED = "shared"


@dataclass(frozen=True)
class Policy:
    """The rules that a service was started under.

    mode          who is answered when tables are compared
    viewers_only  nothing is loaded, changed or bought; what is stored is shown
    """

    mode: Mode = Mode.SINGLE_USER
    viewers_only: bool = False

    @classmethod
    def declared(cls, address: str | None, environment: Mapping[str, str] = os.environ) -> Self:
        """The policy of a service at an address, as the environment declares it.

        address  what the server listens on; None listens everywhere. A program without a server passes "localhost"

        Without a declaration a loopback address is a single user's, and any other is shared.
        Raises SettingRefused for an unknown value, and for a single user's server on any other address.
        """
        switch = environment.get(VIEWERS_ONLY, "")
        if switch not in _SWITCH:
            raise SettingRefused(f"{VIEWERS_ONLY} is 1 or 0; {switch[:40]!r} came.")
        return cls(_mode(environment.get(MODE, ""), address), _SWITCH[switch])

    @classmethod
    def on(cls, ledger: Ledger, address: str | None, environment: Mapping[str, str] = os.environ) -> Self:
        """The policy of a service on a store: as declared; and without a declaration shared where the store has served
        a shared service, so that a program beside it does not answer what the server keeps to itself."""
        found = cls.declared(address, environment)
        if found.answers and not environment.get(MODE) and ledger.has_loads():
            return replace(found, mode=Mode.SHARED)
        return found

    @property
    def answers(self) -> bool:
        """Whether comparisons with charged tables are answered."""
        return self.mode is Mode.SINGLE_USER

    def refuse_viewers(self) -> None:
        """ViewersOnly on a server for viewers alone: for all that loads, changes or buys."""
        if self.viewers_only:
            raise ViewersOnly(
                "This service is for viewers alone: nothing is loaded, changed or bought here. Nothing was charged."
            )


def _mode(declared: str, address: str | None) -> Mode:
    here = is_loopback(address)
    if not declared:
        return Mode.SINGLE_USER if here else Mode.SHARED
    if declared not in list(Mode):
        raise SettingRefused(f"{MODE} is {' or '.join(Mode)}; {declared[:40]!r} came.")
    if declared == Mode.SINGLE_USER and not here:
        raise SettingRefused(
            f"{MODE}={Mode.SINGLE_USER} is for a server on a loopback address alone: all its sessions count as one "
            f"trusted person's. Listen on localhost, or declare {MODE}={Mode.SHARED}."
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
