"""The certificate of table fit, version 2: the tables with their noise, and what the noisy tables chose."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from pmwpub.domain import Domain
from pmwpub.mechanisms.table_fit.coarse_tables import CoarseTable
from pmwpub.mechanisms.table_fit.fit_constants import FitConstants, SupportGrowth
from pmwpub.mechanisms.table_fit.measured_tables import measured_tables
from pmwpub.mechanisms.table_fit.pool_fit import PoolRelease
from pmwpub.mechanisms.table_fit.pool_weights import PARTS
from pmwpub.mechanisms.table_fit.table_fit import FitChoices, TableRelease
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule
from pmwpub.plans import AnyTablePlan, WeightedPoolPlan
from pmwpub.queries.workload import Workload
from pmwpub.release.certificates.certificate_parts import OF_WHOM, Part, Provenance
from pmwpub.release.certificates.charged_certificate import Charged, common
from pmwpub.release.certificates.measured_parts import AddedRows, MeasuredTable

MECHANISM = "table fit: discrete Gaussian noise on all 1-way and 2-way tables, public rows reweighted to them"

THREE_WAY_MECHANISM = (
    "table fit: discrete Gaussian noise on all 1-way, 2-way and 3-way tables, public rows reweighted to them"
)

RANGES_MECHANISM = (
    "table fit: discrete Gaussian noise on all 1-way and 2-way tables and on coarse tables of ordered columns, public "
    "rows reweighted to them"
)

POOL_MECHANISM = (
    "table fit: discrete Gaussian noise on all 1-way and 2-way tables, public rows reweighted to them; how much each "
    "public table weighs was learnt from the noisy tables"
)

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Passes = Annotated[int, Field(ge=0, le=10_000)]
Thousandths = Annotated[int, Field(ge=0, le=PARTS)]


class Chosen(Part):
    """What the noisy tables chose, and a rebuild takes from here.

    strength, pair_strength  how many rows the public table counts as, against the 1-way tables and against all tables
    moved                    columns whose 1-way tables evidently differ from the public table's
    sweeps                   the passes of the three fits
    lacking                  columns on which rows evidently have no level
    grown                    the rows that were added; None, and not written, where the plan adds none
    """

    strength: Positive
    pair_strength: Positive
    moved: tuple[str, ...]
    sweeps: tuple[Passes, Passes, Passes]
    lacking: tuple[str, ...]
    grown: tuple[AddedRows, ...] | None = None

    @model_serializer(mode="wrap")
    def _without_growth_where_none_is_planned(self, write: SerializerFunctionWrapHandler) -> dict[str, object]:
        written: dict[str, object] = write(self)
        return {key: value for key, value in written.items() if key != "grown" or value is not None}

    @classmethod
    def of(cls, choices: FitChoices, schedule: TableSchedule) -> Self:
        """The choices of a finished release, with columns by name."""
        tables = schedule.tables

        def named(places: tuple[int, ...]) -> tuple[str, ...]:
            return tuple(tables.domain.attributes[place].name for place in places)

        return cls(
            strength=choices.strength,
            pair_strength=choices.pair_strength,
            moved=named(choices.moved),
            sweeps=choices.sweeps,
            lacking=named(choices.lacking),
            grown=None if schedule.growth is None else tuple(AddedRows.of(one, tables) for one in choices.grown),
        )

    def fits(self, constants: FitConstants, growth: SupportGrowth | None) -> bool:
        """Whether a run with these constants can have chosen so: what moved has passes, no fit has too many, and rows
        were added where the plan adds rows, for no more cells than it allows."""
        if (self.grown is None) != (growth is None) or (growth and len(self.grown or ()) > growth.most_cells):
            return False
        most = (constants.one_way_sweeps, constants.one_way_sweeps, constants.pair_sweeps)
        once = len(set(self.moved)) == len(self.moved) and len(set(self.lacking)) == len(self.lacking)
        within = all(passes <= limit for passes, limit in zip(self.sweeps, most, strict=True))
        return once and within and bool(self.moved) == (self.sweeps[0] > 0)

    def choices(self, tables: Workload) -> FitChoices:
        """The choices as the engine has them; DomainError for a column that the domain of the measured tables lacks,
        PlanError for rows of a cell that was not measured."""
        moved, lacking = (tuple(map(tables.domain.index, names)) for names in (self.moved, self.lacking))
        grown = tuple(one.cell(tables) for one in self.grown or ())
        return FitChoices(self.strength, self.pair_strength, moved, self.sweeps, lacking, grown)


class TableCertificate(Charged):
    """The certificate of a release by table fit.

    tables    all that were measured, in the order of tables.csv
    complete  whether the schema gives every private cell a level, so that each row is in one cell of each table, and
              cells add up to n; never of rows that are weighed
    chosen    None in a draft, before anything is drawn
    """

    ORDER: ClassVar[tuple[str, ...]] = (
        *("version", "engine", "epsilon", "delta", "rho", "neighbours", "outside_the_guarantee", "statement"),
        *OF_WHOM,
        *("mechanism", "tables", "complete", "chosen", "workload"),
        *("workload_sha256", "queries", "schema_sha256", "rules", "candidate", "plan", "plan_sha256", "repeat"),
        "charge_id",
        *("charged_at", "ledger_total", "budget", "attempts_with_criteria", "settings_from", "remarks", "rows"),
        *("row_seed", "cells", "files", "versions"),
    )

    version: Annotated[int, Field(ge=2, le=2)] = 2
    engine: Literal["table-fit"] = "table-fit"
    mechanism: str = MECHANISM
    tables: tuple[MeasuredTable, ...]
    complete: bool
    chosen: Chosen | None

    @classmethod
    def of(
        cls,
        plan: AnyTablePlan,
        release: TableRelease,
        schedule: TableSchedule,
        workload: Workload,
        provenance: Provenance,
    ) -> Self:
        """The certificate of a finished release, before its files are named."""
        chosen = Chosen.of(release.choices, schedule)
        return cls.drafted(plan, schedule, workload, provenance, chosen=chosen)

    @classmethod
    def drafted(
        cls,
        plan: AnyTablePlan,
        schedule: TableSchedule,
        workload: Workload,
        provenance: Provenance,
        *,
        chosen: Chosen | None = None,
        **more: object,
    ) -> Self:
        """A certificate without what is drawn, to see whether it can be stated; the whole budget is charged.

        more  what the certificate of a kind of release states beside that

        Raises pydantic's ValidationError, a ValueError, for what cannot be stated.
        """
        if plan.three_way_share is not None:
            more["mechanism"] = THREE_WAY_MECHANISM
        if plan.ranges is not None:
            more["mechanism"] = RANGES_MECHANISM
        return cls.stating(
            **common(plan, workload, provenance, plan.budget),
            tables=_tables(schedule),
            complete=schedule.complete,
            chosen=chosen,
            **more,
        )

    @property
    def three_way(self) -> bool:
        """Whether tables of three columns were measured."""
        return any(len(table.columns) == 3 for table in self.tables)

    @property
    def with_coarse(self) -> bool:
        """Whether tables of one column with adjacent levels merged were measured."""
        return any(table.merged is not None for table in self.tables)

    def measured(self, workload: Workload) -> Workload:
        """The tables that were measured for the release's workload, in the order of tables.csv."""
        return measured_tables(workload, three_way=self.three_way)

    def coarse(self, domain: Domain) -> tuple[CoarseTable, ...]:
        """The coarse tables that were measured, behind the others in tables.csv; DomainError for an unknown column."""
        return tuple(
            CoarseTable(domain.index(table.columns[0]), table.merged)
            for table in self.tables
            if table.merged is not None
        )

    @property
    def may_add_rows(self) -> bool:
        """Whether the plan lets rows be added: then a floor of the public table's own rows bounds nothing."""
        return self.chosen is not None and self.chosen.grown is not None

    @property
    def adds_rows(self) -> bool:
        """Whether rows were added to the public table."""
        return bool(self.chosen is not None and self.chosen.grown)

    @property
    def sigmas(self) -> tuple[float, ...]:
        """The standard deviation of the noise on a cell of each table but the coarse ones, in rows."""
        return tuple(float(Fraction(table.scale)) for table in self.tables if table.merged is None)


class PoolCertificate(TableCertificate):
    """The certificate of a release by table fit on a pool with learnt weights.

    pool_parts  what each public table contributed to the prior, in thousandths, in the order of `candidate`; a rebuild
                takes them from here. None in a draft
    """

    ORDER: ClassVar[tuple[str, ...]] = tuple(
        key
        for before in TableCertificate.ORDER
        for key in ((before, "pool_parts") if before == "chosen" else (before,))
    )

    mechanism: str = POOL_MECHANISM
    pool_parts: tuple[Thousandths, ...] | None = None

    @classmethod
    def of_pool(
        cls,
        plan: WeightedPoolPlan,
        found: PoolRelease,
        schedule: TableSchedule,
        workload: Workload,
        provenance: Provenance,
    ) -> Self:
        """The certificate of a finished release, before its files are named."""
        chosen = Chosen.of(found.release.choices, schedule)
        return cls.drafted(plan, schedule, workload, provenance, chosen=chosen, pool_parts=found.parts)

    @property
    def parts_fit(self) -> bool:
        """Whether a run can have chosen so: a part for each public table, and all of the prior given away."""
        return self.pool_parts is not None and (len(self.pool_parts), sum(self.pool_parts)) == (
            len(self.candidate),
            PARTS,
        )

    @property
    def contributions(self) -> tuple[tuple[str, int], ...]:
        """Each public table's name, and what it contributed in thousandths; the largest part first."""
        named = [(table.name, part) for table, part in zip(self.candidate, self.pool_parts or (), strict=True)]
        return tuple(sorted(named, key=lambda one: -one[1]))


def certificate_class(plan: AnyTablePlan) -> type[TableCertificate]:
    """The kind of certificate that a release of this plan has."""
    return PoolCertificate if isinstance(plan, WeightedPoolPlan) else TableCertificate


def _tables(schedule: TableSchedule) -> Sequence[MeasuredTable]:
    attributes = schedule.tables.domain.attributes
    return tuple(
        MeasuredTable(columns=tuple(attributes[a].name for a in marginal.attributes), scale=str(noise.scale))
        for marginal, noise in zip(schedule.tables.marginals, schedule.noises, strict=True)
    ) + _coarse(schedule)


def _coarse(schedule: TableSchedule) -> tuple[MeasuredTable, ...]:
    if schedule.coarse is None:
        return ()
    attributes = schedule.tables.domain.attributes
    return tuple(
        MeasuredTable(columns=(attributes[table.attribute].name,), scale=str(noise.scale), merged=table.width)
        for table, noise in zip(schedule.coarse.tables, schedule.coarse.noises, strict=True)
    )
