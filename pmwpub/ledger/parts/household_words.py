"""Which words of new terms may speak of households: those that make households the unit, and no others.

A population whose words speak of a household and mean rows would have certificates of rows that state a household as
who is protected. So new terms name a household in one way alone, with its largest number of persons beside it. A store
of before may hold other words: they keep their meaning, and only new terms are asked.
"""

from __future__ import annotations

import re
import unicodedata

from pmwpub.errors import PlanError
from pmwpub.ledger.model import Population
from pmwpub.tabular.households.household_schema import MOST_PERSONS, household_unit

_SPEAKS = re.compile(r"house[\s-]?hold(?!er)")
_UNIT = re.compile(r"one household of 1 to ([1-9][0-9]{0,2}) persons")

OTHER_WORDS = (
    'The words "{unit}" speak of a household, and would count rows as any other words do. Whole households are '
    "protected by --unit household with --largest-household H, on the page by the choice of a household; terms that "
    'change name "one household of 1 to H persons" and H rows per person. To protect rows, name the unit in other '
    'words, such as "one person". Nothing was registered or changed.'
)
TWO_NUMBERS = (
    'The unit is "{unit}", and the rows per person are {rows}: both name the largest household. Change them together '
    "(--unit, --rows-per-person). Nothing was registered or changed."
)


def largest_named(unit: str) -> int | None:
    """H where the words are exactly those of households of at most H persons; None of all other words."""
    found = _UNIT.fullmatch(unit)
    return int(found[1]) if found else None


def unit_of(n: int, largest: int) -> str:
    """The words of terms that protect n households of at most so many persons; PlanError for what there cannot be."""
    if not 1 <= largest <= MOST_PERSONS:
        raise PlanError(f"The largest household has 1 to {MOST_PERSONS} persons. Nothing was registered or changed.")
    if n < largest:
        raise PlanError(
            f"n counts households, and must be at least the largest household's {largest} persons; {n} came. Nothing "
            "was registered or changed."
        )
    return household_unit(largest)


def check(population: Population) -> None:
    """Raise PlanError for new terms that speak of a household and do not protect one of a stated largest size."""
    unit, rows = population.unit, population.rows_per_person
    largest = largest_named(unit)
    if largest is not None:
        unit_of(population.n, largest)
        if largest != rows:
            raise PlanError(TWO_NUMBERS.format(unit=unit, rows=rows))
    elif _SPEAKS.search(" ".join(unicodedata.normalize("NFKC", unit).casefold().split())):
        raise PlanError(OTHER_WORDS.format(unit=unit))
