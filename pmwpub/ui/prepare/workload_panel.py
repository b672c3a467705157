"""A workload in words and numbers, before it is chosen; and the widgets that choose it."""

from __future__ import annotations

import streamlit as st

from pmwpub.plans import WorkloadChoice
from pmwpub.service import Study
from pmwpub.service.choosing.workload_sizes import workload_facts
from pmwpub.service.inputs import study_store
from pmwpub.ui.app.frame import Badge, panel, refusals
from pmwpub.ui.app.services import public, service
from pmwpub.ui.app.state import Session, current
from pmwpub.ui.prepare.workload_size import size_metrics
from pmwpub.ui.widgets.whole_numbers import whole_number
from pmwpub.ui.wording.chosen_workload import described

ALL, SAMPLED, PICKED = "all", "sampled", "hand-picked"
WIDEST = 5

Names = tuple[str, ...]


def workload_panel(session: Session, study: Study) -> None:
    """Say which queries the release is made to answer; whoever may change them chooses them here."""
    with panel("The workload", Badge.PUBLIC):
        if study.schema is None:
            st.caption("The queries that a release must answer are chosen here, once there is a schema.")
            return
        if study.choice is not None:
            st.markdown(f"Chosen: **{described(study.choice)}**.")
        with st.expander("What a workload is"):
            st.markdown(
                "A k-way marginal counts the rows for every combination of levels of k columns. The release is made to "
                "answer all cells of the chosen marginals; the largest error over them is what the app reports."
            )
        if session.may_change(study):
            with refusals():
                _offer(session, study)
        elif study.choice is not None:
            facts_table(study, study.choice)
            if study.closed is not None or not study.balance.spent.units:
                return
            who = "by the steward" if session.presenting else "once this session holds the private table"
            st.info(f"Charges were made with it: it can be changed {who}.")


def _offer(session: Session, study: Study) -> None:
    """Draw the widgets of a workload with its facts, and the button that takes it."""
    choice = choose(study)
    if choice is not None:
        facts_table(study, choice)
    if choice is not None and choice == study.choice:
        st.caption("This is the workload in force.")
    elif choice is not None and st.button("Use this workload", type="primary"):
        study_store.choose_workload(service(), study.population.name, choice)
        session.tell("success", f"The workload is now {described(choice)}. Earlier results keep theirs.")
        st.rerun()


def choose(study: Study) -> WorkloadChoice | None:
    """Marginals, and which ordered columns "at most" is asked of, from the widgets; None while none is picked."""
    choice = _marginals(study)
    return None if choice is None else choice.model_copy(update={"prefixes": _ordered(study)})


def _ordered(study: Study) -> tuple[str, ...]:
    """The ordered columns that are chosen; nothing is drawn where there is none."""
    attributes = () if study.schema is None else study.schema.domain.attributes
    options = [attribute.name for attribute in attributes if attribute.ordered > 1]
    if not options or study.of_households:
        return ()
    kept = [name for name in (study.choice.prefixes if study.choice else ()) if name in options]
    help_text = (
        "Rows up to each level of an ordered column: of the column alone, and within the levels of each column that a "
        "marginal has together with it. PMW^Pub then asks these (prefix queries) as well; table fit answers them from "
        "its tables."
    )
    return tuple(sorted(st.multiselect("Also answer “at most x” questions for", options, kept, help=help_text)))


def _marginals(study: Study) -> WorkloadChoice | None:
    """All, sampled or hand-picked; None while no marginal is picked."""
    columns = 3 if study.schema is None else len(study.schema.domain.lineages)
    stored = study.choice or WorkloadChoice(k=min(2 if study.of_households else 3, columns))
    ways = [ALL, SAMPLED, PICKED]
    place = 2 if stored.names is not None else int(stored.marginals is not None)
    scope = st.radio("Marginals", ways, index=place, horizontal=True)
    if scope == PICKED:
        return _pick(study, stored)
    left, middle, right = st.columns(3)
    most = min(columns, max(WIDEST, stored.k))
    k = whole_number(left, "k, columns of a marginal", 1, most, value=stored.k)
    if scope == ALL:
        return WorkloadChoice(k=k)
    marginals = whole_number(middle, "How many", 1, value=stored.marginals or 128)
    return WorkloadChoice(k=k, marginals=marginals, seed=whole_number(right, "Seed (public)", 0, value=stored.seed))


def _pick(study: Study, stored: WorkloadChoice) -> WorkloadChoice | None:
    """Sets of columns, put together one after the other."""
    columns = study.schema.domain.names if study.schema is not None else ()
    picks = current().choices.marginals.setdefault(study.population.name, list(stored.names or ()))
    with st.form("pick a marginal", clear_on_submit=True):
        together = st.multiselect(
            f"Columns of a marginal (1 to {WIDEST})", columns, max_selections=WIDEST, key="marginal columns"
        )
        if st.form_submit_button("Add this marginal", key="add marginal") and together:
            picks.append(tuple(sorted(together)))
            st.rerun()
    options = list(dict.fromkeys(picks))
    if not options:
        st.caption("Pick at least one marginal.")
        return None
    key = f"picked {len(options)}"  # a marginal that was added stands picked
    chosen = st.multiselect("Marginals picked", options, default=options, format_func=" × ".join, key=key)
    return WorkloadChoice.picked(chosen)


def facts_table(study: Study, choice: WorkloadChoice) -> None:
    """Domain, queries, memory and time of a choice; WorkloadError where it does not fit."""
    schema = study.schema
    if schema is None:
        return
    key = f"workload:{schema.sha256}:{choice.sha256}"
    workload = public(key, lambda: choice.build(schema.domain))
    atoms = max((len(facts.support) for facts in study.usable if facts.support), default=0)
    facts = workload_facts(workload, atoms)
    asked = f"{len(workload.prefixes):,} tables of “at most” among them." if workload.prefixes else None
    round_of = ("A round, about", "On one core, for the largest candidate.")
    marginals = ("Marginals", facts.marginals)  # what pages sell of households has no rounds
    size_metrics(facts, marginals, queries=asked, round_of=None if study.of_households else round_of)
    if study.of_households:
        return
    if not atoms:
        st.caption("Time is for no table yet: add a candidate that fits the schema.")
