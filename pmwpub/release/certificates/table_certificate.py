"""The certificate of table fit, version 2: the tables with their noise, and what the noisy tables chose."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field

from pmwpub.domain import Domain
from pmwpub.mechanisms.table_fit.fit_constants import FitConstants
from pmwpub.mechanisms.table_fit.table_fit import FitChoices, TableRelease
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule
from pmwpub.plans import TableFitPlan
from pmwpub.queries.workload import Workload
from pmwpub.release.certificates.certificate_parts import Exact, Part, Provenance
from pmwpub.release.certificates.charged_certificate import Charged, common

MECHANISM = "table fit: discrete Gaussian noise on all 1-way and 2-way tables, public rows reweighted to them"

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Passes = Annotated[int, Field(ge=0, le=10_000)]


class MeasuredTable(Part):
    """One table that was measured: its columns, and the scale sigma of the noise on each cell, in rows."""

    columns: tuple[str, ...]
    scale: Exact


class Chosen(Part):
    """What the noisy tables chose, and a rebuild takes from here.

    strength, pair_strength  how many rows the public table counts as, against the 1-way tables and against all tables
    moved                    columns whose 1-way tables evidently differ from the public table's
    sweeps                   the passes of the three fits
    lacking                  columns on which rows evidently have no level
    """

    strength: Positive
    pair_strength: Positive
    moved: tuple[str, ...]
    sweeps: tuple[Passes, Passes, Passes]
    lacking: tuple[str, ...]

    @classmethod
    def of(cls, choices: FitChoices, domain: Domain) -> Self:
        """The choices of a finished release, with columns by name."""

        def named(places: tuple[int, ...]) -> tuple[str, ...]:
            return tuple(domain.attributes[place].name for place in places)

        return cls(
            strength=choices.strength,
            pair_strength=choices.pair_strength,
            moved=named(choices.moved),
            sweeps=choices.sweeps,
            lacking=named(choices.lacking),
        )

    def fits(self, constants: FitConstants) -> bool:
        """Whether a run with these constants can have chosen so: what moved has passes, and no fit too many."""
        most = (constants.one_way_sweeps, constants.one_way_sweeps, constants.pair_sweeps)
        once = len(set(self.moved)) == len(self.moved) and len(set(self.lacking)) == len(self.lacking)
        within = all(passes <= limit for passes, limit in zip(self.sweeps, most, strict=True))
        return once and within and bool(self.moved) == (self.sweeps[0] > 0)

    def choices(self, domain: Domain) -> FitChoices:
        """The choices as the engine has them; DomainError for a column that the domain lacks."""
        moved, lacking = (tuple(map(domain.index, names)) for names in (self.moved, self.lacking))
        return FitChoices(self.strength, self.pair_strength, moved, self.sweeps, lacking)


class TableCertificate(Charged):
    """The certificate of a release by table fit.

    tables    all that were measured, in the order of tables.csv
    complete  whether the schema gives every private cell a level, so that each row is in one cell of each table
    chosen    None in a draft, before anything is drawn
    """

    ORDER: ClassVar[tuple[str, ...]] = (
        *("version", "engine", "epsilon", "delta", "rho", "neighbours", "outside_the_guarantee", "statement"),
        *("population", "unit", "n", "rows_per_person", "mechanism", "tables", "complete", "chosen", "workload"),
        *("workload_sha256", "queries", "schema_sha256", "candidate", "plan", "plan_sha256", "repeat", "charge_id"),
        *("charged_at", "ledger_total", "budget", "settings_from", "remarks", "rows", "row_seed", "cells", "files"),
        "versions",
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
        plan: TableFitPlan,
        release: TableRelease,
        schedule: TableSchedule,
        workload: Workload,
        provenance: Provenance,
    ) -> Self:
        """The certificate of a finished release, before its files are named."""
        chosen = Chosen.of(release.choices, workload.domain)
        return cls.drafted(plan, schedule, workload, provenance, chosen=chosen)

    @classmethod
    def drafted(
        cls,
        plan: TableFitPlan,
        schedule: TableSchedule,
        workload: Workload,
        provenance: Provenance,
        *,
        chosen: Chosen | None = None,
    ) -> Self:
        """A certificate without what is drawn, to see whether it can be stated; the whole budget is charged.

        Raises pydantic's ValidationError, a ValueError, for what cannot be stated.
        """
        return cls.stating(
            **common(plan, workload, provenance, plan.budget),
            tables=_tables(schedule),
            complete=schedule.complete,
            chosen=chosen,
        )

    @property
    def sigmas(self) -> tuple[float, ...]:
        """The standard deviation of the noise on a cell of each table, in rows."""
        return tuple(float(Fraction(table.scale)) for table in self.tables)


def _tables(schedule: TableSchedule) -> Sequence[MeasuredTable]:
    attributes = schedule.tables.domain.attributes
    return tuple(
        MeasuredTable(columns=tuple(attributes[a].name for a in marginal.attributes), scale=str(noise.scale))
        for marginal, noise in zip(schedule.tables.marginals, schedule.noises, strict=True)
    )
