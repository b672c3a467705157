"""One finished release: its facts, its files, and drawing again on purpose."""

from __future__ import annotations

import streamlit as st

from pmwpub.service import PrivateTable, Released, Study
from pmwpub.service.bought.noisy_answers import extent, noisy_answers
from pmwpub.service.bought.release_files import (
    PUBLIC_VALUES,
    REAPPEAR,
    ROWS_ALLOWED,
    SEEDS_ALLOWED,
    Bundle,
    Cells,
    Columns,
    ReleaseFile,
    cells_of,
    charge_of,
    known_of,
    release_files,
)
from pmwpub.service.households.household_releases import ReleasedHouseholds
from pmwpub.service.purchases import purchase_of
from pmwpub.service.records.records_of_releases import record_files
from pmwpub.ui.app.frame import Badge, panel, refusals
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session
from pmwpub.ui.hand_over.acceptance_form import acceptance_part
from pmwpub.ui.hand_over.chosen_release import show
from pmwpub.ui.hand_over.error_form import errors_part
from pmwpub.ui.release.plan_form import in_words
from pmwpub.ui.release.under_way import watch_release
from pmwpub.ui.widgets.price_form import NO_RESULT, purchase_form
from pmwpub.ui.widgets.what_became import show_remarks
from pmwpub.ui.widgets.whole_numbers import whole_number
from pmwpub.ui.wording.written import loss, plain

CELL_WORDS: dict[Cells, str] = {
    "labels": "labels and bins",
    "numbers": "numbers, drawn inside the bins",
    "public-values": "numbers that public rows have",
}

RECORDS = (
    "What the files are, for those who keep lists of data: Croissant, an RO-Crate, an entry for a registry of "
    "deployments, and the questions of NIST SP 800-226. Made from these files alone, with these rows; free. Curator, "
    "licence and use are for you to fill in; `pmwpub certificate export --about` takes them."
)


def release_panel(session: Session, study: Study, found: Released) -> None:
    """Draw a release by what became of it: at work, without a result, or done."""
    booking, private = found.outcome.booking, session.steward(study)
    title = f"Release {found.number}: {plain(found.name)}"
    with panel(title if found.bundle is None else f"The files of release {found.number}", Badge.DP):
        if found.outcome.status == "running":
            watch_release(found, cancel=private is not None)
        elif found.bundle is None:
            st.warning(NO_RESULT)
        else:
            downloads(found.bundle, booking.id, f"release-{found.number}.zip")
            _facts(found.bundle)
            errors_part(session, study, booking.key)
            if found.plan.criteria:
                acceptance_part(session, study, booking.key)
        if (buyer := session.buyer(study)) is not None and found.outcome.status != "running":
            with st.expander("Draw again"):
                draw_again(session, study, buyer, found)


def _facts(bundle: Bundle) -> None:
    show_remarks(known_of(bundle))
    with st.expander("The release in numbers"):
        _numbers(bundle)


def _numbers(bundle: Bundle) -> None:
    """Draw losses, extent and charge of a release, and what was measured."""
    certificate, (measured, times), charged = bundle.certificate, extent(bundle), charge_of(bundle)
    for place, (label, value) in zip(
        st.columns(3),
        [
            ("ε", loss(certificate.epsilon)),
            ("δ", loss(certificate.delta)),
            (measured, f"{times:,}"),
        ],
        strict=True,
    ):
        place.metric(label, value)
    draw = "" if charged is None else f" · booking {charged[0]} of this store · draw {charged[1]}"
    st.caption(f"ρ = {certificate.rho} · plan {certificate.plan_sha256[:16]}{draw}")
    with st.expander("The noisy measurements"):
        st.dataframe(
            noisy_answers(bundle).columns,
            hide_index=True,
            width="stretch",
            alt="Each noisy measurement, or each noisy table.",
        )


def downloads(bundle: Bundle, booking: int | str, archive: str) -> None:
    """Offer the files, made from the stored bytes when clicked; rows, seed and the look of cells are free choices.

    booking  the number of its booking, or what tells apart what was not booked
    archive  the name of the file that has all of them
    """
    place = st.container(horizontal=True)
    with st.expander("How many rows synthetic.csv has, and how they are written"):
        rows, seed, cells, columns = _look_of_rows(bundle, booking)
    with place:
        for file in release_files(bundle, archive, rows=rows, seed=seed, cells=cells, columns=columns):
            download_button(file, booking)
    with st.expander("Records for catalogues"):
        st.caption(RECORDS)
        with st.container(horizontal=True):
            for file in record_files(bundle, rows=rows, seed=seed, cells=cells, columns=columns):
                download_button(file, booking)
    if cells == PUBLIC_VALUES:
        st.caption(REAPPEAR)


def download_button(file: ReleaseFile, booking: int | str) -> None:
    """A button for one file, whose bytes are made when it is clicked."""
    st.download_button(
        file.name,
        data=file.content,
        file_name=file.name,
        mime=file.media_type,
        key=f"download {file.name} {booking}",
        icon=":material/download:",
        type="primary" if file.main else "secondary",
        on_click="ignore",
    )


def _look_of_rows(bundle: Bundle, booking: int | str) -> tuple[int, int, Cells, Columns]:
    """Ask for rows, seed, the look of cells, and the columns."""
    left, middle, right = st.columns(3)
    rows = whole_number(left, "Rows of synthetic.csv", *ROWS_ALLOWED, value=bundle.certificate.n, key=f"rows {booking}")
    seed = whole_number(middle, "Row seed (public)", *SEEDS_ALLOWED, value=0, key=f"row seed {booking}")
    cells: Cells = right.selectbox(
        "Numeric columns as", cells_of(bundle), format_func=CELL_WORDS.__getitem__, key=f"cells {booking}"
    )
    every = st.checkbox(
        "All columns of the schema: ids are row numbers, columns that are left out are blank", key=f"columns {booking}"
    )
    st.caption(
        "The certificate goes with these rows, this seed and these cells. All three are free choices about the "
        "released weights: nothing is charged. rebuild.py makes weights and rows again from the public parts."
    )
    return rows, seed, cells, "all" if every else "attributes"


def draw_again(session: Session, study: Study, private: PrivateTable, found: Released | ReleasedHouseholds) -> None:
    """Offer another draw of a release's plan, at its own price."""
    name = study.population.name
    repeat = service().ledger.next_repeat(name, found.plan.sha256)
    st.markdown("The stored result stays. Another draw of the same plan has new noise and its own charge.")
    with refusals():
        bought = purchase_form(
            session,
            study,
            private,
            [purchase_of(found.plan)],
            f"draw {repeat + 1} of {in_words(study, found.plan)}",
            place=f"again {found.plan.sha256}",
            label=f"Draw again (draw {repeat + 1})",
            repeat=repeat,
        )
        if bought:
            show(study, bought[0].booking.id)
