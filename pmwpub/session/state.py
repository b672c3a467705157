"""What one browser session knows, and how it gets to a page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple, NoReturn

import streamlit as st

from pmwpub.errors import UnknownPopulation
from pmwpub.service import PrivateTable, Study
from pmwpub.session.services import service
from pmwpub.session.words import plain

_SESSION, _STARTED, _TARGET = "pmwpub session", "pmwpub started", "pmwpub target"
HOME = "pages/home.py"


class Notice(NamedTuple):
    """Words to be shown once, on the next run."""

    kind: Literal["success", "info", "warning", "error"]
    words: str


@dataclass
class Session:
    """The open population, and the private table while this very session holds it.

    Privacy: `private` holds private rows; it lives here only, and its repr shows nothing.
    """

    population: str | None = None
    private: PrivateTable | None = field(default=None, repr=False)
    notices: list[Notice] = field(default_factory=list)

    def open(self, population: str | None) -> None:
        """Turn to a population; the private table of another one is let go."""
        if population != self.population:
            self.private = None
        self.population = population

    def steward(self, study: Study) -> PrivateTable | None:
        """The private table, if this session holds this population's under the current schema; else None."""
        private = self.private
        if private is None or study.schema is None or private.population != study.population.name:
            return None
        return private if private.schema_sha256 == study.schema.sha256 else None

    def tell(self, kind: Literal["success", "info", "warning", "error"], words: str) -> None:
        """Say something on the next run, once."""
        self.notices.append(Notice(kind, words))


def current() -> Session:
    """This browser session's state."""
    if _SESSION not in st.session_state:
        st.session_state[_SESSION] = Session()
    return st.session_state[_SESSION]


def start() -> None:
    """For app.py, after st.navigation: forward a cold deep link to its page, and follow the address's population."""
    st.session_state[_STARTED] = True
    target = st.session_state.pop(_TARGET, None)
    if target is not None:
        page, params = target
        st.switch_page(page, query_params=params)
    _follow_address()


def enter(page: str) -> Session:
    """First call of every page. On a cold deep link streamlit runs the page without app.py: go there first."""
    if _STARTED not in st.session_state:
        st.session_state[_TARGET] = (page, st.query_params.to_dict())
        st.switch_page("app.py")
    return current()


def go(page: str, **params: str) -> NoReturn:
    """Turn to a page; the address names the population."""
    st.switch_page(page, query_params=address(**params))
    raise RuntimeError("Streamlit did not turn the page.")


def address(**params: str) -> dict[str, str]:
    """Query parameters that lead back to the open population."""
    population = current().population
    return ({} if population is None else {"population": population}) | params


def _follow_address() -> None:
    session = current()
    wanted = st.query_params.get("population")
    if wanted is None:
        if session.population is not None:
            st.query_params["population"] = session.population
        return
    if wanted == session.population:
        return
    try:
        service().ledger.population(wanted)
    except UnknownPopulation as refusal:
        session.open(None)
        session.tell("error", plain(str(refusal)))
        del st.query_params["population"]
        return
    session.open(wanted)
