"""Number fields that begin with what is stored: a stored number beyond a field's bounds is brought to the nearest one.

Streamlit breaks a page off where a field's first value lies outside its bounds.
"""

from __future__ import annotations

from streamlit.delta_generator import DeltaGenerator

MOST = 2**53 - 1
"""The largest whole number that a browser holds exactly."""


def whole_number(
    place: DeltaGenerator,
    label: str,
    least: int,
    most: int = MOST,
    *,
    value: int,
    step: int = 1,
    key: str | None = None,
) -> int:
    """Ask for a whole number of [least, most]; the field begins with `value`, or the bound that is nearest to it."""
    return int(place.number_input(label, least, most, value=min(max(value, least), most), step=step, key=key or None))
