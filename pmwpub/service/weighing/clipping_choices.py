"""What the population's public tables say of a column of weights: caps that may be taken, and what each costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from pmwpub.errors import SchemaError
from pmwpub.service.core import Service
from pmwpub.service.inputs import stored_tables
from pmwpub.service.inputs.study import Study
from pmwpub.tabular.files.reading import TextTable
from pmwpub.tabular.files.text.inert_cells import stands_in
from pmwpub.tabular.schema.column_types import WeightColumn
from pmwpub.tabular.schema.draft_record import Remedy
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.tabular.weights.clipping_cost import ClippingCost, clipping_costs, weights_in
from pmwpub.tabular.weights.proposed_weights import caps_of, decimal_text, proposed_weight, with_unit


@dataclass(frozen=True)
class CapChoice:
    """One cap, and what it costs on the public table where each of these costs most.

    declaration  CAP:UNIT, as a remedy declares it
    cost         shares, the column that shifts most, and by how many average rows one row may count
    """

    cap: str
    declaration: str
    cost: ClippingCost


@dataclass(frozen=True)
class ClippingChoices:
    """The caps of one column of weights, rising; from public tables alone.

    proposed  the declaration of the cap that they propose; None where it is none of the choices
    in_force  the cap by which the schema weighs rows now; None where it weighs none by this column
    tables    the names of the public tables that have the column
    """

    column: WeightColumn
    choices: tuple[CapChoice, ...]
    proposed: str | None
    in_force: str | None
    tables: tuple[str, ...]

    def remedy(self, declaration: str, total: str, *, public: bool) -> Remedy:
        """The decision that has private rows, and public ones too, count as this column says.

        total  a number as it was typed, or blank
        """
        return Remedy(self.column.name, "weight", ":".join(filter(None, [declaration, total, "all" if public else ""])))


def clipping_choices(service: Service, current: Study) -> tuple[ClippingChoices, ...]:
    """Of each column of weights that the schema names and a public table has. Kept in the shared cache.

    Privacy: from public tables and the schema alone.
    """
    schema = current.schema
    columns = [] if schema is None else [one for one in schema.columns if isinstance(one, WeightColumn)]
    if schema is None or not columns or not current.usable or current.of_households:
        return ()
    name = current.population.name
    shas = ",".join(f"{one.sha256}{stored_tables.spelt(one.options)}" for one in current.usable)

    def built() -> tuple[ClippingChoices, ...]:
        tables = {one.name: stored_tables.table(service, name, one.sha256) for one in current.usable}
        found = [_choices(schema, column, tables) for column in columns]
        return tuple(one for one in found if one is not None)

    labels = ",".join(one.name for one in current.usable)
    return service.cache(f"clipping:{shas}:{schema.sha256}:{labels}", built)


def _choices(schema: Schema, column: WeightColumn, tables: dict[str, TextTable]) -> ClippingChoices | None:
    having = {name: table for name, table in tables.items() if stands_in(table.header, column.name)}
    counts: Counter[Fraction] = Counter()
    for table in having.values():
        counts.update(weights_in(table, schema, column.name))
    numbers = dict(sorted(counts.items()))
    if not numbers:
        return None
    declared = {cap: text for cap in caps_of(numbers) if (text := with_unit(cap, numbers)) is not None}
    if column.cap is not None and column.unit is not None:
        declared[Fraction(column.cap)] = f"{column.cap}:{column.unit}"
    try:
        costs = [clipping_costs(table, schema, sorted(declared), of=column.name) for table in having.values()]
    except SchemaError:
        return None
    found = [
        CapChoice(decimal_text(cap), declared[cap], _worst([one[place] for one in costs]))
        for place, cap in enumerate(sorted(declared))
    ]
    proposed = proposed_weight(numbers)
    known = {one.declaration for one in found}
    own = f"{column.cap}:{column.unit}" if column.cap is not None else None
    return ClippingChoices(column, tuple(found), proposed if proposed in known else None, own, tuple(having))


def _worst(costs: Sequence[ClippingCost]) -> ClippingCost:
    """One cap's costs, each at its largest over the public tables."""
    shifted = max(costs, key=lambda one: one.shift)
    return ClippingCost(
        cap=shifted.cap,
        clipped=max(one.clipped for one in costs),
        above=max(one.above for one in costs),
        shift=shifted.shift,
        column=shifted.column,
        total=max(one.total for one in costs),
        average=max(one.average for one in costs),
    )
