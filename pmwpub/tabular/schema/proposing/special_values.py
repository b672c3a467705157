"""Numbers in a public column that are no measurements, or stand out among them: sentinels, and values that many have.

Both rules are conservative and look at public numbers alone; what they find is remarked upon and can be undone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pmwpub.records import Floats, Ints
from pmwpub.tabular.schema.missing_codes import text_of_number

_MOST_CODES = 5
_APART = 5
_LARGE = 0.1
_VERY_LARGE = 0.25
_NEIGHBOURS = 2
_MOST_SPIKES = 3
_FEWEST = 20


@dataclass(frozen=True, eq=False)
class NumberCounts:
    """Distinct numbers in rising order, and how often each stands."""

    values: Floats
    often: Ints

    @classmethod
    def of(cls, numbers: Floats, repeats: Ints) -> NumberCounts:
        """Equal numbers, in whatever spelling, taken together."""
        values, places = np.unique(numbers, return_inverse=True)
        return cls(values, np.bincount(places, repeats, minlength=len(values)).astype(np.int64))

    def without(self, left: tuple[float, ...]) -> NumberCounts:
        """The numbers that are not among `left`."""
        keep = ~np.isin(self.values, left)
        return NumberCounts(self.values[keep], self.often[keep])

    def written_out(self) -> Floats:
        """Every number as often as it stands."""
        return np.repeat(self.values, self.often)


def sentinels(tally: NumberCounts) -> tuple[float, ...]:
    """Numbers at an end that look like codes for "no value", in rising order.

    Above: nines, eights or sevens (99, 998, 7777) that stand twice or more, at least as far above all other numbers as
    these lie apart. Below: -1 to -9, -66, -77, -88, -99 and longer ones below numbers that are none of them negative,
    where they lie five times as far off as any two neighbours among the others, or stand five times as often as these.
    """
    found: list[float] = []
    for most in range(_MOST_CODES, 0, -1):
        if _are_above(tally, most):
            found += tally.values[-most:].tolist()
            break
    rest = tally.without(tuple(found))
    for most in range(_MOST_CODES, 0, -1):
        if _are_below(rest, most):
            found += rest.values[:most].tolist()
            break
    return tuple(sorted(found))


def _nines(text: str) -> bool:
    """9, 99, 97, 998, 88, 7777 and the like."""
    return set(text) in ({"9"}, {"8"}, {"7"}) or (set(text[:-1]) == {"9"} and text[-1] in "78")


def _negative(text: str) -> bool:
    """-1 to -9, -66, -77, -88, -99, -98, -999 and the like."""
    digits = text.removeprefix("-")
    one = len(digits) == 1 and digits in "123456789"
    return text.startswith("-") and (one or set(digits) == {"6"} or (len(digits) > 1 and _nines(digits)))


def _are_above(tally: NumberCounts, most: int) -> bool:
    if len(tally.values) < most + 2:
        return False
    codes, rest = tally.values[-most:], tally.values[:-most]
    looks = all(_nines(text_of_number(code)) for code in codes)
    apart = codes[0] - rest[-1] >= max(rest[-1] - rest[0], 5)
    return bool(looks and apart and tally.often[-most:].min() >= 2 and codes[0] > 6)


def _are_below(tally: NumberCounts, most: int) -> bool:
    if len(tally.values) < most + 3:
        return False
    codes, rest, often = tally.values[:most], tally.values[most:], tally.often
    looks = all(_negative(text_of_number(code)) for code in codes)
    if not looks or rest[0] < 0 or often[:most].sum() < 2:
        return False
    apart = rest[0] - codes[-1] >= _APART * np.diff(rest).max()
    return bool(apart or often[:most].min() >= _APART * np.median(often[most:]))


def looks_missing(tally: NumberCounts) -> tuple[float, ...]:
    """Of few numbers that are levels each: those at the upper end that look like codes for "no value"."""
    codes = [float(value) for value in tally.values if _nines(text_of_number(float(value)))]
    for place, code in enumerate(codes):
        rest = tally.values[tally.values < code]
        if len(codes) - place == len(tally.values) - len(rest) and len(rest) >= 2:
            gap = code - rest[-1]
            if gap > 1 and gap > np.diff(rest).max() and gap >= rest[-1] - rest[0]:
                return tuple(codes[place:])
    negative = tally.values[tally.values < 0]
    looks = all(_negative(text_of_number(float(value))) for value in negative)
    few = len(negative) <= _MOST_CODES and len(tally.values) - len(negative) >= 2
    return tuple(negative.tolist()) if looks and few and len(negative) else ()


def spikes(tally: NumberCounts, most: int = _MOST_SPIKES) -> tuple[float, ...]:
    """Numbers that many rows have and their neighbours have not, at most `most`, in rising order.

    A quarter of all rows; or a tenth, and five times as many as any of the two next numbers on either side has.
    """
    total = int(tally.often.sum())
    if len(tally.values) < 3 or total < _FEWEST:
        return ()
    found = []
    for place in np.argsort(-tally.often, kind="stable")[: _MOST_SPIKES + 1]:
        often = int(tally.often[place])
        beside = np.r_[
            tally.often[max(0, place - _NEIGHBOURS) : place], tally.often[place + 1 : place + 1 + _NEIGHBOURS]
        ]
        if often >= _VERY_LARGE * total or (often >= _LARGE * total and often >= _APART * beside.max()):
            found.append(float(tally.values[place]))
    return tuple(sorted(found[:most]))
