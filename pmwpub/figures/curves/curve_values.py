"""Errors against epsilon as values, and what a figure of them says in words and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pmwpub.figures.curves.legend import BOUND, UNCHANGED
from pmwpub.figures.style import Table, percent
from pmwpub.rounding import near

ERRORS = ("error", "standard error")
"""Columns of the tables of these figures: shares of the rows."""


@dataclass(frozen=True)
class ErrorCurve:
    """The error that one table leads to, at each epsilon.

    label           of the table: floors and dashes of this label have the curve's colour
    epsilons        ascending, positive
    mean            errors as shares of n, averaged over `runs`
    standard_error  of the mean; zeros for a single run
    engine          what made the releases, in plain words, where curves of several ways stand together; else ""
    rounds          T at each epsilon, where the engine has rounds; else ()
    aside           whether it stands there for comparison only: a line of dashes and dots in small figures
    """

    label: str
    epsilons: tuple[float, ...]
    mean: tuple[float, ...]
    standard_error: tuple[float, ...]
    runs: int = 1
    engine: str = ""
    rounds: tuple[int, ...] = ()
    aside: bool = False

    @property
    def name(self) -> str:
        """What the curve is called: its table, and where it is said what made the releases."""
        return f"{self.label}, {self.engine}" if self.engine else self.label

    def at_rounds(self, place: int) -> str:
        """ ", T = 25" where the number of rounds is known; else ""."""
        return f", T = {self.rounds[place]}" if self.rounds else ""


@dataclass(frozen=True)
class Unchanged:
    """The error of the table called `label`, published as it is: the same at every epsilon."""

    label: str
    error: float


@dataclass(frozen=True)
class ShadedFloor:
    """A table's best-mixture error, known to lie in [low, high].

    noisy       False: low is proved, and everything below it is out of reach; True: a differentially private
                estimate, right with probability `confidence`
    """

    label: str
    low: float
    high: float
    noisy: bool
    confidence: float | None = None


@dataclass(frozen=True)
class ProvedBound:
    """What the accuracy theorem proves of the table called `label`: its maximum error is at most this.

    epsilons    ascending, positive
    errors      shares of n, each at the number of rounds T in `rounds`; above 1 they say nothing
    confidence  the probability with which each holds
    """

    label: str
    epsilons: tuple[float, ...]
    errors: tuple[float, ...]
    rounds: tuple[int, ...]
    confidence: float


def alt_text(
    curves: Sequence[ErrorCurve],
    floors: Sequence[ShadedFloor],
    unchanged: Sequence[Unchanged],
    measure: str,
    bounds: Sequence[ProvedBound] = (),
) -> str:
    """The figure in sentences."""
    sentences = [f"{measure} against epsilon on a logarithmic axis."]
    for curve in curves:
        values = ", ".join(
            f"{percent(m)} at epsilon {near(e, 6)}{curve.at_rounds(place)}"
            for place, (e, m) in enumerate(zip(curve.epsilons, curve.mean, strict=True))
        )
        sentences.append(f"{curve.name}: {values}.")
    sentences += [f"{line.label} unchanged: {percent(line.error)}." for line in unchanged]
    for floor in floors:
        if floor.noisy:
            sentences.append(f"Noisy floor of {floor.label}: {percent(floor.low)} to {percent(floor.high)}.")
        elif floor.low <= 0:
            sentences.append(f"The floor of {floor.label} is at most {percent(floor.high)}; nothing is ruled out.")
        else:
            sentences.append(f"Below {percent(floor.low)} nothing is achievable with {floor.label}, at any epsilon.")
    for bound in bounds:
        values = ", ".join(
            f"{percent(m)} at epsilon {near(e, 6)}" for e, m in zip(bound.epsilons, bound.errors, strict=True)
        )
        sentences.append(
            f"The accuracy theorem's bound for {bound.label}, with probability {bound.confidence:.0%}: {values}."
        )
    return " ".join(sentences)


def sweep_table(
    curves: Sequence[ErrorCurve],
    floors: Sequence[ShadedFloor],
    unchanged: Sequence[Unchanged],
    bounds: Sequence[ProvedBound] = (),
) -> Table:
    """Every point of the figure."""
    rows: list[tuple[str, str, float, float | None]] = [
        (curve.name, near(e, 6), m, s)
        for curve in curves
        for e, m, s in zip(curve.epsilons, curve.mean, curve.standard_error, strict=True)
    ]
    rows += [(f"{line.label}{UNCHANGED}", "any", line.error, None) for line in unchanged]
    for floor in floors:
        kind = "noisy floor of" if floor.noisy else "floor of"
        rows += [(f"{kind} {floor.label}, {end}", "any", value, None) for end, value in _ends(floor)]
    rows += [
        (f"{bound.label}{BOUND}", near(e, 6), error, None)
        for bound in bounds
        for e, error in zip(bound.epsilons, bound.errors, strict=True)
    ]
    return Table(("line", "ε", *ERRORS), tuple(rows), shares=ERRORS)


def _ends(floor: ShadedFloor) -> tuple[tuple[str, float], tuple[str, float]]:
    return ("at least", floor.low), ("at most", floor.high)
