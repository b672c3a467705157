"""Columns of households that are made of persons' levels, such as "has a child": added and taken out, each at once."""

from __future__ import annotations

import streamlit as st

from pmwpub.service import Study
from pmwpub.service.households import household_rules
from pmwpub.service.households.household_rules import AnyPerson, HouseholdRule, HouseholdSchema
from pmwpub.ui.app.frame import refusals
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session
from pmwpub.ui.wording.written import plain

WHAT = 'Whether any person of a household has one of some levels, such as "has a child": a yes or no of each household.'


def derived_part(session: Session, study: Study, schema: HouseholdSchema) -> None:
    """Draw the fields that add such a column, and a button for each that is there."""
    with st.expander("Columns of households made of their persons"), refusals():
        st.caption(WHAT)
        for place, one in enumerate(schema.rule.any):
            words, drop = st.columns([4, 1], vertical_alignment="center")
            words.markdown(f"{plain(one.name)}: {plain(one.column)} is {plain(' or '.join(one.levels))}")
            if drop.button("Take out", key=f"take out {place} {one.name}"):
                left = tuple(other for other in schema.rule.any if other != one)
                _save(session, study, schema.rule, left, f"{plain(one.name)} was taken out.")
        _add(session, study, schema)


def _add(session: Session, study: Study, schema: HouseholdSchema) -> None:
    """Ask for a column's name, the persons' column and its levels."""
    levels = {attribute.name: attribute.levels for attribute in schema.persons.domain.attributes}
    left, right = st.columns(2)
    column = left.selectbox("Of the persons' column", list(levels), key="derived of")
    name = right.text_input("Its name", placeholder="has a child", key="derived name")
    chosen = st.multiselect("Any person has", levels[column], key=f"derived levels {column}")
    if st.button("Add this column", disabled=not (name.strip() and chosen), key="add derived"):
        made = HouseholdRule.checked(
            id=schema.rule.id,
            largest=schema.largest,
            columns=schema.rule.columns,
            any=(*schema.rule.any, {"name": name.strip(), "column": column, "levels": tuple(chosen)}),
        )
        _save(session, study, schema.rule, made.any, f"{plain(name)} is now a column of households.")


def _save(session: Session, study: Study, rule: HouseholdRule, made: tuple[AnyPerson, ...], words: str) -> None:
    """Make the rule with these columns the population's own."""
    household_rules.save_rule(service(), study, rule.model_copy(update={"any": made}))
    session.tell("success", words)
    st.rerun()
