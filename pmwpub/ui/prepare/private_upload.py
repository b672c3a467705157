"""The private table of this session: loaded, never stored, never previewed. Nothing of it in the stakeholder view."""

from __future__ import annotations

import streamlit as st

from pmwpub.errors import PmwPubError
from pmwpub.service import PrivateTable, Study
from pmwpub.service.households.household_loading import load_household_file
from pmwpub.service.inputs import study_store
from pmwpub.service.inputs.demo import reload_demo
from pmwpub.service.inputs.file_reading import ReadOptions, as_written, expected_file
from pmwpub.service.inputs.shared_rows import CHANGED
from pmwpub.service.inputs.uploaded_files import unpacked
from pmwpub.ui.app.frame import Badge, panel, refusals
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session
from pmwpub.ui.prepare.uploads import DEMO, FORMATS
from pmwpub.ui.widgets.read_as import confirm_reading
from pmwpub.ui.widgets.reading_progress import progress_bar
from pmwpub.ui.wording.written import plain, size

NAME = "The private table"


def private_panel(session: Session, study: Study) -> None:
    """Load the private table into this session, or say what is loaded: its size and header, never a cell."""
    if session.presenting:
        return
    with panel("Private table", Badge.PRIVATE):
        private = session.steward(study)
        if private is not None:
            _loaded(session, private, study)
            _expected(study)
            return
        if session.private is not None:
            _again(session, session.private, study)
        one = "household ids, one row a person" if study.of_households else "rows"
        st.markdown(
            "It stays in this browser session's memory only: no file, no cache, no log. After a refresh it is asked "
            f"for again. It must have exactly n = {study.population.n:,} {one}."
        )
        _expected(study)
        if study.demo:
            _reload(session, study)
        elif study.schema is None:
            st.info("Draft or load a schema first.")
        elif study.of_households and study.household is None:
            st.info("Say first how rows make households, above.")
        else:
            _upload(session, study)


def _expected(study: Study) -> None:
    """What the schema expects of the file: the same words whatever stands in it."""
    if study.schema is None or study.demo:
        return
    with st.expander("What the schema expects of the file", icon=":material/rule:"):
        st.caption("From the schema alone, and the same for any file.")
        lines = expected_file(study.schema, None if study.household is None else study.household.id)
        st.markdown("\n".join(f"- {plain(line)}" for line in lines))


def _again(session: Session, private: PrivateTable, study: Study) -> None:
    what = "The schema, or how rows make households," if study.of_households else "The schema"
    st.warning(f"{what} changed since the private table was loaded; load it again.")
    content = private.source
    if (
        study.schema is not None
        and isinstance(content, bytes)
        and st.button("Load the same table under the new schema")
    ):
        _load(session, study, content, private.options)
        st.rerun()


def _reload(session: Session, study: Study) -> None:
    st.caption(DEMO)
    if st.button("Load the generated private table", type="primary"):
        with refusals(), st.spinner("Reading state A…"):
            session.hold(reload_demo(service(), study.population.name))
            st.rerun()


def _upload(session: Session, study: Study) -> None:
    with st.form("private", clear_on_submit=True):
        file = st.file_uploader(f"Private table ({FORMATS})")
        pressed = st.form_submit_button("Load into this session", type="primary", key="load private")
    if pressed and file is None:
        st.warning("Choose a file above first; nothing was loaded.")
    elif pressed and file is not None:
        _load(session, study, file.getvalue(), None, name=file.name)
        st.rerun()
    session.shelf.registered(study.population.n)
    caution = "" if study.schema is None else as_written(study.schema)
    confirm_reading(session, "private", lambda held, options: _load(session, study, held.content, options), caution)


def _load(session: Session, study: Study, content: bytes, options: ReadOptions | None, *, name: str = "") -> None:
    """Encode the table, unpacked if its name says so; where another reading may help, hold it; else say why not."""
    for held in session.shelf.of("private"):
        session.shelf.drop(held)
    try:
        with progress_bar("Reading the private table…") as progress:
            content, name = unpacked(name, content), study.population.name
            load = load_household_file if study.of_households else study_store.load_private
            session.hold(load(service(), name, content, options=options, progress=progress))
    except PmwPubError as refusal:
        if not session.shelf.keep("private", NAME, content, refusal, options, n=study.population.n):
            session.tell("error", f"The private table was refused. {plain(str(refusal))} Nothing was charged.")


def _loaded(session: Session, private: PrivateTable, study: Study) -> None:
    attributes = len(private.dataset.domain.own)
    read = f", {size(len(private.source))}" if isinstance(private.source, bytes) else ""
    of = " of persons" if study.of_households else ""
    rows = f"**{len(private.dataset):,} rows**{of}{read}"
    if study.of_households:
        rows = f"**{private.n:,} households**, {rows}"
    st.markdown(f"Loaded: {rows}; all **{attributes} columns** of the schema are in its header.")
    if private.options is not None:
        said = "" if study.schema is None else plain(as_written(study.schema))
        st.caption(f"Read as {private.options.words}. {said}")
    if private.ignored:
        st.caption(f"Not in the schema and ignored: {', '.join(plain(name) for name in private.ignored)}.")
        _derived(private, study)
    if study.rows_beyond is not None:
        st.caption(
            f"Of an ID with more than k = {private.rows_per_person:,} rows so many count; the others stay in n, and "
            "so do rows without an ID."
        )
    for one in private.overlaps:
        st.warning(plain(one.warning), icon=":material/content_copy:")
    if not study.demo and study.closed is None:
        _verdict(session, private)
    if st.button("Forget the private table", help="This session then sees what every viewer sees."):
        session.hold(None)
        st.rerun()


def _derived(private: PrivateTable, study: Study) -> None:
    """Which ignored columns have the name of a parent: what they hold is not read."""
    parents = () if study.schema is None else study.schema.parents
    for one in parents:
        if one.name in private.ignored:
            st.caption(f"{plain(one.name)} follows from {plain(one.child)}; the file's own column is not read.")


def _verdict(session: Session, private: PrivateTable) -> None:
    """How the table relates to those that were charged: asked and answered where all sessions are one steward's."""
    verdict = private.verdict
    if verdict is None:
        return
    others = ", ".join(plain(name) for name in verdict.populations)
    if verdict.kind == "changed":
        st.warning(CHANGED)
    elif verdict.kind == "elsewhere":
        st.warning(
            f"This table was charged under {others} too. Its people are protected by one budget only if you use one "
            "population. Nothing can be bought here unless you decide otherwise; the decision is recorded."
        )
        sure = st.checkbox("Both populations may use this table; I know that their budgets add up")
        if st.button("Record the decision", disabled=not sure):
            session.private = study_store.acknowledge(service(), private)
            st.rerun()
