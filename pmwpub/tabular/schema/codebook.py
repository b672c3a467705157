"""A codebook: columns, codes and bins as a data provider lists them, in CSV or JSON.

CSV, one line a code or edge, lines of one column in any place; a blank kind repeats the column's earlier one:

    name,kind,level,label
    sex,categorical,1,male
    sex,,2,female
    age,numeric,0,
    age,,18,
    age,,120,
    age,missing,-9,refused
    person,id,,

`level` is the code as it stands in the data, or an edge of a numeric column (twice for a value with a bin of its own);
its `label` is for people and not used. A line of kind `missing` gives its column a missing code, or a range of numbers
written 97..99, whose `label` is the name of a level; without a column's name it is a missing token of the whole schema.
A line of kind `parent` gives its column a parent, whose name is the `label`, by its first `level` characters, or as
bands between the edges that its `level` lists ("0, 18, 65"); a column `parent:NAME` of the codebook has the parent of
each level beside it.
A column of which nothing but missing codes is said takes its kind from the public tables. Optional columns give the
rules of a schema file, on the first line of a column: missing, other, strip, casefold (yes or no), outside, decimal,
thousands, prefix, suffix, part, order, pivot, beyond (of an id), cap, unit and total (of a weight; of other kinds they
are not looked at), same (trim nfc casefold number, or none). A categorical column without codes, or a numeric one
without edges, takes them from the public tables; `outside` is clip where it is not given.

JSON: {"columns": [...], "missing_tokens": [...]} or the list alone; a column is {"name", "kind", "levels" or "edges",
and rules}, where levels may be a list or {code: label}. A schema file is such a codebook. A Stata or SPSS file (.dta,
.sav, .zsav, .por) is one too: see `statistics_files`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pmwpub.errors import FileRefused, SchemaError
from pmwpub.strict_json import RepeatedKey, read_unrepeated
from pmwpub.tabular.files.container import FileLimits, load
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.files.text.read_options import ReadOptions
from pmwpub.tabular.nesting.codebook_parents import PARENT, ListedParents, parents_in
from pmwpub.tabular.nesting.parent_rules import ParentRule
from pmwpub.tabular.schema import statistics_files
from pmwpub.tabular.schema.missing_codes import MissingCode

KINDS = ("categorical", "ordered", "numeric", "date", "id", "weight", "ignore")
FLAGS = ("missing", "other", "strip", "casefold")
NUMBERS = ("cap", "unit", "total", "weighs")
CHOICES = ("outside", "decimal", "thousands", "prefix", "suffix", "part", "order", "pivot", "beyond", *NUMBERS)
_YES = frozenset({"true", "yes", "y", "1", "x"})
_NO = frozenset({"false", "no", "n", "0", ""})


@dataclass(frozen=True)
class CodebookEntry:
    """One column of a codebook.

    kind    "" where the public tables are to say it
    values  levels, or edges as text; empty where the public tables are to give them
    rules   the rules that were given: name -> value
    codes   its missing codes
    same    by which rules texts are compared; None where it is not said
    parents of its levels
    """

    name: str
    kind: str
    values: tuple[str, ...] = ()
    rules: Mapping[str, str | bool | int] = field(default_factory=dict)
    codes: tuple[MissingCode, ...] = ()
    same: tuple[str, ...] | None = None
    parents: tuple[ParentRule, ...] = ()


@dataclass(frozen=True)
class Codebook:
    """The entries in order, and the missing tokens, or None where the codebook names none."""

    entries: tuple[CodebookEntry, ...]
    missing_tokens: tuple[str, ...] | None = None


def read_codebook(source: bytes | Path, *, options: ReadOptions | None = None) -> Codebook:
    """Read a codebook, JSON if it begins with a brace or bracket, else CSV.

    Raises SchemaError for what is no codebook, FileRefused for what is no table, PlanError for a Stata or SPSS file
    without the extra that reads it.
    """
    if isinstance(source, Path) and source.suffix.lower() in statistics_files.SUFFIXES:
        return _from_statistics(source)
    if isinstance(source, Path) and source.suffix == ".json":
        try:
            content = source.read_bytes()
        except OSError as failure:
            raise FileRefused(f"The codebook cannot be opened ({failure.strerror}); check the path.") from failure
    else:
        content = load(source, FileLimits())
    if content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"["):
        return _from_json(content)
    return _from_csv(content, options)


def _from_csv(content: bytes, options: ReadOptions | None) -> Codebook:
    table = read_table(content, options=options)
    if not {"name", "kind"} <= set(table.header):
        raise SchemaError("A codebook has the columns name, kind and level; see its description.")
    found: dict[str, CodebookEntry] = {}
    tokens: list[str] = []
    codes: dict[str, list[MissingCode]] = {}
    parents = ListedParents()
    for row in table.frame.to_dict("records"):
        name, kind, level = (str(row.get(key, "")) for key in ("name", "kind", "level"))
        kind = kind.strip().lower()
        if kind == "missing" and not name:
            tokens.append(level)
        elif kind == "missing":
            codes.setdefault(name, []).append(MissingCode.read(level, str(row.get("label", "")).strip()))
        elif kind == PARENT:
            parents.line(name, level, str(row.get("label", "")))
        else:
            parents.beside(name, level, row)
            found[name] = _with_line(found.get(name), name, kind, level, row)
    entries = [
        replace(entry, codes=told_apart(codes.pop(name, ()), entry.values), parents=parents.of(name))
        for name, entry in found.items()
    ]
    entries += [CodebookEntry(name, "", codes=told_apart(own, ())) for name, own in codes.items()]
    return Codebook(tuple(map(_checked, entries)), tuple(tokens) if tokens else None)


def _with_line(entry: CodebookEntry | None, name: str, kind: str, level: str, row: Mapping[Any, Any]) -> CodebookEntry:
    """A column's entry with one line more."""
    entry = entry or CodebookEntry(name, kind, (), _rules(name, row), same=_same(row.get("same")))
    if kind not in ("", entry.kind):
        raise SchemaError(f"Column {name!r} of the codebook has two kinds, {entry.kind} and {kind}.")
    return replace(entry, values=entry.values + ((level,) if level else ()))


def told_apart(codes: Iterable[MissingCode], levels: Sequence[str]) -> tuple[MissingCode, ...]:
    """The codes; where two have one label, or one has that of a level, the code stands behind it."""
    listed = list(codes)
    often = Counter([*(code.label for code in listed), *levels])
    alone = lambda code: often[code.label] == 1  # noqa: E731
    return tuple(
        code if alone(code) else code.model_copy(update={"label": f"{code.label} ({code.written})"}) for code in listed
    )


def _same(given: object) -> tuple[str, ...] | None:
    """The equivalences of a cell or list; None where nothing is said."""
    if given is None or given == "":
        return None
    listed = str(given).replace(",", " ").split() if not isinstance(given, list) else [str(rule) for rule in given]
    return tuple(rule for rule in listed if rule != "none")


def _from_statistics(path: Path) -> Codebook:
    """Each variable with value labels; codes as they stand in a table that is written from the file."""
    entries = []
    for one in statistics_files.variables(path):
        codes = told_apart(one.codes, one.levels)
        if one.levels or codes:
            entries.append(CodebookEntry(one.name, "categorical" if one.levels else "", one.levels, codes=codes))
    return Codebook(tuple(entries))


def _rules(name: str, given: Mapping[Any, Any]) -> dict[str, str | bool | int]:
    """The rules among `given`, where blanks and nulls are none."""
    rules: dict[str, str | bool | int] = {}
    for key in FLAGS:
        if given.get(key) not in (None, "") and not isinstance(given[key], list):
            rules[key] = yes(given[key], f"{key} of column {name!r}")
    for key in CHOICES:
        if given.get(key) not in (None, ""):
            rules[key] = pivot_of(given[key], f"of column {name!r}") if key == "pivot" else str(given[key])
    return rules


def pivot_of(given: object, where: str) -> int:
    """A pivot from a cell; SchemaError for what is no whole number of digits."""
    text = str(given).strip().removesuffix(".0")
    if not (text.isascii() and text.isdigit()):
        raise SchemaError(f"The pivot {where} is a whole number from 0 to 100; something else came.")
    return int(text)


def yes(given: object, what: str) -> bool:
    """A truth value from a cell: true, yes, y, 1, x, or false, no, n, 0, blank; SchemaError for another."""
    text = str(given).strip().lower()
    if text not in _YES | _NO:
        raise SchemaError(f"{what} is yes or no; something else came.")
    return text in _YES


def _from_json(content: bytes) -> Codebook:
    try:
        body = read_unrepeated(content)
    except RepeatedKey as twice:
        raise SchemaError(
            f"The codebook has the key {twice.key!r} twice in one place; leave one of them out."
        ) from twice
    except ValueError as failure:
        raise SchemaError("The codebook begins like JSON but cannot be parsed as such.") from failure
    columns = body if isinstance(body, list) else body.get("columns")
    tokens = None if isinstance(body, list) else body.get("missing_tokens")
    if not isinstance(columns, list) or not all(isinstance(column, dict) for column in columns):
        raise SchemaError('A codebook in JSON has "columns", a list of objects.')
    if tokens is not None and not (isinstance(tokens, list) and all(isinstance(token, str) for token in tokens)):
        raise SchemaError("missing_tokens is a list of texts.")
    return Codebook(tuple(map(_entry, columns)), None if tokens is None else tuple(tokens))


def _entry(column: Mapping[str, Any]) -> CodebookEntry:
    name, levels, edges = column.get("name"), column.get("levels"), column.get("edges")
    if not isinstance(name, str):
        raise SchemaError("A column of the codebook has no name.")
    kind = column.get("kind") or ("categorical" if levels else "numeric" if edges else "")
    values = levels if levels is not None else edges
    codes, parents = _codes(name, column.get("missing")), parents_in(name, column.get("parents"))
    texts, same = _texts(name, values), _same(column.get("same"))
    return _checked(CodebookEntry(name, str(kind), texts, _rules(name, column), codes, same, parents))


def _codes(name: str, given: object) -> tuple[MissingCode, ...]:
    """Missing codes as a schema file of version 2 lists them."""
    if not isinstance(given, list):
        return ()
    try:
        return tuple(MissingCode.model_validate_json(json.dumps(code)) for code in given)
    except ValidationError as failure:
        raise SchemaError(
            f'A missing code of column {name!r} is {{"code", "label"}} or {{"from", "to", "label"}}.'
        ) from failure


def _texts(name: str, values: object) -> tuple[str, ...]:
    """Codes or edges as text; whole numbers without a fraction."""
    listed: Sequence[object] = list(values) if isinstance(values, (list, dict)) else []
    if values is not None and not isinstance(values, (list, dict)):
        raise SchemaError(f"Column {name!r} of the codebook has no list of levels or edges.")
    if not all(isinstance(value, (str, int, float)) and not isinstance(value, bool) for value in listed):
        raise SchemaError(f"The levels or edges of column {name!r} are texts or numbers.")
    return tuple(str(int(v)) if isinstance(v, float) and v.is_integer() else str(v) for v in listed)


def _checked(entry: CodebookEntry) -> CodebookEntry:
    if entry.kind not in KINDS and not (entry.codes and not entry.kind):
        raise SchemaError(f"Column {entry.name!r} of the codebook has no kind; the kinds are {', '.join(KINDS)}.")
    return entry
