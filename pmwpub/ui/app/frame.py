"""What every page shares: links, the budget meter, badges, panels, notices, and the words of a refusal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from fractions import Fraction
from typing import NoReturn

import streamlit as st

from pmwpub.accounts.people import Role
from pmwpub.errors import PmwPubError, StillToChoose
from pmwpub.service import Study
from pmwpub.service.grant import promise_words, spent_words, taken, what_is_left
from pmwpub.service.inputs.study_store import study
from pmwpub.service.unchanged_release import PUBLISHED
from pmwpub.ui.app import widget_keys
from pmwpub.ui.app.account_panel import person_part
from pmwpub.ui.app.services import policy, service
from pmwpub.ui.app.state import HOME, Session, address, current, present, viewers_only
from pmwpub.ui.wording.path_so_far import PathSoFar
from pmwpub.ui.wording.written import plain

PAGES = {
    HOME: ("Protect", ":material/shield:"),
    "pages/prepare.py": ("Prepare", ":material/table:"),
    "pages/compare.py": ("Compare", ":material/leaderboard:"),
    "pages/release.py": ("Release", ":material/publish:"),
    "pages/hand_over.py": ("Hand over", ":material/ios_share:"),
    "pages/ledger.py": ("Ledger", ":material/receipt_long:"),
    "pages/what_if.py": ("What if", ":material/calculate:"),
    "pages/story.py": ("Story", ":material/auto_stories:"),
}
"""The five steps in their order, then what stands beside them: file, title, icon."""
STEPS = tuple(PAGES)[:5]
OF_OPERATORS = {"pages/operators.py": ("Operator", ":material/admin_panel_settings:")}
"""What is offered to operators besides; for everybody else there is no such page."""

PRESENTING = (
    "What is for the steward alone is neither computed nor shown. This is a presentation mode, **not access control**: "
    "whoever sits at this browser can turn it off."
)
LOOKS_ON = "You look at this population: what is released of it is shown, and you change and spend nothing."
NOT_YET = "There is nothing to be seen here yet: the population's steward works on it."
NOTHING_MORE = "Closed: nothing more is bought."
VIEWERS_ONLY = "This server is for viewers only: no table can be loaded here, and nothing can be spent."


class Badge(Enum):
    """Who may see a panel: label, icon, colour."""

    PUBLIC = ("Public", ":material/public:", "blue")
    DP = ("DP release", ":material/verified_user:", "green")
    PRIVATE = ("Private, steward only", ":material/lock:", "red")
    OPERATOR = ("Operators only", ":material/admin_panel_settings:", "red")

    def show(self) -> None:
        label, icon, colour = self.value
        st.badge(label, icon=icon, color=colour)


@contextmanager
def panel(title: str, *badges: Badge) -> Iterator[None]:
    """A framed part of a page with its badges, which stand behind the title: toolbars come up at the right."""
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.subheader(title, anchor=False, width="content")
            with st.container(horizontal=True, width="content"):
                for badge in badges:
                    badge.show()
        yield


@contextmanager
def refusals() -> Iterator[None]:
    """Show what pmwpub refuses in the block, in the words of the refusal; what was drawn before stays as it is."""
    try:
        yield
    except StillToChoose as missing:
        st.info(plain(str(missing)))
    except PmwPubError as refusal:
        st.error(plain(str(refusal)), icon=":material/block:")


def opened(title: str) -> Study:
    """Draw title, notices and path, and return the open population's public state; without one the page ends here."""
    session = entitled(title)
    if session.population is None:
        st.info("Open a population first." if session.presenting else "Open the demo or a population first.")
        link(HOME, f"Go to {PAGES[HOME][0]}")
        end()
    try:
        return _path(session, session.population)
    except PmwPubError as refusal:
        st.error(plain(str(refusal)), icon=":material/block:")
        end()


def opened_if_any(title: str) -> Study | None:
    """Draw title, notices and path, and return the open population's public state; None where none is open."""
    session = entitled(title)
    if session.population is None:
        return None
    with refusals():
        return _path(session, session.population)
    return None


def entitled(title: str) -> Session:
    """Draw title and notices; the session."""
    st.title(title, anchor=False)
    session = current()
    with st.container():  # one place whether something is said or not: what follows is not drawn anew, parts stay open
        notices(session)
    return session


def _path(session: Session, population: str) -> Study:
    """Draw the choices so far and what comes next: on a narrow screen the sidebar is folded away."""
    with service().ledger.view():
        found, bought = study(service(), population), service().ledger.bookings(population)
        free = len(service().ledger.documents(population, PUBLISHED))
    steward, viewing = session.steward(found) is not None, session.presenting
    held = len(session.shelf.offers) if session.may_change(found) else 0
    so_far = PathSoFar(found, bought, steward=steward, viewing=viewing, page=session.page, published=free, held=held)
    st.caption(so_far.line)
    if found.closed is not None:
        st.info(plain(found.closed.words), icon=":material/inventory_2:")
        return found
    step = so_far.next_step
    if step.page == session.page:
        st.markdown(f":material/arrow_downward: **Next, on this page:** {step.words}.")
    else:
        chosen = {} if step.release is None else {"release": str(step.release)}
        link(step.page, f"Next: {step.words}", **chosen)
    return found


def notices(session: Session) -> None:
    """Show what an earlier run of the session left to be said."""
    for kind, words in session.say():
        getattr(st, kind)(words)


def link(page: str, label: str, **params: str) -> None:
    """Draw a link that keeps the population in its address."""
    st.page_link(page, label=label, icon=":material/arrow_forward:", query_params=address(**params))


def need(thing: object, words: str, page: str, *, closed: bool = False) -> None:
    """End the page with words and a link, unless the thing that a step gives is there.

    closed  whether nothing more is done of the population: the page ends without them, its head has said so
    """
    if not thing and closed:
        end()
    if not thing and current().presenting:
        st.info(NOT_YET)
        end()
    if not thing:
        st.info(words)
        link(page, f"Go to {PAGES[page][0]}")
        end()


def end() -> NoReturn:
    """End this run: nothing more is drawn."""
    st.stop()
    raise RuntimeError("Streamlit did not stop.")


def offered() -> dict[str, tuple[str, str]]:
    """The pages that whoever acts may turn to, asked anew for each run; a page asks for the role again itself."""
    try:
        actor = service().ledger.admit()
    except PmwPubError:
        return PAGES
    return PAGES | OF_OPERATORS if actor is not None and actor.role is Role.OPERATOR else PAGES


def sidebar(pages: Mapping[str, tuple[str, str]]) -> None:
    """Draw links to the pages, the open population and its budget, and the switch of the stakeholder view."""
    session = current()
    with st.sidebar:
        for page, (label, icon) in pages.items():
            st.page_link(page, label=label, icon=icon, query_params=address(), width="stretch")
            if page == STEPS[-1]:
                st.divider()
        st.divider()
        if session.population is None:
            st.caption("No population is open: nothing can be spent.")
        else:
            with refusals():
                _meter(session, session.population)
        st.divider()
        _view_switch(session)
        person_part()


def _view_switch(session: Session) -> None:
    st.session_state[widget_keys.VIEW_SWITCH] = session.presenting
    st.toggle(
        "Stakeholder view",
        key=widget_keys.VIEW_SWITCH,
        on_change=lambda: present(st.session_state[widget_keys.VIEW_SWITCH]),
        disabled=viewers_only(),
    )
    if session.presenting and (policy().viewers_only or not viewers_only()):
        st.caption(VIEWERS_ONLY if viewers_only() else PRESENTING)
    elif session.presenting and session.population is not None:
        st.caption(LOOKS_ON)


def _meter(session: Session, population: str) -> None:
    with service().ledger.view():
        balance, running = service().ledger.balance(population), service().reserved(population)
        closing = service().ledger.closing(population)
    st.markdown(f"**{plain(population)}**")
    share = min(Fraction(1), balance.spent.rho / balance.total.rho)
    st.progress(float(share), text=f"{taken(balance.spent, balance.total)} of the grant taken")
    left = f"Left: {what_is_left(balance)}" if closing is None else NOTHING_MORE
    lines = [promise_words(balance), f"{spent_words(balance)}.", left]
    if running.units:
        lines.insert(1, f"At work: {taken(running, balance.total)} of the grant")
    st.caption("  \n".join(lines))
    if session.presenting:
        st.badge("Public and DP results only", icon=":material/co_present:", color="blue")
    elif session.private is None:
        st.badge("Viewer: private table not loaded here", icon=":material/visibility:", color="gray")
    else:
        st.badge("Steward: private table loaded", icon=":material/lock_open:", color="orange")
