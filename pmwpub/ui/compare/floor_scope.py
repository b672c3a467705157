"""Over which part of the workload a floor is taken, in honest words."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from pmwpub.plans import FAST_MARGINALS
from pmwpub.service import Study
from pmwpub.ui.app.services import public

Setting = Literal["fast", "full"]
NAMES: dict[Setting, str] = {
    "fast": f"fast: a public part, {FAST_MARGINALS} marginals",
    "full": "full: the whole workload",
}
MEANS: dict[Setting, str] = {
    "fast": (
        f"Fast setting: the floor is taken over {FAST_MARGINALS} marginals, drawn publicly from the workload. It is a "
        "valid lower bound of the floor over the whole workload. The start is always over the whole workload."
    ),
    "full": "Full setting: floor and start are taken over the whole workload.",
}
COMPARED: dict[Setting, str] = {
    "fast": f"Floors and starts over {FAST_MARGINALS} marginals, drawn publicly from the workload, or all of fewer.",
    "full": "Floors and starts over the whole workload.",
}
WHOLE = f"The workload has at most {FAST_MARGINALS} marginals, so every floor is taken over all of it."


def one_setting(study: Study) -> bool:
    """Whether the fast part is the whole workload, so that there is nothing to choose."""
    if study.schema is None or study.choice is None:
        return True
    schema, choice = study.schema, study.choice
    workload = public(f"workload:{schema.sha256}:{choice.sha256}", lambda: choice.build(schema.domain))
    return len(workload.marginals) <= FAST_MARGINALS


def means(study: Study, setting: Setting) -> str:
    """A sentence that says over which queries a floor of a setting is taken."""
    return WHOLE if one_setting(study) else MEANS[setting]


def choose_setting(study: Study, label: str, key: str) -> Setting:
    """Ask whether floors are taken fast or in full; where both are the same nothing is asked, and it is fast."""
    if one_setting(study):
        return "fast"
    return st.radio(label, list(NAMES), format_func=NAMES.__getitem__, horizontal=True, key=key)
