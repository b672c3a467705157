"""A workload in words and numbers, before it is chosen."""

from __future__ import annotations

import streamlit as st

from pmwpub.plans import WorkloadChoice
from pmwpub.service import Study
from pmwpub.service.releasing import workload_facts
from pmwpub.session.services import public
from pmwpub.session.words import number


def described(choice: WorkloadChoice) -> str:
    """ "128 of the 3-way marginals, seed 0"."""
    if choice.marginals is None:
        return f"all {choice.k}-way marginals"
    return f"{choice.marginals:,} of the {choice.k}-way marginals, seed {choice.seed}"


def facts_table(study: Study, choice: WorkloadChoice) -> None:
    """Domain, queries, memory and time of a choice; WorkloadError where it does not fit."""
    schema = study.schema
    if schema is None:
        return
    key = f"workload:{schema.sha256}:{choice.sha256}"
    workload = public(key, lambda: choice.build(schema.domain))
    atoms = max((len(facts.support) for facts in study.usable if facts.support), default=0)
    facts = workload_facts(workload, atoms)
    first, second = st.columns(3), st.columns(3)
    first[0].metric("Marginals", f"{facts.marginals:,}")
    first[1].metric("Queries", f"{facts.queries:,}")
    first[2].metric("Columns, one-hot", f"{facts.dimension:,}", help="The sum of the level counts.")
    second[0].metric("Possible rows", number(facts.domain_size), help="The product of the level counts.")
    second[1].metric("Memory, about", f"{facts.megabytes:,.0f} MB")
    second[2].metric(
        "A round, about", f"{number(facts.seconds_per_round)} s", help="On one core, for the largest candidate."
    )
    if not atoms:
        st.caption("Time is for no table yet: add a candidate that fits the schema.")
