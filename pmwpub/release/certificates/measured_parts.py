"""What a certificate of table fit says of single tables: each one that was measured, and rows that were added."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from pmwpub.errors import PlanError
from pmwpub.mechanisms.table_fit.support_growth import GrownCell
from pmwpub.queries.workload import Workload
from pmwpub.release.certificates.certificate_parts import Exact, Part


class MeasuredTable(Part):
    """One table that was measured: its columns, and the scale sigma of the noise on each cell, in rows.

    merged  of a coarse table: so many adjacent levels of its column are one cell; None, and not written, of any other
    """

    columns: tuple[str, ...]
    scale: Exact
    merged: Annotated[int, Field(ge=2)] | None = None

    @model_serializer(mode="wrap")
    def _without_unsaid_merging(self, write: SerializerFunctionWrapHandler) -> dict[str, object]:
        written: dict[str, object] = write(self)
        return {key: value for key, value in written.items() if key != "merged" or value is not None}


class AddedRows(Part):
    """Rows that were added, since no public row is in this cell of a table of two columns.

    levels  one of each column, in the order of `columns`
    weight  of the rows together; one public row's is the `row_weight` of the plan
    """

    columns: tuple[str, str]
    levels: tuple[str, str]
    weight: Annotated[int, Field(ge=1, le=10**15)]

    @classmethod
    def of(cls, grown: GrownCell, tables: Workload) -> Self:
        """The rows of a finished release, in words."""
        labels = tables.labels(grown.cell)
        return cls(columns=tuple(labels), levels=tuple(labels.values()), weight=grown.weight)  # type: ignore[arg-type]

    def cell(self, tables: Workload) -> GrownCell:
        """The same as the engine has it; DomainError or PlanError for what is in none of the tables."""
        domain = tables.domain
        places = tuple(map(domain.index, self.columns))
        found = [i for i, table in enumerate(tables.marginals) if table.attributes == places]
        levels = [domain.attributes[place].levels for place in places]
        if not found or any(level not in own for level, own in zip(self.levels, levels, strict=True)):
            raise PlanError("Rows were added for a cell that was not measured.")
        first, second = (own.index(level) for level, own in zip(self.levels, levels, strict=True))
        return GrownCell(int(tables.offsets[found[0]]) + first * len(levels[1]) + second, self.weight)
