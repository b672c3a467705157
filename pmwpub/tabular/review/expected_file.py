"""How a private file is read, in words of the schema alone: what to compare it with before it is loaded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pmwpub.tabular.schema.column_types import DateColumn, NumericColumn
from pmwpub.tabular.schema.table_schema import Schema

MOST_NAMES = 20
FEW = 5
"""Names that stand in a sentence of `as_written`."""
_ORDERS = {"ymd": "2012-03-31", "dmy": "31.3.2012", "mdy": "3/31/2012"}
_SPACES = {" ": "a space", "\u00a0": "a no-break space", "\u202f": "a narrow no-break space"}


def expected_file(schema: Schema, household_id: str | None = None) -> tuple[str, ...]:
    """What the schema expects of a private file, a sentence or two each: its header, text, numbers, dates, codes.

    household_id  the column of household ids, where rows are persons of households; it stands first

    Privacy: a function of the schema alone, so the words are the same whatever the file holds, and may always be shown.
    """
    names = [] if household_id is None else [household_id]
    names += [column.name for column in schema.encoded]
    if schema.id_column is not None:
        names.append(schema.id_column.name)
    if schema.weight_column is not None:
        names.append(schema.weight_column.name)
    found = [
        f"A header with the columns {_listed(names)}, in any order; others are ignored.",
        *([] if household_id is None else [f"The column {household_id} names the household of each row."]),
        "Text in UTF-8 with a comma between cells; of another encoding or delimiter you are asked.",
        *_parents(schema),
        *_numbers(schema),
        *_dates(schema),
        *_weights(schema),
    ]
    tokens = ", ".join(f'"{token}"' for token in schema.missing_tokens)
    if tokens:
        found.append(f"A cell without a value is {tokens}.")
    return (
        *found,
        "A cell that is written otherwise takes the level for other cells where its column has one, else none: its row "
        "then counts in n and in no query of that column. Compare some cells of the file with this list.",
    )


def as_written(schema: Schema) -> str:
    """In two sentences how numbers, dates and weights have to be written; "" for a schema without any.

    Said wherever somebody confirms how a private file is read, for a file with other delimiters often has other
    numbers and dates too, and no word on those may follow from its cells.

    Privacy: a function of the schema alone, as `expected_file` is.
    """
    groups: dict[str, list[str]] = {}
    for column in schema.encoded:
        if isinstance(column, NumericColumn):
            written = f"{column.prefix or ''}1{column.thousands or ''}234{column.decimal}5{column.suffix or ''}"
            groups.setdefault(f"numbers such as {written}", []).append(column.name)
        elif isinstance(column, DateColumn):
            groups.setdefault(f"dates such as {_ORDERS[column.order]}", []).append(column.name)
    said = [f"{words} ({_listed(names, FEW)})" for words, names in groups.items()]
    weight = schema.weight_column
    said += [] if weight is None else [f"weights such as 12.5 ({weight.name})"]
    if not said:
        return ""
    lost = ("fits no level (or only that for other cells)", "weighs nothing")
    one = " or ".join(words for words, here in zip(lost, (groups, weight), strict=True) if here)
    return f"The schema expects {'; '.join(said)}. A cell written otherwise {one}, and no page tells."


def _weights(schema: Schema) -> Iterable[str]:
    column = schema.weight_column
    if column is not None:
        yield (
            f"Rows count as what they weigh in {column.name}: a plain number such as 12.5, at most {column.cap}; a "
            "cell that is blank, negative or no number weighs nothing. Only design weights are protected, a "
            "row's own: not weights that were raked, post-stratified or adjusted for nonresponse."
        )


def _parents(schema: Schema) -> Iterable[str]:
    """What follows from each column that has parents."""
    above: dict[str, list[str]] = {}
    for one in schema.parents:
        above.setdefault(one.child, []).append(one.name)
    return (f"Not read, for it follows from {child}: {_listed(names)}." for child, names in above.items())


def _numbers(schema: Schema) -> Iterable[str]:
    """The numeric columns, those together whose numbers are written alike."""
    groups: dict[str, list[str]] = {}
    for column in schema.encoded:
        if isinstance(column, NumericColumn):
            groups.setdefault(_written(column, second=schema.version > 1), []).append(column.name)
    return (f"Numbers {words}: {_listed(names)}." for words, names in groups.items())


def _written(column: NumericColumn, *, second: bool) -> str:
    comma = "a comma (or a point)" if second and column.reads_points else "a comma"
    words = [f"with {'a point' if column.decimal == '.' else comma} before decimals"]
    if column.thousands:
        words.append(f"with or without {_SPACES.get(column.thousands, column.thousands)} between thousands")
    beside = [f'"{affix.strip()}" {place}' for affix, place in ((column.prefix, "before"), (column.suffix, "behind"))
              if affix]  # fmt: skip
    if beside:
        words.append(f"with or without {' and '.join(beside)}")
    return ", ".join(words)


def _dates(schema: Schema) -> Iterable[str]:
    groups: dict[str, list[str]] = {}
    for column in schema.encoded:
        if isinstance(column, DateColumn):
            groups.setdefault(_dated(column), []).append(column.name)
    return (f"Dates such as {words}: {_listed(names)}." for words, names in groups.items())


def _dated(column: DateColumn) -> str:
    if column.pivot is None:
        return f"{_ORDERS[column.order]}, with four digits for the year"
    if column.pivot in (0, 100):
        return f"{_ORDERS[column.order]}; two digits for the year stand for {'19' if column.pivot == 0 else '20'}.."
    below = f"00 to {column.pivot - 1:02d} for 20.."
    return f"{_ORDERS[column.order]}; of two digits for the year {column.pivot:02d} to 99 stand for 19.., {below}"


def _listed(names: Sequence[str], most: int = MOST_NAMES) -> str:
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
