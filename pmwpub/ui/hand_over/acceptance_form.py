"""A stored release held against the criteria of its plan: what was bought of it, and the form that buys it."""

from __future__ import annotations

import streamlit as st

from pmwpub.numerals import as_fraction
from pmwpub.service import PlanKey, PrivateTable, Study
from pmwpub.service.accepting import acceptances
from pmwpub.service.accepting.acceptances import Acceptance
from pmwpub.service.purchases import AcceptancePurchase
from pmwpub.ui.app import widget_keys
from pmwpub.ui.app.frame import refusals
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session
from pmwpub.ui.widgets import number_fields
from pmwpub.ui.widgets.price_form import purchase_form
from pmwpub.ui.widgets.what_became import has_result, show_remarks
from pmwpub.ui.wording.written import plain

VERDICTS = "acceptance.txt"
"""The file of all verdicts, for whoever is handed the release: its other files were made before them."""


def acceptance_part(session: Session, study: Study, release: PlanKey) -> None:
    """Show what was bought of a release's criteria, for everybody, and the form that buys it, for the steward."""
    private = session.steward(study)
    held = acceptances.acceptances(service(), study.population.name, release)
    for found in held:
        _shown(found, steward=private is not None)
    if any(one.words for one in held):
        said = "\n".join((*(f"{one.headline}." for one in held if one.headline), *acceptances.words_of_all(held)))
        st.download_button(VERDICTS, said, VERDICTS, "text/plain", on_click="ignore", icon=":material/download:")
    if (buyer := session.buyer(study)) is not None:
        with st.expander("Buy whether it meets its criteria"), refusals():
            _buy(session, study, buyer, release)


def _shown(found: Acceptance, *, steward: bool) -> None:
    if has_result(found.outcome, "Acceptance", "**Acceptance**", steward=steward):
        say = st.success if found.passed else st.warning if found.missed else st.info
        say(f"**{found.headline}** (95 % each).")
        st.markdown("\n".join(f"- {plain(words)}" for words in found.words))
        show_remarks(found.remarks)


def _buy(session: Session, study: Study, private: PrivateTable, release: PlanKey) -> None:
    st.markdown("A noisy number for each criterion: charges of their own. Not passing refunds nothing.")
    key = widget_keys.acceptance_part(release.plan_sha256, release.repeat)
    percent = number_fields.number(st, "Half-widths, percent of their bars", "50", "1", "100", key=key)
    part = as_fraction(percent) / 100
    plan = acceptances.acceptance_plan(service(), study.population.name, release, part=part)
    buys = "noisy numbers of " + "; ".join(plain(one.words) for one in plan.criteria)
    if plan.not_measurable:
        st.warning("\n".join(f"- {plain(one.words)}" for one in plan.not_measurable))
    wanted = [AcceptancePurchase(plan)]
    if purchase_form(session, study, private, wanted, buys, place=f"acceptance of {release}", label="Buy the verdicts"):
        st.rerun()
