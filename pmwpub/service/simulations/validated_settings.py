"""Rounds, output and selection chosen on a public validation pair, as Liu et al. (2021) do: it costs no budget.

One public table plays the private one, another one its candidate. What did best there is taken for a release with the
private table, which had no part in the choice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pmwpub.evaluation import (
    PMW_PUB,
    UNCHANGED,
    Simulation,
    Variant,
    best_lines,
    fewest_rounds,
    is_baseline,
    summarise,
    variant_of,
)  # fmt: skip
from pmwpub.plans import ReleasePlan
from pmwpub.privacy.budget import epsilon_of
from pmwpub.service.bought.releases import REPLAYS
from pmwpub.service.core import Service
from pmwpub.service.inputs.study_store import Study
from pmwpub.service.simulations import explorations
from pmwpub.service.simulations.explorations import Exploration
from pmwpub.service.simulations.sweep_range import PRIVATE_TRUTH, SAMPLE_TRUTH, WHOLE, SweepRange, played, truths

ROUNDS = (5, 7, 10, 14, 20, 28, 40, 56, 80)
PAPER_LAW = f"{PMW_PUB}+permute-and-flip"
METHODS = (PMW_PUB, f"{PMW_PUB}+average", PAPER_LAW, f"{PAPER_LAW}+average", UNCHANGED)
RUNS = 3


@dataclass(frozen=True)
class Tuned:
    """The settings that did best on a validation pair at one epsilon.

    They are the best variant, and the fewest rounds of it that do as well.

    truth, candidate  who played the private table and who its candidate
    mean, standard_error  of the largest error there, over `runs` runs
    compared          how many settings there were to choose from
    """

    truth: str
    candidate: str
    epsilon: float
    rounds: int
    variant: Variant
    mean: float
    standard_error: float
    runs: int
    compared: int

    @property
    def settings(self) -> dict[str, str]:
        """Selection, output, start and replay, by the names that `release_plan` takes."""
        own = self.variant
        replay = next(name for name, value in REPLAYS.items() if value is own.replay)
        return {"selection": own.selection, "output": own.output.value, "start": own.start.value, "replay": replay}

    def fits(self, plan: ReleasePlan) -> bool:
        """Whether a plan has these settings."""
        own = Variant(plan.selection, plan.output, plan.start, plan.replay)
        return (plan.rounds, own) == (self.rounds, self.variant)


def validation_terms(candidate: Sequence[str], epsilons: tuple[float, ...], runs: int = RUNS) -> SweepRange:
    """The sweep that chooses: the usual numbers of rounds, both selections, both outputs."""
    return SweepRange((tuple(sorted(candidate)),), epsilons, ROUNDS, METHODS, (WHOLE,), runs)


def is_tuning(terms: SweepRange) -> bool:
    """Whether a sweep is one over settings, as `validation_terms` makes it."""
    return (terms.rounds, terms.methods) == (ROUNDS, METHODS)


def tuned(service: Service, current: Study, epsilon: float) -> list[Tuned]:
    """What each finished validation pair chose, at its epsilon nearest to the one given; the latest first."""
    return [one for found in explorations.explorations(service, current) for one in chosen_in(current, found, epsilon)]


def tuning_of(service: Service, current: Study, plan: ReleasePlan) -> Tuned | None:
    """The validation pair that chose the settings of a plan, if one did; reads only."""
    epsilon = epsilon_of(plan.budget, current.population.delta)
    return next((one for one in tuned(service, current, epsilon) if one.fits(plan)), None)


def chosen_in(current: Study, found: Exploration, epsilon: float) -> Iterator[Tuned]:
    """The settings chosen for each whole candidate of a finished sweep with a choice and a public table as truth."""
    simulation = found.simulation
    if simulation is None or found.truth in (SAMPLE_TRUTH, PRIVATE_TRUTH):
        return
    for name, (pool, share) in played(current, found.truth, found.terms).items():
        own = Simulation([line for line in simulation.errors if line.candidate == name])
        best = best_lines(own.errors)
        if not pool or share != WHOLE or not best:
            continue
        nearest = min(best, key=lambda line: abs(line.epsilon - epsilon))
        settings = [one for one in own.errors if one.method != UNCHANGED and not is_baseline(one.method)]
        ways = [one for one in summarise(settings) if one.epsilon == nearest.epsilon]
        nearest = fewest_rounds(one for one in ways if one.method == nearest.method)
        if len(ways) > 1:
            yield Tuned(
                truths(current)[found.truth],
                name,
                nearest.epsilon,
                nearest.rounds,
                variant_of(nearest.method),
                nearest.mean,
                nearest.standard_error,
                nearest.runs,
                len(ways),
            )


def in_words(found: Tuned) -> str:
    """Where settings come from, for a certificate."""
    return (
        f"Selection, output, start, replay and rounds are those that did best of {found.compared} settings, with the "
        f"fewest rounds that do as well, in a simulation on public tables alone at epsilon {found.epsilon:g}: "
        f"{found.truth} played the private table and {found.candidate} the public one; largest error "
        f"{found.mean:.4g} ± {found.standard_error:.2g} over {found.runs} runs."
    )
