"""Parents as they are listed: by a codebook beside each level in a column `parent:NAME` or on a line of kind `parent`,
or as a schema file lists them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from pmwpub.errors import SchemaError
from pmwpub.numerals import read_float
from pmwpub.tabular.nesting.parent_rules import ParentRule

PARENT = "parent"
_BESIDE = "parent:"


class ListedParents:
    """What the lines of a codebook say of parents, while they are read."""

    def __init__(self) -> None:
        self._lines: dict[str, list[ParentRule]] = {}
        self._maps: dict[str, dict[str, dict[str, str]]] = {}

    def line(self, column: str, level: str, label: str) -> None:
        """A line of kind `parent`: its `level` is how many first characters, or edges of bands with commas or spaces
        between; its `label` the parent's name."""
        try:
            edges = [read_float(one) for one in level.replace(",", " ").split()]
        except ValueError:
            edges = []
        prefix = level.strip().isascii() and level.strip().isdigit()
        if not (label.strip() and (prefix or len(edges) > 1)):
            raise SchemaError(
                f"A parent of column {column!r} of the codebook has a number of characters, or two edges and more, as "
                "its level, and its name as its label."
            )
        way: dict[str, object] = {"prefix": int(level)} if prefix else {"edges": edges}
        self._lines.setdefault(column, []).append(_rule(column, {"name": label.strip(), **way}))

    def beside(self, column: str, level: str, row: Mapping[Any, Any]) -> None:
        """A line of a level: its cells in the columns `parent:NAME` are its parents."""
        for key, cell in row.items():
            if str(key).startswith(_BESIDE) and level and str(cell).strip():
                name = str(key).removeprefix(_BESIDE).strip()
                self._maps.setdefault(column, {}).setdefault(name, {})[level] = str(cell).strip()

    def of(self, column: str) -> tuple[ParentRule, ...]:
        """The column's parents, maps first."""
        maps = self._maps.get(column, {})
        found = [_rule(column, {"name": name, "map": pairs}) for name, pairs in maps.items()]
        return (*found, *self._lines.get(column, ()))


def parents_in(column: str, given: object) -> tuple[ParentRule, ...]:
    """The parents of a column, listed as a schema file lists them; SchemaError for what is no such list."""
    if given is None:
        return ()
    if not isinstance(given, list):
        raise SchemaError(f"The parents of column {column!r} are a list.")
    return tuple(_rule(column, one) for one in given)


def _rule(column: str, given: object) -> ParentRule:
    try:
        return ParentRule.model_validate_json(json.dumps(given))
    except ValidationError as failure:
        raise SchemaError(
            f'A parent of column {column!r} is {{"name", "prefix"}}, {{"name", "map"}} or {{"name", "edges"}}.'
        ) from failure
