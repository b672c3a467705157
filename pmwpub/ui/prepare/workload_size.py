"""How large a workload is, as numbers beside each other that are read whole at any width."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pmwpub.service.choosing.workload_sizes import WorkloadFacts
from pmwpub.ui.wording.written import number

LONGEST = 10**9
"""Whole numbers from here on are written with a power of ten."""
WIDTH = 170
"""Pixels in which the longest label and value have room."""


def size_metrics(
    facts: WorkloadFacts, first: tuple[str, int], *, queries: str | None, round_of: tuple[str, str] | None
) -> None:
    """Draw a number of one's own, then those that every workload has.

    queries   what is said of their number to whoever asks
    round_of  what the time of a round is headed, and what is said of it; None where there are no rounds
    """
    metrics: Sequence[tuple[str, str, str | None]] = (
        (first[0], f"{first[1]:,}", None),
        ("Queries", f"{facts.queries:,}", queries),
        ("Columns, one-hot", f"{facts.dimension:,}", "The sum of the level counts."),
        ("Possible rows", possible_rows(facts.domain_size), "The product of the level counts."),
        ("Memory, about", at_least(facts.megabytes, 1, "MB"), None),
    )
    if round_of is not None:
        metrics = (*metrics, (round_of[0], at_least(facts.seconds_per_round, 0.01, "s"), round_of[1]))
    with st.container(horizontal=True):
        for label, value, words in metrics:
            st.metric(label, value, help=words, width=WIDTH)


def possible_rows(count: int) -> str:
    """A product of level counts."""
    return f"{count:,}" if count < LONGEST else number(count)


def at_least(value: float, least: float, unit: str) -> str:
    """The value, or that it is below what matters."""
    return f"under {least:g} {unit}" if value < least else f"{number(value)} {unit}"
