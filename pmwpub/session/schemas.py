"""The declared schema: drafted from public tables, loaded, shown, downloaded."""

from __future__ import annotations

import streamlit as st

from pmwpub.errors import PmwPubError
from pmwpub.service import Study, studies
from pmwpub.session.frame import Badge, panel
from pmwpub.session.services import service
from pmwpub.session.state import Session
from pmwpub.session.words import plain
from pmwpub.tabular.schema import Schema


def schema_panel(session: Session, study: Study, *, changeable: bool) -> None:
    """Columns and levels, and the ways to get them; never from private rows."""
    with panel("Schema", Badge.PUBLIC):
        st.caption("Columns, levels and bins. They come from public tables or a codebook, never from private rows.")
        if study.schema is not None:
            schema_table(study.schema)
            st.download_button(
                "Download schema.json",
                data=study.schema.to_json,
                file_name="schema.json",
                mime="application/json",
                on_click="ignore",
            )
        if changeable and not study.demo:
            _change(session, study)


def schema_table(schema: Schema) -> None:
    """One row a column."""
    attributes = {attribute.name: attribute.levels for attribute in schema.domain.attributes}
    st.dataframe(
        {
            "column": [column.name for column in schema.columns],
            "kind": [column.kind for column in schema.columns],
            "levels": [len(attributes.get(column.name, ())) or None for column in schema.columns],
            "labels in order": [" · ".join(attributes.get(column.name, ())) for column in schema.columns],
        },
        hide_index=True,
        width="stretch",
        height=260,
        alt="The schema: each column with its kind and levels.",
    )


def _change(session: Session, study: Study) -> None:
    drafting, loading = st.columns(2)
    with drafting:
        st.markdown("Draft from the public candidates")
        if st.button("Draft a schema", disabled=not study.candidates):
            _save(session, study, None)
    with loading, st.form("schema", clear_on_submit=True):
        file = st.file_uploader("Or load a schema file (JSON, version 1)")
        if st.form_submit_button("Load", key="load schema") and file is not None:
            _save(session, study, file.getvalue())


def _save(session: Session, study: Study, text: bytes | None) -> None:
    name = study.population.name
    try:
        schema = studies.draft_schema(service(), name) if text is None else Schema.from_json(text)
        studies.save_schema(service(), name, schema)
    except PmwPubError as refusal:
        session.tell("error", f"The schema was refused. {plain(str(refusal))} The earlier one stays.")
    else:
        session.tell(
            "success", f"The schema has {len(schema.domain.attributes)} columns. Look it over before you spend."
        )
    st.rerun()
