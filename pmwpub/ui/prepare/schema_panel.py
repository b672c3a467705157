"""The declared schema: drafted from public tables or a codebook, loaded, edited, shown, downloaded."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pmwpub.errors import PmwPubError
from pmwpub.service import Study
from pmwpub.service.households import household_rules
from pmwpub.service.inputs import schema_editing
from pmwpub.service.inputs.decisions import Decisions, Dropped
from pmwpub.service.inputs.file_reading import ReadOptions
from pmwpub.service.inputs.schema_editing import Binning, NothingToEncode, Schema
from pmwpub.ui.app.deferring import at_download
from pmwpub.ui.app.frame import Badge, panel
from pmwpub.ui.app.pending import SchemaDraft
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session
from pmwpub.ui.prepare.nested_panel import nested_part
from pmwpub.ui.prepare.review_panel import review_part
from pmwpub.ui.prepare.schema_editor import binning_pickers, editor, unfinished
from pmwpub.ui.prepare.weights_panel import weights_part
from pmwpub.ui.widgets.read_as import confirm_reading
from pmwpub.ui.widgets.reading_progress import progress_bar
from pmwpub.ui.wording.remedies import remedy_words
from pmwpub.ui.wording.written import counted, plain

CHARGED = (
    "Charges were made under this schema. Another one makes new plans, each with its own price; what was bought "
    "stays, under the schema that it was bought with."
)
CODEBOOK = (
    "A codebook lists a table's columns and codes: CSV with the columns name, kind and level, a line a code or edge, "
    "or JSON as a schema file has it. What it leaves open comes from the public tables."
)

TO_ADD = "Nothing to draft from yet: add a public table above."
TO_STORE = "Nothing to draft from yet: press Store above to keep the tables that were read."

MOST_REASONS = 20
ALL_LEFT_OUT = (
    "Change the files, add a codebook that lists the levels, or load a schema file; nothing was stored or charged."
)


def schema_panel(session: Session, study: Study, *, changeable: bool) -> None:
    """Columns and levels, and the ways to get them; never from private rows."""
    with panel("Schema", Badge.PUBLIC):
        st.caption("Columns, levels and bins. They come from public tables or a codebook, never from private rows.")
        changeable = changeable and not study.demo
        if changeable and study.balance.spent.units:
            st.info(CHARGED)
        if changeable and session.editing is not None:
            editor(session, session.editing, study)
            return
        if changeable:
            unfinished(session, study)
        if study.schema is not None:
            if not review_part(session, study, changeable=changeable):
                schema_table(study.schema)
            nested_part(study)
            weights_part(session, study, changeable=changeable)
            _leave(session, study, study.schema, changeable=changeable)
        if changeable:
            _change(session, study)


def schema_table(schema: Schema) -> None:
    """One row a column."""
    attributes = {attribute.name: attribute.levels for attribute in schema.domain.attributes}
    columns = (*schema.columns, *schema.parents)
    st.dataframe(
        {
            "column": [column.name for column in columns],
            "kind": [column.kind for column in columns],
            "levels": [len(attributes.get(column.name, ())) or None for column in columns],
            "labels in order": [" · ".join(attributes.get(column.name, ())) for column in columns],
        },
        hide_index=True,
        width="stretch",
        height=260,
        alt="The schema: each column with its kind and levels.",
    )


def _leave(session: Session, study: Study, schema: Schema, *, changeable: bool) -> None:
    with st.container(horizontal=True):
        st.download_button(
            "Download schema.json",
            data=at_download(study.population.name, lambda: household_rules.written_schema(study)),
            file_name="schema.json",
            mime="application/json",
            on_click="ignore",
        )
        if changeable and st.button("Edit the schema", icon=":material/edit:"):
            session.editing = SchemaDraft.of(schema)
            st.rerun()


def _change(session: Session, study: Study) -> None:
    drafting, loading = st.columns(2)
    with drafting:
        st.markdown("Draft from the public candidates")
        bins, binning = binning_pickers("draft")
        if st.button("Draft a schema", disabled=not study.candidates):
            _save(session, study, bins=bins, binning=binning)
        if not study.candidates:
            st.caption(TO_STORE if session.shelf.offers else TO_ADD)
    with loading, st.form("schema", clear_on_submit=True):
        file = st.file_uploader("Or load a schema file (JSON)")
        if st.form_submit_button("Load", key="load schema") and file is not None:
            _save(session, study, text=file.getvalue())
    with st.form("codebook", clear_on_submit=True):
        file = st.file_uploader("Or draft from a codebook (CSV, Parquet or JSON)", help=CODEBOOK)
        pressed = st.form_submit_button("Draft from the codebook", key="load codebook")
    if pressed and file is not None:  # below the form, for drafting may draw a bar with a button, which no form takes
        _save(session, study, book=file.getvalue(), name=file.name, bins=bins, binning=binning)
    confirm_reading(
        session,
        "codebook",
        lambda held, options: _save(
            session, study, book=held.content, name=held.name, options=options, bins=bins, binning=binning
        ),
    )


def _save(
    session: Session,
    study: Study,
    *,
    text: bytes | None = None,
    book: bytes | None = None,
    name: str = "",
    options: ReadOptions | None = None,
    bins: int = 10,
    binning: Binning = "rounded",
) -> None:
    """Store the schema of a file or of a draft, or say why not; the earlier one then stays."""
    kept, dropped = Decisions(), tuple[Dropped, ...]()
    try:
        if text is not None:
            schema = _of_file(study, text)
        else:
            with progress_bar("Drafting the columns…") as progress:
                schema, kept, dropped = schema_editing.redrafted(
                    service(), study, book=book, options=options, bins=bins, binning=binning, progress=progress
                )
    except PmwPubError as refusal:
        if book is None or not session.shelf.keep("codebook", name, book, refusal, options):
            session.tell("error", _refused(refusal, earlier=study.schema is not None))
    else:
        _saved(session, study.schema, schema, kept, dropped)
    st.rerun()


def _of_file(study: Study, text: bytes) -> Schema:
    """Store the schema of a file; of one of households its persons' columns, and how rows make households."""
    if study.of_households and household_rules.is_household_schema(text):
        return household_rules.save_household_file(service(), study, text).persons
    schema = schema_editing.read_schema(text)
    schema_editing.save(service(), study, schema)
    return schema


def _refused(refusal: PmwPubError, *, earlier: bool) -> str:
    """Why there is no new schema; where no column can be encoded, why not, one by one."""
    stays = " The earlier one stays." if earlier else ""
    if not isinstance(refusal, NothingToEncode):
        return f"The schema was refused. {plain(str(refusal))}{stays}"
    lines = [f"- **{plain(one.name)}**: {plain(one.why)}" for one in refusal.left_out[:MOST_REASONS]]
    more = len(refusal.left_out) - len(lines)
    lines += [f"- and {more:,} more columns"] if more > 0 else []
    head = f"No column of the public tables can be encoded as it stands, so no schema was made.{stays}"
    return "\n".join([head, "", *lines, "", ALL_LEFT_OUT])


def _saved(
    session: Session, earlier: Schema | None, schema: Schema, kept: Decisions, dropped: Sequence[Dropped]
) -> None:
    columns = counted(len(schema.domain.attributes), "column")
    held = f" It follows {counted(len(kept.remedies), 'decision')} of yours." if kept.remedies else ""
    session.tell("success", f"The schema has {columns}.{held} Look it over before you spend.")
    for one in dropped:
        words = f"{plain(one.remedy.column)}: {plain(remedy_words(one.remedy))}"
        session.tell("warning", f"A decision no longer applies. {words}: {plain(one.why)}")
    for rule in () if earlier is None else earlier.rules:
        if rule not in schema.rules:
            session.tell("warning", f"A rule is not part of this schema and was taken out: {plain(rule.text)}")
