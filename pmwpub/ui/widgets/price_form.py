"""The price of a plan, and the one form on which it is spent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from pmwpub.plans import ReleasePlan, TableFitPlan, WeightedPoolPlan
from pmwpub.service import Outcome, Price, PrivateTable, Study, purchases
from pmwpub.service.choosing.outlook import outlook
from pmwpub.service.grant import left_after, price_small_print, price_words
from pmwpub.service.inputs import study_store
from pmwpub.service.purchases import Purchase
from pmwpub.ui.app.coming_and_pressing import Notice, Press
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session, current
from pmwpub.ui.wording.written import plain

AGAIN = "I want another draw and pay for it"
ALREADY = "This plan was already bought: showing the stored result, nothing was charged."
CHARGED = "Charged. The server does the work, whether this page stays open or not."
ASTRAY = (
    "The page changed as this button was pressed: that press bought nothing, and nothing was charged for it. What is "
    "offered now stands below."
)
CLOSED = "Nothing more is bought of this population: it is closed."
NO_RESULT = (
    "**No result.** The work was cancelled, broke off, or did not come to one. Its charge stays, and the same plan is "
    "never drawn again: sending it again shows this. A new draw is a new charge."
)


def purchase_form(
    session: Session,
    study: Study,
    private: PrivateTable,
    wanted: Sequence[Purchase],
    buys: str,
    *,
    place: str,
    label: str,
    repeat: int = 0,
) -> list[Outcome]:
    """Draw what is bought, its price, what would be left, and the button that buys; returns what this run bought.

    buys    the plans' own figures in words, made from the very plans that a click buys
    place   names the form among those of its page, whatever it offers
    repeat  which draw of the plans; from the second on it is drawn on purpose, and that is ticked too

    A plan that changed under way has another form, whose button was not pressed; that is said. Of a population that is
    closed nothing is offered, and the head of the page says why.
    """
    price, above = purchases.price(service(), study, wanted, private=private, repeat=repeat), st.container()
    key = " ".join([*(one.plan.sha256 for one in wanted), *([str(repeat)] if repeat else [])])
    paid = price.rho.units == 0
    if study.closed is not None and not paid:
        st.caption(CLOSED)
        return []
    press = Press(place, f"stored {key}" if paid else key)
    ticks = [] if paid else _ticks(session, study, private, wanted, repeat)
    with st.form(f"spend {key}", enter_to_submit=False):
        if paid:
            st.markdown("**Price: nothing.** This was already bought; the stored result is shown.")
            seen, agreed = _button("Show the stored result", press), True
        else:
            _say_price(price, buys)
            if purchases.FREE_TICK not in ticks:
                _say_worth(study, wanted)
            agreed = all([st.checkbox(tick, key=f"agree {key} {tick}") for tick in ticks])
            seen = _button(label, press, type="primary", disabled=not price.affordable)
            if seen and not agreed:
                st.warning("Tick the sentence above first; nothing was charged.")
    _answer(session, press, above, seen=seen)
    if not (seen and agreed):
        return []
    outcomes = purchases.buy(
        service(),
        private,
        wanted,
        repeat=repeat,
        tick=purchases.TICK in ticks or None,
        free_tick=purchases.FREE_TICK in ticks,
        current=study,
    )
    told(session, outcomes)
    return outcomes


def _ticks(session: Session, study: Study, private: PrivateTable, wanted: Sequence[Purchase], repeat: int) -> list[str]:
    """The sentences to be ticked before a purchase.

    What comparisons found is told above them, to the steward alone, and changes none of them. Public tables that came
    since the private one was loaded are compared first.
    """
    asked = [AGAIN] if repeat else []
    for words in purchases.doubts(service(), study, wanted, repeat=repeat):
        st.warning(plain(words), icon=":material/balance:")
        asked.append(purchases.FREE_TICK)
    asked = list(dict.fromkeys(asked))
    if not purchases.asks(study, wanted):
        return asked
    session.private = study_store.compared_again(service(), private, study)
    used = frozenset().union(*(one.public_tables for one in wanted))
    for one in purchases.warnings_before(service(), session.private, used, study):
        st.warning(plain(one.warning), icon=":material/content_copy:")
    return [*asked, purchases.TICK]


def _answer(session: Session, press: Press, above: Any, *, seen: bool) -> None:
    """Note that this run saw the press, or say what became of one that it cannot see."""
    if seen:
        session.answer(press)
    elif (lost := session.lost_press(press.place)) is not None:
        notice = Notice("warning", ASTRAY) if lost.notice is None else lost.notice
        if notice not in session.said:
            getattr(above, notice.kind)(notice.words)


def _button(label: str, press: Press, **look: Any) -> bool:
    return st.form_submit_button(label, key=f"confirm {press.key}", on_click=current().press, args=(press,), **look)


def _say_worth(study: Study, wanted: Sequence[Purchase]) -> None:
    """What releases among the purchases promise: the error to expect, and the noise in rows."""
    for plan in [one.plan for one in wanted]:
        if isinstance(plan, ReleasePlan | TableFitPlan | WeightedPoolPlan):
            with service().ledger.view():
                found = outlook(service(), study, plan)
            st.markdown(f"{plain(found.error_words)} {plain(found.noise_words)}")
            if found.drowned_words:
                st.warning(plain(found.drowned_words))


def _say_price(price: Price, buys: str) -> None:
    st.markdown(f"**Buys:** {buys}.")
    st.markdown(f"**Price: {price_words(price)}**")
    st.caption(price_small_print(price))
    if not price.affordable:
        st.warning("That is more than this population has left. Lower ε; nothing can be charged.")
    else:
        st.markdown(f"Left afterwards: {left_after(price)}.")


def told(session: Session, outcomes: Sequence[Outcome]) -> None:
    """Say on the next run whether this click charged."""
    fresh = any(outcome.fresh for outcome in outcomes)
    session.conclude(Notice("success", CHARGED) if fresh else Notice("info", ALREADY))
