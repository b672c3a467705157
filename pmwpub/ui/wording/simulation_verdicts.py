"""What a simulation says about choosing, in words. Public, unless it was made on a private table; no streamlit."""

from __future__ import annotations

from pmwpub.rounding import in_percent, near
from pmwpub.service.simulations.engine_advice import NAMES
from pmwpub.service.simulations.findings import ExpectedPool, NotBeaten, Reach
from pmwpub.ui.wording.written import plain


def not_beaten_words(found: NotBeaten) -> str:
    """Where a release is not expected to beat publishing the table unchanged, whichever engine makes it."""
    tried = (
        f"ε ≤ {near(found.epsilons[-1], 6)}"
        if found.all_below
        else f"ε = {', '.join(near(e, 6) for e in found.epsilons)}"
    )
    return (
        f"At {tried}, a release is **not expected to beat publishing {plain(found.candidate)} unchanged**, for free: "
        f"with {NAMES[found.engine]} an error of {in_percent(found.mean)} ± {in_percent(found.standard_error)} against "
        f"{in_percent(found.unchanged)} at ε = {near(found.epsilons[-1], 6)}."
    )


def expected_pool_words(found: ExpectedPool, beside: str) -> str:
    """What a pool with learnt weights is expected to be at an ε, and what each table is expected to contribute."""
    parts = ", ".join(f"{plain(name)} {100 * part:.0f} %" for name, part in found.contributions)
    verdict = "is **expected to be best**" if found.mean < found.best else "is **not** expected to be best"
    return (
        f"At ε = {near(found.epsilon, 6)} a pool with learnt weights {verdict}: an error of "
        f"{in_percent(found.mean)}, against {in_percent(found.best)} ({plain(beside)}). It is expected to take {parts}."
    )


def reach_words(found: Reach, wanted: float) -> str:
    """The smallest ε for an error, with one engine; or never, with this candidate."""
    name, goal = f"**{plain(found.candidate)}**, {NAMES[found.engine]}", in_percent(wanted, 3)
    if found.epsilon is not None:
        return (
            f"{name}: ε = {near(found.epsilon, 6)} is the smallest one tried that brings the error to {goal} or below."
        )
    if found.floor > wanted:
        return (
            f"{name}: **never**. No ε brings it below its floor of {in_percent(found.floor)}; for {goal}, change the "
            "public table, not ε."
        )
    return (
        f"{name}: none of the ε tried, up to {near(found.largest, 6)}, brings the error to {goal}; the least was "
        f"{in_percent(found.best)}."
    )
