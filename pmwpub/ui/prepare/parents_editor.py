"""Parents of a column's levels, declared while a schema is edited: by first characters, a map, or a public column."""

from __future__ import annotations

import streamlit as st

from pmwpub.errors import PmwPubError
from pmwpub.service import Study
from pmwpub.service.inputs import schema_editing
from pmwpub.service.inputs.schema_editing import Row
from pmwpub.ui.app.pending import SchemaDraft
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session, current
from pmwpub.ui.wording.written import plain

PREFIX, MAP, COLUMN = "the first characters of the level", "a map of two columns", "a public column"
WHAT = (
    "A parent follows from the level: the state of a county. It is derived, never read, and gets tables of its own; a "
    "release never contradicts it."
)


def parents_editor(draft: SchemaDraft, study: Study) -> None:
    """The parents of one column, and a form that declares another."""
    places = [place for place, row in enumerate(draft.rows) if row.get("kind") in ("categorical", "ordered")]
    if not places:
        return
    with st.expander("Levels that nest: parents of one column"):
        st.caption(WHAT)
        place = st.selectbox(
            "Column with parents",
            places,
            format_func=lambda place: str(draft.rows[place].get("name")),
            key="column with parents",
        )
        row = draft.rows[place]
        for name, words in schema_editing.parents_of(row).items():
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(f"**{plain(name)}**: {plain(words)}")
                if st.button(f"Remove {plain(name)}", key=f"remove parent {name}"):
                    draft.put(place, schema_editing.without_parent(row, name))
                    st.rerun()
        _form(current(), draft, study, place, row)


def _form(session: Session, draft: SchemaDraft, study: Study, place: int, row: Row) -> None:
    way = st.radio("The parent is", (PREFIX, MAP, COLUMN), key="way of the parent")
    with st.form("a parent"):
        if way == COLUMN:
            names = sorted(str(one.get("name")) for one in draft.rows if one is not row)
            name = st.selectbox("Which column", names, key="parent column") or ""
        else:
            name = st.text_input("Its name, such as state", key="name of the parent").strip()
        characters, text = 1, ""
        if way == PREFIX:
            characters = int(st.number_input("How many characters", 1, 999, value=2, key="characters of the parent"))
        elif way == MAP:
            text = st.text_area("Level and parent, one pair a line", key="map of the parent", placeholder="39001,Ohio")
            file = st.file_uploader("Or a file of such lines (CSV)", key="map file of the parent")
        if not st.form_submit_button("Add this parent"):
            return
        content = file.getvalue() if way == MAP and file is not None else text
    try:
        declared = {PREFIX: f"{name}:prefix:{characters}", COLUMN: f"{name}:column"}.get(way)
        if declared is None:
            declared = schema_editing.by_map(name, schema_editing.read_map(content))
        changed = schema_editing.with_parent(service(), study.population.name, row, draft.tokens, declared)
    except PmwPubError as refusal:
        st.error(plain(str(refusal)), icon=":material/block:")
        return
    rows = [changed if at == place else one for at, one in enumerate(draft.rows)]
    draft.restart([one for one in rows if way != COLUMN or one.get("name") != name])
    st.rerun()
