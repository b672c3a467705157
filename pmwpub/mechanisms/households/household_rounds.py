"""How a run of PMW^Pub over households spends its budget: equal rounds, each a selection and a measurement."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from pmwpub.errors import PlanError
from pmwpub.mechanisms.pmw_pub.algorithm import Output, Replay, Start
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.measurement import DiscreteGaussian
from pmwpub.privacy.round_share import RoundShare, split
from pmwpub.privacy.selection import Selection

_A_HAIR = 1 + Fraction(1, 2**40)


@dataclass(frozen=True)
class HouseholdRounds:
    """`rounds` equal rounds for n households of at most H = `largest` persons.

    share  of a round: its measurement is one of a query of persons, with sigma = H/epsilon0
    own    the measurement of a query of households, with sigma = 1/epsilon0
    output, start, replay, replay_seed  as of PMW^Pub over rows; the seed is public

    Raises PlanError for less than one round, and for a measurement that is made for another sensitivity.
    """

    rounds: int
    share: RoundShare
    own: DiscreteGaussian
    n: int
    largest: int
    output: Output = Output.LAST
    start: Start = Start.PUBLIC
    replay: Replay = Replay.HALF
    replay_seed: int = 0

    def __post_init__(self) -> None:
        if self.rounds < 1 or self.n < 1:
            raise PlanError("A run needs at least one round and one household.")
        if (self.share.measurement.sensitivity, self.own.sensitivity) != (self.largest, 1):
            raise PlanError("A household moves a query of persons by its most persons, and one of households by one.")

    def measurement(self, of_persons: bool) -> DiscreteGaussian:
        """The noise of one answer."""
        return self.share.measurement if of_persons else self.own

    @property
    def rho(self) -> ZCDP:
        """What the whole run costs, whichever queries are selected: T times a selection and the dearer measurement."""
        return (self.share.selection.rho + max(self.share.measurement.rho, self.own.rho)) * self.rounds


def household_rounds(
    budget: ZCDP,
    rounds: int,
    *,
    n: int,
    largest: int,
    selection: type[Selection] | None = None,
    output: Output = Output.LAST,
    start: Start = Start.PUBLIC,
    replay: Replay = Replay.HALF,
    replay_seed: int = 0,
) -> HouseholdRounds:
    """The rounds that a budget buys: they cost no more than it, and nearly all of it.

    A round costs epsilon0^2, as of rows (`privacy.round_share`). The two measurements cost the same but for how a
    charge is rounded; where that of households would come out dearer, its noise is made a hair larger.

    Raises BudgetError where a share would be zero.
    """
    share = split(budget, rounds, rows_per_person=largest, selection=selection)
    own = DiscreteGaussian.costing(share.epsilon0, 1)
    while own.rho > share.measurement.rho:
        own = DiscreteGaussian(own.scale * _A_HAIR)
    return HouseholdRounds(rounds, share, own, n, largest, output, start, replay, replay_seed)
