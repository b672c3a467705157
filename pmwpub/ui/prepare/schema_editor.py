"""The schema in a grid: every rule of the schema file is a cell, and its size is shown after each edit."""

from __future__ import annotations

import hashlib
from typing import Any

import streamlit as st

from pmwpub.errors import PmwPubError
from pmwpub.plans import WorkloadChoice
from pmwpub.service import Study
from pmwpub.service.choosing.workload_sizes import workload_facts
from pmwpub.service.inputs import schema_editing
from pmwpub.service.inputs.schema_editing import Binning, Row, Schema
from pmwpub.ui.app import widget_keys
from pmwpub.ui.app.frame import refusals
from pmwpub.ui.app.pending import SchemaDraft
from pmwpub.ui.app.services import public, service
from pmwpub.ui.app.state import Session
from pmwpub.ui.prepare.parents_editor import parents_editor
from pmwpub.ui.prepare.workload_size import size_metrics
from pmwpub.ui.wording.written import plain

BINNING_WORDS = {
    "rounded": "round numbers",
    "quantiles": "quantiles",
    "width": "equal widths",
}
BINNING_HELP = "Round numbers and quantiles give bins of about equal counts; the first have round edges."
BLANK = "(blank cell)"
RULES = (
    "**categorical** has levels, **numeric** has bins between rising edges, **id** says whose row it is (checked, "
    "never encoded), **ignore** leaves a column out. **missing** and **other** each add a level; **outside** says "
    "what becomes of a number beyond the edges. A private cell that no rule places gets no level: it counts in n and "
    "in no query. **weight** with a cap and a unit has rows count as what they weigh, and only design weights are "
    "covered: one over the chance of being drawn, not raked or adjusted ones."
)


def editor(session: Session, draft: SchemaDraft, study: Study) -> None:
    """The grid, one column at a time beside it, the size, and the buttons that save or discard."""
    if study.schema is not None and draft.began != study.schema.sha256:
        st.warning("Another schema was stored since this edit began; saving replaces it.")
    st.caption(RULES)
    _grid(draft)
    _tokens(draft)
    _one_column(draft, study)
    parents_editor(draft, study)
    schema = _checked(draft, study)
    _keep(draft, study)
    with st.container(horizontal=True):
        if st.button("Save this schema", type="primary", disabled=schema is None) and schema is not None:
            with refusals():
                schema_editing.save(service(), study, schema)
                _let_go(session, study)
                session.tell("success", "The schema is saved. Plans are made under it from now on.")
                st.rerun()
        if st.button("Discard the edits", help="The stored schema stays as it is."):
            with refusals():
                _let_go(session, study)
                st.rerun()


def unfinished(session: Session, study: Study) -> None:
    """Offer an edit that was begun and not saved: here, in another session, or before a refresh."""
    with refusals():
        body = schema_editing.unfinished(service(), study.population.name)
        if body is None:
            return
        st.info("An edit of the schema was begun and not saved; it is kept.")
        with st.container(horizontal=True):
            if st.button("Go on with the edit", type="primary", icon=":material/edit:"):
                session.editing = SchemaDraft.from_bytes(body)
                st.rerun()
            if st.button("Discard that edit", help="The stored schema stays as it is."):
                _let_go(session, study)
                st.rerun()


def _keep(draft: SchemaDraft, study: Study) -> None:
    """Store the edit where it changed; a store that cannot is said, and the edit goes on."""
    body = draft.to_bytes()
    if body == draft.kept:
        return
    with refusals():
        schema_editing.keep(service(), study.population.name, body)
        draft.kept = body


def _let_go(session: Session, study: Study) -> None:
    schema_editing.drop(service(), study.population.name)
    session.editing = None


def binning_pickers(key: str) -> tuple[int, Binning]:
    """How many bins, and where their edges come from."""
    left, right = st.columns(2)
    bins = int(left.number_input("Bins of a numeric column", 1, 1000, value=10, key=f"bins {key}"))
    binning = right.selectbox(
        "Edges at",
        schema_editing.BINNINGS,
        format_func=BINNING_WORDS.__getitem__,
        help=BINNING_HELP,
        key=f"binning {key}",
    )
    return bins, binning


def _grid(draft: SchemaDraft) -> None:
    key = widget_keys.schema_grid(draft.version)
    if key not in st.session_state:
        draft.base = draft.rows
    edited = st.data_editor(
        draft.base,
        key=key,
        num_rows="dynamic",
        column_config=_columns(),
        hide_index=True,
        width="stretch",
        placeholder="–",
        alt="The schema, one column a row, to be edited.",
    )
    draft.rows = [dict(row) for row in edited]


def _columns() -> dict[str, Any]:
    config = st.column_config

    def choice(label: str, options: tuple[str, ...], words: str) -> Any:
        return config.SelectboxColumn(label, options=options, help=words, format_func=_mark)

    def flag(label: str, words: str) -> Any:
        return config.CheckboxColumn(label, help=words, required=True, default=False)

    return {
        "name": config.TextColumn("column", required=True, pinned=True),
        "kind": config.SelectboxColumn("kind", options=schema_editing.KINDS, required=True),
        "values": config.ListColumn("levels or edges", width="large"),
        "missing": flag("missing", "Adds a level for missing tokens."),
        "other": flag("other", "Adds a level for cells that nothing else claims."),
        "outside": choice("outside", ("", "clip", "other", "none"), "A number beyond the edges; numeric columns only."),
        "strip": flag("strip", "Ignore white space around a cell."),
        "casefold": flag("casefold", "Ignore upper and lower case."),
        "nfc": flag("nfc", "Composed and decomposed letters are one."),
        "number": flag("number", "1, 1.0, 01 and +1 are one level."),
        "codes": config.ListColumn("missing codes", help="CODE = LABEL, or FROM..TO = LABEL: each label is a level."),
        "parents": config.ListColumn("parents", help="What follows from the level; declared below.", disabled=True),
        "part": choice("part", ("", "year", "quarter", "month", "weekday"), "What counts of a date."),
        "order": choice("order", ("", "ymd", "dmy", "mdy"), "How a date is written."),
        "pivot": config.TextColumn("pivot", help="Years of two digits are of 19.. from it on; dates only."),
        "decimal": choice("decimal", ("", ".", ","), "The decimal mark; numeric columns only."),
        "thousands": choice("thousands", ("", *schema_editing.THOUSANDS_MARKS), "Between groups of three digits."),
        "prefix": config.TextColumn("before", help="What may stand before a number, such as $; numeric columns only."),
        "suffix": config.TextColumn("behind", help="What may stand behind a number, such as %; numeric columns only."),
        "beyond": choice(
            "beyond k", ("", "keep"), "Of an ID with more than k rows: keep k of them, or refuse the table."
        ),
        "cap": config.TextColumn("cap", help="Of weights: a row weighs at most so much. Blank: they are left aside."),
        "unit": config.TextColumn("unit", help="Of weights: rounded to whole ones; the cap is 1 to 1,000 of them."),
        "total": config.TextColumn("total", help="Of weights: what all sum up to, by public sources; never checked."),
        "weighs": choice("weighs", ("", "all", "public"), "Blank: private rows; all: public rows too; or public rows."),
    }


_MARKS = {
    "": "–",
    " ": "(space)",
    "\u00a0": "(no-break space)",
    "\u202f": "(narrow space)",
    "none": "none (no level)",
}


def _mark(mark: str) -> str:
    return _MARKS.get(mark, mark)


def _tokens(draft: SchemaDraft) -> None:
    """The missing tokens; the empty one, which cannot be typed, has a name."""
    key = widget_keys.missing_tokens(draft.version)
    if key not in st.session_state:
        draft.options = st.session_state[key] = [token or BLANK for token in draft.tokens]
    picked = st.multiselect(
        "Missing tokens",
        list(dict.fromkeys([BLANK, *draft.options])),
        accept_new_options=True,
        key=key,
        help="Cells that stand for no value, in every column.",
    )
    draft.tokens = ["" if token == BLANK else token for token in picked]


def _one_column(draft: SchemaDraft, study: Study) -> None:
    """Levels or edges of one column, a line each, or taken from the public tables."""
    places = [place for place, row in enumerate(draft.rows) if row.get("kind") in ("categorical", "ordered", "numeric")]
    if not places:
        return
    with st.expander("Levels or bins of one column"):
        place = st.selectbox(
            "Column", places, format_func=lambda place: str(draft.rows[place].get("name")), key="edited column"
        )
        row = draft.rows[place]
        _as_text(draft, place, row)
        numeric = row["kind"] == "numeric"
        bins, binning = binning_pickers("column") if numeric else (10, "rounded")
        words = "Take bins from the public tables" if numeric else "Take levels from the public tables"
        if st.button(words, disabled=not study.candidates):
            try:
                population = study.population.name
                if numeric:
                    values = schema_editing.bins_of(service(), population, row, bins=bins, binning=binning)
                else:
                    values = schema_editing.levels_of(service(), population, row, draft.tokens)
            except PmwPubError as refusal:
                st.error(plain(str(refusal)), icon=":material/block:")
            else:
                draft.put(place, {**row, "values": values})
                st.rerun()


def _as_text(draft: SchemaDraft, place: int, row: Row) -> None:
    values = [str(value) for value in row.get("values") or []]
    if any("\n" in value for value in values):
        st.caption("A level of this column has a line break in it; edit it in the grid.")
        return
    lines = "\n".join(values)
    stands = hashlib.sha256(lines.encode()).hexdigest()[:12]
    text = st.text_area("Levels or edges, one a line", lines, key=f"values {place} {stands}")
    if st.button("Take these lines"):
        draft.put(place, {**row, "values": text.split("\n") if text else []})
        st.rerun()


def _checked(draft: SchemaDraft, study: Study) -> Schema | None:
    """The schema that the rows make, with its size; None, and the reason, where they make none."""
    try:
        rules = () if study.schema is None else study.schema.rules
        schema = schema_editing.schema_of(draft.rows, draft.tokens, draft.edition, rules)
    except PmwPubError as refusal:
        st.error(f"{plain(str(refusal))} Nothing is lost: go on editing.", icon=":material/block:")
        return None
    try:
        _size(schema, study)
    except PmwPubError as refusal:
        st.warning(f"{plain(str(refusal))} The schema can be saved; its workload must then be another one.")
    if study.schema is not None and schema == study.schema:
        st.caption("No change so far.")
    return schema


def _size(schema: Schema, study: Study) -> None:
    """What plans under this schema are up against; WorkloadError where the workload does not fit it."""
    choice = study.choice or WorkloadChoice(k=min(3, len(schema.encoded)))
    workload = public(f"workload:{schema.sha256}:{choice.sha256}", lambda: choice.build(schema.domain))
    facts = workload_facts(workload, max((one.rows for one in study.candidates), default=0))
    asked, round_of = f"Of {facts.marginals:,} marginals.", ("A round, at most about", "On one core.")
    size_metrics(facts, ("Columns, encoded", len(schema.encoded)), queries=asked, round_of=round_of)
    words = "the workload in force" if study.choice else f"all {choice.k}-way marginals, as no workload is chosen yet"
    st.caption(f"Queries, memory and time are for {words}; time is for the largest public table, every row distinct.")
