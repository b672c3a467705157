"""Whom a population protects: persons and their rows, or whole households. A population has one unit, in its terms.

What is sold for persons protects a household of H persons only at H^2 times the rho. So the charges of the two are
never added up: a population of households buys what is made for households alone, and no other population does.
"""

from __future__ import annotations

from pmwpub.errors import PlanError
from pmwpub.ledger import Population
from pmwpub.ledger.parts.household_words import largest_named, unit_of

__all__ = ["check_run", "check_unit", "largest_household", "protects_households", "unit_of"]

FEWEST = 2
"""Households of a run; the private table's rows have the same bound."""

PERSONS_ALONE = (
    "This population protects whole households, so it buys what is made for households alone: what is priced for "
    "persons protects a household of H persons only at H² times the ρ, and is never added to a household's total. "
    "Give a schema with the key household, or register another population. Nothing was charged."
)
HOUSEHOLDS_ALONE = (
    "This population protects {unit} by its rows, and not whole households: its n counts rows, and its charges do not "
    "add up with those of households. Register a population with --unit household. Nothing was charged."
)


def largest_household(terms: Population) -> int | None:
    """H of a population of households, whose n counts households; None of every other one.

    Raises PlanError for terms that name two numbers, as an amendment of one of them can leave them.
    """
    found = largest_named(terms.unit)
    if found is not None and found != terms.rows_per_person:
        raise PlanError(
            f'The population\'s unit is "{terms.unit}", and it is registered with {terms.rows_per_person} rows; amend '
            "one of them, so that both name the largest household. Nothing was charged."
        )
    return found


def protects_households(terms: Population) -> bool:
    """Whether a population's words name whole households, whatever else its terms say; asked by what only shows."""
    return largest_named(terms.unit) is not None


def check_unit(terms: Population, largest: int | None) -> None:
    """Raise PlanError unless a plan protects what the population does.

    largest  of a plan of households; None of any other plan, and of a table of persons' rows
    """
    unit = largest_household(terms)
    if unit == largest:
        return
    if largest is None:
        raise PlanError(PERSONS_ALONE)
    if unit is None:
        raise PlanError(HOUSEHOLDS_ALONE.format(unit=f'"{terms.unit}"'))
    raise PlanError(
        f"The population is registered for households of at most {unit} persons, the schema says {largest}; "
        "make them one. Nothing was charged."
    )


def check_run(terms: Population, largest: int | None) -> None:
    """Raise PlanError as `check_unit` does, and where a run would be of fewer households than any is.

    largest  as of `check_unit`
    """
    check_unit(terms, largest)
    if largest is not None and terms.n < FEWEST:
        raise PlanError(f"A run needs at least {FEWEST} households, a public bound; {terms.n} are registered.")
