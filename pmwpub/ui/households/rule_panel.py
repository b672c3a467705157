"""How rows make households, on Prepare: proposed from public tables, decided here, and what public households are."""

from __future__ import annotations

import streamlit as st

from pmwpub.service import Study
from pmwpub.service.households import household_rules
from pmwpub.service.households.household_outlook import public_parts
from pmwpub.service.households.household_rules import HouseholdRule, HouseholdSchema, ProposedHouseholds
from pmwpub.ui.app.frame import Badge, panel, refusals
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session
from pmwpub.ui.households.derived_columns import derived_part
from pmwpub.ui.wording.written import counted, plain

WHAT = (
    "A household is all rows of one household id. From public tables alone: a column of ids is suggested where each of "
    "its texts stands in one run of rows, and a column is taken as the household's where the persons of no public "
    "household differ in it."
)
NO_LOOK = (
    "A look at how the private table fits is not sold for households: compare some cells with what the schema expects."
)
TO_COME = "How rows make households is said here, once there are a public table and a schema."
CHARGED = (
    "Something was bought for the households of this column, so it stays: by other ids one household could meet "
    "several of these, and the charges would not add up to one promise."
)
IDS, OWN, TAKE = "Column of household ids", "Columns of the household, the same for all its persons", "Use these"


def household_panel(session: Session, study: Study, *, changeable: bool) -> None:
    """Say how rows make households and what the public ones are; whoever may change it decides it here."""
    changeable = changeable and not study.demo
    with panel("Households", Badge.PUBLIC), refusals():
        if study.schema is None or not study.candidates:
            st.caption(TO_COME)
            return
        if study.household is not None:
            with refusals():
                schema = study.household_schema()
                _in_force(schema)
                public_table(study, schema)
                if changeable:
                    derived_part(session, study, schema)
        if changeable and study.household is None:
            _choose(session, study)
        elif changeable:
            bought = household_rules.bought_ids(service(), study.population.name)
            with st.expander(f"Change {'' if bought else 'the ids or '}the columns of the household"):
                _choose(session, study, fixed=bool(bought))


def _in_force(schema: HouseholdSchema) -> None:
    rule = schema.rule
    columns = ", ".join(map(plain, rule.columns)) or "none"
    made = "; ".join(
        f"{plain(one.name)} (any person with {plain(one.column)} {plain(' or '.join(one.levels))})" for one in rule.any
    )
    st.markdown(
        f"Ids: **{plain(rule.id)}**. A household counts with at most **{rule.largest}** persons. Its own columns: its "
        f"size, {columns}{'; ' + made if made else ''}."
    )


def public_table(study: Study, schema: HouseholdSchema) -> None:
    """How many households of each public table a release can copy, and what is left out."""
    parts = public_parts(service(), study, schema)
    known = {
        "candidate": [one.name for one in parts.values()],
        "whole households": [one.households for one in parts.values()],
        "persons in them": [one.persons for one in parts.values()],
        f"left out: over {schema.largest} persons": [one.oversized for one in parts.values()],
        "left out: a level missing, or persons differ": [one.incomplete for one in parts.values()],
        "rows without an id": [one.nobody for one in parts.values()],
    }
    st.dataframe(
        known,
        hide_index=True,
        width="stretch",
        column_config=dict.fromkeys(list(known)[1:], st.column_config.NumberColumn(format="localized")),
        alt="The public tables with the whole households that a release can copy, and what is left out.",
    )
    for one in parts.values():
        if one.problem:
            st.warning(f"**{plain(one.name)}** gives no household. {plain(one.problem)}", icon=":material/block:")


def _choose(session: Session, study: Study, *, fixed: bool = False) -> None:
    """Ask for the ids and the household's columns, beside what public tables say of them.

    fixed  whether the ids stay what they are, for something was bought by them
    """
    before, columns = study.household, list(household_rules.public_columns(service(), study))
    likely = household_rules.suggested(service(), study)
    wanted = before.id if before is not None else next(iter(likely), None)
    place = columns.index(wanted) if wanted in columns else None
    key = "household ids in force" if fixed else "household ids"  # what was chosen before the charge is not kept
    name = st.selectbox(IDS, columns, index=place, placeholder="Choose a column", help=WHAT, key=key, disabled=fixed)
    if name is None:
        return
    if fixed:
        st.caption(CHARGED)
    elif likely:
        st.caption(f"Suggested from the public tables: {', '.join(map(plain, likely[:3]))}.")
    found = household_rules.proposed(service(), study, name)
    largest = study.population.rows_per_person
    _facts(found, largest)
    kept = before.columns if before is not None and before.id == name else found.columns
    options = list(found.differing)
    default = [one for one in kept if one in options]
    own = st.multiselect(OWN, options, default=default, key=f"household columns {name}")
    if st.button(TAKE, type="primary" if before is None else "secondary", key="use households"):
        made = () if before is None else before.any
        rule = HouseholdRule.checked(id=name, largest=largest, columns=tuple(own), any=made)
        household_rules.save_rule(service(), study, rule)
        session.tell("success", f"Rows with one text in {plain(name)} are now one household.")
        st.rerun()


def _facts(found: ProposedHouseholds, largest: int) -> None:
    """How large public households are, and in which columns their persons differ."""
    sizes = ", ".join(
        f"{counted(count, 'household')} of {size}" for size, count in found.sizes.items() if size <= largest
    )
    beyond = found.beyond(largest)
    more = f" **{counted(beyond, 'public household')} with more than {largest} persons would be left out.**"
    st.markdown(f"In the public tables: {sizes or 'none'}.{more if beyond else ''}")
    with st.expander("In which columns the persons of public households differ"):
        st.dataframe(
            {
                "column": list(found.differing),
                "households of two or more whose persons differ": list(found.differing.values()),
                "proposed as the household's": ["yes" if one in found.columns else "" for one in found.differing],
            },
            hide_index=True,
            width="stretch",
            alt="Each column, and in how many public households its persons differ.",
        )
