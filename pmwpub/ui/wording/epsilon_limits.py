"""What ε can and cannot do for a release, in words, from what was bought and simulated. No streamlit."""

from __future__ import annotations

from collections.abc import Sequence

from pmwpub.service import Assessed
from pmwpub.service.simulations.advice import EpsilonAdvice
from pmwpub.ui.wording.written import loss, number, plain


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
                f"**{plain(one.name)}** keeps an error of at least about {number(floor.low)} at every ε {sure}: "
                f"{number(wanted)} is out of reach. Change the public table, not ε."
            )
        elif start is not None and floor.high >= start.low:
            said.append(
                f"**{plain(one.name)}**: its floor may be as high as {number(floor.high)} and its start as low as "
                f"{number(start.low)} {sure}, so there may be no room for ε to gain anything over publishing the "
                "public table unchanged, for free."
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
        f"in a simulation of PMW^Pub where {plain(advice.truth) if inert else advice.truth} played the private table",
        number(wanted),
    )
    if advice.epsilon is not None:
        return f"An error of {goal} took ε = {loss(advice.epsilon)}, the smallest enough of those tried, {truth}."
    if advice.floor > wanted:
        return f"No ε is enough for {goal} {truth}: the floor was {number(advice.floor)}. Change the public table."
    return (
        f"None of the ε tried, up to {number(advice.largest)}, was enough for {goal} {truth}; the least error was "
        f"{number(advice.best)}."
    )
