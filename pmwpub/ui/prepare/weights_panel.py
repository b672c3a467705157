"""Weights on Prepare: what clipping them at a cap costs on public tables, and the form that takes one."""

from __future__ import annotations

import streamlit as st

from pmwpub.numerals import ungrouped
from pmwpub.rounding import in_percent, near
from pmwpub.service import Study
from pmwpub.service.inputs import decisions
from pmwpub.service.weighing.clipping_choices import CapChoice, ClippingChoices, clipping_choices
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session
from pmwpub.ui.prepare.schema_changes import change_schema
from pmwpub.ui.wording.written import plain

WHAT = (
    "Rows count as this weight, but none as more than the cap: noise hides one whole person, so it grows with the cap. "
    "What lies above is clipped, and shares shift. Both are shown on the public tables; take a cap that few rows pass."
)
DESIGN = (
    "Only **design weights** are covered: one over the chance of being drawn. Weights that were raked or adjusted for "
    "nonresponse move when another person is replaced, and no ε here protects that."
)
PUBLIC_TOO = "Rows of public tables that have it count so too"
TOTAL_HELP = "From a public source, such as a register. Blank: the Release page sells a noisy one."


def weights_part(session: Session, study: Study, *, changeable: bool) -> None:
    """One expander for each column of weights that public tables have; none where households are protected."""
    if study.of_households:
        return
    for found in clipping_choices(service(), study):
        with st.expander(f"What clipping {plain(found.column.name)} costs", icon=":material/scale:"):
            st.markdown(WHAT)
            _table(found)
            st.caption(f"Of {plain(', '.join(found.tables))}, the largest of each.")
            if changeable:
                _form(session, study, found)
            st.markdown(DESIGN)


def _table(found: ClippingChoices) -> None:
    rows = found.choices
    st.dataframe(
        {
            "cap": [one.cap for one in rows],
            "which": [_mark(found, one) for one in rows],
            "rows above": [in_percent(one.cost.above) for one in rows],
            "weight clipped": [in_percent(one.cost.clipped) for one in rows],
            "a level's share shifts by up to": [
                f"{in_percent(one.cost.shift)} ({one.cost.column})" if one.cost.shift else in_percent(0.0)
                for one in rows
            ],
            "noise, times that of equal rows": [near(one.cost.average) for one in rows],
        },
        hide_index=True,
        width="stretch",
        alt="Caps of the weights, and what each costs: rows above, weight clipped, the largest shift, the noise.",
    )


def _mark(found: ClippingChoices, one: CapChoice) -> str:
    said = ["in force"] if one.declaration == found.in_force else []
    return ", ".join([*said, *(["proposed"] if one.declaration == found.proposed else [])])


def _form(session: Session, study: Study, found: ClippingChoices) -> None:
    """A cap among those that were compared, and the declared total."""
    name, own = found.column.name, found.column.total or ""
    known = [one.declaration for one in found.choices]
    stands = next((one for one in (found.in_force, found.proposed) if one in known), None)
    with st.form(f"weigh {name}"):
        left, right = st.columns(2)
        declaration = left.selectbox(
            "Cap",
            known,
            index=0 if stands is None else known.index(stands),
            format_func=lambda text: "{} in units of {}".format(*text.split(":")),
            key=f"cap {name}",
        )
        total = right.text_input("All weights add up to", own, help=TOTAL_HELP, key=f"total {name}")
        public = st.checkbox(PUBLIC_TOO, found.column.cap is None or found.column.weighs is not None, key=f"all {name}")
        pressed = st.form_submit_button("Have rows count as this")
    if pressed and declaration is not None:
        remedy = found.remedy(declaration, ungrouped(total.strip()), public=public)
        said = f"{plain(name)}: rows count as what they weigh. The schema is saved."
        change_schema(session, lambda: decisions.decide(service(), study, remedy), said)
