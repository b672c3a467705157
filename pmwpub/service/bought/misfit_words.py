"""A look at the fit in words, and what to do about what it shows: for page, command line and report alike."""

from __future__ import annotations

from pmwpub.rounding import near
from pmwpub.service.bought.misfit_shares import FitSeen, MisfitShare
from pmwpub.tabular.schema.column_types import DateColumn, EncodedColumn, NumericColumn
from pmwpub.tabular.schema.table_schema import Schema

NEVER = "Never copy levels from private rows into the schema: it would tell of them, and no charge covers that."

_TEXTS = (
    "Compare how its values are written. Name the spellings or levels that a codebook or a public table has, let the "
    "column compare without case and spaces, or mend the private file by a fixed rule for each cell, and load it again."
)
_NUMBERS = (
    "Widen its edges to the range that is publicly known, and declare a code beyond them as missing, as a codebook has "
    "it. Check the decimal mark."
)
_DATES = "Check in which order its dates are written, and which years it names."


def in_words(seen: FitSeen) -> tuple[str, ...]:
    """One sentence a column, the largest share first, then one on all columns together; none without a result."""
    if seen.overall is None:
        return ()
    own = [(one, f"a value in {one.column} that the schema does not fit") for one in seen.columns]
    overall = (seen.overall, "such a value in one or more of these columns")
    return tuple(_sentence(share, seen.half_width, what) for share, what in (*own, overall))


def _sentence(share: MisfitShare, half_width: float, what: str) -> str:
    if not share.evident:
        return f"At most {_points(share.high)} % of the rows have {what}; there may be none."
    return f"About {_points(share.estimate)} % (±{_points(half_width)}) of the rows have {what}."


def remedy(schema: Schema, column: str) -> str:
    """What to do where many cells of a column do not fit; "" for a column that the schema has no more."""
    found = next((one for one in schema.encoded if one.name == column), None)
    return "" if found is None else _remedy(found)


def _remedy(column: EncodedColumn) -> str:
    if isinstance(column, NumericColumn):
        return _NUMBERS
    return _DATES if isinstance(column, DateColumn) else _TEXTS


def _points(share: float) -> str:
    """Hundredths of all rows, to a tenth; finer where that would be zero."""
    points = 100 * share
    return f"{points:.1f}" if points >= 0.1 or points == 0 else near(points, 2)
