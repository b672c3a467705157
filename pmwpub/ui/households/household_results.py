"""A release of households on Hand over: in short, its files, and its answers in the units that people read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import streamlit as st

from pmwpub.service import Study
from pmwpub.service.households.household_downloads import (
    ROWS_ALLOWED,
    SEEDS_ALLOWED,
    HouseholdBundle,
    household_downloads,
)
from pmwpub.service.households.household_releases import ReleasedHouseholds
from pmwpub.service.households.released_cells import rounds_of, summary_of
from pmwpub.ui.app.frame import Badge, panel
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session
from pmwpub.ui.hand_over.result_panel import download_button, draw_again
from pmwpub.ui.households.household_answers_panel import household_answers_panel
from pmwpub.ui.households.household_error_form import household_errors_part
from pmwpub.ui.release.under_way import watch_release
from pmwpub.ui.widgets.price_form import NO_RESULT
from pmwpub.ui.widgets.what_became import show_remarks
from pmwpub.ui.widgets.whole_numbers import whole_number
from pmwpub.ui.wording.written import loss, plain

NOT_SOLD = "Acceptance and replicate weights are not for households."


def released_panel(session: Session, study: Study, found: ReleasedHouseholds) -> None:
    """Draw a release by what became of it: at work, without a result, or done."""
    title = f"Release {found.number}: {plain(found.name)}"
    if found.bundle is not None:
        _in_short(study, found, found.bundle)
    with panel(title if found.bundle is None else f"The files of release {found.number}", Badge.DP):
        if found.outcome.status == "running":
            watch_release(found, cancel=session.steward(study) is not None)
        elif found.bundle is None:
            st.warning(NO_RESULT)
        else:
            _downloads(found.bundle, found.outcome.booking.id, f"release-{found.number}.zip")
            show_remarks(found.bundle.certificate.remarks)
            household_errors_part(session, study, found.outcome.booking.key)
        if (buyer := session.buyer(study)) is not None and found.outcome.status != "running":
            with st.expander("Draw again"):
                draw_again(session, study, buyer, found)
    if found.bundle is not None:
        _answers(found, found.bundle)


def _answers(found: ReleasedHouseholds, bundle: HouseholdBundle) -> None:
    """Answers by measured tables; of PMW^Pub, which has none, its rounds."""
    if bundle.certificate.rounds is None:
        household_answers_panel(found, bundle)
    else:
        _rounds(rounds_of(bundle))


def _rounds(rounds: Mapping[str, list[str] | list[float]]) -> None:
    """What PMW^Pub measured, a query a round."""
    with panel("What was measured, round by round", Badge.DP):
        st.caption("Each round measured one cell: a noisy count of persons or of households, not clamped.")
        st.dataframe(dict(rounds), hide_index=True, width="stretch", alt="Each round's query, noisy count and noise.")


def _in_short(study: Study, found: ReleasedHouseholds, bundle: HouseholdBundle) -> None:
    """What is promised, how far numbers may be off, what not to use it for; of PMW^Pub what is promised."""
    said = None if bundle.certificate.rounds else summary_of(service(), str(found.outcome.booking.result), bundle)
    stated = bundle.certificate
    with panel("In short", Badge.DP):
        st.markdown(
            f"**Release {found.number} about {plain(study.population.name)}**: {stated.n:,} synthetic households, "
            f"copies of whole ones of {plain(found.name)}. Protected: {plain(stated.unit)}."
        )
        if said is not None:
            st.markdown("**How far numbers may be off**")
            _list(said.errors[:2])
        with st.expander("The promise and its limits"):
            if said is not None:
                _list((*said.households, *said.promise, said.spent, *said.errors[2:]))
                st.markdown("**What not to use it for**")
                _list(said.cautions)
            _covered(bundle)


def _covered(bundle: HouseholdBundle) -> None:
    """What the certificate states, and the charge."""
    stated = bundle.certificate
    st.markdown(plain(stated.statement))
    st.markdown(plain(stated.outside_the_guarantee))
    draw = f"booking {stated.charge_id} of this store · draw {stated.repeat + 1}"
    st.caption(
        f"ε = {loss(stated.epsilon)} at δ = {loss(stated.delta)} · ρ = {stated.rho} · plan {stated.plan_sha256[:16]} · "
        f"{draw}"
    )
    st.caption(NOT_SOLD)


def _list(sentences: Iterable[str]) -> None:
    st.markdown("\n".join(f"- {plain(one)}" for one in sentences))


def _downloads(bundle: HouseholdBundle, booking: int, archive: str) -> None:
    """Offer the files, made from the stored bytes when clicked."""
    place = st.container(horizontal=True)
    with st.expander("Number of households"):
        left, right = st.columns(2)
        n = bundle.certificate.n
        number = whole_number(left, "Synthetic households", *ROWS_ALLOWED, value=n, key=f"households {booking}")
        seed = whole_number(right, "Row seed (public)", *SEEDS_ALLOWED, value=0, key=f"household seed {booking}")
        st.caption("persons.csv and households.csv are joined by the ids. Both choices are free: nothing is charged.")
    with place:
        for file in household_downloads(bundle, archive, households=number, seed=seed):
            download_button(file, booking)
