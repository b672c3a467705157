"""The price of a plan, and the one form on which it is spent."""

from __future__ import annotations

import streamlit as st

from pmwpub.service import Outcome, Price
from pmwpub.session.state import Session, current
from pmwpub.session.words import cost, left, loss

ALREADY = "This plan was already bought: showing the stored result, nothing was charged."
CHARGED = "Charged. The work runs on the server; it goes on when this page is closed."
ASTRAY = (
    "The page changed just as this button was pressed, so that press bought nothing and nothing was charged for it. "
    "Read the price below and press again."
)
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
    session = current()
    if session.astray(place, key):
        st.warning(ASTRAY)
    press = {"key": f"confirm {key}", "on_click": session.press, "args": (place, key)}
    with st.form(f"spend {key}", enter_to_submit=False):
        if price.rho.units == 0:
            st.markdown("**Price: nothing.** This was already bought; the stored result is shown.")
            return st.form_submit_button("Show the stored result", **press)
        st.markdown(f"**Buys:** {buys}.")
        st.markdown(f"**Price: {cost(price.epsilon, price.delta, price.rho.rho)}**")
        st.caption("ρ is what the ledger charges and adds up; ε is what this ρ alone means at this δ.")
        if not price.affordable:
            st.warning("That is more than this population has left. Lower ε; nothing can be charged.")
        else:
            st.markdown(f"Left afterwards: ε = {left(price.remaining, price.delta)} at δ = {loss(price.delta)}.")
        agreed = st.checkbox(ask, key=f"agree {key}") if ask else True
        pressed = st.form_submit_button(label, type="primary", disabled=not price.affordable, **press)
        if pressed and not agreed:
            st.warning("Tick the sentence above first; nothing was charged.")
        return pressed and agreed


def tell(session: Session, fresh: bool) -> None:
    """Say on the next run whether this click charged."""
    session.tell("success" if fresh else "info", CHARGED if fresh else ALREADY)


def told(session: Session, outcomes: list[Outcome]) -> None:
    """The same for several plans that were sent together."""
    tell(session, any(outcome.fresh for outcome in outcomes))
