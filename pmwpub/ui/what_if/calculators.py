"""The paper's accuracy theorem and mixture proposition as calculators: public arithmetic, for everybody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import streamlit as st

from pmwpub import figures
from pmwpub.errors import BoundError
from pmwpub.service import Study
from pmwpub.theory import (
    HYPOTHESES,
    accuracy_line,
    accuracy_terms,
    epsilon_tilde_of,
    epsilon_within,
    fewest_rounds,
    private_rows_needed,
    public_rows_needed,
    rounds_of_least_bound,
    signal_needed,
)
from pmwpub.ui.widgets import plot_panel
from pmwpub.ui.widgets.whole_numbers import whole_number
from pmwpub.ui.wording.written import loss, number

EPSILONS = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0)
POINTS = 60
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


@dataclass(frozen=True)
class Facts:
    """What the calculators begin with; all public.

    n        private rows; m  public rows with repetition; queries  Q; rows_per_person  k
    """

    n: int
    m: int
    queries: int
    delta: Fraction
    rows_per_person: int = 1


def facts_of(study: Study | None) -> Facts:
    """Those of the open population, as far as it has them; else those of the demo."""
    if study is None:
        return Facts(20_000, 12_000, 121_848, Fraction(1, 20_000**2))
    terms = study.population
    rows = max((one.rows for one in study.usable), default=12_000)
    queries = study.workload().queries if study.schema is not None and study.choice is not None else 121_848
    return Facts(terms.n, rows, queries, terms.delta, terms.rows_per_person)


def accuracy_calculator(facts: Facts) -> None:
    """The bound against T and against ε, and the rows or the ε that an error would need."""
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
    rows = n / facts.rows_per_person
    tilde = epsilon_tilde_of(epsilon, facts.delta)
    best = rounds_of_least_bound(tilde, n=rows, m=m, queries=queries, beta=beta)
    found = accuracy_terms(tilde, best, n=rows, m=m, queries=queries, beta=beta, best_mixture=floor)
    _answer(found.total, best, beta)
    plot_panel.show(
        figures.bound_against_rounds(_points(tilde, rows, m, queries, beta, floor, best), best), "bound rounds"
    )
    line = accuracy_line(
        sorted({*EPSILONS, epsilon}), delta=facts.delta, n=n, m=m, queries=queries,
        rows_per_person=facts.rows_per_person, beta=beta, best_mixture=floor,
    )  # fmt: skip
    plot_panel.show(figures.bound_against_epsilon(line.epsilons, line.errors, line.rounds), "bound epsilon")
    _needed(facts, n, m, queries, beta, floor, tilde)
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


def _points(
    tilde: float, rows: float, m: int, queries: int, beta: float, floor: float, best: int
) -> list[figures.BoundParts]:
    fewest = fewest_rounds(beta)
    most = max(10 * best, 10 * fewest)
    tried = sorted({*np.unique(np.geomspace(fewest, most, POINTS).round().astype(int)).tolist(), best})
    found = []
    for rounds in tried:
        terms = accuracy_terms(tilde, rounds, n=rows, m=m, queries=queries, beta=beta, best_mixture=floor)
        found.append(figures.BoundParts(rounds, (terms.floor, terms.reweight, terms.selection, terms.chance)))
    return found


def _needed(facts: Facts, n: int, m: int, queries: int, beta: float, floor: float, tilde: float) -> None:
    wanted = float(
        st.number_input("An error that the bound should promise", 0.001, 1.0, value=0.1, step=0.01, format="%.3f")
    )
    try:
        signal = signal_needed(wanted, m=m, queries=queries, beta=beta, best_mixture=floor)
    except BoundError as reason:
        st.info(str(reason))
        return
    k = facts.rows_per_person
    dear = epsilon_within(signal * k / n, facts.delta)
    st.markdown(
        f"A bound of {number(wanted)} takes **{signal * k / tilde:,.0f} private rows** at this ε, or "
        f"**ε = {loss(dear)}** (δ = {loss(facts.delta)}) with the {n:,} rows that there are."
    )


def rows_calculator(queries: int, rows_per_person: int, n: int, tables: Sequence[tuple[str, int]]) -> None:
    """Proposition 4.3: the private and public rows that suffice, beside those that there are.

    tables  each public table by name with its rows
    """
    st.markdown(SUFFICE)
    alpha, beta, second, largest = (
        place.number_input(label, least, most, value=value, step=step, format="%.3f", key=f"rows {label}")
        for place, (label, least, most, value, step) in zip(st.columns(4), ARGUMENTS, strict=True)
    )
    private = rows_per_person * private_rows_needed(alpha, beta, queries)
    public = public_rows_needed(alpha, beta, queries, second_divergence=second, max_divergence=largest)
    lines = [("private table", n, private)] + [(name, rows, public) for name, rows in tables]
    st.dataframe(
        {
            "table": [name for name, _, _ in lines],
            "rows": [rows for _, rows, _ in lines],
            "rows that suffice": [needed for _, _, needed in lines],
            "verdict": ["enough" if rows >= needed else "the bound says nothing" for _, rows, needed in lines],
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
