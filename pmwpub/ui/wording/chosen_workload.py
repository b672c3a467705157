"""A chosen workload in a line. No streamlit."""

from __future__ import annotations

from pmwpub.plans import WorkloadChoice
from pmwpub.ui.wording.written import plain

NAMED = 3
"""So many hand-picked marginals are named in a line; more are counted."""


def described(choice: WorkloadChoice) -> str:
    """ "128 of the 3-way marginals, seed 0, and at most x of age"; column names are made inert."""
    asked = ", and at most x of " + ", ".join(map(plain, choice.prefixes)) if choice.prefixes else ""
    return _marginals(choice) + asked


def _marginals(choice: WorkloadChoice) -> str:
    if choice.names is not None:
        if len(choice.names) > NAMED:
            return f"{len(choice.names):,} hand-picked marginals of up to {choice.k} columns"
        return f"hand-picked: {', '.join(_spelt(names) for names in choice.names)}"
    if choice.marginals is None:
        return f"all {choice.k}-way marginals"
    return f"{choice.marginals:,} of the {choice.k}-way marginals, seed {choice.seed}"


def _spelt(names: tuple[str, ...]) -> str:
    return " × ".join(plain(name) for name in names)
