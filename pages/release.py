"""Release: choose a candidate and ε, see the price, run PMW^Pub or table fit."""

from __future__ import annotations

from pmwpub.plans import UnchangedPlan
from pmwpub.service.bought import assessments, releases
from pmwpub.ui import Badge, end, enter, need, opened, panel, refusals, service
from pmwpub.ui.households.household_pages import release_households_page
from pmwpub.ui.release.new_release import buy_release, release_buyer, releases_panel
from pmwpub.ui.release.plan_form import bought_floors, plan_form
from pmwpub.ui.release.publishing import publishing_form
from pmwpub.ui.release.weight_total_panel import weight_total_panel

session = enter("pages/release.py")
study = opened("Release")
if study.of_households:
    release_households_page(session, study)
    end()
released = releases.releases(service(), study)
private, closed = release_buyer(session, study), study.closed is not None
ready = bool(study.usable) and study.choice is not None
weight_total_panel(session, study)
if private is not None and ready:
    with panel("A new release", Badge.DP), refusals():
        plan, advice = plan_form(study, private, bought_floors(study, assessments.assessments(service(), study)))
        if isinstance(plan, UnchangedPlan):
            publishing_form(study, private, plan, advice)
        else:
            buy_release(session, study, private, plan)
releases_panel(session, study, released)
need(closed or study.usable, "A new release needs public candidates that fit the schema.", "pages/prepare.py")
need(closed or study.choice, "A new release needs a workload.", "pages/prepare.py")
