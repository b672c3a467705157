"""What can be known of candidates for free: facts, each against each other one, and the rows that suffice."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pmwpub import figures
from pmwpub.plans.weighing import shares_of_what
from pmwpub.service import Study
from pmwpub.service.simulations.public_pairs import PairFacts, compare, comparison
from pmwpub.ui.app.frame import refusals
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import viewers_only
from pmwpub.ui.compare.floor_scope import COMPARED, Setting, choose_setting
from pmwpub.ui.compare.pools import Pool
from pmwpub.ui.prepare.uploads import facts_table
from pmwpub.ui.what_if.calculators import rows_calculator
from pmwpub.ui.widgets import plot_panel
from pmwpub.ui.widgets.watching import Waiting, watch

LEGEND = (
    "One public table plays the private one, another its candidate. **Floor**: the error that would remain if the "
    "candidate were reweighted perfectly, proved from both sides. **Start**: the error of publishing it unchanged. "
    "**Empty cells**: queries that the one meets and no row of the other does. It shows how alike the public tables "
    "are; how alike the private one is, only a paid assessment tells."
)


def known_part(study: Study, pools: Sequence[Pool]) -> None:
    """Draw facts, comparison and calculator; nothing private is touched and nothing is charged."""
    facts_table(study.candidates)
    with refusals():
        _compared(study, pools)
    st.markdown("##### How many rows suffice? (Proposition 4.3 of the paper)")
    with refusals():
        terms = study.population
        tables = [(facts.name, facts.worth) for facts in study.usable]
        rows_calculator(study.workload().queries, terms.rows_per_person, terms.n, tables)


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
    elif not wanted.pairs and viewers_only():
        st.caption("This server is for viewers alone: it begins no comparison.")
    elif not wanted.pairs:
        label = "Compare again, with the pools" if found.pairs else "Compare the candidates with each other"
        if st.button(label, help="Free: it uses public tables only.", icon=":material/compare_arrows:"):
            compare(service(), study, setting, pools=pools)
            st.rerun()
    if found.pairs:
        pairs, whole = [_pair(facts) for facts in found.pairs], shares_of_what(weighed=study.weighs_rows)
        plot_panel.show(figures.drawn_once(figures.pair_map, pairs, whole=whole), "pairs")
        st.caption(COMPARED[setting])


def _pair(facts: PairFacts) -> figures.PairFloor:
    ends = (facts.lower, facts.upper, facts.start)
    return figures.PairFloor(facts.truth, facts.candidate, *ends, facts.covered, facts.empty)
