"""The bounds of Liu, Vietri, Steinke, Ullman and Wu (2021) as calculators, and the rule for rounds.

n private rows, m public rows (with repetition), Q queries, T rounds; log is natural. With k rows a person every
n below stands for n/k, since noise and sensitivity both grow by k. Everything here is public arithmetic.
"""

from __future__ import annotations

from pmwpub.theory.accuracy import (
    HYPOTHESES,
    AccuracyTerms,
    BoundLine,
    accuracy_bound,
    accuracy_line,
    accuracy_terms,
    fewest_rounds,
    rounds_of_least_bound,
    signal_needed,
)
from pmwpub.theory.epsilon import epsilon_bound, epsilon_tilde_of, epsilon_tilde_within, epsilon_within
from pmwpub.theory.rounds import FEWEST_ROUNDS, MOST_ROUNDS, ROUNDS_WITHOUT_ESTIMATE, advised_rounds
from pmwpub.theory.rows import private_rows_needed, public_rows_needed, renyi_divergence

__all__ = [
    "FEWEST_ROUNDS",
    "HYPOTHESES",
    "MOST_ROUNDS",
    "ROUNDS_WITHOUT_ESTIMATE",
    "AccuracyTerms",
    "BoundLine",
    "accuracy_bound",
    "accuracy_line",
    "accuracy_terms",
    "advised_rounds",
    "epsilon_bound",
    "epsilon_tilde_of",
    "epsilon_tilde_within",
    "epsilon_within",
    "fewest_rounds",
    "private_rows_needed",
    "public_rows_needed",
    "renyi_divergence",
    "rounds_of_least_bound",
    "signal_needed",
]
