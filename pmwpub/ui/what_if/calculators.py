"""The paper's accuracy theorem and mixture proposition as calculators: public arithmetic, for everybody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from pmwpub import figures
from pmwpub.errors import BoundError
from pmwpub.service.simulations.theorem_calculator import HYPOTHESES, AccuracyQuestion, Facts, rows_that_suffice
from pmwpub.ui.widgets import plot_panel
from pmwpub.ui.widgets.whole_numbers import whole_number
from pmwpub.ui.wording.written import loss, number

EPSILONS = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0)
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
PROMISE = (
    "**Theorem 4.4** bounds the largest error over the workload for *any* private table. It adds up twice the "
    "best-mixture error f, weights that have not settled (fewer with more rounds), the noise of selection (more with "
    "more rounds), and bad luck. It depends on ε and n through their product alone."
)


def accuracy_calculator(facts: Facts) -> None:
    """Draw the bound against T and against ε, and say which rows or which ε an error would need."""
    st.markdown(PROMISE)
    left, middle, right = st.columns(3)
    n = whole_number(left, "n, private rows", facts.rows_per_person, 10**12, value=facts.n, step=1000)
    m = whole_number(middle, "m, public rows", 1, 10**12, value=facts.m, step=1000)
    queries = whole_number(right, "Q, queries", 2, 10**12, value=facts.queries, step=1000)
    epsilon = float(left.number_input("ε", 0.001, 100.0, value=1.0, step=0.1, format="%.3f", key="theory epsilon"))
    floor = float(
        middle.number_input("f, best-mixture error", 0.0, 0.5, value=0.0, step=0.005, format="%.4f", key="theory floor")
    )
    beta = float(right.number_input("β, chance of missing it", 0.001, 0.999, value=0.05, step=0.01, format="%.3f"))
    own = replace(facts, n=n, m=m, queries=queries)
    asked = AccuracyQuestion(own, epsilon=epsilon, best_mixture=floor, beta=beta)
    _needed(asked)
    _answer(asked.bound, asked.rounds, beta)
    plot_panel.show(figures.drawn_once(figures.bound_against_rounds, asked.by_rounds(), asked.rounds), "bound rounds")
    line = asked.by_epsilon(EPSILONS)
    plot_panel.show(
        figures.drawn_once(figures.bound_against_epsilon, line.epsilons, line.errors, line.rounds), "bound epsilon"
    )
    with st.expander("What it rests on"):
        st.markdown("\n".join(f"- {words}" for words in HYPOTHESES))
        per = "" if facts.rows_per_person == 1 else f", with n/{facts.rows_per_person} for n: so many rows a person"
        st.caption(f"At δ = {loss(facts.delta)}{per}. log is natural.")


def _answer(bound: float, best: int, beta: float) -> None:
    left, right = st.columns(2)
    left.metric("Bound on the largest error", number(bound), help="A share of the private rows.")
    right.metric("at T =", f"{best:,} rounds", help="The number of rounds at which the bound is least.")
    if bound >= 1:
        st.warning("Here the bound says nothing: no error is larger than 1. A simulation tells what to expect.")
    else:
        st.caption(f"With probability {1 - beta:g}, whatever the private table is. A simulation shows what to expect.")


def _needed(asked: AccuracyQuestion) -> None:
    wanted = float(
        st.number_input("An error that the bound should promise", 0.001, 1.0, value=0.1, step=0.01, format="%.3f")
    )
    try:
        rows, dear = asked.needed(wanted)
    except BoundError as reason:
        st.info(str(reason))
        return
    facts = asked.facts
    st.markdown(
        f"A bound of {number(wanted)} takes **{rows:,.0f} private rows** at this ε, or **ε = {loss(dear)}** "
        f"(δ = {loss(facts.delta)}) with the {facts.n:,} rows that there are."
    )


def rows_calculator(queries: int, rows_per_person: int, n: int, tables: Sequence[tuple[str, int]]) -> None:
    """Draw the private and public rows that suffice (Proposition 4.3) beside those that there are.

    tables  each public table by name with its rows
    """
    st.markdown(SUFFICE)
    alpha, beta, second, largest = (
        place.number_input(label, least, most, value=value, step=step, format="%.3f", key=f"rows {label}")
        for place, (label, least, most, value, step) in zip(st.columns(4), ARGUMENTS, strict=True)
    )
    private, public = rows_that_suffice(
        alpha, beta, queries, rows_per_person=rows_per_person, second_divergence=second, max_divergence=largest
    )
    lines = [("private table", n, private)] + [(name, rows, public) for name, rows in tables]
    st.dataframe(
        {
            "table": [name for name, _, _ in lines],
            "rows": [rows for _, rows, _ in lines],
            "rows that suffice": [needed for _, _, needed in lines],
            "verdict": ["enough" if rows >= needed else "fewer" for _, rows, needed in lines],
        },
        hide_index=True,
        width="stretch",
        column_config=dict.fromkeys(("rows", "rows that suffice"), st.column_config.NumberColumn(format="localized")),
        alt="Rows of each table beside the rows that suffice.",
    )
    note = (
        ""
        if rows_per_person == 1
        else f" With up to {rows_per_person} rows a person, n private rows count as n/{rows_per_person}."
    )
    st.caption(f"For {queries:,} queries.{note}")
