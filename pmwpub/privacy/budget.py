"""Privacy budgets: zero-concentrated and approximate differential privacy, and conversions between them.

Neighbours everywhere: one person's at most k rows are replaced by as many; the number of rows is public.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from pmwpub.errors import BudgetError
from pmwpub.numerals import Number, as_fraction

UNIT = 10**15
"""Budgets are whole multiples of rho = 1/UNIT."""

MAX_EPSILON = 10**6


def _exact(number: Number) -> Fraction:
    """A number that may have been computed, and so have any digits."""
    return number if isinstance(number, Fraction) else as_fraction(number)


def shown(number: Fraction) -> str:
    """Six digits of a fraction of any size, for messages."""
    return f"{Decimal(number.numerator) / Decimal(number.denominator):.6g}"


@dataclass(frozen=True, order=True)
class ZCDP:
    """A budget or a charge of zero-concentrated differential privacy (Bun and Steinke 2016).

    units  rho in whole multiples of 1e-15, not negative, so that composition adds integers

    >>> ZCDP.at_least("0.1") + 2 * ZCDP.at_most("1/3")
    ZCDP(units=766666666666666)
    >>> ZCDP.at_least("1/3").units - ZCDP.at_most("1/3").units
    1

    Raises BudgetError for anything but an int, and where a difference would fall below zero.
    """

    units: int

    def __post_init__(self) -> None:
        if isinstance(self.units, bool) or not isinstance(self.units, int):
            raise BudgetError(f"A zCDP budget counts whole units of 1e-15; {self.units!r} came.")
        if self.units < 0:
            raise BudgetError(f"A zCDP budget cannot be negative; {self.units} units came.")

    @classmethod
    def at_least(cls, rho: Number) -> ZCDP:
        """The smallest budget that covers rho: how charges are rounded."""
        return cls(math.ceil(_exact(rho) * UNIT))

    @classmethod
    def at_most(cls, rho: Number) -> ZCDP:
        """The largest budget within rho: how totals and shares are rounded."""
        return cls(math.floor(_exact(rho) * UNIT))

    @property
    def rho(self) -> Fraction:
        """rho, exact."""
        return Fraction(self.units, UNIT)

    def __add__(self, other: ZCDP) -> ZCDP:
        return ZCDP(self.units + other.units) if isinstance(other, ZCDP) else NotImplemented

    def __sub__(self, other: ZCDP) -> ZCDP:
        return ZCDP(self.units - other.units) if isinstance(other, ZCDP) else NotImplemented

    def __mul__(self, times: int) -> ZCDP:
        return ZCDP(self.units * times) if isinstance(times, int) else NotImplemented

    __rmul__ = __mul__


@dataclass(frozen=True)
class ApproxDP:
    """(epsilon, delta)-differential privacy, both exact; numbers, text and floats are taken by `as_fraction`.

    Raises BudgetError unless 0 < epsilon <= 10^6 and 0 < delta < 1.
    """

    epsilon: Fraction
    delta: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", as_fraction(self.epsilon))
        object.__setattr__(self, "delta", as_fraction(self.delta))
        if not 0 < self.epsilon <= MAX_EPSILON:
            raise BudgetError(f"Epsilon must be positive and at most {MAX_EPSILON:,}; {shown(self.epsilon)} came.")
        _check_delta(self.delta)


def pure(epsilon: Number) -> ZCDP:
    """What epsilon-DP costs in zCDP: epsilon^2/2, rounded up (Bun and Steinke 2016, Proposition 1.4).

    Raises BudgetError unless epsilon is positive.
    """
    exact = as_fraction(epsilon)
    if exact <= 0:
        raise BudgetError(f"Epsilon must be positive; {shown(exact)} came.")
    return ZCDP.at_least(exact * exact / 2)


def epsilon_of(budget: ZCDP, delta: Number) -> float:
    """The epsilon at which rho-zCDP is (epsilon, delta)-DP, rounded up.

    epsilon = inf over alpha > 1 of  rho alpha + log(1/(alpha delta))/(alpha - 1) + log(1 - 1/alpha)
    (Liu et al. 2021, the conversion theorem of the appendix, with rho = eps~^2/2; Canonne, Kamath, Steinke 2020).
    Every alpha gives a valid epsilon, so the search for it need not be exact, but the value at it is: each
    operation is rounded up, and 2^-46 of the result is added so that it never lies below OpenDP's own
    upper bound, which errs by a few units in the last place.

    Raises BudgetError unless 0 < delta < 1.
    """
    return _epsilon_of(budget.units, as_fraction(delta))


@lru_cache(maxsize=4096)
def _epsilon_of(units: int, delta: Fraction) -> float:
    return _epsilon_above(units, delta)


def _epsilon_above(units: int, delta: Fraction) -> float:
    import gmpy2

    _check_delta(delta)
    if units == 0:
        return 0.0
    rho = Fraction(units, UNIT)
    order = Fraction(_optimal_order(float(rho), delta))
    up = gmpy2.context(precision=160, round=gmpy2.RoundUp)
    log_term = up.log(_mpfr(1 / (order * delta), up))
    log_term = up.div(log_term, _mpfr(order - 1, gmpy2.context(precision=160, round=gmpy2.RoundDown)))
    total = up.add(up.add(_mpfr(rho * order, up), log_term), up.log1p(_mpfr(-1 / order, up)))
    padded = Fraction(*map(int, total.as_integer_ratio())) * (1 + Fraction(1, 2**46))
    return max(0.0, math.nextafter(float(padded), math.inf))


def _mpfr(value: Fraction, context: object) -> object:
    import gmpy2

    return gmpy2.mpfr(gmpy2.mpq(value.numerator, value.denominator), 0, context)


def _optimal_order(rho: float, delta: Fraction) -> float:
    """The alpha > 1 where the conversion is least: rho (alpha - 1)^2 = log(1/(alpha delta)), by bisection.

    The derivative of the conversion is rho - log(1/(alpha delta))/(alpha - 1)^2, which rises through one zero.
    The order is kept in floats at least 2^-52 above 1 and finite.
    """
    log_inverse = math.log(delta.denominator) - math.log(delta.numerator)
    low, high = 0.0, math.sqrt(log_inverse / rho)
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return max(1.0 + high, 1.0 + 2**-52)
        if rho * middle * middle < log_inverse - math.log1p(middle):
            low = middle
        else:
            high = middle


@lru_cache(maxsize=1024)
def zcdp_of(budget: ApproxDP) -> ZCDP:
    """The largest zCDP budget whose conversion stays within (epsilon, delta).

    It is the exact inverse of `epsilon_of`: one unit more would exceed epsilon.

    Raises BudgetError where not even one unit fits.
    """
    low, high = 0, 1
    while Fraction(_epsilon_above(high, budget.delta)) <= budget.epsilon:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        if Fraction(_epsilon_above(middle, budget.delta)) <= budget.epsilon:
            low = middle
        else:
            high = middle
    if low == 0:
        raise BudgetError(f"Epsilon {shown(budget.epsilon)} at delta {shown(budget.delta)} allows no noise at all.")
    return ZCDP(low)


def _check_delta(delta: Fraction) -> None:
    if not 0 < delta < 1:
        raise BudgetError(f"Delta must lie strictly between 0 and 1; {shown(delta)} came.")
