"""A schema as rows of a table that people edit, and back; every rule of the schema file is a cell.

Names of levels stay: a bin is named by its two edges alone, so an edge that is added splits one bin and leaves the
others' names. Rows of a schema of version 1 make one of version 1 again, unless they say what only version 2 can.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError

from pmwpub.errors import SchemaError
from pmwpub.numerals import read_float
from pmwpub.tabular.nesting.parent_rules import ParentRule
from pmwpub.tabular.rules.rule_tree import EditRule
from pmwpub.tabular.schema.codebook import pivot_of, yes
from pmwpub.tabular.schema.column_types import (
    MISSING,
    CategoricalColumn,
    Column,
    DateColumn,
    MissingCode,
    NumericColumn,
    text_of_number,
)
from pmwpub.tabular.schema.edition import needs_second
from pmwpub.tabular.schema.equivalences import RULES, Equivalence
from pmwpub.tabular.schema.table_schema import Schema, refusal

FIELDS = (
    "name", "kind", "values", "missing", "codes", "other", "outside", "strip", "casefold", "nfc", "number", "decimal",
    "thousands", "prefix", "suffix", "part", "order", "pivot", "beyond", "cap", "unit",
    "total", "weighs", "parents",
)  # fmt: skip
"""The cells of a row: `values` are the levels or, as text, the edges, `codes` the missing codes, each "CODE = LABEL" or
"FROM..TO = LABEL", `parents` the rules of a column's parents, each as a schema file has it; a rule that a kind lacks is
False or ""."""

SPELLING: Mapping[str, Equivalence] = {"strip": "trim", "casefold": "casefold", "nfc": "nfc", "number": "number"}
"""Cells of a row that say which spellings are one, and what version 2 calls them."""

_ATTRIBUTE = ("missing", "codes", "other", *SPELLING)
_OF_KIND: Mapping[str, Sequence[str]] = {
    "categorical": (*_ATTRIBUTE, "parents"),
    "ordered": (*_ATTRIBUTE, "parents"),
    "numeric": (*_ATTRIBUTE, "outside", "decimal", "thousands", "prefix", "suffix", "parents"),
    "date": (*_ATTRIBUTE, "part", "order", "pivot", "parents"),
    "id": (*SPELLING, "beyond"),
    "ignore": ("strip", "casefold"),
    "weight": (*SPELLING, "cap", "unit", "total", "weighs"),
}
_FLAGS = ("missing", "other", *SPELLING)
_CHOICES = (
    "outside", "decimal", "thousands", "prefix", "suffix", "part", "order", "beyond", "cap", "unit", "total", "weighs",
)  # fmt: skip
_COLUMN: TypeAdapter[Column] = TypeAdapter(Column)

Row = dict[str, Any]


def rows_of(schema: Schema) -> list[Row]:
    """One row a column, in schema order, with the keys FIELDS."""
    return [_row(column) for column in schema.columns]


def schema_of(
    rows: Iterable[Mapping[str, Any]],
    missing_tokens: Sequence[str],
    version: int = 1,
    rules: Sequence[EditRule] = (),
) -> Schema:
    """The schema that rows describe; a row without a name and kind is left out, a rule that its kind lacks is ignored.

    Cells may be blank, None or NaN for "not given"; `values` and `codes` may be a list or one text, a value a line.

    version  the least version of the schema: 2 where a row says what version 1 cannot
    rules    stand in no row; they stay as they are, and must fit the columns

    Raises SchemaError, naming the row, for what no version allows.
    """
    kept = [(place, row) for place, row in enumerate(rows, start=1) if _given(row, "name") or _given(row, "kind")]
    version = max(version, *(_version(row) for _, row in kept), 2 if rules else 1)
    columns = [_column(row, place, missing_tokens, version) for place, row in kept]
    version = max(version, *(1 + needs_second(column) for column in columns), 1)
    return Schema.of(columns, missing_tokens, version, rules)


def column_of(row: Mapping[str, Any], missing_tokens: Sequence[str], **rules: Any) -> Column:
    """The column of one row, with some of its cells replaced; SchemaError as for a schema."""
    row = {**row, **rules}
    return _column(row, 1, missing_tokens, _version(row))


def _version(row: Mapping[str, Any]) -> int:
    """2 where a row says what version 1 cannot."""
    known = _OF_KIND.get(str(_given(row, "kind") or ""), ())
    told = any(key in known and _given(row, key) not in (None, False) for key in ("nfc", "number"))
    listed = any(key in known and _listed(row, key) for key in ("codes", "parents"))
    return 2 if told or listed or _twice(row) else 1


def _twice(row: Mapping[str, Any]) -> bool:
    """Whether an edge stands twice, or the kind is one of version 2."""
    edges = _listed(row, "values") if row.get("kind") == "numeric" else []
    return len(set(edges)) < len(edges) or row.get("kind") in ("ordered", "date", "weight")


def _row(column: Column) -> Row:
    values: list[str] = []
    if isinstance(column, (CategoricalColumn, DateColumn)):
        values = list(column.levels)
    elif isinstance(column, NumericColumn):
        values = [text_of_number(edge) for edge in column.edges]
    first = {"strip": column.strip, "casefold": column.casefold}
    rules: Row = {key: first.get(key, False) or rule in column.same for key, rule in SPELLING.items()}
    rules |= {key: getattr(column, key, None) or "" for key in _CHOICES}
    codes = getattr(column, "missing_codes", ())
    rules |= {
        "missing": MISSING in getattr(column, "missing_levels", ()),
        "other": getattr(column, "other", False),
        "pivot": "" if getattr(column, "pivot", None) is None else str(getattr(column, "pivot", "")),
        "codes": [_code_text(code) for code in codes],
        "parents": [rule.written for rule in getattr(column, "parents", ())],
    }
    found = {"name": column.name, "kind": column.kind, "values": values} | rules
    return {key: found[key] for key in FIELDS}


def _code_text(code: MissingCode) -> str:
    if code.low is None or code.high is None:
        return f"{code.code} = {code.label}"
    return f"{text_of_number(code.low)}..{text_of_number(code.high)} = {code.label}"


def _column(row: Mapping[str, Any], place: int, tokens: Sequence[str], version: int) -> Column:
    kind = str(_given(row, "kind") or "")
    body: Row = {"name": str(_given(row, "name") or ""), "kind": kind}
    known = _OF_KIND.get(kind, ())
    told = {key: _given(row, key) for key in known if key not in ("codes", "parents")}
    for key, given in told.items():
        if given is not None:
            body[key] = _cell(key, given, place)
    if version == 2:
        ticked = {SPELLING[key] for key in SPELLING if body.pop(key, False)}
        body["same"] = tuple(rule for rule in RULES if rule in ticked)
    else:
        body = {key: value for key, value in body.items() if key not in ("nfc", "number")}
    codes = [_code(text, place) for text in _listed(row, "codes")] if "codes" in known else []
    if codes:
        body["missing"] = _with_blank(codes, tokens, wanted=bool(body.get("missing")))
    if "parents" in known:
        body["parents"] = tuple(_parent(text, place) for text in _listed(row, "parents"))
    return _validated(body, _listed(row, "values"), place)


def _cell(key: str, given: object, place: int) -> str | bool | int:
    if key in _FLAGS:
        return yes(given, f"{key} in row {place}")
    return pivot_of(given, f"in row {place}") if key == "pivot" else str(given)


def _with_blank(codes: Sequence[MissingCode], tokens: Sequence[str], *, wanted: bool) -> tuple[MissingCode, ...]:
    """The codes, and before them the level of the schema's tokens where it is wanted and not among them."""
    if not wanted or any(code.label == MISSING for code in codes):
        return tuple(codes)
    return (MissingCode.of(tokens[0] if tokens else "", MISSING), *codes)


def _code(text: str, place: int) -> MissingCode:
    code, mark, label = text.partition(" = ")
    try:
        return MissingCode.read(code, label.strip() if mark else "")
    except ValueError as failure:
        raise SchemaError(
            f"A missing code in row {place} is CODE = LABEL, the label of at most 1,000 letters."
        ) from failure


def _parent(text: str, place: int) -> ParentRule:
    try:
        return ParentRule.model_validate_json(text)
    except ValidationError as failure:
        raise refusal(failure, where=f"a parent in row {place}") from failure


def _validated(body: Row, values: Sequence[str], place: int) -> Column:
    if body["kind"] in ("categorical", "ordered", "date"):
        body["levels"] = tuple(values)
    elif body["kind"] == "numeric":
        body["edges"] = tuple(_edge(value, place) for value in values)
    try:
        return _COLUMN.validate_python(body)
    except ValidationError as failure:
        raise refusal(failure, where=f"row {place}") from failure


def _given(row: Mapping[str, Any], key: str) -> Any:
    """The cell, or None where it is blank; NaN is the one value that differs from itself."""
    cell = row.get(key)
    return None if cell is None or (isinstance(cell, float) and cell != cell) or cell == "" else cell


def _listed(row: Mapping[str, Any], key: str) -> list[str]:
    cell = row.get(key)
    if isinstance(cell, str):
        return cell.split("\n") if cell or key == "values" else []
    return [] if cell is None or isinstance(cell, (float, bool)) else [str(value) for value in cell]


def _edge(text: str, place: int) -> float:
    try:
        return read_float(text)
    except ValueError as failure:
        raise SchemaError(f"The edges in row {place} are numbers with a point; something else came.") from failure
