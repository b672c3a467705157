"""A private table of households: read, checked and grouped. It lives in the steward's own process only."""

from __future__ import annotations

from dataclasses import dataclass, field

from pmwpub.errors import FileRefused, SchemaError
from pmwpub.plans import WorkloadChoice
from pmwpub.progress import Progress, about_to_keep, unwatched
from pmwpub.records import Dataset
from pmwpub.service import adopting
from pmwpub.service.core import Service
from pmwpub.service.households.household_unit import check_unit
from pmwpub.service.households.same_households import refuse_other_households
from pmwpub.service.inputs import overlap_check, study_store
from pmwpub.service.inputs.bundled_sample import refuse_another
from pmwpub.service.inputs.known_tables import recognised
from pmwpub.service.inputs.study import Study
from pmwpub.service.private_table import PrivateTable
from pmwpub.tabular.files.reading import TextTable, read_table
from pmwpub.tabular.files.text.read_options import ReadOptions
from pmwpub.tabular.households.grouped_persons import Households
from pmwpub.tabular.households.household_schema import HouseholdRule, HouseholdSchema
from pmwpub.tabular.households.reading_households import check_household_header, private_households
from pmwpub.tabular.private_pass import TELL, WAY_OUT, Survey, survey

KEPT = 1 << 62
"""Bytes of codes that stay in memory: all, for households are grouped there."""


@dataclass(frozen=True, eq=False)
class HouseholdTable(PrivateTable):
    """A loaded private table of persons of households. Its n counts households, its rows are as many as they are.

    schema      under which its rows make households
    households  them

    Privacy: private, the number of rows too; the repr shows nothing of either.
    """

    schema: HouseholdSchema | None = field(default=None, repr=False)
    households: Households | None = field(default=None, repr=False)

    @property
    def household_rule(self) -> HouseholdRule | None:
        """How its rows were grouped."""
        return None if self.schema is None else self.schema.rule


def adopt_households(service: Service, population: str, schema: HouseholdSchema, choice: WorkloadChoice) -> None:
    """Make schema, household rule and workload the population's own, once it is one of such households.

    Raises PlanError where it is not, or where something was bought for households of other ids; nothing is stored then.
    """
    check_unit(service.ledger.population(population), schema.largest)
    refuse_other_households(service, population, schema)
    adopting.adopt(service, population, schema.persons, choice, schema.rule)


def load_household_file(
    service: Service,
    population: str,
    content: bytes,
    *,
    options: ReadOptions | None = None,
    progress: Progress = unwatched,
) -> HouseholdTable:
    """Read a private file and group its rows by the rule that stands in the store; raises as `load_households`."""
    service.refuse_viewers(population)
    schema = study_store.study(service, population).household_schema()
    return load_households(service, population, read_table(content, options=options), schema, progress=progress)


def load_households(
    service: Service,
    population: str,
    table: TextTable,
    schema: HouseholdSchema,
    *,
    progress: Progress = unwatched,
) -> HouseholdTable:
    """Group a private table into households; nothing of it is stored, and nothing charged.

    table     in memory, and read once, so that checks and counts are of the same rows
    progress  for the steward: how many rows are read; what it raises ends the reading, and nothing is held

    Raises as `Service.refuse_viewers` does, before the file is read; FileRefused or SchemaError for a file that lacks
    columns or has another number of households than registered: for the steward only.
    """
    service.refuse_viewers(population)
    current = study_store.study(service, population)
    terms = current.population
    check_unit(terms, schema.largest)
    if current.schema is None or current.schema.sha256 != schema.persons.sha256:
        raise SchemaError(adopting.CHANGED_MEANWHILE)
    check_household_header(table, schema)
    compared = overlap_check.comparison(service, current)
    found = survey(
        table.stream,
        schema.persons,
        n=max(terms.n * schema.largest, len(table)),
        searches=compared.runs,
        likenesses=compared.likenesses,
        kept=KEPT,
        progress=progress,
    )
    if service.policy.answers:
        overlap_check.refuse_candidate(service, current, found, compared)
    if current.demo:
        refuse_another(current.sample, found.digest)
    households = private_households(table, schema)
    _check_number(len(households), terms.n)
    about_to_keep(progress)
    return _loaded(service, current, table, schema, found, households, compared)


def _check_number(households: int, n: int) -> None:
    if households != n:
        raise FileRefused(
            f"The population is registered with n = {n:,} households; the file has {households:,} household ids. "
            f"{WAY_OUT} {TELL}"
        )


def _loaded(
    service: Service,
    current: Study,
    table: TextTable,
    schema: HouseholdSchema,
    found: Survey,
    households: Households,
    compared: overlap_check.OverlapSearch,
) -> HouseholdTable:
    if not isinstance(found.rows, Dataset):
        raise FileRefused("A table of households is held in memory, and this one is too large.")
    handle, verdict = recognised(service, current, found)
    return HouseholdTable(
        population=current.population.name,
        schema_sha256=schema.persons.sha256,
        n=current.population.n,
        rows_per_person=schema.largest,
        dataset=found.rows,
        source=table.content,
        rows=found.digest,
        views=found.views,
        numbers=found.numbers,
        table=handle,
        verdict=verdict,
        ignored=found.ignored,
        unplaced_cells=sum(found.unplaced.values()),
        demo=current.demo,
        options=table.options,
        overlaps=overlap_check.found(service, current, compared, found.digest, found.views, found.rows),
        compared=overlap_check.in_force(current),
        schema=schema,
        households=households,
    )
