"""The price of a plan, and the one form on which it is spent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import streamlit as st

from pmwpub.service import Outcome, Price, PrivateTable, Study, overlaps, studies
from pmwpub.session.services import service
from pmwpub.session.state import Notice, Press, Session, current
from pmwpub.session.words import cost, left, loss, plain

ALREADY = "This plan was already bought: showing the stored result, nothing was charged."
CHARGED = "Charged. The server does the work, whether this page stays open or not."
ASTRAY = (
    "The page changed as this button was pressed: that press bought nothing, and nothing was charged for it. What is "
    "offered now stands below."
)
NOT_MADE_FROM_IT = "None of these public tables was made from the private one, although they share rows"
NO_RESULT = (
    "**No result.** The work was cancelled, broke off, or did not come to one. Its charge stays, and the same plan is "
    "never drawn again: sending it again shows this. A new draw is a new charge."
)


def confirm(price: Price, buys: str, *, place: str, key: str, label: str, ask: str = "") -> bool:
    """What is bought, its exact price, what would be left, and the button that spends; True on the run of the click.

    buys  the plan's own figures in words, made from the very plan that a click spends
    place  names the form among those of its page, whatever it offers
    key  names the plans: a plan that changed under way has another form, whose button was not pressed; that is said
    ask  a sentence to be ticked first, for a draw on purpose
    """
    session, above = current(), st.container()
    paid = price.rho.units == 0
    press = Press(place, f"stored {key}" if paid else key)
    with st.form(f"spend {key}", enter_to_submit=False):
        if paid:
            st.markdown("**Price: nothing.** This was already bought; the stored result is shown.")
            seen, agreed = _button("Show the stored result", press), True
        else:
            _say_price(price, buys)
            agreed = st.checkbox(ask, key=f"agree {key}") if ask else True
            seen = _button(label, press, type="primary", disabled=not price.affordable)
            if seen and not agreed:
                st.warning("Tick the sentence above first; nothing was charged.")
    if seen:
        session.answer(press)
    elif (lost := session.lost_press(place)) is not None:
        notice = Notice("warning", ASTRAY) if lost.notice is None else lost.notice
        if notice not in session.said:
            getattr(above, notice.kind)(notice.words)
    return seen and agreed


def overlap(study: Study, private: PrivateTable, candidates: Iterable[str]) -> str:
    """What is to be ticked before public tables that share rows with the private one are used; "" if none does.

    The steward is told of those rows above it. Tables that came since the private one was loaded are compared first.
    """
    if not overlaps.in_force(study) <= private.compared:
        private = current().private = studies.compared_again(service(), private)
    used = set(candidates)
    shared = [one for one in private.shared_runs if used & set(one.sha256.split("+"))]
    for one in shared:
        st.warning(plain(one.warning), icon=":material/content_copy:")
    return NOT_MADE_FROM_IT if shared else ""


def _button(label: str, press: Press, **look: Any) -> bool:
    return st.form_submit_button(label, key=f"confirm {press.key}", on_click=current().press, args=(press,), **look)


def _say_price(price: Price, buys: str) -> None:
    st.markdown(f"**Buys:** {buys}.")
    st.markdown(f"**Price: {cost(price.epsilon, price.delta, price.rho.rho)}**")
    st.caption("ρ is what the ledger charges and adds up; ε is what this ρ alone means at this δ.")
    if not price.affordable:
        st.warning("That is more than this population has left. Lower ε; nothing can be charged.")
    else:
        st.markdown(f"Left afterwards: ε = {left(price.remaining, price.delta)} at δ = {loss(price.delta)}.")


def tell(session: Session, fresh: bool) -> None:
    """Say on the next run whether this click charged."""
    session.conclude(Notice("success", CHARGED) if fresh else Notice("info", ALREADY))


def told(session: Session, outcomes: list[Outcome]) -> None:
    """The same for several plans that were sent together."""
    tell(session, any(outcome.fresh for outcome in outcomes))
