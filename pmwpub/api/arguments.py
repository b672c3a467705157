"""What a program's arguments may be, in words where they are something else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from numbers import Real
from typing import TypeVar

from pmwpub.errors import LedgerError, PlanError
from pmwpub.ledger.model import whole
from pmwpub.privacy.budget import as_fraction
from pmwpub.service.bought import releases
from pmwpub.service.purchases.offers import true_or_false

Choice = TypeVar("Choice", bound=str)
Kind = TypeVar("Kind")


def engine_settings(engine: object, rounds: object) -> releases.PmwPubSettings:
    """The settings that were given; PlanError for an engine that is no text."""
    if engine is not None and not isinstance(engine, str):
        raise PlanError(f"An engine is named by a text; {kind_words(engine)} came. Nothing was charged.")
    return {} if rounds is None else {"rounds": whole_number(rounds, "The number of rounds")}


def number_text(epsilon: object, what: str = "Epsilon") -> str:
    """An epsilon, or another number, as text; PlanError for what is neither a number nor a text."""
    if isinstance(epsilon, str):
        return epsilon
    if isinstance(epsilon, bool) or not isinstance(epsilon, Real | Decimal):
        raise PlanError(
            f'{what} is a number, or a text such as "0.1"; {kind_words(epsilon)} came. Nothing was charged.'
        )
    return str(as_fraction(epsilon))  # type: ignore[arg-type]


def switch(given: object, what: str) -> bool:
    """True or False; PlanError for anything else, for what was meant by it is not known."""
    return true_or_false(given, f"{what} is")


def whole_number(number: object, what: str) -> int:
    """A whole number of any integer type; PlanError for anything else."""
    try:
        return whole(number, what)
    except LedgerError as refusal:
        raise PlanError(f"{refusal} Nothing was charged.") from None


def one_of(choices: tuple[Choice, ...], given: Choice) -> Choice:
    """One of some texts; PlanError for anything else."""
    if given not in choices:
        raise PlanError(f"Choose one of {', '.join(map(repr, choices))}; {str(given)[:40]!r} came.")
    return given


def table_names(given: object) -> list[str]:
    """The names of public tables, or of columns: a text is one name. PlanError for what is no text, nor several."""
    if isinstance(given, str):
        return [given]
    names: list[str] = list(given) if isinstance(given, Iterable) else [given]  # type: ignore[list-item]
    if strange := [name for name in names if not isinstance(name, str)]:
        came = kind_words(strange[0])
        raise PlanError(f"Public tables and columns are named by a text or several; {came} came. Nothing was charged.")
    return names


def of_kind(kind: type[Kind], given: object, what: str) -> Kind:
    """The thing that was given; PlanError unless it is of that kind."""
    if not isinstance(given, kind):
        raise PlanError(f"{what} is needed; {kind_words(given)} came. Nothing was charged.")
    return given


def cell_of(given: object) -> Mapping[str, str]:
    """A cell, as a mapping of column to level; PlanError for what is none."""
    if not isinstance(given, Mapping):
        raise PlanError(f'A cell is a mapping of column to level, such as {{"sex": "F"}}; {kind_words(given)} came.')
    return given


def kind_words(given: object) -> str:
    """What kind of thing was given, for a refusal."""
    return f"something of type {type(given).__name__}"
