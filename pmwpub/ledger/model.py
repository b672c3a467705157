"""What the ledger knows: populations, charges, bookings and balances, as frozen values."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal, NamedTuple

from pmwpub.accounts.people import Actor
from pmwpub.errors import BudgetError, LedgerError
from pmwpub.privacy.budget import UNIT, ZCDP, ApproxDP, as_fraction, epsilon_of, zcdp_of
from pmwpub.rounding import down

MAX_UNITS = 2**63 - 1
"""The largest rho a store can hold, in units of 10^-15: about 9,223."""

MAX_NAME = 200

MAX_ROWS = 10**9
"""The most private rows of one population."""

Status = Literal["charged", "done", "no result"]


def whole(number: object, what: str) -> int:
    """A whole number of any integer type, such as numpy's, as Python's own, which databases store as a number.

    Raises LedgerError for anything else, also for True and for 300.0: what was meant by it is not known.
    """
    try:
        if isinstance(number, bool):
            raise TypeError
        return operator.index(number)  # type: ignore[arg-type]
    except TypeError:
        raise LedgerError(f"{what} must be a whole number; {str(number)[:40]!r} came.") from None


def _texts(**given: object) -> None:
    """Raise LedgerError for a field that is no text."""
    for name, text in given.items():
        if not isinstance(text, str):
            raise LedgerError(f"{name.capitalize()} must be text; {str(text)[:40]!r} came.")


@lru_cache(maxsize=256)
def _total(epsilon: Fraction, delta: Fraction) -> ZCDP:
    return zcdp_of(ApproxDP(epsilon, delta))


def checked_units(rho: ZCDP) -> int:
    """The units of a rho that a store can hold exactly; BudgetError beyond about 9,223."""
    if rho.units > MAX_UNITS:
        raise BudgetError(
            f"A store holds rho up to {MAX_UNITS // UNIT:,}; {float(rho.rho):,.6g} came. Use a smaller epsilon."
        )
    return rho.units


@dataclass(frozen=True)
class Population:
    """The people whose data a budget protects: what the ledger is keyed by, never a file.

    name             up to 200 printable characters
    n                rows of the private table, public
    rows_per_person  k: the most rows that one person owns
    unit             who is protected, in words
    epsilon, delta   the total ever to be spent, exact (a string or a float is read as its decimal)

    Privacy: neighbours replace one person's at most k of the n rows by as many.
    Raises LedgerError for a bad name or unit or for what is no whole number, BudgetError for numbers out of range.
    """

    name: str
    n: int
    rows_per_person: int
    unit: str
    epsilon: Fraction
    delta: Fraction

    def __post_init__(self) -> None:
        _texts(name=self.name, unit=self.unit)
        if not self.name.strip() or len(self.name) > MAX_NAME or not self.name.isprintable():
            raise LedgerError(f"A population needs a name of 1 to {MAX_NAME} printable characters.")
        if self.name != self.name.strip():
            raise LedgerError(
                "A population's name has no space before or behind it; a name that looks like another one is refused."
            )
        if not self.unit.strip():
            raise LedgerError('A population needs words for who is protected, such as "one resident".')
        object.__setattr__(self, "n", whole(self.n, "n, the number of private rows,"))
        object.__setattr__(self, "rows_per_person", whole(self.rows_per_person, "Rows per person"))
        if not 1 <= self.n <= MAX_ROWS:
            raise BudgetError(f"n, the number of private rows, must lie between 1 and {MAX_ROWS:,}; {self.n} came.")
        if not 1 <= self.rows_per_person <= self.n:
            raise BudgetError(f"Rows per person must lie between 1 and n = {self.n:,}; {self.rows_per_person} came.")
        object.__setattr__(self, "epsilon", as_fraction(self.epsilon))
        object.__setattr__(self, "delta", as_fraction(self.delta))
        if self.epsilon <= 0 or not 0 < self.delta < 1:
            raise BudgetError("A population's total needs epsilon above 0 and delta strictly between 0 and 1.")
        checked_units(self.total)

    @property
    def total(self) -> ZCDP:
        """The largest rho whose epsilon at this delta stays within the total."""
        return _total(self.epsilon, self.delta)


@dataclass(frozen=True)
class Charge:
    """One priced look at the private rows.

    sensitivity, scale  in words or exact numbers, for the record
    rho                 what it costs, in zCDP; above zero, for nothing is free
    """

    purpose: str
    mechanism: str
    sensitivity: str
    scale: str
    rho: ZCDP

    def __post_init__(self) -> None:
        _texts(purpose=self.purpose, mechanism=self.mechanism, sensitivity=self.sensitivity, scale=self.scale)
        if not self.purpose.strip() or not self.mechanism.strip():
            raise LedgerError("A charge needs a purpose and a mechanism.")
        if checked_units(self.rho) < 1:
            raise BudgetError("A charge must cost more than zero; nothing about private rows is free.")


@dataclass(frozen=True)
class PlanKey:
    """What a result is stored under: the plan's content hash, and how often it was drawn again on purpose."""

    plan_sha256: str
    repeat: int = 0

    def __post_init__(self) -> None:
        _texts(plan=self.plan_sha256)
        object.__setattr__(self, "repeat", whole(self.repeat, "A repeat"))
        if len(self.plan_sha256) != 64 or set(self.plan_sha256) - set("0123456789abcdef"):
            raise LedgerError("A plan is keyed by its SHA-256 in 64 lower-case hexadecimal digits.")
        if self.repeat < 0:
            raise LedgerError(f"A repeat is counted from 0; {self.repeat} came.")


@dataclass(frozen=True)
class Order:
    """One plan to be booked: its key, its canonical text, and all its charges."""

    key: PlanKey
    plan_json: str
    charges: tuple[Charge, ...]


@dataclass(frozen=True)
class Balance:
    """What a population was granted, has spent and has left, in rho, and as epsilons at the population's delta.

    Epsilon does not add up: epsilon_remaining is what the remaining rho buys, not a difference. What was spent is
    rounded up, what remains down: a release at epsilon_remaining fits.
    """

    total: ZCDP
    spent: ZCDP
    delta: Fraction

    @property
    def remaining(self) -> ZCDP:
        """What is left: zero where more is spent than granted, which only charges added from a witness bring about."""
        return self.total - self.spent if self.spent <= self.total else ZCDP(0)

    @property
    def epsilon_total(self) -> float:
        """The epsilon of the total."""
        return epsilon_of(self.total, self.delta)

    @property
    def epsilon_spent(self) -> float:
        """The epsilon of what is spent."""
        return epsilon_of(self.spent, self.delta)

    @property
    def epsilon_remaining(self) -> float:
        """The epsilon that what is left buys, rounded down."""
        return affordable(self.remaining, self.delta)


@lru_cache(maxsize=256)
def affordable(rho: ZCDP, delta: Fraction) -> float:
    """The epsilon that rho buys at delta, rounded down where needed: `zcdp_of` gives at most rho for it."""
    epsilon = epsilon_of(rho, delta)
    for digits in (17, 15, 12, 9, 6, 3):
        rounded = float(down(epsilon, digits))
        if rounded == 0 or _buyable(rounded, delta, rho):
            return rounded
    return 0.0


def _buyable(epsilon: float, delta: Fraction, rho: ZCDP) -> bool:
    try:
        return zcdp_of(ApproxDP(as_fraction(epsilon), delta)) <= rho
    except BudgetError:  # less than one unit
        return False


@dataclass(frozen=True)
class Booking:
    """A plan whose charges stand, and what became of it.

    charges  the ids of its charges
    status   "charged": no outcome is recorded (it runs, or it crashed); "done": a result is stored;
             "no result": none will ever be. The charge stands in all three.
    fresh    True only for the one caller whose `book` made the charges, and who alone may draw
    created  UTC, informative
    result   the SHA-256 of the stored result; None where none is
    by       who made it, on a server with accounts, as whoever asks may know it
    """

    id: int
    population: str
    key: PlanKey
    plan_json: str
    charges: tuple[int, ...]
    status: Status
    created: str
    fresh: bool = False
    result: str | None = None
    by: Actor | None = None


@dataclass(frozen=True)
class ChargeRecord:
    """One line of the history; `time` is UTC, informative only, `by` as in `Booking`."""

    id: int
    time: str
    purpose: str
    mechanism: str
    sensitivity: str
    scale: str
    rho: ZCDP
    status: Status
    by: Actor | None = None


@dataclass(frozen=True)
class Mark:
    """A recorded decision or event of a population, such as private numbers having been opened."""

    kind: str
    note: str
    time: str
    by: Actor | None = None


class DocumentKey(NamedTuple):
    """Where a public document is kept, and when it was put there."""

    key: str
    time: str
