"""Whom one of n stands for: the choice as a population is registered, and the words for what follows from it."""

from __future__ import annotations

import streamlit as st

from pmwpub.service import Population

PERSON, HOUSEHOLD = "a person", "a household"
ASKED = "Whom does one of n stand for?"
HOMES, LARGEST = "n, the households of the private table", "H, the most persons of one household that count"
CONSEQUENCE = (
    "One stands for all rows of one household id, 1 to H persons. n, the number of households, is public; how many "
    "persons there are is not. Weights are not taken: each household counts as one. "
    "Take H small: noise on numbers of persons grows with it. Only what is made for "
    "households is sold. What is sold for persons would protect a household of H at H² times the loss (ρ) only, so "
    "charges of the two are never added up."
)
NEIGHBOURS = (
    "All rows of one household are replaced by those, fewer or more, of another; n, the number of households, is "
    "public, the number of persons is not."
)
SAID_IN_WORDS = 'To protect whole households, choose "a household" above. Nothing was registered.'


def protects_homes() -> bool:
    """Ask for the unit of a population to come, and say what follows from a household; whether it is one."""
    chosen = st.radio(ASKED, [PERSON, HOUSEHOLD], horizontal=True, key="unit of protection")
    if chosen == HOUSEHOLD:
        st.caption(CONSEQUENCE)
    return bool(chosen == HOUSEHOLD)


def terms_in_words(population: Population) -> dict[str, str]:
    """The terms of a population of households that a population of persons has in other words."""
    return {
        "Households of the private table, n": f"{population.n:,}",
        "Most persons of one household that count, H": f"{population.rows_per_person:,}",
        "Neighbours": NEIGHBOURS,
    }
