"""Taking public candidates in, with a verdict on each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from pmwpub.errors import PmwPubError
from pmwpub.service import CandidateFacts, Study, studies
from pmwpub.session.frame import Badge, panel
from pmwpub.session.reading_as import confirm_reading
from pmwpub.session.services import service
from pmwpub.session.state import Session
from pmwpub.session.words import plain
from pmwpub.tabular.options import ReadOptions

ATTEST = "I attest that none of these files was made from the private data"
DEMO = "The demo runs on bundled, generated tables and takes no uploads. Register a population for your own files."
FORMATS = "CSV or Parquet"


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
            "read as": ["" if one.options is None else one.options.words for one in candidates],
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
            _upload(session, study)
            confirm_reading(
                session,
                "candidate",
                lambda held, options: _add(session, study, held.name, held.content, held.attested, options),
            )
            _change(study)


def _upload(session: Session, study: Study) -> None:
    with st.form("candidates", clear_on_submit=True):
        files = st.file_uploader(f"Add public tables ({FORMATS})", accept_multiple_files=True)
        attested = st.checkbox(ATTEST)
        pressed = st.form_submit_button("Add", key="add candidates")
        if pressed and not files:
            st.warning("Choose a file above first; nothing was added.")
        elif pressed:
            for file, shown in zip(files, told_apart([file.name for file in files]), strict=True):
                _add(session, study, file.name, file.getvalue(), attested, shown=shown)
            st.rerun()


def told_apart(names: Sequence[str]) -> list[str]:
    """File names for the verdicts: "a.csv", or "a.csv (2 of 3)" where several came under one name."""
    came = Counter(names)
    places = [names[: place + 1].count(name) for place, name in enumerate(names)]
    return [
        name if came[name] == 1 else f"{name} ({nth} of {came[name]})" for name, nth in zip(names, places, strict=True)
    ]


def _add(
    session: Session,
    study: Study,
    name: str,
    content: bytes,
    attested: bool,
    options: ReadOptions | None = None,
    *,
    shown: str = "",
) -> None:
    """Store a table, or hold it where another way of reading may help, or refuse it; the verdict calls it `shown`."""
    shown = shown or name
    population, private = study.population.name, session.steward(study)
    try:
        sha256 = studies.add_candidate(
            service(), population, name, content, attested=attested, options=options, private=private
        )
    except PmwPubError as refusal:
        if not session.shelf.keep("candidate", name, content, refusal, options, attested=attested):
            session.tell("error", f"**{plain(shown)}** was refused. {plain(str(refusal))} Nothing was charged.")
        return
    known = next((one for one in study.candidates if one.sha256 == sha256), None)
    if known is None:
        session.tell("success", f"**{plain(shown)}** was read and stored as a public candidate.")
    else:
        now = "; it is attested now" if attested and not known.attested else ""
        session.tell("info", f"**{plain(shown)}** has the bytes of {plain(known.name)}, a candidate already{now}.")
    if private is not None:
        session.private = studies.compared_again(service(), private)


def _change(study: Study) -> None:
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
