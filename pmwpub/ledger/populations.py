"""Populations: their terms, how terms may change, and their balance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from sqlalchemy import Connection, func, insert, select

from pmwpub.errors import BudgetError, LedgerError, PopulationExists, PopulationFrozen
from pmwpub.ledger.database import lock_store, now
from pmwpub.ledger.members import access, signed_rows
from pmwpub.ledger.members.member_tables import marked_by, members
from pmwpub.ledger.model import Balance, Mark, Population, checked_units
from pmwpub.ledger.parts import household_words
from pmwpub.ledger.population_names import same
from pmwpub.ledger.tables import charges, marks, populations, terms
from pmwpub.numerals import MAX_DIGITS, bounded
from pmwpub.privacy.budget import ZCDP

UNWITNESSED = "witness missing"
"""The kind of mark of a population whose charges were accepted without a witness."""
MAX_UNIT = 500
"""The most characters of the words that say who is protected."""

UNVOUCHED = "unvouched restore"
"""The kind of mark of a population without a charge, in a store that was put back or opened without a witness."""
DOUBTS = (UNWITNESSED, UNVOUCHED)
LOST = (
    "This ledger was put back or opened without its witness before this population was registered; one of that name, "
    "and its charges, may be missing from it."
)

TAKEN = (
    "That name is taken here, or looks like one that is: one population under two names would have two budgets. Choose "
    "a name that differs in more than case, spaces and letters that look alike."
)


def identify(connection: Connection, name: str, *, lock: bool = False) -> int:
    """The row of a population; with `lock`, no other writer spends on it until this transaction ends.

    Every question about a population passes here. UnknownPopulation where there is none, and for a visitor who is no
    member of it; StewardNeeded in a transaction that writes, for a visitor who may only look.
    """
    query = select(populations.c.id).where(populations.c.name == name)
    found = connection.execute(query.with_for_update() if lock else query).scalar()
    if found is None or not access.sees(connection, int(found)):
        raise access.unknown(connection, name)
    if connection.get_execution_options().get("immediate"):
        access.require_work(connection, int(found))
    return int(found)


def register(connection: Connection, population: Population) -> Population:
    """Add a population; the same terms again, under the very same name, add nothing.

    Raises BudgetError for numbers that no certificate could state, PlanError for words of households that no purchase
    takes for any, PopulationExists when the name stands with other terms, or another name that looks like it.
    """
    access.require_steward(connection)
    refuse_unstated(population)
    lock_store(connection)
    known = connection.execute(select(populations.c.id).where(populations.c.name == population.name)).scalar()
    if known is not None and access.works(connection, int(known)):
        if current(connection, int(known)) != population:
            raise PopulationExists(
                f"Population {population.name!r} is registered with other terms; open it, or choose another name."
            )
        return population
    household_words.check(population)
    refuse_alike(connection, population.name)
    row = insert(populations).values(name=population.name, created=now()).returning(populations.c.id)
    population_id = connection.execute(row).scalar_one()
    _own(connection, population_id)
    _append_terms(connection, population_id, population)
    inherit_doubt(connection, population_id)
    return population


def _own(connection: Connection, population_id: int) -> None:
    """Whoever registers a population owns it; where the program itself does, nobody does yet."""
    person = access.present(connection)
    if person is not None:
        row = {"population_id": population_id, "person_id": person.id, "entered_by": person.id}
        connection.execute(insert(members).values(standing="owner", created=now(), **row))
        access.forget(connection)


def refuse_unstated(population: Population) -> None:
    """Raise BudgetError for an epsilon or a delta of more digits than a certificate can state.

    Raises LedgerError for a unit that is no line of text. New terms alone are asked: a store of before may have others.
    """
    if len(population.unit) > MAX_UNIT or not population.unit.isprintable():
        raise LedgerError(f"The words for who is protected are up to {MAX_UNIT} printable characters, on one line.")
    for number in (population.epsilon, population.delta):
        try:
            bounded(number, MAX_DIGITS)
        except ValueError:
            raise BudgetError(
                f"Epsilon and delta are stated in every certificate: as fractions they have at most {MAX_DIGITS} "
                "digits above and below the line. Give a shorter number."
            ) from None


def inherit_doubt(connection: Connection, population_id: int) -> None:
    """Mark a new population where nothing once vouched for the store: one of its name may be lost with charges."""
    if connection.execute(select(marks.c.id).where(marks.c.kind.in_(DOUBTS)).limit(1)).first() is not None:
        mark(connection, population_id, UNVOUCHED, LOST)


def refuse_alike(connection: Connection, name: str) -> None:
    """Raise PopulationExists where a population is registered under a name that looks like this one."""
    names = connection.execute(select(populations.c.name).order_by(populations.c.id)).scalars()
    alike = next((one for one in names if same(one, name)), None)
    if alike is not None and access.visitor_of(connection) is not None:
        raise PopulationExists(TAKEN)
    if alike is not None:
        raise PopulationExists(
            f"{name!r} looks like {alike!r}, which is registered: one population under two names would have two "
            f"budgets. Open {alike!r}; or, for other people, choose a name that differs in more than case, spaces and "
            "letters that look alike."
        )


def current(connection: Connection, population_id: int) -> Population:
    """The terms in force: the last ones appended."""
    query = (
        select(populations.c.name, terms)
        .join(terms, terms.c.population_id == populations.c.id)
        .where(populations.c.id == population_id)
        .order_by(terms.c.id.desc())
        .limit(1)
    )
    row = connection.execute(query).one()
    return Population(row.name, row.n, row.rows_per_person, row.unit, Fraction(row.epsilon), Fraction(row.delta))


def every(connection: Connection) -> list[Population]:
    """All populations that whoever acts may know of, in the order of registration."""
    ids = connection.execute(select(populations.c.id).order_by(populations.c.id)).scalars()
    return [current(connection, one) for one in access.seen(connection, ids.all())]


def amend(connection: Connection, name: str, changes: Mapping[str, object]) -> Population:
    """Append changed terms.

    Before the first charge anything but the name may change. Afterwards only epsilon may, downwards, and not
    below what is spent: every certificate given out states n, k, delta and the unit, and stays true.
    Raises PopulationFrozen otherwise, and PlanError for words of households that no purchase takes for any.
    """
    population_id = identify(connection, name, lock=True)
    access.require_owner(connection, population_id)
    before = current(connection, population_id)
    after = replace(before, **changes)  # type: ignore[arg-type]
    if after == before:
        return before
    refuse_unstated(after)
    if replace(after, epsilon=before.epsilon, delta=before.delta) != before:  # a store of before may have other words
        household_words.check(after)
    spent = spent_units(connection, population_id)
    if spent:
        if replace(after, epsilon=before.epsilon) != before:
            raise PopulationFrozen(f"{name!r} has charges: n, rows per person, delta and the unit no longer change.")
        if after.epsilon > before.epsilon:
            raise PopulationFrozen(f"{name!r} has charges: its total epsilon may only fall.")
        if after.total.units < spent:
            raise PopulationFrozen(f"{name!r} has already spent more than epsilon = {float(after.epsilon):g} allows.")
    _append_terms(connection, population_id, after)
    return after


def _append_terms(connection: Connection, population_id: int, population: Population) -> None:
    connection.execute(
        insert(terms).values(
            population_id=population_id,
            n=population.n,
            rows_per_person=population.rows_per_person,
            unit=population.unit,
            epsilon=str(population.epsilon),
            delta=str(population.delta),
            total_units=checked_units(population.total),
            created=now(),
        )
    )


def spent_units(connection: Connection, population_id: int) -> int:
    """The exact sum of all charges, in units of 10^-15 of rho."""
    query = select(func.coalesce(func.sum(charges.c.units), 0)).where(charges.c.population_id == population_id)
    return int(connection.execute(query).scalar_one())


def total_units(connection: Connection, population_id: int) -> int:
    """The total as it was granted, in units of 10^-15 of rho."""
    query = select(terms.c.total_units).where(terms.c.population_id == population_id).order_by(terms.c.id.desc())
    return int(connection.execute(query.limit(1)).scalar_one())


def balance(connection: Connection, population_id: int) -> Balance:
    """Total and spent, read in one transaction."""
    query = select(terms.c.delta).where(terms.c.population_id == population_id).order_by(terms.c.id.desc()).limit(1)
    delta = Fraction(connection.execute(query).scalar_one())
    total = ZCDP(total_units(connection, population_id))
    return Balance(total, ZCDP(spent_units(connection, population_id)), delta)


def mark(connection: Connection, population_id: int, kind: str, note: str) -> None:
    """Append a recorded decision, and who made it."""
    row = insert(marks).values(population_id=population_id, kind=kind, note=note, created=now()).returning(marks.c.id)
    access.sign(connection, marked_by, connection.execute(row).scalar_one())


def marked(connection: Connection, population_id: int) -> list[Mark]:
    """All recorded decisions, oldest first."""
    made = signed_rows.markers(connection, population_id)
    query = select(marks).where(marks.c.population_id == population_id)
    rows = connection.execute(query.order_by(marks.c.id))
    return [Mark(row.kind, row.note, row.created, made.get(row.id)) for row in rows]
