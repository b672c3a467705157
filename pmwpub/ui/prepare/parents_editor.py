"""Parents of a column, declared while a schema is edited: by first characters, a map, bands, or a public column."""

from __future__ import annotations

from collections.abc import Sequence

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
BANDS = "bands between edges"
_WRITTEN = {PREFIX: "prefix:", COLUMN: "column", BANDS: "edges:"}
WAYS = {"numeric": (BANDS,), "date": (BANDS, PREFIX, MAP)}
"""How a parent may follow from a column, by its kind; of columns of levels by all but bands."""

WHAT = (
    "A parent follows from the level: the state of a county, the band of an age. It is derived, never read, and gets "
    "tables of its own; a release never contradicts it."
)


def parents_editor(draft: SchemaDraft, study: Study) -> None:
    """The parents of one column, and a form that declares another."""
    places = [place for place, row in enumerate(draft.rows) if row.get("kind") in ("categorical", "ordered", *WAYS)]
    if not places:
        return
    with st.expander("Levels that nest, and bands: parents of one column"):
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
    kind = str(row.get("kind"))
    key = "way of the parent" + (f" of a {kind} column" if kind in WAYS else "")
    way = st.radio("The parent is", WAYS.get(kind, (PREFIX, MAP, COLUMN)), key=key)
    with st.form("a parent"):
        name, content = _fields(way, sorted(str(one.get("name")) for one in draft.rows if one is not row))
        if not st.form_submit_button("Add this parent"):
            return
    try:
        if way == MAP:
            declared = schema_editing.by_map(name, schema_editing.read_map(content))
        else:
            declared = f"{name}:{_WRITTEN[way]}{content!s}"
        changed = schema_editing.with_parent(service(), study.population.name, row, draft.tokens, declared)
    except PmwPubError as refusal:
        st.error(plain(str(refusal)), icon=":material/block:")
        return
    rows = [changed if at == place else one for at, one in enumerate(draft.rows)]
    draft.restart([one for one in rows if way != COLUMN or one.get("name") != name])
    st.rerun()


def _fields(way: str, names: Sequence[str]) -> tuple[str, str | bytes]:
    """The name of the parent, and what else the form asks of it."""
    if way == COLUMN:
        return st.selectbox("Which column", names, key="parent column") or "", ""
    name = st.text_input("Its name, such as state", key="name of the parent").strip()
    if way == PREFIX:
        characters = st.number_input("How many characters", 1, 999, value=2, key="characters of the parent")
        return name, str(int(characters))
    if way == BANDS:
        return name, st.text_input("Edges, such as 0, 18, 65, 90; bins get those that they lack", key="edges of bands")
    text = st.text_area("Level and parent, one pair a line", key="map of the parent", placeholder="39001,Ohio")
    file = st.file_uploader("Or a file of such lines (CSV)", key="map file of the parent")
    return name, text if file is None else file.getvalue()
