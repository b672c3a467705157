"""Everything public about a population's work: its candidates, schema and workload, as values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pmwpub.errors import FileRefused, LedgerError, PlanError, SchemaError
from pmwpub.ledger import Balance, Closing, Population
from pmwpub.plans import AnyReleasePlan, AssessmentPlan, BestPlan, PublicInputs, RowsBeyond, WorkloadChoice
from pmwpub.plans.weighing import Weighing, WeightKind, kind_of_weights
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Ints, Support
from pmwpub.service.households.household_unit import protects_households
from pmwpub.service.inputs.bundled_sample import STATES, DemoSample
from pmwpub.service.private_table import PrivateTable
from pmwpub.tabular.files.text.read_options import ReadOptions
from pmwpub.tabular.households.household_schema import HouseholdRule, HouseholdSchema
from pmwpub.tabular.nesting.parent_columns import named_instead
from pmwpub.tabular.schema.table_schema import Schema

NO_TOTAL = (
    "The schema weighs rows by the column {column!r}, and shares need a total to be taken of. Declare it there "
    '("total": what the weights sum up to by public sources), or buy it (on Release, or by `pmwpub weight-total`). '
    "Nothing was charged."
)

MINIMUM_ROWS = 2
"""The fewest private rows on which a run is begun; n is public, so a refusal tells nothing."""


@dataclass(frozen=True, eq=False)
class CandidateFacts:
    """A public table, encoded under the current schema; all public.

    broken   rows left out because they break a rule of the schema; by_rule: how many break each
    weighed_by  what its rows are weighed by, in words; "" where each counts once
    weightless  rows left out because they weigh nothing
    problem  why it cannot be used under this schema, or ""
    options  how its text is read, where somebody confirmed that
    as_truth, weights  as `Encoded` has them
    """

    name: str
    sha256: str
    rows: int
    attested: bool
    support: Support | None = field(default=None, repr=False)
    dataset: Dataset | None = field(default=None, repr=False)
    dropped: int = 0
    broken: int = 0
    by_rule: tuple[int, ...] = ()
    ignored: tuple[str, ...] = ()
    problem: str = ""
    options: ReadOptions | None = None
    as_truth: Ints | None = field(default=None, repr=False)
    weights: Ints | None = field(default=None, repr=False)
    weighed_by: str = ""
    weightless: int = 0

    @property
    def worth(self) -> int:
        """Its rows; where they are weighed, how many rows of equal weight they are worth."""
        return self.support.people if self.support is not None and self.weighed_by else self.rows


@dataclass(frozen=True)
class CountedRows:
    """How the rows of a private table are counted by what is planned now: `Weighed`, of what is in force."""

    n: int
    rows_per_person: int
    weights: Weighing | None


@dataclass(frozen=True, eq=False)
class Study:
    """Everything public about a population's work so far.

    former  the names of removed tables on which something was bought, by SHA-256
    closed  why nothing more is bought, where the population was retired or moved
    totals  the noisy totals of weights that were bought, in units, with the SHA-256 of the plan: by `kind_of_weights`,
            the one of the narrowest noise first
    household  how rows make households, with the largest one of the terms; None where nobody said, and of persons
    sample  whose files a demo has; of another population it says nothing
    """

    population: Population
    balance: Balance
    schema: Schema | None
    candidates: tuple[CandidateFacts, ...]
    choice: WorkloadChoice | None
    demo: bool
    former: Mapping[str, str] = field(default_factory=dict)
    closed: Closing | None = None
    totals: Mapping[WeightKind, tuple[tuple[int, str], ...]] = field(default_factory=dict)
    household: HouseholdRule | None = None
    sample: DemoSample = STATES

    def candidate(self, sha256: str) -> CandidateFacts:
        """The candidate of that content; LedgerError if there is none."""
        for facts in self.candidates:
            if facts.sha256 == sha256:
                return facts
        raise LedgerError("That public table is not among this population's candidates; add it on the Prepare page.")

    @property
    def usable(self) -> tuple[CandidateFacts, ...]:
        """The candidates that fit the schema."""
        return tuple(facts for facts in self.candidates if facts.support is not None)

    @property
    def of_households(self) -> bool:
        """Whether the population protects whole households: its n counts them."""
        return protects_households(self.population)

    def household_schema(self) -> HouseholdSchema:
        """The schema whose rows are persons of households; SchemaError where a part is missing or does not fit."""
        if self.schema is None or self.household is None:
            raise SchemaError("Say on the Prepare page how rows make households: the column of their ids first of all.")
        return HouseholdSchema(self.schema, self.household)

    @property
    def kept_ids(self) -> str | None:
        """What an ID is, where the schema keeps k rows of one with more; see `Schema.kept_ids`."""
        return None if self.schema is None else self.schema.kept_ids

    @property
    def rows_beyond(self) -> RowsBeyond:
        """What the schema says of an ID with more rows than one person may own."""
        return None if self.schema is None else self.schema.rows_beyond

    @property
    def weighs_rows(self) -> bool:
        """Whether private rows count as what they weigh."""
        return self.schema is not None and self.schema.weight_column is not None

    @property
    def weighs_public(self) -> bool:
        """Whether rows of public tables that have a column of weights count as what they weigh."""
        return self.schema is not None and self.schema.public_weights is not None

    @property
    def weights(self) -> Weighing | None:
        """How rows are weighed by what is planned now; None where each counts as one; raises as `weighings`."""
        return self.weighings[0]

    @property
    def weighings(self) -> list[Weighing | None]:
        """How rows may be weighed, by the declared total or by each that was bought; what is planned now, first.

        Raises PlanError where the schema weighs rows, and what they weigh together is neither declared nor bought.
        """
        column = None if self.schema is None else self.schema.weight_column
        if column is None:
            return [None]
        if column.total_units is not None:
            return [Weighing.of(column, column.total_units)]
        bought = self.totals.get(kind_of_weights(column), ())
        if not bought:
            raise PlanError(NO_TOTAL.format(column=column.name))
        return [Weighing.of(column, *one) for one in bought]

    @property
    def counted(self) -> CountedRows:
        """The numbers that plans are made of; raises as `weights`."""
        return CountedRows(self.population.n, self.population.rows_per_person, self.weights)

    def workload(self) -> Workload:
        """The chosen workload; SchemaError or LedgerError where a step is missing."""
        if self.schema is None:
            raise SchemaError("A workload needs a schema; draft or load one on the Prepare page.")
        if self.choice is None:
            raise LedgerError("Choose a workload on the Prepare page first.")
        return self.choice.build(self.schema.domain)

    def inputs(self, candidates: Sequence[str]) -> PublicInputs:
        """What a plan on some candidates names by content; raises as `workload` and `check_usable` do."""
        workload = self.workload()
        if self.schema is None or self.choice is None:
            raise SchemaError("A plan needs a schema and a workload.")
        self.check_usable(candidates)
        return PublicInputs(
            schema_sha256=self.schema.sha256,
            workload_sha256=workload.sha256,
            workload=self.choice,
            candidates=tuple(sorted(set(candidates))),
            read_as=self.readings(candidates),
            weighed=self.weighed(candidates),
        )

    def check_usable(self, candidates: Sequence[str]) -> None:
        """Raise LedgerError, SchemaError or FileRefused unless each candidate is there, fits and is attested."""
        for sha256 in candidates:
            facts = self.candidate(sha256)
            if facts.support is None:
                raise SchemaError(f"{facts.name} does not fit the schema: {facts.problem}")
            if not facts.attested:
                raise FileRefused(f"Attest first that {facts.name} was not derived from the private data.")

    def check_looked_at(self, columns: Sequence[str], *, rules: bool) -> None:
        """Raise SchemaError unless a look names attributes of the schema, and rules only where it has some."""
        own = set() if self.schema is None else {column.name for column in self.schema.encoded}
        if not columns or not set(columns) <= own:
            parents = () if self.schema is None else self.schema.parents
            instead = "".join(named_instead(name, parents) for name in columns)
            raise SchemaError(f"Name one or more attributes of the schema to look at.{instead}")
        self.check_ruled(rules=rules)

    def check_ruled(self, *, rules: bool) -> None:
        """Raise SchemaError where rules are asked for and the schema has none."""
        if rules and (self.schema is None or not self.schema.rules):
            raise SchemaError("The schema has no rules to look at.")

    def readings(self, candidates: Sequence[str]) -> tuple[tuple[str, str], ...]:
        """(SHA-256, how it is read now) of those candidates that are not read by default, as a plan has them.

        A table that was deleted is read in no way.
        """
        named = [facts for facts in self.candidates if facts.sha256 in candidates]
        said = ((facts.sha256, facts.options or ReadOptions()) for facts in named)
        return tuple(sorted((sha256, options.spelt) for sha256, options in said if options != ReadOptions()))

    def check_readings(self, inputs: PublicInputs) -> None:
        """Raise PlanError unless a plan reads its public tables, those that are still there, as they are read now."""
        there = {facts.sha256 for facts in self.candidates}
        if tuple(pair for pair in inputs.read_as if pair[0] in there) != self.readings(inputs.candidates):
            raise PlanError("The plan names another way of reading a public table than the one of now; plan again.")
        if tuple(sha256 for sha256 in inputs.weighed if sha256 in there) != self.weighed(inputs.candidates):
            raise PlanError("The plan and the schema differ in which public tables are weighed; plan again.")

    def weighed(self, candidates: Sequence[str]) -> tuple[str, ...]:
        """The SHA-256 of those candidates whose rows count with their weight, ascending, as a plan has them."""
        return tuple(sorted(one.sha256 for one in self.candidates if one.weighed_by and one.sha256 in candidates))

    def planned(self, plan: AssessmentPlan | BestPlan | AnyReleasePlan, private: PrivateTable) -> Workload:
        """The plan's own workload, once plan, private table and population are seen to belong together.

        Raises PlanError where they do not, before anything is charged.
        """
        schema = self.loaded_under(plan.inputs.schema_sha256, plan.n, plan.rows_per_person, plan.kept_ids, private)
        workload = plan.inputs.workload.build(schema.domain)
        if workload.sha256 != plan.inputs.workload_sha256:
            raise PlanError("The plan's workload is not the one that its choice describes; plan again.")
        return workload

    def loaded_under(
        self, schema_sha256: str, n: int, rows_per_person: int, kept_ids: str | None, private: PrivateTable
    ) -> Schema:
        """The schema that a plan names, once it is the one in force and the private table was checked and encoded
        under it and under the plan's own terms.

        Raises PlanError where one of these is not so, before anything is charged.
        """
        terms, schema = self.population, self.schema
        if terms.n < MINIMUM_ROWS:
            raise PlanError(
                f"A run needs a private table of at least {MINIMUM_ROWS} rows, a public bound; this population is "
                f"registered with {terms.n}."
            )
        private.check(n, rows_per_person, terms)
        if schema is None or schema_sha256 != schema.sha256:
            raise PlanError("The schema changed since this was planned; plan again.")
        if kept_ids != schema.kept_ids:
            raise PlanError("The plan and the schema differ in what becomes of further rows of one ID; plan again.")
        if private.schema_sha256 != schema.sha256 or private.dataset.domain != schema.domain:
            raise PlanError("The private table was encoded with another schema; load it again.")
        return schema

    def support(self, candidates: Sequence[str]) -> Support:
        """The support of one candidate, or the pool of several."""
        supports = [facts.support for facts in map(self.candidate, candidates) if facts.support is not None]
        return supports[0] if len(supports) == 1 else Support.union(*supports)

    def records(self, candidates: Sequence[str]) -> Support:
        """As `support`, each row counted once, whatever it weighs."""
        found = [Support.of(one.dataset) for one in map(self.candidate, candidates) if one.dataset is not None]
        return found[0] if len(found) == 1 else Support.union(*found)

    def known_names(self, candidates: Sequence[str]) -> str:
        """Candidate names as in `names`, those of tables that were deleted since marked as such."""
        known = {sha256: f"{name} (deleted)" for sha256, name in self.former.items()}
        known |= {facts.sha256: facts.name for facts in self.candidates}
        return " + ".join(known.get(sha256, f"deleted table {sha256[:8]}") for sha256 in candidates)

    def names(self, candidates: Sequence[str]) -> str:
        """Candidate names as people read them: "b.csv + c.csv" for a pool."""
        return " + ".join(self.candidate(sha256).name for sha256 in candidates)
