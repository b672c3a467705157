"""Selecting one query by its score, with the law held exactly.

No float decides anything: scores are whole numbers, epsilon is a fraction, and the weights e^(-x) are integer
enclosures that are narrowed until the drawn threshold falls on one side for certain.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, Self

from pmwpub.errors import BudgetError, MechanismError
from pmwpub.privacy.budget import ZCDP, Number, as_fraction, pure
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.privacy.selection_laws import Buckets, ExponentialLaw, PermuteAndFlipLaw, ScoreBuckets
from pmwpub.records import Ints


class BoundedScores(Protocol):
    """Q whole-number scores, of which bounds from above are known, and each score itself for the asking.

    Privacy: holds private counts. What is evaluated, and when, shows in nothing but time.
    """

    def __len__(self) -> int: ...

    def exact(self) -> Ints:
        """Every score, int64 (Q,); all are evaluated."""
        ...

    def sharpen(self, rate: float, rejections: int) -> None:
        """Evaluate scores that are likely to be proposed at weights e^(rate * bound), after so many rejections.

        Which ones does not matter to the law, but after enough rejections it must be all.
        """
        ...

    def buckets(self) -> Buckets:
        """The bounds as they are now, grouped by value; its members are positions of scores."""
        ...

    def resolve(self, position: int) -> tuple[int, int]:
        """The bound that `buckets` last held for one score, and the score, which is never larger; it is evaluated."""
        ...


class Selection(Protocol):
    """A law that picks one of Q queries by whole-number scores."""

    @property
    def epsilon(self) -> Fraction: ...

    @property
    def rho(self) -> ZCDP:
        """What one selection is charged."""
        ...

    @classmethod
    def costing(cls, epsilon0: Fraction) -> Self:
        """The selection of this law that costs epsilon0^2/2."""
        ...

    def select(self, scores: Ints, sensitivity: int, *, noise: NoiseSource = SECURE) -> int:
        """The position of one score, int64 (Q,), each moved by at most `sensitivity` by one person."""
        ...

    def choose(self, scores: BoundedScores, sensitivity: int, *, noise: NoiseSource = SECURE) -> int:
        """As `select`, with the same law, on scores that are evaluated where that is needed."""
        ...


@dataclass(frozen=True)
class ExponentialMechanism:
    """P(q) proportional to e^(u_q epsilon/(2k)) (McSherry and Talwar 2007), exactly.

    Privacy: neighbours replace one person's at most k rows by as many, so a count c_q moves by at most k; r_q is
    public, so u_q = |c_q - r_q| moves by at most k, up or down. The log ratio of the probabilities of q is
    (u_q - u'_q) epsilon/(2k) + log(Z'/Z): its first part lies in [-epsilon/2, epsilon/2] and its second is the
    same for all q, so over q it spans at most epsilon (bounded range). Let L be that ratio under the neighbour's
    law and psi(a) = log E[e^(aL)]. Then psi(0) = psi(1) = 0, and psi'' is the variance of L under a tilted law,
    at most epsilon^2/4 for a variable that spans epsilon; hence psi(a) <= a(a-1) epsilon^2/8, and the Rényi
    divergence psi(a)/(a-1) is at most a epsilon^2/8: epsilon^2/8 in zCDP (Cesar and Rogers 2021).

    Raises BudgetError unless epsilon is positive.
    """

    epsilon: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", _positive(self.epsilon))

    @classmethod
    def costing(cls, epsilon0: Fraction) -> Self:
        """The mechanism that costs epsilon0^2/2: epsilon = 2 epsilon0."""
        return cls(2 * epsilon0)

    @property
    def rho(self) -> ZCDP:
        """epsilon^2/8, rounded up."""
        return ZCDP.at_least(self.epsilon**2 / 8)

    def select(self, scores: Ints, sensitivity: int, *, noise: NoiseSource = SECURE) -> int:
        """The position of one score.

        scores       int64 (Q,)
        sensitivity  k >= 1

        Privacy: `rho` of zCDP, and epsilon-DP, if one person moves each score by at most k.
        Raises MechanismError for no scores or other types, BudgetError for a sensitivity below one.
        """
        return self.law(scores, sensitivity).draw(noise)

    def choose(self, scores: BoundedScores, sensitivity: int, *, noise: NoiseSource = SECURE) -> int:
        """The position of one score, with the law of `select` exactly, by rejection.

        Let u_i be the scores, b_i >= u_i the bounds known before an attempt, r = epsilon/(2k). An attempt proposes i
        with probability e^(r b_i)/B, B the sum over all, evaluates u_i and accepts with probability e^(-r (b_i - u_i)):
        i is proposed and accepted with probability e^(r u_i)/B. So, whatever the bounds, and whatever happened in
        the attempts before, an attempt that accepts has the law e^(r u_i)/sum_j e^(r u_j): that of `select`. Bounds
        may be tightened between attempts, by any rule that knows what happened up to then. Proposals are drawn by
        `ExponentialLaw`, acceptance is an exact Bernoulli draw. Once every score is known, an attempt always accepts.

        Privacy: that of `select`; which scores were evaluated shows in nothing but time. A floored or truncated
        table of weights would break the argument: it is safe relative to the true maximum only, and the bounds'
        maximum is another.
        """
        rate = _rate(self.epsilon, sensitivity)
        rejections = 0
        while True:
            position = ExponentialLaw(scores.buckets(), rate).draw(noise)
            bound, score = scores.resolve(position)
            if bound == score or noise.bernoulli_exp(rate * (bound - score)):
                return position
            scores.sharpen(float(rate), rejections)
            rejections += 1

    def law(self, scores: Ints, sensitivity: int) -> ExponentialLaw:
        """The law of `select` on these scores, to draw from more than once (each draw is a charge of its own)."""
        return ExponentialLaw(ScoreBuckets.of(scores), _rate(self.epsilon, sensitivity))


@dataclass(frozen=True)
class PermuteAndFlip:
    """Permute-and-flip (McKenna and Sheldon 2020), exactly: the paper's setting.

    In a random order, each query is taken with probability e^((u_q - max u) epsilon/(2k)); the first one taken is
    the answer. It is never worse than the exponential mechanism of the same epsilon, but costs four times as much
    in zCDP.

    Privacy: neighbours and sensitivity as in `ExponentialMechanism`. It is epsilon-DP (ibid., Theorem 1). Its range is
    not bounded by epsilon, so epsilon^2/8 would be wrong; pure epsilon-DP gives epsilon^2/2 in zCDP.

    Raises BudgetError unless epsilon is positive.
    """

    epsilon: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", _positive(self.epsilon))

    @classmethod
    def costing(cls, epsilon0: Fraction) -> Self:
        """The mechanism that costs epsilon0^2/2: epsilon = epsilon0."""
        return cls(epsilon0)

    @property
    def rho(self) -> ZCDP:
        """epsilon^2/2, rounded up."""
        return pure(self.epsilon)

    def select(self, scores: Ints, sensitivity: int, *, noise: NoiseSource = SECURE) -> int:
        """The position of one score.

        scores       int64 (Q,)
        sensitivity  k >= 1

        Privacy: epsilon-DP, so `rho` of zCDP, if one person moves each score by at most k.
        Raises MechanismError for no scores or other types, BudgetError for a sensitivity below one.
        """
        return self.law(scores, sensitivity).draw(noise)

    def choose(self, scores: BoundedScores, sensitivity: int, *, noise: NoiseSource = SECURE) -> int:
        """As `select` on every score: a race needs the true maximum, so all are evaluated."""
        return self.select(scores.exact(), sensitivity, noise=noise)

    def law(self, scores: Ints, sensitivity: int) -> PermuteAndFlipLaw:
        """The law of `select` on these scores, to draw from more than once (each draw is a charge of its own)."""
        return PermuteAndFlipLaw(ScoreBuckets.of(scores), _rate(self.epsilon, sensitivity))


def _positive(epsilon: Number) -> Fraction:
    exact = as_fraction(epsilon)
    if exact <= 0:
        raise BudgetError("A selection needs a positive epsilon; a share of zero selects nothing.")
    return exact


def _rate(epsilon: Fraction, sensitivity: int) -> Fraction:
    if isinstance(sensitivity, bool) or not isinstance(sensitivity, int):
        raise MechanismError("A sensitivity is a whole number of counts.")
    if sensitivity < 1:
        raise BudgetError(f"A sensitivity of at least one count is needed; {sensitivity} came.")
    return epsilon / (2 * sensitivity)
