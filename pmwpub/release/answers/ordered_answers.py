"""Shares of ranges, cumulative shares and quantiles of a release's ordered columns, each with its interval."""

from __future__ import annotations

from collections.abc import Sequence

from pmwpub.errors import WorkloadError
from pmwpub.mechanisms.table_fit.intervals.range_intervals import RangeIntervals
from pmwpub.mechanisms.table_fit.intervals.released_tables import ReleasedTables
from pmwpub.records import Distribution
from pmwpub.release.answers.number_answers import NumberAnswer
from pmwpub.release.answers.ordered_columns import End, OrderedColumn, written_range
from pmwpub.release.answers.quantile_answers import QuantileAnswer
from pmwpub.tabular.schema.table_schema import Schema


class OrderedAnswers:
    """What a release answers of columns whose levels stand in order.

    schema    the release's
    released  its weights
    tables    of a release by table fit; None of any other, whose numbers have no interval

    Privacy: a function of the release's published files.
    """

    def __init__(self, schema: Schema, released: Distribution, tables: ReleasedTables | None) -> None:
        self._schema, self._intervals = schema, RangeIntervals(released, tables)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns whose levels stand in order."""
        return tuple(column.name for column in self._schema.attributes if column.ordered_levels > 1)

    def between(self, name: str, low: End, high: End) -> NumberAnswer:
        """The share of all rows in a range: of numbers low <= x < high, of levels both ends; None leaves an end open.

        Raises WorkloadError for a column without an order, ends that are no edges or levels, or an empty range.
        """
        place, column = self._column(name)
        levels, words = column.between(low, high)
        return NumberAnswer.of(f"share of {name} {words}", self._intervals.share(place, levels), difference=False)

    def written(self, text: str) -> NumberAnswer:
        """The same of "COLUMN=FROM..TO", either end of which may be missing.

        Raises WorkloadError as `between`, and for what is not written so.
        """
        name, mark, ends = text.partition("=")
        if not mark:
            raise WorkloadError(f"A range is written as COLUMN=FROM..TO; {text[:40]!r} came.")
        return self.between(name, *written_range(ends, self._column(name)[1]))

    def levels(self, name: str) -> tuple[str, ...]:
        """The bins or levels of a column that stand in order."""
        _, column = self._column(name)
        return column.column.own_levels[: len(column.codes)]

    def of_levels(self, name: str, first: int, last: int) -> NumberAnswer:
        """The share of all rows from one level to another, both in it, by their places in the order."""
        place, column = self._column(name)
        own = column.column.own_levels
        words = f"share of {name} in {own[first]}" + (f" to {own[last]}" if last > first else "")
        return NumberAnswer.of(words, self._intervals.share(place, range(first, last + 1)), difference=False)

    def cumulative(self, name: str) -> tuple[NumberAnswer, ...]:
        """The share of all rows in the first level, the first two, and so on to all levels in order.

        Raises WorkloadError for a column without an order.
        """
        place, column = self._column(name)
        found = []
        for past in column.codes:
            words = f"share of {name} up to {column.column.own_levels[past]}"
            share = self._intervals.share(place, range(past + 1))
            found.append(NumberAnswer.of(words, share, difference=False))
        return tuple(found)

    def quantiles(self, name: str, parts: Sequence[float]) -> tuple[QuantileAnswer, ...]:
        """Quantiles of the rows that have a number or level in the column.

        parts  such as 0.25, 0.5, 0.75

        Raises WorkloadError for a column without an order, or parts that do not lie between 0 and 1.
        """
        place, column = self._column(name)
        if not parts or not all(0 < part < 1 for part in parts):
            raise WorkloadError("Quantiles are asked for at parts between 0 and 1, such as 0.25,0.5,0.75.")
        return tuple(
            QuantileAnswer.of(column, part, self._intervals.quantile(place, column.codes, part)) for part in parts
        )

    def _column(self, name: str) -> tuple[int, OrderedColumn]:
        names = self._schema.domain.names
        if name not in names:
            raise WorkloadError(f"The release has no column {name!r}; it has {', '.join(names)}.")
        place = names.index(name)
        return place, OrderedColumn(self._schema.attributes[place])
