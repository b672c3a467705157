"""Criteria that a release has to meet, named before it is bought: a short form of the kinds that are asked for most."""

from __future__ import annotations

from typing import Any, NamedTuple

import streamlit as st

from pmwpub.numerals import as_fraction
from pmwpub.plans.criteria import Criterion, criteria_of
from pmwpub.service import Study
from pmwpub.service.accepting.acceptances import price_before
from pmwpub.service.accepting.criteria_of_release import numeric_ends
from pmwpub.service.grant import percent_taken
from pmwpub.ui.app.widget_keys import WidgetKey
from pmwpub.ui.widgets import number_fields

WHAT = (
    "Once the release is stored, Hand over sells a noisy number for each, held against its bar. Criteria stand in the "
    "plan and cannot be changed afterwards; not passing refunds nothing."
)
NO_COLUMNS = (
    "Criteria: choose the columns of the marginal, or take the tick out of it. Nothing can be bought until then, and "
    "nothing was charged."
)

OF_MEAN = "what the mean costs"


class AskedCriteria(NamedTuple):
    """Criteria as the form has them.

    lacking  what one that is ticked still lacks, in words; "" for nothing
    """

    criteria: tuple[Criterion, ...]
    lacking: str


def criteria_form(study: Study) -> AskedCriteria:
    """Ask for criteria, none beforehand, and say what holding the release against them will cost.

    One that is not complete is told and not raised, so that the rest of the form is drawn and keeps what it was set to.
    """
    with st.expander("Criteria that it has to meet"):
        st.caption(WHAT)
        asked = [*_largest(), *_marginal(study), *_mean(study)]
        whole = [one for one in asked if one.get("columns") != []]
        criteria, lacking = criteria_of(whole), NO_COLUMNS if len(whole) < len(asked) else ""
        if criteria and not lacking:
            _say_price(study, criteria)
        return AskedCriteria(criteria, lacking)


def _largest() -> list[dict[str, Any]]:
    if not st.checkbox("The largest error over the workload", key="criterion largest"):
        return []
    return [{"kind": "largest", "within": _hundredths("Largest error within, points", "5", "criterion largest within")}]


def _marginal(study: Study) -> list[dict[str, Any]]:
    if not st.checkbox("One marginal, by its total variation distance", key="criterion marginal"):
        return []
    names = study.schema.domain.names if study.schema is not None else ()
    columns = st.multiselect("Columns of the marginal", names, max_selections=3, key="criterion marginal columns")
    within = _hundredths("Marginal within, points", "2", "criterion marginal within")
    return [{"kind": "marginal", "columns": columns, "within": within}]


def _mean(study: Study) -> list[dict[str, Any]]:
    ends = {} if study.schema is None else numeric_ends(study.schema)
    if not ends or not st.checkbox("The mean of a numeric column", key="criterion mean"):
        return []
    column = st.selectbox("Mean of", list(ends), key="criterion mean column")
    left, middle, right = st.columns(3)
    low = left.text_input("Numbers clipped from", f"{ends[column][0]:g}", key=f"criterion mean low {column}")
    high = middle.text_input("Numbers clipped to", f"{ends[column][1]:g}", key=f"criterion mean high {column}")
    unit = right.text_input("In whole units of", "1", key=f"criterion mean unit {column}")
    within = _hundredths("Mean within, percent", "3", "criterion mean within")
    return [{"kind": "mean", "column": column, "low": low, "high": high, "unit": unit, "within": within}]


def _hundredths(label: str, value: str, key: str) -> str:
    typed = number_fields.number(st, label, value, "0.001", "99", key=WidgetKey(key))
    return str(as_fraction(typed) / 100)


def _say_price(study: Study, criteria: tuple[Criterion, ...]) -> None:
    rho = price_before(criteria, study)
    if rho is None:
        st.warning("No noise is narrow enough for these bars; take wider ones.")
        return
    percent = f"{percent_taken(rho, study.balance.total):g} % of the grant for it"
    if not any(one.kind == "mean" for one in criteria):
        st.caption(f"Leave {percent}.")
    elif rho.units:
        st.caption(f"Leave at least {percent}; {OF_MEAN} comes on top, and is known once the release is.")
    else:
        st.caption(f"Leave some of the grant for it; {OF_MEAN} is known once the release is.")
