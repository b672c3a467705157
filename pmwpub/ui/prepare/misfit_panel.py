"""The look at the fit of private table and schema: its price, what was bought, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pmwpub.numerals import as_fraction
from pmwpub.service import PrivateTable, Study, purchases
from pmwpub.service.bought import misfit_remedies, misfit_shares
from pmwpub.service.bought.misfit_shares import FitSeen
from pmwpub.service.inputs import reviewing
from pmwpub.service.purchases import MisfitOffer, MisfitPurchase
from pmwpub.ui.app import widget_keys
from pmwpub.ui.app.frame import Badge, panel, refusals
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session
from pmwpub.ui.widgets import number_fields
from pmwpub.ui.widgets.price_form import purchase_form
from pmwpub.ui.widgets.what_became import has_result, show_remarks
from pmwpub.ui.wording.written import counted, plain

WHAT = (
    "A private cell **misfits** where the schema gives it no level, “(other)”, or the end bin of numbers that it does "
    "not reach. A release says nothing of such values. How many rows have them is a question about the private table, "
    "so the answer is noisy and has a price."
)
NAMED = 6
"""So many columns are named in a line; more are counted."""


def misfit_panel(session: Session, study: Study) -> None:
    """Show what was bought of the fit, for everybody, and the form that buys it, for the steward."""
    private, buyer = session.steward(study), session.buyer(study)
    bought = misfit_shares.looks(service(), study.population.name)
    if study.schema is None or (buyer is None and not bought):
        return
    with panel("Does the private table fit the schema?", Badge.DP):
        _bought(study, bought, steward=private is not None)
        if buyer is not None:
            st.markdown(WHAT)
            with st.expander("Buy a look", expanded=not bought), refusals():
                _buy(session, study, buyer)


def _bought(study: Study, bought: Sequence[FitSeen], *, steward: bool) -> None:
    """The newest look, and the others folded away."""
    for one in bought[-1:]:
        _shown(study, one, steward=steward)
    if earlier := bought[-2::-1]:
        with st.expander(f"Earlier looks ({len(earlier)})"):
            for one in earlier:
                _shown(study, one, steward=steward)


def _shown(study: Study, seen: FitSeen, *, steward: bool) -> None:
    title = f"**Look at {counted(len(seen.plan.columns), 'column')}**"
    if has_result(seen.outcome, "Look at the fit", title, steward=steward):
        _shares(study, seen)


def _shares(study: Study, seen: FitSeen) -> None:
    *own, overall = seen.words
    for sentence in own[: sum(one.evident for one in seen.columns)]:
        st.markdown(plain(sentence))
    if seen.rules is not None:
        st.markdown(plain(own[-1]))
    evident = any(one.evident for one in (*seen.columns, seen.overall) if one is not None)
    st.info(plain(overall), icon=":material/rule:" if evident else ":material/check:")
    named = [(one.column or "any of these", one) for one in (*seen.columns, seen.overall) if one is not None]
    named += [] if seen.rules is None else [("rows that break a rule", seen.rules)]
    shares = [one for _, one in named]
    public = reviewing.public_shares(service(), study, seen.plan.columns)
    with st.expander("Noisy shares of the rows, with their intervals"):
        st.dataframe(
            {
                "column": [name for name, _ in named],
                "noisy share (%)": [round(100 * one.estimate, 2) for one in shares],
                "from (%)": [round(100 * one.low, 2) for one in shares],
                "to (%)": [round(100 * one.high, 2) for one in shares],
                "public tables (%)": [_percent(public.get(one.column or "")) for one in shares],
            },
            hide_index=True,
            width="stretch",
            placeholder="–",
            alt="Noisy shares of private rows that misfit, by column, with the ends of their intervals.",
        )
        st.caption(f"Each interval holds the true share at {seen.confidence:.0%} confidence, taken alone.")
    show_remarks(seen.remarks)
    if study.schema is not None and seen.plan.schema_sha256 != study.schema.sha256:
        st.caption("It was bought under an earlier schema.")
    elif study.schema is not None:
        _remedies(study, seen)


def _percent(share: float | None) -> float | None:
    return None if share is None else round(100 * share, 2)


def _remedies(study: Study, seen: FitSeen) -> None:
    """What to do, once for all columns with the same remedy."""
    columns: dict[str, list[str]] = {}
    for one in seen.columns:
        if one.evident and one.column is not None and study.schema is not None:
            columns.setdefault(misfit_remedies.remedy(study.schema, one.column), []).append(one.column)
    for remedy, names in columns.items():
        st.markdown(f"**What to do about {_named(names)}:** {plain(remedy)}")
    if columns:
        st.caption(misfit_remedies.NEVER)


def _buy(session: Session, study: Study, private: PrivateTable) -> None:
    """Columns and half-width, then what they cost, or why it is not sold."""
    risks = reviewing.risky(service(), study)
    why = {risk.column: risk.why for risk in risks}
    names = list(why) + [one.name for one in study.schema.encoded if one.name not in why] if study.schema else []
    proposed = purchases.proposed_columns(study, list(why), misfit_shares.HALF_WIDTH)
    columns = st.multiselect(
        "Columns to look at",
        names,
        default=proposed,
        key=f"misfit columns {study.schema.sha256 if study.schema else ''}",
        help="By public facts alone. " + "; ".join(f"{plain(name)}: {plain(words)}" for name, words in why.items()),
    )
    if len(proposed) < len(why):
        st.caption(f"{counted(len(why), 'column')} may misfit; as many of the most pressing are chosen as are sold.")
    points = number_fields.number(
        st, "Half-width of each share, ± points (95 %)", "1", "0.01", "50", key=widget_keys.MISFIT_POINTS
    )
    half_width = str(as_fraction(points) / 100)
    ruled = study.schema is not None and bool(study.schema.rules)
    rules = ruled and st.checkbox("Also the rows that break a rule of the schema", key="misfit rules")
    offer = purchases.misfit_offer(study, columns, half_width, rules=rules)
    if offer.refusal:
        st.warning(plain(offer.refusal), icon=":material/money_off:")
        return
    plan = misfit_shares.misfit_plan(study, columns, half_width=half_width, rules=rules)
    wanted, buys = [MisfitPurchase(plan)], _in_words(offer, plan.columns, rules=rules)
    if purchase_form(session, study, private, wanted, buys, place="fit", label="Buy this look"):
        st.rerun()


def _in_words(offer: MisfitOffer, columns: Sequence[str], *, rules: bool) -> str:
    width, broken = purchases.in_points(offer.half_width), ", of those that break a rule" if rules else ""
    return f"the noisy share of rows that misfit in {_named(columns)}, and in any of them{broken}, each {width} (95 %)"


def _named(columns: Sequence[str]) -> str:
    if len(columns) > NAMED:
        return counted(len(columns), "column")
    return ", ".join(map(plain, columns))
