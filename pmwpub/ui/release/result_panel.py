"""One finished release: its facts, its files, and drawing again on purpose."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pmwpub.release.bundle import CERTIFICATE, MEASUREMENTS, REBUILD, REPORT, SCHEMA, SYNTHETIC, WEIGHTS, Bundle, pack
from pmwpub.release.certificate_parts import Cells
from pmwpub.release.synthesis import MAX_ROWS, MAX_SEED
from pmwpub.service import PrivateTable, Released, Study
from pmwpub.service.purchases import ReleasePurchase
from pmwpub.ui.app.frame import Badge, panel, refusals
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session, address
from pmwpub.ui.release.error_form import errors_part
from pmwpub.ui.release.plan_form import in_words
from pmwpub.ui.widgets.price_form import NO_RESULT, purchase_form
from pmwpub.ui.widgets.watching import Waiting, watch
from pmwpub.ui.widgets.whole_numbers import whole_number
from pmwpub.ui.wording.written import loss, plain

CSV, JSON, ZIP = "text/csv", "application/json", "application/zip"
PARTS = {REPORT: "text/html", WEIGHTS: CSV, MEASUREMENTS: CSV, SCHEMA: JSON, REBUILD: "text/x-python"}
CELLS: dict[Cells, str] = {"labels": "labels and bins", "numbers": "numbers, drawn inside the bins"}


def release_panel(session: Session, study: Study, found: Released) -> None:
    """A release by what became of it: at work, without a result, or done."""
    booking, private = found.outcome.booking, session.steward(study)
    with panel(f"Release {booking.id}: {plain(found.name)}", Badge.DP):
        if found.outcome.status == "running":
            watch([Waiting.on(booking, "PMW^Pub")], "round", charged=True, cancel=private is not None)
        elif found.bundle is None:
            st.warning(NO_RESULT)
        else:
            _facts(found.bundle)
            downloads(found.bundle, booking.id)
            errors_part(session, study, booking.key)
        if private is not None and found.outcome.status != "running":
            with st.expander("Draw again"):
                _draw_again(session, study, private, found)


def _facts(bundle: Bundle) -> None:
    certificate = bundle.certificate
    lines = certificate.transcript
    for place, (label, value) in zip(
        st.columns(4),
        [
            ("ε", loss(certificate.epsilon)),
            ("δ", loss(certificate.delta)),
            ("Rounds", f"{certificate.rounds}"),
            ("Charge", f"no. {certificate.charge_id}"),
        ],
        strict=True,
    ):
        place.metric(label, value)
    st.caption(f"ρ = {certificate.rho} · plan {certificate.plan_sha256[:16]} · draw {certificate.repeat + 1}")
    for remark in certificate.remarks:
        st.warning(plain(remark[:1].upper() + remark[1:]), icon=":material/visibility:")
    with st.expander("The noisy measurements"):
        st.dataframe(
            {
                "round": list(range(1, len(lines) + 1)),
                "query": [" · ".join(f"{name} = {level}" for name, level in line.query.items()) for line in lines],
                "noisy share of rows": [line.noisy_answer for line in lines],
            },
            hide_index=True,
            width="stretch",
            alt="Each round's query with its noisy answer.",
        )


def downloads(bundle: Bundle, booking: int) -> None:
    """The files, made from the stored bytes when clicked; rows, row seed and the look of cells are free choices."""
    left, middle, right = st.columns(3)
    rows = whole_number(left, "Rows of synthetic.csv", 1, MAX_ROWS, value=bundle.certificate.n, key=f"rows {booking}")
    seed = whole_number(middle, "Row seed (public)", 0, MAX_SEED, value=0, key=f"row seed {booking}")
    cells: Cells = right.selectbox(
        "Numeric columns as", list(CELLS), format_func=CELLS.__getitem__, key=f"cells {booking}"
    )
    parts = [(name, mime, bundle.parts[name]) for name, mime in PARTS.items() if name in bundle.parts]
    files = [
        (SYNTHETIC, CSV, lambda: bundle.synthetic(rows, seed, cells)),
        (CERTIFICATE, JSON, lambda: bundle.files(rows, seed, cells)[CERTIFICATE]),
        *((name, mime, lambda body=body: body) for name, mime, body in parts),
        (f"release-{booking}.zip", ZIP, lambda: pack(bundle.files(rows, seed, cells))),
    ]
    with st.container(horizontal=True):
        for name, mime, content in files:
            st.download_button(
                name,
                data=content,
                file_name=name,
                mime=mime,
                key=f"download {name} {booking}",
                icon=":material/download:",
                type="primary" if name == SYNTHETIC else "secondary",
                on_click="ignore",
            )
    st.caption(
        "The certificate goes with these rows, this seed and these cells. All three are free choices about the "
        "released weights: nothing is charged. rebuild.py makes weights and rows again from the public parts."
    )


def _draw_again(session: Session, study: Study, private: PrivateTable, found: Released) -> None:
    name = study.population.name
    repeat = service().ledger.next_repeat(name, found.plan.sha256)
    st.markdown("The stored result stays. Another draw of the same plan has new noise and its own charge.")
    with refusals():
        bought = purchase_form(
            session,
            study,
            private,
            [ReleasePurchase(found.plan)],
            f"draw {repeat + 1} of {in_words(study, found.plan)}",
            place=f"again {found.plan.sha256}",
            label=f"Draw again (draw {repeat + 1})",
            repeat=repeat,
        )
        if bought:
            show(bought[0].booking.id)


def show(booking: int) -> None:
    """Point the address at a stored release and run the page on it."""
    st.query_params["release"] = str(booking)
    st.rerun()


def chosen(released: Sequence[Released]) -> Released | None:
    """The release that the address names; words if there is none of that number."""
    wanted = st.query_params.get("release")
    if wanted is None:
        return None
    found = next((one for one in released if str(one.outcome.booking.id) == wanted), None)
    if found is None:
        st.warning("This population has no release of the number in the address.")
    else:
        # A link to the page that is open already does not reach the browser's address, and the next run would lose it.
        st.query_params["release"] = wanted
    return found


def listed(released: Sequence[Released]) -> None:
    """Every release of the population, the newest first, each under its own address."""
    if not released:
        st.caption("None yet.")
    words = {"running": "at work", "done": "done", "no result": "no result"}
    for one in reversed(released):
        booking = one.outcome.booking
        label = f"Release {booking.id}: {plain(one.name)}, {one.plan.rounds} rounds, {words[one.outcome.status]}"
        st.page_link("pages/release.py", label=label, query_params=address(release=str(booking.id)))
