"""What one browser session knows, and how it gets to a page."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field
from typing import Literal, NoReturn

import streamlit as st

from pmwpub.errors import UnknownPopulation
from pmwpub.service import PrivateTable, Study
from pmwpub.ui.app.coming_and_pressing import Arrival, Notice, Press
from pmwpub.ui.app.pending import PendingFiles, SchemaDraft, UnstoredChoices
from pmwpub.ui.app.services import policy, service
from pmwpub.ui.app.signing_in import token
from pmwpub.ui.wording.written import plain

_SESSION = "pmwpub session"
LEFT_BEHIND = (
    "Another page or view was opened as a button was pressed: that press bought nothing, and nothing was charged."
)
HOME = "pages/protect.py"
VIEW, STAKEHOLDER = "view", "stakeholder"


@dataclass
class Session:
    """The open population, and the private table while this very session holds it.

    presenting  the stakeholder view: nothing for the steward alone is computed or drawn
    shelf       refused files that wait for an encoding or a delimiter to be confirmed
    editing     the schema that is being edited here
    choices     what was chosen on pages and is in no store
    arrival     how this session came in
    notices     what is to be said on the next run
    said        what the latest run says
    seen        private numbers that the steward opened, by what was asked; they go with the private table
    pressed     the last press on a button that spends, until a run sees it
    runs        how many runs began since: two at most may answer it, the one that it caused, and the one that a field
                left by the same click caused, which ends the first midway
    answered    the last press that a run saw
    page        the file of the page that runs
    pressed_on  the page on which the last press was made, and whether it was made in the stakeholder view
    token       the sign-in that the session is of, on a server with accounts; under another one it begins anew
    looked_on   whether the last run was of somebody who may only look at what is open

    Privacy: `private`, `shelf` and `seen` may hold private rows or what follows from them; they live here only, and
    the repr shows nothing of them.
    """

    population: str | None = None
    private: PrivateTable | None = field(default=None, repr=False)
    notices: list[Notice] = field(default_factory=list)
    said: list[Notice] = field(default_factory=list)
    presenting: bool = False
    shelf: PendingFiles = field(default_factory=PendingFiles, repr=False)
    editing: SchemaDraft | None = field(default=None, repr=False)
    choices: UnstoredChoices = field(default_factory=UnstoredChoices, repr=False)
    arrival: Arrival = field(default_factory=Arrival, repr=False)
    seen: dict[object, object] = field(default_factory=dict, repr=False)
    pressed: Press | None = None
    runs: int = 0
    answered: Press | None = None
    page: str = ""
    pressed_on: tuple[str, bool] = ("", False)
    token: str = ""
    looked_on: bool = False

    def open(self, population: str | None) -> None:
        """Turn to a population; the private table and the unfinished work of another one are let go."""
        if population != self.population:
            self.hold(None)
            self.shelf, self.editing = PendingFiles(), None
        self.population = population

    def hold(self, private: PrivateTable | None) -> None:
        """Take a private table in, or let it go; numbers that were seen of an earlier one are forgotten."""
        self.private = private
        self.seen = {}

    def steward(self, study: Study) -> PrivateTable | None:
        """The private table, if this session holds this population's under the current schema; else None.

        It is None in the stakeholder view too, so that nothing that needs it is computed.
        """
        private = self.private
        if self.presenting or private is None or study.schema is None or private.population != study.population.name:
            return None
        same = private.schema_sha256 == study.schema.sha256 and private.household_rule == study.household
        return private if same else None

    def buyer(self, study: Study) -> PrivateTable | None:
        """The private table that something more may be bought of here; None where nothing is sold: the forms of
        purchases stand where this is not None."""
        return None if study.closed is not None else self.steward(study)

    def holding(self, study: Study) -> PrivateTable | None:
        """The private table, if this session holds this population's, under whatever schema; else None.

        It is for comparing public files with its rows, which needs no schema. It is None in the stakeholder view.
        """
        private = self.private
        return None if self.presenting or private is None or private.population != study.population.name else private

    def may_change(self, study: Study) -> bool:
        """Whether schema, candidates and workload may be changed here: before any charge, then by the steward; never
        once the population is closed."""
        return study.closed is None and self.in_charge(study)

    def in_charge(self, study: Study) -> bool:
        """Whether this session may delete uploads: anybody's before any charge, then the steward's."""
        return not self.presenting and (self.steward(study) is not None or study.balance.spent.units == 0)

    def press(self, press: Press) -> None:
        """Note a press; for the callback of a button that spends."""
        self.pressed, self.runs, self.pressed_on = press, 0, (self.page, self.presenting)

    def begin(self) -> None:
        """Note that a run of a page begins."""
        self.runs += 1
        if self.pressed is not None and self.pressed_on != (self.page, self.presenting):
            self.pressed = None
            self.tell("warning", LEFT_BEHIND)
        elif self.runs > 2:
            self.pressed = None

    def answer(self, press: Press) -> None:
        """Note that this run saw a press."""
        self.pressed, self.answered = None, press

    def conclude(self, notice: Notice) -> None:
        """Say on the next run what became of the press that this one saw."""
        self.tell(*notice)
        if self.answered is not None:
            self.answered = self.answered._replace(notice=notice)

    def lost_press(self, place: str) -> Press | None:
        """The press on the button of a form that was just drawn, where this run cannot see it; else None.

        Either the form offers something else by now, or the run that saw the press ended before it got here. The second
        click of a double click comes with what was said of the first.
        """
        press = self.pressed
        if press is None or press.place != place:
            return None
        same = self.answered is not None and self.answered.key == press.key
        return self.answered if same else press

    def tell(self, kind: Literal["success", "info", "warning", "error"], words: str) -> None:
        """Say something on the next run, once."""
        self.notices.append(Notice(kind, words))

    def say(self) -> list[Notice]:
        """What the head of a page says on this run."""
        self.said, self.notices = self.notices, []
        return self.said


def current() -> Session:
    """This browser session's state; with accounts, that of the person who is signed in now."""
    own = token(policy().accounts)
    if _SESSION not in st.session_state or st.session_state[_SESSION].token != own:
        st.session_state[_SESSION] = Session(token=own)
    return st.session_state[_SESSION]


def end_if_overtaken() -> None:
    """End this run where a press on the page has begun another one: Streamlit looks whenever the state is read."""
    st.session_state.get(_SESSION)


def leave() -> None:
    """Let go of all that the session holds: nobody is signed in any more. A private table goes with it.

    What stands in widgets goes too: Streamlit keeps none that this run does not draw.
    """
    st.session_state[_SESSION] = Session(token=token(policy().accounts))


def start(pages: Container[str]) -> None:
    """Forward a cold deep link to its page, and follow the address's population; for app.py, after st.navigation.

    pages  those that are offered; a link to any other leads to the first page
    """
    arrival = current().arrival
    arrival.started = True
    if arrival.target is not None:
        (page, params), arrival.target = arrival.target, None
        st.switch_page(page if page in pages else HOME, query_params=params)
    _follow_address()
    _follow_view()


def enter(page: str) -> Session:
    """This session's state: the first call of every page.

    On a cold deep link Streamlit runs the page without app.py; the page then goes there first.
    """
    session = current()
    if not session.arrival.started:
        session.arrival.target = (page, st.query_params.to_dict())
        st.switch_page("app.py")
    session.page = page
    session.begin()
    return session


def again() -> NoReturn:
    """Run the page anew although nobody acted: what it says stays."""
    session = current()
    session.notices, session.said = [*session.said, *session.notices], []
    st.rerun()
    raise RuntimeError("Streamlit did not run the page again.")


def go(page: str, **params: str) -> NoReturn:
    """Turn to a page; the address names the population."""
    st.switch_page(page, query_params=address(**params))
    raise RuntimeError("Streamlit did not turn the page.")


def address(**params: str) -> dict[str, str]:
    """Query parameters that lead back to the open population."""
    session = current()
    lasting = {} if session.population is None else {"population": session.population}
    return lasting | ({VIEW: STAKEHOLDER} if session.presenting else {}) | params


def viewers_only() -> bool:
    """Whether this session only looks on: the stakeholder view, for good.

    So it is for everybody on a server for viewers alone (PMWPUB_VIEWERS_ONLY=1), and with accounts for whoever does not
    work on the open population. No table can be loaded then, nothing spent, nor asked how tables compare.
    """
    rules = policy()
    return rules.viewers_only or (rules.accounts is not None and service().looks_on(current().population))


def is_outdated() -> bool:
    """Whether what the page shows is for other rights than those of now; then the whole page is to be drawn anew.

    For a part of a page that runs by itself: nobody is signed in any more, or who is may no longer see what is open, or
    works on it where he or she only looked on, or the reverse.
    """
    session, ledger = current(), service().ledger
    if policy().accounts is None:
        return False
    if ledger.actor() is None or session.looked_on != viewers_only():
        return True
    try:
        if session.population is not None:
            ledger.population(session.population)
    except UnknownPopulation:
        return True
    return False


def present(on: bool) -> None:
    """Turn the stakeholder view on or off, in the session and in the address."""
    on = on or viewers_only()
    current().presenting = on
    stands = st.query_params.get(VIEW) == STAKEHOLDER
    if on and not stands:
        st.query_params[VIEW] = STAKEHOLDER
    elif stands and not on:
        del st.query_params[VIEW]


def _follow_view() -> None:
    """Turn the stakeholder view on where the address asks for it; only the view's switch turns it off.

    Whoever may only look at what is open has it for as long as that is so, and holds no private table.
    """
    session, looks_on = current(), viewers_only()
    if looks_on:
        session.hold(None)
    over = session.looked_on and not looks_on
    session.looked_on = looks_on
    present(not over and (session.presenting or st.query_params.get(VIEW) == STAKEHOLDER))


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
