"""What is known of a release of households before it is charged, from public facts: which public households it can
copy, and how large the noise of its tables is."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from pmwpub.errors import FileRefused, SchemaError
from pmwpub.mechanisms.households.household_schedule import HouseholdSchedule
from pmwpub.plans import HouseholdPlan
from pmwpub.release.summary import NORMAL_95
from pmwpub.rounding import in_percent, near
from pmwpub.service.core import Service
from pmwpub.service.inputs.study import Study
from pmwpub.service.purchases.households.household_purchase import public_of
from pmwpub.tabular.households.grouped_persons import Households
from pmwpub.tabular.households.household_schema import HouseholdSchema
from pmwpub.tabular.households.reading_households import PublicHouseholds


@dataclass(frozen=True)
class PublicPart:
    """How much of a public table a release of households can use; public.

    households, persons  whole ones, which are copied
    oversized    households left out for more persons than the largest household
    incomplete   households left out for a cell without a level, or persons who differ in a column of the household
    nobody       rows without a household id
    problem      why none can be used, or ""
    """

    name: str
    households: int = 0
    persons: int = 0
    oversized: int = 0
    incomplete: int = 0
    nobody: int = 0
    problem: str = ""

    @classmethod
    def of(cls, name: str, found: PublicHouseholds) -> PublicPart:
        """The numbers of a table that was grouped."""
        whole = found.households
        return cls(name, len(whole), len(whole.persons), found.oversized, found.incomplete, found.nobody)

    def left_out(self, largest: int) -> str:
        """What is left out, in words; "" where nothing is."""
        parts = [
            f"{self.oversized:,} with more than {largest} persons" if self.oversized else "",
            f"{self.incomplete:,} with a missing level, or persons who differ in a column of the household"
            if self.incomplete
            else "",
        ]
        said = " and ".join(filter(None, parts))
        homes = f"Households left out: {said}." if said else ""
        rows = f"Rows without a household id, left out: {self.nobody:,}." if self.nobody else ""
        return " ".join(filter(None, [homes, rows]))


@dataclass(frozen=True)
class HouseholdNoise:
    """The noise of a release's tables, standard deviations of a cell: the median table's of each level.

    persons     as persons per household
    households  as a share of the households
    tables      how many there are of each: of persons, of households
    size        the mean size of the public households that are copied; the private ones' is not public
    """

    persons: float
    households: float
    tables: tuple[int, int]
    size: float

    @property
    def half_widths(self) -> dict[str, float]:
        """Of the 95 % of noise nearest to none: persons per household, share of persons, share of households.

        The share of persons is by the mean size of the public households.
        """
        persons, households = NORMAL_95 * self.persons, NORMAL_95 * self.households
        return {"persons_per_household": persons, "persons": persons / self.size, "households": households}

    @property
    def words(self) -> str:
        """In a sentence or two."""
        each, persons, households = self.half_widths.values()
        return (
            f"Noise of a cell in the median table (95 %): **± {in_percent(persons)} of persons** (± {near(each)} "
            f"persons per household; public ones have {self.size:.2f}) and "
            f"**± {in_percent(households)} of households**."
        )


def household_noise(schedule: HouseholdSchedule, public: Households) -> HouseholdNoise:
    """The noise of a schedule, which follows from public facts; `public` are the households that are copied."""
    persons, own = (median(float(law.scale) for law in part.noises) for part in (schedule.persons, schedule.own))
    tables = len(schedule.persons.tables.marginals), len(schedule.own.tables.marginals)
    size = len(public.persons) / len(public)
    return HouseholdNoise(persons / schedule.n, own / schedule.n, tables, size)


def noise_before(service: Service, current: Study, plan: HouseholdPlan) -> HouseholdNoise:
    """The noise that a plan's tables will have; raises as `HouseholdPlan.schedule`."""
    schema = current.household_schema()
    public = public_of(service, current, plan.inputs.candidates[0], schema)
    return household_noise(plan.schedule(schema, public.households), public.households)


def public_parts(service: Service, current: Study, schema: HouseholdSchema) -> dict[str, PublicPart]:
    """How much of each candidate a release can use, by SHA-256."""
    return {one.sha256: _part(service, current, schema, one.sha256, one.name) for one in current.candidates}


def _part(service: Service, current: Study, schema: HouseholdSchema, sha256: str, name: str) -> PublicPart:
    try:
        return PublicPart.of(name, public_of(service, current, sha256, schema))
    except (SchemaError, FileRefused) as refusal:
        return PublicPart(name, problem=str(refusal))
