"""Taking tables in: public candidates with a verdict on each, and the private table that is never stored."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pmwpub.errors import PmwPubError
from pmwpub.service import CandidateFacts, PrivateTable, Study, studies
from pmwpub.service.demo import reload_demo
from pmwpub.session.frame import Badge, panel, refusals
from pmwpub.session.services import service
from pmwpub.session.state import Session
from pmwpub.session.words import plain, size

ATTEST = "I attest that none of these files was made from the private data"
DEMO = "The demo runs on bundled, generated tables and takes no uploads. Register a population for your own files."


def facts_table(candidates: Sequence[CandidateFacts]) -> None:
    """What is known of the candidates for free."""
    st.dataframe(
        {
            "candidate": [one.name for one in candidates],
            "rows": [one.rows for one in candidates],
            "distinct rows": [None if one.support is None else len(one.support) for one in candidates],
            "rows dropped": [one.dropped for one in candidates],
            "columns ignored": [", ".join(one.ignored) for one in candidates],
            "fits the schema": ["yes" if one.support is not None else one.problem for one in candidates],
            "attested": ["yes" if one.attested else "no" for one in candidates],
        },
        hide_index=True,
        width="stretch",
        column_config=dict.fromkeys(
            ("rows", "distinct rows", "rows dropped"), st.column_config.NumberColumn(format="localized")
        ),
        alt="The public candidates with their sizes and how they fit the schema.",
    )


def candidates_panel(session: Session, study: Study, *, changeable: bool) -> None:
    """The candidates, a form to add some, attesting and removing."""
    with panel("Public candidates", Badge.PUBLIC):
        if study.candidates:
            facts_table(study.candidates)
        else:
            st.caption(
                "None yet. A candidate is a public table about similar people, with the private table's columns."
            )
        if study.demo:
            st.caption(DEMO)
        elif changeable:
            _upload_candidates(session, study)
            _change_candidates(study)


def _upload_candidates(session: Session, study: Study) -> None:
    with st.form("candidates", clear_on_submit=True):
        files = st.file_uploader("Add public tables (CSV, UTF-8, comma)", accept_multiple_files=True)
        attested = st.checkbox(ATTEST)
        if st.form_submit_button("Add", key="add candidates") and files:
            for file in files:
                _add(session, study, file.name, file.getvalue(), attested)
            st.rerun()


def _add(session: Session, study: Study, name: str, content: bytes, attested: bool) -> None:
    try:
        studies.add_candidate(service(), study.population.name, name, content, attested=attested)
    except PmwPubError as refusal:
        session.tell("error", f"**{plain(name)}** was refused. {plain(str(refusal))} Nothing was charged.")
        return
    session.tell("success", f"**{plain(name)}** was read and stored as a public candidate.")


def _change_candidates(study: Study) -> None:
    name = study.population.name
    for one in study.candidates:
        keep, drop = st.columns([4, 1], vertical_alignment="center")
        label = f"{plain(one.name)} was not made from the private data"
        attested = keep.checkbox(label, value=one.attested, key=f"attest {one.sha256} {one.attested}")
        if attested != one.attested:
            studies.attest(service(), name, one.sha256, attested=attested)
            st.rerun()
        if drop.button("Remove", key=f"remove {one.sha256}", help="Deletes the stored file; what was bought stays."):
            studies.remove_candidate(service(), name, one.sha256)
            st.rerun()


def private_panel(session: Session, study: Study) -> None:
    """Load the private table into this session, or say what is loaded: its size and header, never a cell."""
    with panel("Private table", Badge.PRIVATE):
        private = session.steward(study)
        if private is not None:
            _loaded(session, private, study)
            return
        if session.private is not None:
            st.warning("The schema changed since the private table was loaded; load it again.")
        st.markdown(
            "It stays in this browser session's memory only: no file, no cache, no log. After a refresh it is asked "
            f"for again. It must have exactly n = {study.population.n:,} rows."
        )
        if study.demo:
            _reload(session, study)
        elif study.schema is None:
            st.info("Draft or load a schema first.")
        else:
            _upload_private(session, study)


def _reload(session: Session, study: Study) -> None:
    st.caption(DEMO)
    if st.button("Load the generated private table", type="primary"):
        with refusals(), st.spinner("Reading state A…"):
            session.private = reload_demo(service(), study.population.name)
            st.rerun()


def _upload_private(session: Session, study: Study) -> None:
    with st.form("private", clear_on_submit=True):
        file = st.file_uploader("Private table (CSV, UTF-8, comma)")
        pressed = st.form_submit_button("Load into this session", type="primary", key="load private")
    if pressed and file is not None:
        try:
            with st.spinner("Reading…"):
                session.private = studies.load_private(service(), study.population.name, file.getvalue())
        except PmwPubError as refusal:
            session.tell("error", f"The private table was refused. {plain(str(refusal))} Nothing was charged.")
        st.rerun()


def _loaded(session: Session, private: PrivateTable, study: Study) -> None:
    attributes = len(private.dataset.domain.attributes)
    st.markdown(
        f"Loaded: **{len(private.dataset):,} rows**, {size(len(private.content))}; all **{attributes} columns** of the "
        "schema are in its header."
    )
    if private.ignored:
        st.caption(f"Not in the schema and ignored: {', '.join(plain(name) for name in private.ignored)}.")
    if not study.demo:
        _verdict(session, private)
    if st.button("Forget the private table", help="This session then sees what every viewer sees."):
        session.private = None
        st.rerun()


def _verdict(session: Session, private: PrivateTable) -> None:
    others = ", ".join(plain(name) for name in private.verdict.populations)
    if private.verdict.kind == "changed":
        st.warning(
            "This is not the table that earlier charges of this population were made for. Its budget is the same."
        )
    elif private.verdict.kind == "elsewhere":
        st.warning(
            f"This table was charged under {others} too. Its people are protected by one budget only if you use one "
            "population. Nothing can be bought here unless you decide otherwise; the decision is recorded."
        )
        sure = st.checkbox("Both populations may use this table; I know that their budgets add up")
        if st.button("Record the decision", disabled=not sure):
            session.private = studies.acknowledge(service(), private)
            st.rerun()
