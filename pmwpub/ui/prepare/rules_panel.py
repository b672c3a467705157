"""The rules of the schema: those in force, one more by its text, and those that public rows suggest."""

from __future__ import annotations

import streamlit as st

from pmwpub.service import Study
from pmwpub.service.rules import rule_editing
from pmwpub.service.rules.rule_editing import RuleInForce, SuggestedRule
from pmwpub.ui.app.frame import Badge, panel, refusals
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session
from pmwpub.ui.prepare.schema_changes import change_schema
from pmwpub.ui.wording.written import counted, plain

WHAT = (
    "A rule says which rows there cannot be, such as a child with a job. It comes from what is publicly known. Public "
    "rows that break one are left out, and no released row breaks one. Private rows are never held against rules, and "
    "nothing but a look at the fit, for a price, tells how many break one."
)
HOW = (
    'Compare a column with a number (an edge of its bins) or a level in "quotes": =, !=, <, <=, >, >=, in (…). Join '
    "with not, and, or, implies, and brackets. A name that is no single word stands between back quotes. A reason may "
    "follow behind #."
)
EVIDENCE = (
    "Levels of two columns that no public row has together, although many were to be expected, were the columns "
    "independent. That is evidence and no proof: confirm what cannot be, one by one. None becomes a rule by itself."
)
EDITED = "The schema is being edited above: save that or discard it first, then rules can be added here."
AT_ONCE = 10
"""Suggestions that are shown together."""


def rules_panel(session: Session, study: Study, *, changeable: bool) -> None:
    """Everything about rules, folded away; nothing without a schema, or where there are no rules and none may come."""
    changeable = changeable and not study.demo
    if study.schema is None or not (study.schema.rules or changeable):
        return
    number = len(study.schema.rules)
    with st.expander("Rules"), panel("Rules", Badge.PUBLIC):  # its label never changes, so that it stays open
        st.caption(f"{counted(number, 'rule') if number else 'No rule'} so far. {WHAT}")
        for place, one in enumerate(rule_editing.in_force(study)):
            _rule(session, study, place, one, changeable=changeable)
        if number:
            _which(study)
        if changeable and session.editing is not None:
            st.info(EDITED)
        elif changeable:
            _add(session, study)
            _suggested(session, study)


def _rule(session: Session, study: Study, place: int, one: RuleInForce, *, changeable: bool) -> None:
    """One rule with its reason, and how many public rows it leaves out."""
    st.code(one.rule.text, language=None, wrap_lines=True)
    with st.container(horizontal=True, vertical_alignment="center"):
        why = f"{plain(one.rule.reason)} · " if one.rule.reason else ""
        st.caption(f"{why}{counted(one.rows, 'public row')} left out")
        if changeable and st.button("Take out", key=f"take out rule {place}", icon=":material/undo:"):
            said = f"The rule was taken out: {plain(one.rule.text)}. The schema is saved."
            change_schema(session, lambda: rule_editing.take_out(service(), study, one.rule), said)


def _which(study: Study) -> None:
    """The numbers of the public rows that were left out, on demand."""
    if not st.toggle("Which public rows are left out", key="rows left out by rules"):
        return
    with refusals():
        found = rule_editing.which_rows(service(), study)
        rules = () if study.schema is None else study.schema.rules
        lines = [
            (name, rule.text, one.words)
            for name, broken in found.items()
            for rule, one in zip(rules, broken, strict=True)
            if one.rows
        ]
        if not lines:
            st.caption("None.")
            return
        names, texts, numbers = map(list, zip(*lines, strict=True))
        st.dataframe(
            {"candidate": names, "rule": texts, "rows, counted from 1 below the header": numbers},
            hide_index=True,
            width="stretch",
            alt="The public rows that break each rule, by candidate.",
        )


def _add(session: Session, study: Study) -> None:
    number = len(study.schema.rules) if study.schema is not None else 0
    with st.form("add a rule"):  # a text that is refused stays to be mended; with a rule more the field begins anew
        text = st.text_input("A rule", placeholder=rule_editing.EXAMPLE, help=HOW, key=f"rule text {number}")
        pressed = st.form_submit_button("Add this rule", key="add rule")
    if pressed and text.strip():
        said = f"The rule is part of the schema, which is saved: {plain(text)}"
        change_schema(session, lambda: rule_editing.add(service(), study, text), said)


def _suggested(session: Session, study: Study) -> None:
    """What public rows suggest, once somebody asks for it."""
    if not study.usable or not st.toggle("What public rows suggest", key="suggested rules"):
        return
    st.caption(EVIDENCE)
    with refusals():
        found = rule_editing.suggestions(service(), study)
        if not found:
            st.caption("Nothing: all levels that were to be expected together are.")
        begins = list(range(0, len(found), AT_ONCE))
        begin = begins[0] if begins else 0
        if len(begins) > 1:
            begin = st.selectbox("Suggestions", begins, format_func=lambda at: _range(at, len(found)))
        for place, one in enumerate(found[begin : begin + AT_ONCE], start=begin):
            _suggestion(session, study, place, one)


def _range(begin: int, total: int) -> str:
    return f"{begin + 1} to {min(begin + AT_ONCE, total)} of {total}, the strongest first"


def _suggestion(session: Session, study: Study, place: int, one: SuggestedRule) -> None:
    st.code(one.rule.text, language=None, wrap_lines=True)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"No public row; about {one.expected:,.0f} were to be expected")
        if st.button("Confirm this rule", key=f"confirm rule {place}", icon=":material/check:"):
            said = f"The rule is part of the schema, which is saved: {plain(one.rule.text)}"
            change_schema(session, lambda: rule_editing.add(service(), study, one.rule.text), said)
