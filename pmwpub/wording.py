"""What the command line and the API say alike: a value that a plan refuses, a plan without a result."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pmwpub.errors import NoResult, PlanError

if TYPE_CHECKING:
    from pydantic import ValidationError

    from pmwpub.service import Outcome


def refused_value(refusal: ValidationError) -> str:
    """Which value of a plan was refused, and which ones there are."""
    first = refusal.errors(include_url=False)[0]
    name, limits = first["loc"][-1] if first["loc"] else "the plan", first.get("ctx", {})
    for key, words in (("ge", "at least"), ("le", "at most"), ("gt", "more than"), ("lt", "less than")):
        if key in limits:
            return f"{name} must be {words} {limits[key]:,}; {str(first['input'])[:40]} came."
    return f"{name} cannot be {str(first['input'])[:40]!r}."


@contextmanager
def values_in_words() -> Iterator[None]:
    """A value that a plan refuses, as a PlanError. Around what comes before a charge, and nothing else."""
    from pydantic import ValidationError

    try:
        yield
    except ValidationError as refusal:
        raise PlanError(f"{refused_value(refusal)} Nothing was charged.") from None


@contextmanager
def draws_in_words() -> Iterator[None]:
    """A draw that is not the next one is named by the argument, where the ledger names the command line's flag."""
    try:
        yield
    except PlanError as refusal:
        if "--repeat" not in str(refusal):
            raise
        raise PlanError(str(refusal).replace("--repeat ", "repeat=")) from None


def no_result(outcome: Outcome, *, again: str) -> NoResult:
    """Why there is nothing to show: another program is still at it, or nothing will come.

    again  how a new draw is bought
    """
    if outcome.status == "running":
        return NoResult("Another program works on this plan; run the same again later, and nothing more is charged.")
    numbers, name = ", ".join(map(str, outcome.booking.charges)), outcome.booking.population
    return NoResult(
        f"No result is stored for this plan; its charge stays and nothing is drawn again. {again} buys a new draw. "
        f"It is charge {numbers} of {name!r}."
    )
