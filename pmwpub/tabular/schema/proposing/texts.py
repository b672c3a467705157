"""A public column of texts: levels, spellings taken together; dates; numbers in another country's writing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import permutations

from pmwpub.tabular.schema.column_types import CategoricalColumn, DateColumn, NumericColumn
from pmwpub.tabular.schema.date_parts import DateOrder, DatePart, date_of, part_of
from pmwpub.tabular.schema.draft_record import Merged, Remark
from pmwpub.tabular.schema.equivalences import Equivalence, alike, compared
from pmwpub.tabular.schema.proposing.column_cells import ColumnCells, Proposal, shown
from pmwpub.tabular.schema.proposing.evidence import Evidence
from pmwpub.tabular.schema.proposing.numbers import binned

ORDERS: tuple[DateOrder, ...] = ("ymd", "dmy", "mdy")
_SIGNS = "$€£¥%"
_MARKS = ",. '_"
_NUMERALS = frozenset("0123456789+-" + _MARKS)


def _merged(
    name: str, counts: Mapping[str, int], same: tuple[Equivalence, ...]
) -> tuple[dict[str, int], tuple[Equivalence, ...], tuple[Merged, ...]]:
    """Level -> how often, one level for all spellings of a value: the most frequent, the first one of equals.

    It is named without white space around it and with composed letters, where these rules hold.
    """
    levels, merged = {}, []
    named: tuple[Equivalence, ...] = tuple(rule for rule in same if rule in ("trim", "nfc"))
    for spellings in alike(counts, same):
        kept = compared(max(spellings, key=counts.__getitem__), named)
        levels[kept] = sum(counts[cell] for cell in spellings)
        if len(spellings) > 1:
            merged.append(Merged(name, kept, tuple(cell for cell in spellings if cell != kept)))
    return levels, same, tuple(merged)


def spelling_remark(cells: ColumnCells, merged: Sequence[Merged]) -> tuple[Remark, ...]:
    """What was taken together, in words."""
    if not merged:
        return ()
    listed = "; ".join(f"{', '.join(map(shown, one.others[:4]))} as {shown(one.kept)}" for one in merged[:5])
    more = f"; and {len(merged) - 5:,} more" if len(merged) > 5 else ""
    words = f"Spellings of one value are taken together: {listed}{more}."
    return (Remark(cells.name, "spelling", words, (cells.remedy("same", "none"),)),)


def are_digit_codes(counts: Mapping[str, int]) -> bool:
    """Whether cells are codes of digits such as "02101": some begin with a nought, and no two are one number."""
    texts = list(counts)
    if not all(text.isascii() and text.isdigit() for text in texts):
        return False
    return any(text[0] == "0" and len(text) > 1 for text in texts) and len({int(text) for text in texts}) == len(texts)


def date_orders(counts: Mapping[str, int]) -> tuple[DateOrder, ...]:
    """The orders in which every cell is a date."""
    return tuple(order for order in ORDERS if all(date_of(cell.strip(), order) is not None for cell in counts))


def dates(cells: ColumnCells, counts: Mapping[str, int], order: DateOrder, part: DatePart | None) -> Proposal:
    """A date column: of its year, where there are several, its month, and its day of the week the first that does not
    say which table a row is from, unless a person says which part; its month where all do.
    """
    days = [_days_of(table, counts, order) for table in cells.tables]
    years = sorted({str(day.year).zfill(4) for table in days for day in table})
    telling = [other for other in _PARTS if (len(years) > 1 or other != "year") and _tells_tables_apart(days, other)]
    unasked: DatePart = next((other for other in _PARTS[len(years) < 2 :] if other not in telling), "month")
    part = part or unasked
    column = DateColumn(
        name=cells.name,
        kind="date",
        part=part,
        order=order,
        levels=tuple(years) if part == "year" else (),
        same=("trim", "casefold"),
    )
    says = "says" if len(telling) == 1 else "say"
    apart = f" Their {' and '.join(telling)} {says} which table a row is from." if telling else ""
    words = f"Dates: only their {part} is an attribute.{apart} Another part may be chosen."
    others = tuple(cells.remedy("part", other) for other in ("year", "quarter", "month", "weekday") if other != part)
    return Proposal(column, f"{len(counts):,} different dates").also(Remark(cells.name, "date", words, others))


_PARTS: tuple[DatePart, ...] = ("year", "month", "weekday")
"""The parts that are taken unasked, the first one first."""
APART = 0.95
"""Tables of which so much has levels that the other lacks are told apart by the column alone."""


def _days_of(table: Mapping[str, int], counts: Mapping[str, int], order: DateOrder) -> Counter[date]:
    """day -> how often, of the cells of one table that have a value."""
    found: Counter[date] = Counter()
    for cell, often in table.items():
        if cell in counts and (day := date_of(cell.strip(), order)) is not None:
            found[day] += often
    return found


def _tells_tables_apart(days: Sequence[Mapping[date, int]], part: DatePart) -> bool:
    """Whether one part of the dates says which table a row is from.

    It does where every table has one level of it, and not all the same; or where no two tables share more than
    a twentieth of their rows' levels.
    """
    tables: list[Counter[str]] = []
    for table in filter(None, days):
        tables.append(Counter())
        for day, often in table.items():
            tables[-1][part_of(day, part)] += often
    if len(tables) < 2:
        return False
    if all(len(table) == 1 for table in tables):
        return len(set().union(*tables)) > 1
    return all(
        sum(often for level, often in one.items() if level not in other) >= APART * one.total()
        for one, other in permutations(tables, 2)
    )


def written_elsewhere(counts: Mapping[str, int]) -> list[tuple[str, str | None]]:
    """The (decimal, thousands) marks under which all cells but plain numbers are numbers; empty where none fit.

    Two where cells such as "1,234" may be read either way and no other cell says which.
    """
    texts = [text for cell in counts if (text := cell.strip())]
    found: list[tuple[str, str | None]] = []
    if any("," in text for text in texts) and _all_read(texts, ",", None):
        found.append((",", None))
    for mark in _MARKS:
        if any(mark in text for text in texts):
            readings = [decimal for decimal in (".", ",") if decimal != mark and _all_read(texts, decimal, mark)]
            found += [(decimal, mark) for decimal in readings[:1]]
    return found


def _all_read(texts: Sequence[str], decimal: str, mark: str | None) -> bool:
    probe = NumericColumn.model_validate(
        {"name": "x", "kind": "numeric", "edges": (0.0, 1.0), "outside": "clip", "decimal": decimal, "thousands": mark}
    )
    return all(probe.value(text) is not None for text in texts)


def affix_of(counts: Mapping[str, int]) -> str | None:
    """A sign such as "$" or "%" that every cell carries beside its number; None without one."""
    sign = next((letter for letter in next(iter(counts)) if letter in _SIGNS), None)
    return sign if sign is not None and all(_is_number_beside(cell, sign) for cell in counts) else None


def _is_number_beside(cell: str, sign: str) -> bool:
    bare = cell.strip().strip(sign).strip()
    return sign in cell and bare[-1:].isdigit() and set(bare) <= _NUMERALS


def foreign(found: Evidence, decimal: str, thousands: str | None) -> Proposal:
    """A numeric column whose numbers are written with other marks."""
    proposal = binned(found.read_by(found.probe.changed(decimal=decimal, thousands=thousands)))
    grouped = f', "{thousands}" between thousands' if thousands else ""
    words = f'Its numbers are read with "{decimal}" before decimals{grouped}.'
    remark = Remark(found.name, "decimal", words, (found.cells.remedy("kind", "categorical"),))
    return proposal.also(remark)


@dataclass(frozen=True)
class Levels:
    """Level -> how often; the rules under which spellings were taken together, and which were."""

    counts: Mapping[str, int]
    same: tuple[Equivalence, ...]
    merged: tuple[Merged, ...]
    numeric: bool

    @classmethod
    def of(cls, found: Evidence) -> Levels:
        """Codes of digits keep their noughts: they are not compared as numbers."""
        codes = are_digit_codes(found.counts)
        same = tuple(rule for rule in found.same if rule != "number") if codes else found.same
        return cls(*_merged(found.name, found.counts, same), numeric=not found.strays and not codes)

    def proposal(self, found: Evidence, why: str, kind: str) -> Proposal:
        """A column of these levels: numbers in rising order, else sorted as texts."""
        listed = sorted(self.counts)
        if self.numeric:
            listed = sorted(self.counts, key=lambda level: found.probe.value(found.probe.tidy(level)) or 0.0)
        column = CategoricalColumn.model_validate(
            {"name": found.name, "kind": kind, "levels": tuple(listed), "same": self.same}
        )
        return Proposal(column, why, remarks=spelling_remark(found.cells, self.merged), merged=self.merged)
