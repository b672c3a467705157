"""Over which part of the workload a floor is taken, in honest words."""

from __future__ import annotations

import streamlit as st

from pmwpub.plan_inputs import FAST_MARGINALS, PART_MARGINALS
from pmwpub.plans import Part, Scope
from pmwpub.service import Study
from pmwpub.service.choosing.floor_part import advised_scope, part_of
from pmwpub.ui.app.services import public, service

Setting = Scope
NAMES: dict[Setting, str] = {
    "full": "the whole workload",
    "part": f"a part: {PART_MARGINALS} marginals at most, chosen by public tables",
    "fast": f"a sample: {FAST_MARGINALS} marginals at most, drawn publicly",
}
MEANS: dict[Setting, str] = {
    "fast": (
        f"Fast setting: the floor is taken over {FAST_MARGINALS} marginals, drawn publicly from the workload. It is a "
        "valid lower bound of the floor over the whole workload. The start is always over the whole workload."
    ),
    "part": (
        f"The floor is taken over {PART_MARGINALS} marginals, chosen once for all candidates by public tables: where "
        "these differ most, and where one has no rows. It is a valid lower bound of the floor over the whole workload. "
        "The start always is over the whole workload."
    ),
    "full": "Full setting: floor and start are taken over the whole workload.",
}
COMPARED: dict[Setting, str] = {
    "fast": f"Floors and starts over {FAST_MARGINALS} marginals, drawn publicly from the workload, or all of fewer.",
    "part": f"Floors and starts over {PART_MARGINALS} marginals, chosen by public tables.",
    "full": "Floors and starts over the whole workload.",
}
WHOLE = f"The workload has at most {FAST_MARGINALS} marginals, so every floor is taken over all of it."


def one_setting(study: Study) -> bool:
    """Whether the fast part is the whole workload, so that there is nothing to choose."""
    if study.schema is None or study.choice is None:
        return True
    schema, choice = study.schema, study.choice
    workload = public(f"workload:{schema.sha256}:{choice.sha256}", lambda: choice.build(schema.domain))
    return len(workload.tables) <= FAST_MARGINALS


def means(study: Study, setting: Setting) -> str:
    """A sentence that says over which queries a floor of a setting is taken."""
    return WHOLE if one_setting(study) else MEANS[setting]


def choose_setting(study: Study, label: str, key: str) -> Setting:
    """Ask whether floors are taken fast or in full; where both are the same nothing is asked, and it is fast."""
    if one_setting(study):
        return "fast"
    names = list(NAMES)
    advised = names.index(advised_scope(study))
    return st.radio(label, names, advised, format_func=NAMES.__getitem__, horizontal=True, key=key)


def part_for(study: Study, setting: Setting) -> Part:
    """The marginals of the setting "part", as a plan names them; none in another setting."""
    return part_of(service(), study) if setting == "part" else ()
