"""What the public cells of one column are under the rules that hold for it: values, blanks, numbers and others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from pydantic import ValidationError

from pmwpub.errors import SchemaError
from pmwpub.records import Floats, Ints
from pmwpub.tabular.plain_numbers import plain_floats
from pmwpub.tabular.schema.column_types import MissingCode, NumericColumn
from pmwpub.tabular.schema.equivalences import RULES, Equivalence, compared
from pmwpub.tabular.schema.proposing.column_cells import ColumnCells, numbers_in, without_reserved
from pmwpub.tabular.schema.proposing.recipe import Recipe


@dataclass(frozen=True, eq=False)
class Evidence:
    """One column, taken apart.

    same     by which rules texts are compared
    probe    how its numbers are read
    codes    its missing codes, of a codebook and of a person
    blanks   cells that are missing tokens -> how often
    counts   cells that have a value -> how often
    numbers  float64 (v,): the values among these that are numbers, one for each text
    often    int64 (v,): how often each stands
    strays   the cells with a value that are no number
    """

    cells: ColumnCells
    recipe: Recipe
    same: tuple[Equivalence, ...]
    probe: NumericColumn
    codes: tuple[MissingCode, ...]
    blanks: Mapping[str, int]
    counts: Mapping[str, int]
    numbers: Floats
    often: Ints
    strays: Sequence[str]

    @classmethod
    def of(
        cls,
        cells: ColumnCells,
        recipe: Recipe,
        codes: Sequence[MissingCode],
        same: tuple[Equivalence, ...] = RULES,
    ) -> Evidence:
        """SchemaError where what a person decided makes no sense.

        same  by which rules texts are compared, unless a person said it
        """
        same = _equivalences(cells, same)
        own = (*codes, *map(MissingCode.read, dict.fromkeys(cells.asked("missing"))))
        probe = _probe(cells, same)
        blanks, counts = _parted(cells, probe, own, recipe.missing_tokens)
        return cls(cells, recipe, same, probe, own, blanks, counts, *numbers_in(counts, probe))

    def read_by(self, probe: NumericColumn) -> Evidence:
        """The same values, their numbers read in another way."""
        numbers, often, strays = numbers_in(self.counts, probe)
        return replace(self, probe=probe, numbers=numbers, often=often, strays=strays)

    @property
    def name(self) -> str:
        """The column's."""
        return self.cells.name

    @property
    def blank(self) -> str | None:
        """One cell that is a missing token, the first to appear."""
        return next(iter(self.blanks), None)

    @property
    def rows(self) -> int:
        """Cells that have a value."""
        return sum(self.counts.values())

    def same_as(self, cell: str) -> str:
        """What stands for all spellings of a cell."""
        return compared(cell, self.same)


def _equivalences(cells: ColumnCells, same: tuple[Equivalence, ...]) -> tuple[Equivalence, ...]:
    """Those that a person named, in place of `same`."""
    asked = cells.last("same")
    if asked is None:
        return same
    rules = tuple(rule for rule in asked.replace(",", " ").split() if rule != "none")
    if unknown := [rule for rule in rules if rule not in RULES]:
        raise SchemaError(f"The equivalences of a column are {', '.join(RULES)}, or none; {unknown[0]!r} came.")
    return cast("tuple[Equivalence, ...]", rules)


def _probe(cells: ColumnCells, same: tuple[Equivalence, ...]) -> NumericColumn:
    body = {"name": cells.name, "kind": "numeric", "edges": (0.0, 1.0), "outside": "clip", "same": same}
    thousands = cells.last("thousands")
    decimal = cells.last("decimal") or ("," if thousands == "." else ".")
    marks = {"decimal": decimal, "thousands": thousands}
    marks |= {"prefix": cells.last("prefix") or "", "suffix": cells.last("suffix") or ""}
    try:
        return NumericColumn.model_validate(body | marks)
    except ValidationError as failure:
        raise SchemaError(
            f'Column {cells.name!r}: the decimal mark is "." or ",", the thousands mark one of , . space \' and _, and '
            "they differ; what stands beside numbers is a sign or a word without digits. Something else came."
        ) from failure


def _parted(
    cells: ColumnCells, probe: NumericColumn, codes: Sequence[MissingCode], tokens: Sequence[str]
) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """The cells that are missing tokens, and those that have a value; those that are missing codes are neither."""
    values = {probe.tidy(text) for text in cells.asked("level")}
    blank = {probe.tidy(token) for token in tokens} - values
    coded = probe.changed(missing=tuple(codes)).missing_test(()) if codes else None
    given = without_reserved(cells.counts)
    if coded is None and not any(map(_is_plain, blank)):
        some = bool(blank & given.keys())
        others = {cell: often for cell, often in given.items() if cell not in blank} if some else given
        if plain_floats([*others]) is not None:  # then no other cell is a token in another spelling
            return {cell: given[cell] for cell in given if cell in blank} if some else {}, others
    blanks: dict[str, int] = {}
    counts: dict[str, int] = {}
    for cell, often in given.items():
        text = probe.tidy(cell)
        if coded is None or coded(text) is None:
            (blanks if text in blank else counts)[cell] = often
    return blanks, counts


def _is_plain(token: str) -> bool:
    return plain_floats([token]) is not None
