"""Numbers that a charge or a promise is made of, as their field shows them: nothing else is ever priced or bought.

A number field of the browser keeps its old value where it rejects what was typed, and says so only beside the field;
a text field hands over what stands in it, and what is no number in range is refused here, before there is a price.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol

import streamlit as st

from pmwpub.errors import BudgetError, PlanError
from pmwpub.numerals import NEEDS_A_POINT, as_fraction, ungrouped
from pmwpub.ui.app.widget_keys import WidgetKey

PRICELESS = "Nothing has a price until it is put right."
LONGEST = 40
"""The most characters of a number that is taken; as many are repeated in a refusal."""


class Canvas(Protocol):
    """Where a field can be drawn: Streamlit itself, a column or a container."""

    def text_input(self, label: str, value: str = "", *, key: str | None = None) -> str: ...


def number(place: Canvas, label: str, value: str, least: str, most: str, *, key: WidgetKey | None = None) -> str:
    """A number as it was typed, for `as_fraction`; PlanError unless it lies between `least` and `most`."""
    typed = _field(place, label, value, key).strip()
    _check(typed, label, f"a number from {least} to {most}, {NEEDS_A_POINT},", least, most)
    return typed


def as_number(typed: str, label: str, least: str, most: str, *, so: str) -> Fraction:
    """The number in a part of a field that was drawn before; PlanError unless it lies between `least` and `most`.

    so  what does not happen otherwise
    """
    return _check(typed.strip(), label, f"a number from {least} to {most}", least, most, so)


def whole(place: Canvas, label: str, value: int, least: int, most: int, *, key: WidgetKey | None = None) -> int:
    """A whole number as it was typed; PlanError unless it lies between `least` and `most`."""
    return as_whole(_field(place, label, str(value), key), label, least, most)


def as_whole(typed: str, label: str, least: int, most: int, *, so: str = PRICELESS) -> int:
    """The whole number in a field that was drawn before; its thousands may be grouped, as the pages write them.

    Raises PlanError unless it lies between `least` and `most`.
    """
    return as_listed_whole(ungrouped(typed.strip()), label, least, most, so=so)


def as_listed_whole(typed: str, label: str, least: int, most: int, *, so: str) -> int:
    """The whole number in a list of several, where a comma or a space parts two numbers and groups none."""
    needed = f"a whole number from {least:,} to {most:,}"
    exact = _check(typed.strip(), label, needed, str(least), str(most), so)
    if exact.denominator != 1:
        raise _refusal(typed, label, needed, so)
    return int(exact)


def _field(place: Canvas, label: str, value: str, key: WidgetKey | None) -> str:
    """Draw a field and return what stands in it; under a key another part of the page may have put a number there."""
    if key is None:
        return place.text_input(label, value)
    st.session_state[key] = str(st.session_state.get(key, value))
    return place.text_input(label, key=key)


def _check(typed: str, label: str, needed: str, least: str, most: str, so: str = PRICELESS) -> Fraction:
    try:
        exact = as_fraction(typed) if len(typed) <= LONGEST and typed.isascii() and "_" not in typed else None
    except BudgetError:
        exact = None
    if exact is None or not as_fraction(least) <= exact <= as_fraction(most):
        raise _refusal(typed, label, needed, so)
    return exact


def _refusal(typed: str, label: str, needed: str, so: str) -> PlanError:
    came = f'"{typed[:LONGEST]}" stands there' if typed else "nothing stands there"
    return PlanError(f"{label}: {needed} is needed; {came}. {so}")
