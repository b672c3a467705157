"""Release: choose a candidate and ε, see the price, run PMW^Pub, take the files."""

from __future__ import annotations

import streamlit as st

from pmwpub.service import assessing, releasing
from pmwpub.session import Badge, enter, link, need, opened, panel, refusals, service
from pmwpub.session.planning import bought_floors, in_words, plan_form
from pmwpub.session.quality import quality_part
from pmwpub.session.results import chosen, listed, release_panel, show
from pmwpub.session.spending import confirm, overlap, tell

session = enter("pages/release.py")
study = opened("Release")
released = releasing.releases(service(), study)
shown = chosen(released)
if shown is not None:
    release_panel(session, study, shown)
    if shown.bundle is not None:
        quality_part(session, study, shown)

private = session.steward(study)
ready = bool(study.usable) and study.choice is not None
if private is None and not session.presenting:
    st.info("Only a session that holds the private table can buy a release.")
    link("pages/data.py", "Load the private table")
elif private is not None and ready:
    with panel("A new release", Badge.DP), refusals():
        plan = plan_form(study, bought_floors(study, assessing.assessments(service(), study)))
        price = releasing.price(service(), plan, study.population.name)
        ask, label = overlap(study, private, plan.inputs.candidates), "Buy this release"
        if confirm(price, in_words(study, plan), place="release", key=plan.sha256, label=label, ask=ask):
            outcome = releasing.release(service(), private, plan, current=study)
            tell(session, outcome.fresh)
            show(outcome.booking.id)
with panel("Releases of this population", Badge.DP):
    listed(released)
need(study.usable, "A new release needs public candidates that fit the schema.", "pages/data.py")
need(study.choice, "A new release needs a workload.", "pages/workload.py")
