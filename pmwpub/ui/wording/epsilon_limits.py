"""What ε can and cannot do for a release, in words, from what was bought and simulated. No streamlit."""

from __future__ import annotations

from collections.abc import Sequence

from pmwpub.rounding import in_percent, near
from pmwpub.service import Assessed
from pmwpub.service.simulations.advice import EpsilonAdvice
from pmwpub.service.simulations.engine_advice import NAMES
from pmwpub.ui.wording.written import loss, plain


def floor_warnings(found: Sequence[Assessed], wanted: float) -> list[str]:
    """A sentence where the floor dominates: no room between floor and start, or no way down to the wanted error."""
    said = []
    for one in found:
        floor, start = one.floor, one.start
        if floor is None:
            continue
        sure = f"({floor.confidence:.0%} confidence)"
        if floor.low > wanted:
            said.append(
                f"**{plain(one.name)}** keeps an error of at least about {in_percent(floor.low)} at every ε {sure}: "
                f"{in_percent(wanted, 3)} is out of reach. Change the public table, not ε."
            )
        elif start is not None and floor.high >= start.low:
            said.append(
                f"**{plain(one.name)}**: its floor may be as high as {in_percent(floor.high)} and its start as low "
                f"as {in_percent(start.low)} {sure}, so there may be no room for ε to gain anything over publishing "
                "the public table unchanged, for free."
            )
    return said


def epsilon_words(advice: EpsilonAdvice | None, wanted: float, *, inert: bool = True) -> str:
    """The smallest ε for an error, as far as a simulation knows.

    inert  whether names are made inert here; not in a refusal, which is made so as a whole where it is shown
    """
    if advice is None:
        return (
            "What ε an error takes is not known: no simulation of this choice is stored. Compare makes one, for free."
        )
    truth, goal = (
        f"in a simulation of {NAMES[advice.engine]} where {plain(advice.truth) if inert else advice.truth} played the "
        "private table",
        in_percent(wanted, 3),
    )
    if advice.epsilon is not None:
        return f"An error of {goal} took ε = {loss(advice.epsilon)}, the smallest enough of those tried, {truth}."
    if advice.floor > wanted:
        return f"No ε is enough for {goal} {truth}: the floor was {in_percent(advice.floor)}. Change the public table."
    return (
        f"None of the ε tried, up to {near(advice.largest)}, was enough for {goal} {truth}; the least error was "
        f"{in_percent(advice.best)}."
    )
