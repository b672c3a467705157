"""A population's terms in words."""

from __future__ import annotations

from fractions import Fraction

import streamlit as st

from pmwpub.errors import BudgetError
from pmwpub.ledger import Population
from pmwpub.session.frame import Badge, panel
from pmwpub.session.words import exact, loss


def default_delta(n: int) -> Fraction:
    """1/n²; BudgetError for a single row, where that would be 1."""
    if n < 2:
        raise BudgetError("For n = 1 give δ; 1/n² would be 1.")
    return Fraction(1, n * n)


def terms_panel(population: Population) -> None:
    """Who is protected, and by how much."""
    with panel("What is protected", Badge.PUBLIC):
        st.table(
            {
                "Protected": population.unit,
                "Rows of the private table, n": f"{population.n:,}",
                "Most rows of one person, k": f"{population.rows_per_person}",
                "Neighbours": _neighbours(population.rows_per_person),
                "Total ε": exact(population.epsilon),
                "δ": loss(population.delta),
            },
            border="horizontal",
            hide_header=True,
        )


def _neighbours(k: int) -> str:
    rows = "row is replaced by another" if k == 1 else f"at most {k} rows are replaced by as many"
    return f"One person's {rows}; n, the number of rows, is public."
