"""The accuracy theorem's bound as lines beside a simulation: from its own certified floors, so from what may be seen.

Nothing here takes a private table's numbers: the floor of a line is that of a public table, or of data that may be
looked at, which plays the private one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from pmwpub import figures
from pmwpub.errors import PlanError
from pmwpub.evaluation import Simulation, Stage
from pmwpub.plans.weighing import mass_of, reach_of
from pmwpub.rounding import near
from pmwpub.service.inputs.study_store import Study
from pmwpub.service.simulations.explorations import Exploration
from pmwpub.service.simulations.sweep_range import PRIVATE_TRUTH, rows_of
from pmwpub.service.simulations.truths.played_truths import known_total
from pmwpub.theory import HYPOTHESES, accuracy_line

BETA = 0.05
"""The chance with which a bound may be missed."""

MEANING = (
    "Long dashes: what the paper's accuracy theorem (Theorem 4.4, with the constants of Proposition A.1) proves. With "
    f"probability {1 - BETA:.0%} the maximum error of one release is at most that. It is a bound, usually far above "
    "what happens, and not what to expect."
)


@dataclass(frozen=True)
class ProvedBounds:
    """Lines of the theorem, one a table, and in words what they mean and rest on; without the words none is shown."""

    lines: tuple[figures.ProvedBound, ...] = ()
    words: tuple[str, ...] = ()


def bounds_of(current: Study, found: Exploration, simulation: Simulation) -> ProvedBounds:
    """The bounds for the candidates of a sweep on public tables whose floors are known; none where rows are weighed and
    nobody knows what they weigh together.

    Raises PlanError for a sweep whose truth is the private table.
    """
    if found.truth == PRIVATE_TRUTH:
        raise PlanError("The accuracy theorem is drawn for simulations on public tables only.")
    if current.weighs_rows and known_total(current) is None:
        return ProvedBounds()
    return _bounds(
        simulation,
        rows_of(current, found.truth, found.terms),
        n=mass_of(current.counted),
        queries=current.workload().queries,
        delta=current.population.delta,
        rows_per_person=reach_of(current.counted),
    )


def bounds_on(stage: Stage, simulation: Simulation) -> ProvedBounds:
    """The bounds for a sweep on data that may be looked at; PlanError where its truth is marked private."""
    if stage.private:
        raise PlanError("The accuracy theorem is drawn for simulations on data that may be looked at only.")
    return _bounds(
        simulation,
        {name: support.people for name, support in stage.candidates.items()},
        n=stage.counts.n,
        queries=stage.workload.queries,
        delta=stage.delta,
        rows_per_person=stage.reach,
    )


def _bounds(
    simulation: Simulation, rows: Mapping[str, int], *, n: int, queries: int, delta: Fraction, rows_per_person: int
) -> ProvedBounds:
    epsilons = sorted({one.epsilon for one in simulation.errors})
    lines, own = [], []
    for floor in simulation.floors if epsilons else ():
        found = accuracy_line(
            epsilons,
            delta=delta,
            n=n,
            m=rows[floor.candidate],
            queries=queries,
            rows_per_person=rows_per_person,
            beta=BETA,
            best_mixture=floor.upper,
        )
        lines.append(figures.ProvedBound(floor.candidate, found.epsilons, found.errors, found.rounds, 1 - BETA))
        nothing = "" if found.says_something else " It is above 1 at every ε here and says nothing."
        own.append(f"{floor.candidate}: f = {near(floor.upper)}, m = {rows[floor.candidate]:,} public rows.{nothing}")
    return ProvedBounds(tuple(lines), (MEANING, *HYPOTHESES, *own)) if lines else ProvedBounds()
