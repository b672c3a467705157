"""A loaded private table: what a steward's session holds of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from pmwpub.errors import PlanError
from pmwpub.ledger import Population, TableHandle, TableVerdict
from pmwpub.queries.counts import Rows
from pmwpub.service.inputs.shared_rows import Overlap
from pmwpub.tabular.files.row_numbers import Words
from pmwpub.tabular.files.text.read_options import ReadOptions
from pmwpub.tabular.households.household_schema import HouseholdRule


@dataclass(frozen=True, eq=False)
class PrivateTable:
    """A loaded private table, encoded. It lives in the steward's own session only.

    n, rows_per_person  the terms that it was checked against
    dataset      its codes, or where they are read again each time they are counted
    source       the bytes that were uploaded, or the path
    rows         equal for tables of the same cells, whatever their order: what tables are compared by
    views        each equal for tables of the same rows in one view of them: what tables are compared by, too
    numbers      one number a row, in file order, by which shared runs are found; None for very many rows
    table        what the ledger keeps of it once a charge is made; None in a demo, whose table is generated and serves
                 every demo
    verdict      how it relates to tables that charges were made for; None where nobody is answered that
    options      how its text was read, where somebody confirmed that
    overlaps     public tables that have rows of it, more than chance explains: a warning to the steward only
    compared     the candidates that were compared with it for that: SHA-256, and how they are read

    Privacy: it holds private rows; its repr shows nothing of them.
    """

    population: str
    schema_sha256: str
    n: int
    rows_per_person: int
    dataset: Rows = field(repr=False)
    source: bytes | Path = field(repr=False)
    rows: bytes = field(repr=False)
    views: tuple[bytes, ...] = field(repr=False)
    numbers: Words | None = field(repr=False)
    table: TableHandle | None = field(repr=False)
    verdict: TableVerdict | None = field(repr=False)
    ignored: tuple[str, ...] = field(repr=False)
    unplaced_cells: int = field(repr=False)
    demo: bool = False
    options: ReadOptions | None = None
    overlaps: tuple[Overlap, ...] = field(default=(), repr=False)
    compared: frozenset[tuple[str, ReadOptions | None]] = field(default=frozenset(), repr=False)

    @property
    def household_rule(self) -> HouseholdRule | None:
        """How its rows were grouped into households; None where they are persons' own."""
        return None

    @property
    def read_as(self) -> str | None:
        """How the file was read, as a plan says it: None for UTF-8 with commas, and for Parquet."""
        return None if self.options is None or self.options == ReadOptions() else self.options.spelt

    def check(self, n: int, rows_per_person: int, terms: Population) -> None:
        """Raise PlanError unless a plan's n and k, this table's, and the population's are the same."""
        in_force = (terms.n, terms.rows_per_person)
        if self.population != terms.name or (n, rows_per_person) != in_force:
            raise PlanError("The plan and the private table belong to other terms than this population's; plan again.")
        if (self.n, self.rows_per_person) != in_force or len(self.dataset) != terms.n:
            raise PlanError("The population's terms changed since the private table was checked; load it again.")
