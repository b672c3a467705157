"""What a simulation says about choosing, in words. Public, unless it was made on a private table; no streamlit."""

from __future__ import annotations

from pmwpub.evaluation import NotBeaten, Reach
from pmwpub.session.words import number, plain


def not_beaten_words(found: NotBeaten) -> str:
    """Where PMW^Pub is not expected to beat publishing the table unchanged."""
    tried = f"ε ≤ {found.epsilons[-1]:g}" if found.all_below else f"ε = {', '.join(f'{e:g}' for e in found.epsilons)}"
    return (
        f"At {tried}, PMW^Pub is **not expected to beat publishing {plain(found.candidate)} unchanged**, for free: an "
        f"error of {number(found.mean)} ± {number(found.standard_error)} against {number(found.unchanged)} at ε = "
        f"{found.epsilons[-1]:g}."
    )


def reach_words(found: Reach, wanted: float) -> str:
    """The smallest ε for an error; or never, with this candidate."""
    name, goal = f"**{plain(found.candidate)}**", number(wanted)
    if found.epsilon is not None:
        return f"{name}: ε = {found.epsilon:g} is the smallest one tried that brings the error to {goal} or below."
    if found.floor > wanted:
        return (
            f"{name}: **never**. No ε brings it below its floor of {number(found.floor)}; for {goal}, change the "
            "public table, not ε."
        )
    return (
        f"{name}: none of the ε tried, up to {found.largest:g}, brings the error to {goal}; the least was "
        f"{number(found.best)}."
    )
