"""The plan of a release of households, from widgets to a frozen value; what it cannot copy is said before its price."""

from __future__ import annotations

import streamlit as st

from pmwpub.errors import PlanError, StillToChoose
from pmwpub.plans import HouseholdPlan
from pmwpub.service import Study
from pmwpub.service.bought.releases import REST
from pmwpub.service.budget_left import left
from pmwpub.service.households.household_loading import HouseholdTable
from pmwpub.service.households.household_outlook import noise_before, public_parts
from pmwpub.service.households.household_releases import household_plan
from pmwpub.service.households.household_rules import HouseholdSchema
from pmwpub.ui.app import widget_keys
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import current
from pmwpub.ui.widgets import number_fields
from pmwpub.ui.wording.chosen_workload import described
from pmwpub.ui.wording.written import counted, plain

TABLE, OWN, ALL = "Public table whose households are copied", "ε of one's own", "all that is left"
NO_TABLE = (
    "A release of households needs a public table that is attested and has whole households; Prepare says of each what "
    "is left out, and why."
)
LOAD_AGAIN = "The private table was not loaded as households; load it again on Prepare."


def household_plan_form(study: Study, private: object) -> HouseholdPlan:
    """Ask for the public table and ε; say what is copied, what is left out, what is measured, and its noise.

    Raises PlanError where no table can be used, StillToChoose while none is chosen.
    """
    if not isinstance(private, HouseholdTable):
        raise PlanError(LOAD_AGAIN)
    schema = study.household_schema()
    key = _table(study, schema)
    how = st.radio("How much to spend", [OWN, ALL], horizontal=True, key="household spending")
    epsilon = REST if how == ALL else _epsilon()
    if how == ALL:
        st.markdown(f"ε = **{left(study.balance.remaining, study.balance.delta)}**")
    plan = household_plan(service(), study, schema, [key], epsilon=epsilon, private=private)
    _measured(study, schema, plan)
    return plan


def _table(study: Study, schema: HouseholdSchema) -> str:
    """The public table of the release, and what of it is copied."""
    parts = public_parts(service(), study, schema)
    on_offer = [one.sha256 for one in study.candidates if one.attested and parts[one.sha256].households]
    if not on_offer:
        raise PlanError(NO_TABLE)
    place = 0 if len(on_offer) == 1 else None
    key = st.selectbox(TABLE, on_offer, index=place, format_func=lambda one: parts[one].name, key="household table")
    if key is None:
        raise StillToChoose("Choose the public table whose households are copied.")
    part = parts[key]
    homes, people = counted(part.households, "whole household"), counted(part.persons, "person")
    st.markdown(f"**{homes}** of {plain(part.name)}, with {people}, can be copied.")
    if words := part.left_out(schema.largest):
        st.warning(words, icon=":material/person_remove:")
    return key


def _epsilon() -> str:
    kept, key = current().choices, widget_keys.RELEASE_EPSILON
    kept.epsilon = number_fields.number(st, "ε of this release", kept.epsilon, "0.001", "100", key=key)
    return kept.epsilon


def _measured(study: Study, schema: HouseholdSchema, plan: HouseholdPlan) -> None:
    """Which tables are measured at both levels, and how large their noise is."""
    noise = noise_before(service(), study, plan)
    persons, households = noise.tables
    own = ", ".join(plain(name) for name in schema.own_domain.names)
    if study.choice is not None:
        st.expander("What is measured").caption(
            f"Of persons: {persons:,} tables of one and of two columns ({described(study.choice)}). Of households: "
            f"{households:,}, of {own}, each alone and every two together. Plan {plan.sha256[:16]}"
        )
    st.markdown(noise.words)
