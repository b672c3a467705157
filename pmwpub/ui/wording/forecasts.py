"""What a purchase will be worth, in words, before it is made. Public; no streamlit."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from pmwpub.plans import BestPlan
from pmwpub.plans.weighing import shares_of_what
from pmwpub.rounding import in_percent
from pmwpub.service.bought.best_candidate import shortfall_of
from pmwpub.service.simulations.public_pairs import Forecast
from pmwpub.ui.compare.floor_scope import Setting
from pmwpub.ui.wording.written import seconds

LIKELY = 0.9
"""The chance of a result below which a sentence advises another purchase first."""


class Sentence(NamedTuple):
    """A sentence and how it is meant."""

    kind: Literal["info", "success", "warning"]
    words: str


def bars(forecast: Forecast, *, weighed: bool = False) -> str:
    """The error bars that a plan buys; of weighed rows they are shares of the total weight."""
    parts = [("floor", forecast.floor_bar), ("start", forecast.start_bar)]
    said = ", ".join(f"{part} ± {in_percent(bar)}" for part, bar in parts if bar is not None)
    return f"Error bar of each (95 %): **{said}** of {shares_of_what(weighed=weighed)}."


def worth(forecast: Forecast) -> Sentence | None:
    """Whether the bar tells candidates apart, judged by how the public tables differ; None where no floor is bought."""
    if forecast.floor_bar is None:
        return None
    if forecast.spread is None or forecast.tells_apart is None:
        return Sentence(
            "info", "Compare the candidates with each other (free, below) to see whether this tells them apart."
        )
    spread, bar = in_percent(forecast.spread), in_percent(forecast.floor_bar)
    if forecast.tells_apart:
        return Sentence(
            "success", f"Floors of the public tables for each other lie up to {spread} apart: ± {bar} can tell that."
        )
    return Sentence(
        "warning",
        f"Floors of the public tables for each other lie only {spread} apart: ± {bar} will hardly tell the candidates "
        "apart. Take a larger ε, or only ask for the winner.",
    )


def will_resolve(forecast: Forecast, setting: Setting) -> Sentence | None:
    """The chance that the floor is known well enough to be released, and how long that takes."""
    if forecast.resolves is None or forecast.seconds is None:
        if setting == "fast":
            return None
        return Sentence(
            "warning",
            "Whether the full setting comes to a result at this ε is not known: compare over the whole workload below "
            "(free), or take the fast setting first. A floor that stays unresolved has no result and keeps its charge.",
        )
    least = min(99, math.floor(100 * forecast.resolves))
    chance = f"On the public tables at least {least} % of draws come to a result"
    work = f"{seconds(forecast.seconds)} of work for each candidate"
    if forecast.resolves >= LIKELY:
        return Sentence("info", f"{chance}; {work}.")
    advice = "Take the fast setting first" if setting == "full" else "Take a smaller ε, or make the candidates better"
    return Sentence("warning", f"{chance}; {work}. One without a result keeps its charge. {advice}.")


def winner_worth(plan: BestPlan) -> Sentence:
    """How far the chosen floor may lie above the lowest."""
    bar = shortfall_of(plan)
    if bar >= 1:
        return Sentence("warning", "At this ε the choice is hardly better than a guess. Take a larger ε.")
    worse = in_percent(bar)
    return Sentence("info", f"With probability 95 % the chosen one's floor is at most {worse} above the lowest.")
