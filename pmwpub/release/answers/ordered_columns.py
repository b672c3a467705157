"""Ordered columns of a release: where a range begins and ends, and which number or level a quantile is."""

from __future__ import annotations

from dataclasses import dataclass

from pmwpub.errors import WorkloadError
from pmwpub.tabular.nesting.bands import edges_near
from pmwpub.tabular.schema.column_types import AttributeColumn, NumericColumn
from pmwpub.tabular.schema.missing_codes import text_of_number

End = float | int | str | None
"""One end of a range: an edge of a bin, or an ordered level; None where the range is open."""

BETWEEN = ".."
"""What stands between the ends of a range that is written."""


@dataclass(frozen=True)
class OrderedColumn:
    """The levels of one column that stand in order.

    Raises WorkloadError where they do not.
    """

    column: AttributeColumn

    def __post_init__(self) -> None:
        if self.column.ordered_levels < 2:
            raise WorkloadError(
                f"Ranges and quantiles are of numbers, dates and ordered levels; the levels of {self.name!r} have no "
                'order. A schema of version 2 says "kind": "ordered" where they have one, before a release.'
            )

    @property
    def name(self) -> str:
        return self.column.name

    @property
    def codes(self) -> range:
        """Of the levels in order; missing ones and "(other)" are not among them."""
        return range(self.column.ordered_levels)

    @property
    def numbers(self) -> tuple[float, ...] | None:
        """The edges of a numeric column; None of any other."""
        return self.column.edges if isinstance(self.column, NumericColumn) else None

    def between(self, low: End, high: End) -> tuple[range, str]:
        """The levels of a range, and the range in words.

        Of numbers it is low <= x < high, for two edges; the last edge belongs to the last bin, and equal ends are a
        spike. Of levels both ends are in it.

        Raises WorkloadError for ends that are no edges or levels, or a range that holds nothing.
        """
        own, last = self.column.own_levels, len(self.codes)
        find = self._level if self.numbers is None else self._edge
        first = 0 if low is None else find(low)
        past = last if high is None else find(high) + (self.numbers is None)
        alone = low is not None and first == past < last and self._spike(first)
        past += alone
        if not first < past:
            raise WorkloadError(f"The range of {self.name!r} holds nothing: its first end has to lie below its second.")
        if self.numbers is None:
            words = f"from {own[first]} to {own[past - 1]}"
        elif alone:
            words = f"equal to {own[first]}"
        else:
            ends = [text_of_number(self.numbers[code]) for code in (first, past)]
            words = f"from {ends[0]} to {'' if past == last else 'below '}{ends[1]}"
        return range(first, past), words

    def at(self, place: int, inside: float) -> float | None:
        """The number so far inside a bin, in [0, 1]; None of a level that is no number."""
        if self.numbers is None:
            return None
        low, high = self.numbers[place], self.numbers[place + 1]
        return low + inside * (high - low)

    def ends(self, first: int, last: int) -> tuple[float | None, float | None]:
        """The edges about these bins."""
        return self.at(first, 0.0), self.at(last, 1.0)

    def _spike(self, code: int) -> bool:
        return isinstance(self.column, NumericColumn) and self.column.spike(code) is not None

    def _edge(self, end: End) -> int:
        """The first bin that begins at an edge; as many as there are bins for the last edge."""
        edges, value = self.numbers or (), self._value(end)
        if value not in edges:
            raise WorkloadError(
                f"Column {self.name!r} has no edge at {end}, so no range can begin or end there; near it: "
                f"{edges_near(edges, value)}."
            )
        return edges.index(value)

    def _value(self, end: End) -> float:
        try:
            return float(end)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            raise WorkloadError(f"A range of numbers ends at numbers; {str(end)[:40]!r} came.") from None

    def _level(self, end: End) -> int:
        levels = self.column.own_levels
        if end not in levels:
            raise WorkloadError(f"Column {self.name!r} has no level {str(end)[:40]!r} in order.")
        return levels.index(str(end))


def written_range(text: str, column: OrderedColumn) -> tuple[End, End]:
    """The ends of "20..40", "..40" or "65..": a level may hold two points itself, so each place is tried.

    Raises WorkloadError for a text without two points, or with two ends missing.
    """
    places = [place for place in range(len(text) - 1) if text[place : place + 2] == BETWEEN]
    if not places or text.strip() == BETWEEN:
        raise WorkloadError(f"A range is written as FROM..TO, FROM.. or ..TO; {text[:40]!r} came.")
    ends = [(text[:place] or None, text[place + 2 :] or None) for place in places]
    if column.numbers is None:
        levels = column.column.own_levels
        fitting = [pair for pair in ends if all(end is None or end in levels for end in pair)]
        return fitting[0] if fitting else ends[0]
    return ends[0]
