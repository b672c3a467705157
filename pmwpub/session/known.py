"""What can be known of candidates for free: facts, each against each other one, and the rows that suffice."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pmwpub import figures
from pmwpub.jobs.public_work import PairFacts
from pmwpub.service import Study
from pmwpub.service.comparing import compare, comparison
from pmwpub.session import plots
from pmwpub.session.frame import Badge, panel, refusals
from pmwpub.session.pools import Pool
from pmwpub.session.services import service
from pmwpub.session.settings import COMPARED, Setting, choose_setting
from pmwpub.session.uploads import facts_table
from pmwpub.session.watching import Waiting, watch
from pmwpub.theory import private_rows_needed, public_rows_needed

LEGEND = (
    "One public table plays the private one, another its candidate. **Floor**: the error that would remain if the "
    "candidate were reweighted perfectly, proved from both sides. **Start**: the error of publishing it unchanged. "
    "**Empty cells**: queries that the one meets and no row of the other does. It shows how alike the public tables "
    "are; how alike the private one is, only a paid assessment tells."
)

SUFFICE = (
    "With so many private and public rows, a public table drawn from a similar population has a best-mixture error of "
    "at most α with probability 1 − β. Enough, not necessary: fewer rows often do. D₂ and D∞ say how far the private "
    "population is from the public one, in nats; both are 0 for the same population, and D∞ is the log of the largest "
    "ratio of shares."
)
ARGUMENTS = (
    ("α, error", 0.001, 0.999, 0.05, 0.01),
    ("β, chance of missing it", 0.001, 0.999, 0.05, 0.01),
    ("D₂ (nats)", 0.0, 20.0, 0.0, 0.1),
    ("D∞ (nats)", 0.0, 20.0, 0.0, 0.1),
)


def known_panel(study: Study, pools: Sequence[Pool]) -> None:
    """Facts, comparison and calculator; nothing private is touched and nothing is charged."""
    with panel("What is known for free", Badge.PUBLIC):
        facts_table(study.candidates)
        with refusals():
            _compared(study, pools)
        with st.expander("How many rows suffice? (Proposition 4.3 of the paper)"), refusals():
            _rows_calculator(study)


def known_pools(study: Study, setting: Setting, pools: Sequence[Pool]) -> Sequence[Pool]:
    """The pools as far as the comparison that is stored knows them: all of them, or none."""
    return pools if comparison(service(), study, setting, pools=pools).pairs else ()


def _compared(study: Study, pools: Sequence[Pool]) -> None:
    if len(study.usable) < 2:
        st.caption("With a second candidate they can be compared with each other.")
        return
    st.markdown(LEGEND)
    setting = choose_setting(study, "Compare over", "compare setting")
    wanted = comparison(service(), study, setting, pools=pools)
    found = wanted if wanted.pairs else comparison(service(), study, setting)
    if wanted.job is not None:
        watch([Waiting(wanted.job.key, "Comparison")], "step", charged=False)
    elif not wanted.pairs:
        label = "Compare again, with the pools" if found.pairs else "Compare the candidates with each other"
        if st.button(label, help="Free: it uses public tables only.", icon=":material/compare_arrows:"):
            compare(service(), study, setting, pools=pools)
            st.rerun()
    if found.pairs:
        plots.show(figures.pair_map([_pair(facts) for facts in found.pairs]), "pairs")
        st.caption(COMPARED[setting])


def _pair(facts: PairFacts) -> figures.PairFloor:
    ends = (facts.lower, facts.upper, facts.start)
    return figures.PairFloor(facts.truth, facts.candidate, *ends, facts.covered, facts.empty)


def _rows_calculator(study: Study) -> None:
    st.markdown(SUFFICE)
    alpha, beta, second, largest = (
        place.number_input(label, least, most, value=value, step=step, format="%.3f", key=f"rows {label}")
        for place, (label, least, most, value, step) in zip(st.columns(4), ARGUMENTS, strict=True)
    )
    queries, k = study.workload().queries, study.population.rows_per_person
    private = k * private_rows_needed(alpha, beta, queries)
    public = public_rows_needed(alpha, beta, queries, second_divergence=second, max_divergence=largest)
    tables = [("private table", study.population.n, private)]
    tables += [(facts.name, facts.rows, public) for facts in study.usable]
    st.dataframe(
        {
            "table": [name for name, _, _ in tables],
            "rows": [rows for _, rows, _ in tables],
            "rows that suffice": [needed for _, _, needed in tables],
            "verdict": ["enough" if rows >= needed else "the bound says nothing" for _, rows, needed in tables],
        },
        hide_index=True,
        width="stretch",
        column_config=dict.fromkeys(("rows", "rows that suffice"), st.column_config.NumberColumn(format="localized")),
        alt="Rows of each table beside the rows that suffice.",
    )
    note = "" if k == 1 else f" With up to {k} rows a person, n private rows count as n/{k}."
    st.caption(f"For the {queries:,} queries of the workload.{note}")
