"""Files that are made when somebody downloads them: Streamlit calls what makes them where no page runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from pmwpub.accounts.acting import acting_as
from pmwpub.accounts.people import Visitor
from pmwpub.ui.app.services import policy, service
from pmwpub.ui.app.signing_in import sign_in_of

Made = TypeVar("Made")


def at_download(population: str, make: Callable[[], Made]) -> Callable[[], Made]:
    """What makes a file of a population, for whoever is here now, and only while the population is open to them.

    With accounts, the call raises UnknownPopulation once the sign-in ended or the person was put out, though the page
    still stands open. Without, `make` is handed back.
    """
    rules = policy().accounts
    if rules is None:
        return make
    claims = st.user.to_dict()

    def made() -> Made:
        with acting_as(Visitor(sign_in_of(rules, claims))):
            service().ledger.population(population)
            return make()

    return made
