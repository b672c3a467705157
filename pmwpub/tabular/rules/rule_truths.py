"""What a comparison says of each level of a column: false, unknown or true, exactly, whatever value the level holds.

A level without a value, and "(other)", hides a value: a comparison with it is unknown unless it names such a level. A
bin of numbers has a truth where all its numbers agree, so thresholds are edges; "no level" is always unknown.
"""

from __future__ import annotations

from collections.abc import Sequence

from pmwpub.errors import SchemaError
from pmwpub.tabular.rules.rule_tree import Comparison, Membership, Value
from pmwpub.tabular.schema.column_types import CategoricalColumn, DateColumn, EncodedColumn, NumericColumn
from pmwpub.tabular.schema.missing_codes import text_of_number

FALSE, UNKNOWN, TRUE = 0, 1, 2
"""The truth of a part of a rule; "and" is the least, "or" the greatest, "not" is 2 less it (Kleene 1938)."""

_NAMED = 6
"""So many levels or edges a refusal names."""


def truths(column: EncodedColumn, part: Comparison | Membership) -> bytes:
    """One byte a code of the column, "no level" last. SchemaError where the comparison is not exact on its levels."""
    if isinstance(part, Membership):
        return _among(column, [_code(column, value) for value in part.values])
    if part.op in ("=", "!="):
        equal = _among(column, [_code(column, part.value)])
        return equal if part.op == "=" else bytes(TRUE - one for one in equal)
    below = _below(column, part.value, inclusive=part.op in ("<=", ">"))
    own = below if part.op in ("<", "<=") else [TRUE - one for one in below]
    return bytes(own) + bytes([UNKNOWN]) * (column.no_level + 1 - len(own))


def _among(column: EncodedColumn, codes: Sequence[int]) -> bytes:
    """Whether each level is one of some; of one that hides a value that is known if it is named, or only such are."""
    values, named = len(column.own_levels), set(codes)
    hidden = FALSE if min(named) >= values else UNKNOWN
    own = [TRUE if code in named else FALSE for code in range(values)]
    others = [TRUE if code in named else hidden for code in range(values, column.no_level)]
    return bytes([*own, *others, UNKNOWN])


def _code(column: EncodedColumn, value: Value) -> int:
    """The code of the level that a value names; of a numeric column a number names a spike."""
    if isinstance(value, float) and isinstance(column, NumericColumn):
        if value not in column.spikes:
            raise SchemaError(_no_spike(column, value))
        return column.code_of(value)
    text = text_of_number(value) if isinstance(value, float) else value
    code = column.labels.get(text)
    if code is None and isinstance(column, CategoricalColumn):
        code = column.known_code(column.tidy(text))
    if code is None:
        raise SchemaError(f"column {column.name!r} has no level {text!r}; it has {_listed(column.attribute.levels)}")
    return code


def _below(column: EncodedColumn, value: Value, *, inclusive: bool) -> list[int]:
    """Of each declared level or bin whether it is below a value, or at most it."""
    if isinstance(column, NumericColumn):
        if not isinstance(value, float):
            raise SchemaError(f"column {column.name!r} is numeric: its bins lie below and above numbers, not {value!r}")
        return _bins_below(column, value, inclusive=inclusive)
    if column.kind == "categorical":
        raise SchemaError(f"the levels of column {column.name!r} have no order; declare it ordered, or name levels")
    ranks = _ranks(column)
    code = _code(column, value)
    if code >= len(ranks):
        raise SchemaError(f"{column.attribute.levels[code]!r} of column {column.name!r} is no value that has an order")
    return [TRUE if rank < ranks[code] or (inclusive and rank == ranks[code]) else FALSE for rank in ranks]


def _ranks(column: EncodedColumn) -> list[int]:
    """The order of the declared levels: years by the calendar, others as they are declared."""
    if isinstance(column, DateColumn) and column.part == "year":
        return [int(level) for level in column.own_levels]
    return list(range(len(column.own_levels)))


def _bins_below(column: NumericColumn, value: float, *, inclusive: bool) -> list[int]:
    """Of each bin whether its numbers are below the value (or at most it); SchemaError where some are and some are not.

    A number beyond the edges counts as one of the bin that it is clipped to.
    """
    found = []
    for code in range(len(column.own_levels)):
        low, high = column.edges[code], column.edges[code + 1]
        spike = low == high
        opened = not spike and code > 0 and column.spike(code - 1) is not None
        closed = spike or code == len(column.own_levels) - 1
        if inclusive:
            every, none = high <= value, low > value or (low == value and opened)
        else:
            every, none = high < value or (high == value and not closed), low >= value
        if not (every or none):
            raise SchemaError(_no_edge(column, value, code))
        found.append(TRUE if every else FALSE)
    return found


def _no_edge(column: NumericColumn, value: float, code: int) -> str:
    low, high = (text_of_number(column.edges[code + place]) for place in (0, 1))
    return (
        f"{text_of_number(value)} divides the bin {column.own_levels[code]} of column {column.name!r}, and then no "
        f"level says whether a number is on one side: add the edge, or take {low} or {high} with < or >="
    )


def _no_spike(column: NumericColumn, value: float) -> str:
    spikes = f"; it has {_listed(tuple(map(text_of_number, column.spikes)))}" if column.spikes else ""
    return (
        f"column {column.name!r} has no bin that holds {text_of_number(value)} alone{spikes}: name a bin in quotes, or "
        "give the number a bin of its own (its edge twice)"
    )


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return ", ".join(map(repr, names[:_NAMED])) + more
