"""A release of households on Hand over: what it promises, its files, and its tables in the units that people read."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from pmwpub.rounding import near
from pmwpub.service import Study
from pmwpub.service.households.household_downloads import (
    ROWS_ALLOWED,
    SEEDS_ALLOWED,
    HouseholdBundle,
    household_downloads,
)
from pmwpub.service.households.household_releases import ReleasedHouseholds
from pmwpub.service.households.released_cells import cells, mean_size, measured_tables_of, rounds_of
from pmwpub.ui.app.frame import Badge, panel
from pmwpub.ui.app.state import Session
from pmwpub.ui.hand_over.result_panel import download_button, draw_again
from pmwpub.ui.release.under_way import watch_release
from pmwpub.ui.widgets.price_form import NO_RESULT
from pmwpub.ui.widgets.what_became import show_remarks
from pmwpub.ui.widgets.whole_numbers import whole_number
from pmwpub.ui.wording.written import loss, plain

UNITS = (
    "Numbers of persons are **persons per household** (0 to H), numbers of households a **share of households**. "
    "Released ones are those of the synthetic files; measured ones have noise and may lie below 0."
)
NOT_SOLD = "Not sold for households: the error of a release, answers with intervals, acceptance, and replicate weights."


def released_panel(session: Session, study: Study, found: ReleasedHouseholds) -> None:
    """Draw a release by what became of it: at work, without a result, or done."""
    private = session.steward(study)
    title = f"Release {found.number}: {plain(found.name)}"
    with panel(title if found.bundle is None else f"The files of release {found.number}", Badge.DP):
        if found.outcome.status == "running":
            watch_release(found, cancel=private is not None)
        elif found.bundle is None:
            st.warning(NO_RESULT)
        else:
            _promise(found.bundle)
            _downloads(found.bundle, found.outcome.booking.id, f"release-{found.number}.zip")
            show_remarks(found.bundle.certificate.remarks)
        if (buyer := session.buyer(study)) is not None and found.outcome.status != "running":
            with st.expander("Draw again"):
                draw_again(session, study, buyer, found)
    if found.bundle is not None:
        _tables(found.bundle)


def _rounds(rounds: Mapping[str, list[str] | list[float]]) -> None:
    """What PMW^Pub measured, a query a round."""
    with panel("What was measured, round by round", Badge.DP):
        st.caption("Each round measured one cell: a noisy count of persons or of households, not clamped.")
        st.dataframe(dict(rounds), hide_index=True, width="stretch", alt="Each round's query, noisy count and noise.")


def _promise(bundle: HouseholdBundle) -> None:
    """Who is protected, at which loss, and what was copied."""
    stated = bundle.certificate
    st.markdown(
        f"Protected: **{plain(stated.unit)}**, at ε = **{loss(stated.epsilon)}** and δ = {loss(stated.delta)}. "
        f"{stated.n:,} synthetic households are copies of whole public ones of {plain(stated.candidate.name)}: who "
        f"lives together is theirs. A household has {near(mean_size(bundle))} persons on average, as released."
    )
    with st.expander("What the promise covers, and the charge"):
        st.markdown(plain(stated.statement))
        st.markdown(plain(stated.outside_the_guarantee))
        draw = f"booking {stated.charge_id} of this store · draw {stated.repeat + 1}"
        st.caption(f"ρ = {stated.rho} · plan {stated.plan_sha256[:16]} · {draw}")
        st.caption(NOT_SOLD)


def _downloads(bundle: HouseholdBundle, booking: int, archive: str) -> None:
    """Offer the files, made from the stored bytes when clicked."""
    place = st.container(horizontal=True)
    with st.expander("How many households the files have"):
        left, right = st.columns(2)
        n = bundle.certificate.n
        number = whole_number(left, "Synthetic households", *ROWS_ALLOWED, value=n, key=f"households {booking}")
        seed = whole_number(right, "Row seed (public)", *SEEDS_ALLOWED, value=0, key=f"household seed {booking}")
        st.caption("persons.csv and households.csv are joined by the ids. Both choices are free: nothing is charged.")
    with place:
        for file in household_downloads(bundle, archive, households=number, seed=seed):
            download_button(file, booking)


def _tables(bundle: HouseholdBundle) -> None:
    """Every measured table, one at a time: what was released beside what was measured; of PMW^Pub its rounds."""
    if bundle.certificate.rounds is not None:
        _rounds(rounds_of(bundle))
        return
    with panel("What was released, table by table", Badge.DP):
        st.caption(UNITS)
        tables = {one.label: one for one in measured_tables_of(bundle)}
        label = st.selectbox("Table", list(tables), key="household table shown")
        shown = cells(bundle, tables[label])
        decimals = "%.3f" if tables[label].stated.of == "persons" else "%.1f"
        numbers = [name for name in shown if name not in tables[label].stated.columns]
        st.dataframe(
            dict(shown),
            hide_index=True,
            width="stretch",
            column_config=dict.fromkeys(numbers, st.column_config.NumberColumn(format=decimals)),
            alt="Each cell of the table: as released, as measured with noise, and the noise of that.",
        )
