"""The variants of PMW^Pub as choices, with what each means."""

from __future__ import annotations

import streamlit as st

from pmwpub.ui.app import widget_keys

SELECTION = {
    "exponential": "exponential mechanism",
    "permute-and-flip": "permute-and-flip (the paper's setting)",
}
OUTPUT = {
    "last": "the last weights",
    "average": "the average over the rounds (the paper's)",
}
START = {
    "public": "the public table as it is",
    "uniform": "equal weight on each of its distinct rows",
}
REPLAY = {
    "half": "applied again while they are off",
    "off": "each used once (the paper's Algorithm 1)",
}


def variants() -> dict[str, str]:
    """Ask for selection, output, start and replay, the defaults first; they are part of the plan and of its hash."""
    with st.expander("Advanced"):
        st.caption(
            "Each is part of the plan and stands in the certificate; the budget is the same. At the same price the "
            "exponential mechanism runs at twice the ε of permute-and-flip. A past measurement is applied again where "
            "it is off by at least half as much as the newest."
        )
        left, right = st.columns(2)
        return {
            name: place.selectbox(label, list(options), format_func=options.__getitem__, key=widget_keys.variant(name))
            for place, name, label, options in (
                (left, "selection", "Which query is asked next", SELECTION),
                (right, "output", "What is released", OUTPUT),
                (left, "start", "Weights before the first round", START),
                (right, "replay", "Past measurements", REPLAY),
            )
        }


def in_words(chosen: dict[str, str]) -> str:
    """The variants that a plan has, in one line."""
    words = {
        "exponential": "selection by the exponential mechanism",
        "permute-and-flip": "selection by permute-and-flip",
        "last": "last weights",
        "average": "averaged weights",
        "public": "from the public table",
        "uniform": "from equal weights",
        "half": "with replay of past measurements",
        "off": "without replay",
    }
    return ", ".join(words[value] for value in chosen.values())
