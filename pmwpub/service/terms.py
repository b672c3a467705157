"""A population's terms: what to warn of, which delta goes without saying, and how terms change."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from pmwpub.errors import BudgetError, StewardNeeded
from pmwpub.ledger import Population
from pmwpub.ledger.model import MAX_ROWS
from pmwpub.numerals import as_fraction
from pmwpub.release.certificates.certificate_parts import OUTSIDE
from pmwpub.rounding import down, up
from pmwpub.service.core import Service
from pmwpub.service.households.household_unit import protects_households, unit_of
from pmwpub.service.private_table import PrivateTable
from pmwpub.tabular.households.household_schema import MOST_PERSONS

__all__ = [
    "OUTSIDE",
    "PERSONS_ALLOWED",
    "ROWS_ALLOWED",
    "SQUARED",
    "amend",
    "as_typed",
    "changes_in_words",
    "default_delta",
    "delta_as_typed",
    "delta_of",
    "protects_households",
    "unit_of",
    "warnings_of",
]

PERSONS_ALLOWED = (1, MOST_PERSONS)
"""The fewest and the most persons that H, the largest household, may have."""
ROWS_ALLOWED = (1, MAX_ROWS)
"""The fewest and the most rows of a private table; k, the rows of one person, lies between 1 and n."""
LARGE_EPSILON = 10
SQUARED = "1/n²"
_SQUARED = (SQUARED, "1/n^2")


def default_delta(n: int) -> Fraction:
    """1/n²; BudgetError for a single row, where that would be 1.

    An n below 1 gets that of 2 rows: terms refuse such an n, and say why.
    """
    if n == 1:
        raise BudgetError("For n = 1 give δ; 1/n² would be 1.")
    return Fraction(1, max(2, n) ** 2)


def delta_of(text: str | None, n: int) -> Fraction:
    """The delta that was meant: a number, or 1/n² where nothing, "1/n²" or "1/n^2" stands there."""
    meant = (text or "").strip()
    return default_delta(n) if not meant or meant in _SQUARED else as_fraction(meant)


def delta_as_typed(population: Population) -> str:
    """A population's delta as a field shows it: `delta_of` reads it back exactly; 1/n² follows an n that changes."""
    by_rule = population.n > 1 and population.delta == default_delta(population.n)
    return SQUARED if by_rule else as_typed(population.delta)


def as_typed(number: Fraction) -> str:
    """A number as a field shows it, which reads back as that very number: a decimal of 12 digits, else a fraction."""
    decimal = up(number, 12)
    return decimal if Fraction(decimal) == number else str(number)


def warnings_of(population: Population) -> tuple[str, ...]:
    """A sentence for each thing that terms allow and hardly anybody means; none of it is refused."""
    found = []
    n, epsilon, delta = population.n, population.epsilon, population.delta
    one, many = ("household", "households") if protects_households(population) else ("person", "rows")
    if delta > Fraction(1, n):
        found.append(
            f"δ = {up(delta, 3)} is above 1/n = {down(Fraction(1, n), 3)}: publishing each {one}'s rows with "
            f"probability δ would keep such a promise, and would lay open about {max(1, round(delta * n)):,} of the "
            f"{n:,} {many}. Take a δ far below 1/n; {SQUARED} is the default."
        )
    if epsilon > LARGE_EPSILON:
        found.append(
            f"ε = {up(epsilon, 3)} is above {LARGE_EPSILON}: such a promise allows what is published to be e^ε, more "
            f"than 22,000, times as likely with one {one}'s rows as with others in their place. That rules out next to "
            "nothing about anybody."
        )
    return tuple(found)


def changes_in_words(before: Population, after: Population) -> tuple[str, ...]:
    """Each change of terms, a sentence each; none where nothing changed."""
    rule = f", which is {SQUARED}" if after.delta == Fraction(1, after.n**2) else ""
    n, k = "n, the rows of the private table", "k, the most rows that one person may own"
    if protects_households(after):
        n, k = "n, the households of the private table", "H, the most persons of one household that count"
    every = (
        (n, f"{before.n:,}", f"{after.n:,}"),
        (k, f"{before.rows_per_person:,}", f"{after.rows_per_person:,}"),
        ("Who is protected", f'"{before.unit}"', f'"{after.unit}"'),
        ("The total ε", as_typed(before.epsilon), as_typed(after.epsilon)),
        ("δ", _delta(before.delta, after.delta), _delta(after.delta, before.delta) + rule),
    )
    pairs = zip(every, _parts(before), _parts(after), strict=True)
    return tuple(f"{name}: it was {old} and is now {new}." for (name, old, new), was, now in pairs if was != now)


def _parts(terms: Population) -> tuple[object, ...]:
    return terms.n, terms.rows_per_person, terms.unit, terms.epsilon, terms.delta


def _delta(delta: Fraction, other: Fraction) -> str:
    """A delta to three digits, rounded up, where they tell it from the other one; else in full."""
    return up(delta, 3) if up(delta, 3) != up(other, 3) else as_typed(delta)


def amend(
    service: Service, name: str, changes: Mapping[str, object], *, private: PrivateTable | None, viewing: bool
) -> Population:
    """Change a population's terms for a session; `Ledger.amend` says which of them may change.

    changes  by field of `Population`
    private  the private table that the session holds, if it holds one
    viewing  whether the session is a viewer's: in the stakeholder view, or on a server for viewers only

    Raises StewardNeeded for a viewer, and after the first charge for whoever does not hold the population's table.
    """
    service.refuse_viewers(name)
    if viewing:
        raise StewardNeeded("Viewers change no terms; nothing was changed.")
    holds = private is not None and private.population == name
    if not holds and service.ledger.balance(name).spent.units:
        raise StewardNeeded(
            "Charges were made: the total ε can be lowered once this session holds the private table; "
            "nothing was changed."
        )
    return service.ledger.amend(name, **changes)  # type: ignore[arg-type]
