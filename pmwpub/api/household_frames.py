"""Releases of households for programs: from data frames to files of persons and households."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from pmwpub.api.arguments import (
    cell_of,
    engine_settings,
    kind_words,
    number_text,
    of_kind,
    table_names,
    whole_number,
)
from pmwpub.errors import PlanError
from pmwpub.jobs import InlineEngine
from pmwpub.ledger import Ledger
from pmwpub.plans import WorkloadChoice
from pmwpub.plans.household_round_plans import AnyHouseholdPlan
from pmwpub.privacy.budget import Number
from pmwpub.release.households.household_bundle import HouseholdBundle
from pmwpub.release.households.household_certificate import HouseholdCertificate
from pmwpub.service import Policy, Service, adopting, purchases
from pmwpub.service.bought.releases import PmwPubSettings
from pmwpub.service.households.household_loading import HouseholdTable, adopt_households, load_households
from pmwpub.service.households.household_releases import household_bundle, household_plan, household_round_plan
from pmwpub.service.inputs.study import Study
from pmwpub.service.purchases import Offer
from pmwpub.tabular.files.reading import from_frame
from pmwpub.tabular.households.household_schema import HouseholdSchema
from pmwpub.wording import draws_in_words, no_result, values_in_words

if TYPE_CHECKING:
    from pmwpub.figures import Plot
    from pmwpub.release.households.reading.household_answers import HouseholdAnswers
    from pmwpub.release.households.reading.household_cells import HouseholdCell, HouseholdNumber
    from pmwpub.release.households.reading.measured_households import Counted
    from pmwpub.tabular.files.reading import Frame

UNDECIDED = (
    "Say overlap_acknowledged=True if the public table was not made from the private one: needed where they share more "
    "rows than chance explains, and for every purchase in a shared service. Nothing was stored or charged."
)


@dataclass(frozen=True, eq=False)
class SyntheticHouseholds:
    """A finished release of households; nothing here is charged."""

    bundle: HouseholdBundle

    @property
    def certificate(self) -> HouseholdCertificate:
        """What it states of itself, before files are drawn."""
        return self.bundle.certificate

    def files(self, households: int | None = None, *, seed: int = 0) -> dict[str, bytes]:
        """Every file by name, persons.csv and households.csv of so many synthetic households; n where none is said.

        Among them is analyst.ipynb, a notebook that joins and opens them.
        """
        number = None if households is None else whole_number(households, "The number of households")
        from pmwpub.release.notebooks.household_notebook import with_household_notebook

        return with_household_notebook(self.bundle, self.bundle.files(number, whole_number(seed, "A row seed")))

    @classmethod
    def in_folder(cls, folder: str | Path) -> Self:
        """The release whose files lie in a folder, as `pmwpub release -o` has them.

        Raises CertificateError where these are no release of households, or contradict themselves.
        """
        from pmwpub.release.households.reading.household_folder import household_bundle_in

        if not isinstance(folder, str | Path):
            raise PlanError(f"A folder is a path; {kind_words(folder)} came.")
        return cls(household_bundle_in(Path(folder)))

    def answer(self, names: Sequence[str], *, of: Counted | None = None) -> tuple[HouseholdCell, ...]:
        """The cells of the marginal of up to three columns, each one's share with its 95 % interval.

        of  "persons" or "households": which are counted, needed where both have these columns

        What an interval covers stands in `release.households.reading.household_cells`. A table that was not measured
        has none. Raises WorkloadError for another number of columns, or those that are not there.
        """
        return self._answers.marginal(table_names(names), of)

    def plot(self, names: Sequence[str], *, of: Counted | None = None) -> Plot:
        """What `answer` has, drawn (`.figure`, of Plotly), in words (`.alt`) and as data.

        Raises WorkloadError as `answer` does.
        """
        from pmwpub.figures.answered_cells import DrawnCell, answered_cells

        counted = self._answers.counted(table_names(names), of)
        cells = [(one.levels, one.share) for one in self.answer(names, of=counted)]
        drawn = [DrawnCell(", ".join(levels.values()), one.value, one.low, one.high) for levels, one in cells]
        return answered_cells(drawn, columns=", ".join(cells[0][0]), of=counted).on_white

    def within(
        self, names: Sequence[str], given: Sequence[str], *, of: Counted | None = None
    ) -> tuple[HouseholdCell, ...]:
        """The cells as shares of the persons, or households, that have their levels of the columns `given`.

        Raises WorkloadError as `answer` does, and unless `given` are some of the marginal's columns, not all.
        """
        return self._answers.within(table_names(names), table_names(given), of)

    def difference(
        self, first: Mapping[str, str], second: Mapping[str, str], *, of: Counted | None = None
    ) -> HouseholdNumber:
        """The share of one cell (column -> level) less that of another of the same marginal, with its interval.

        Raises WorkloadError for cells of different marginals, the same cell twice, or an unknown column or level.
        """
        return self._answers.difference(cell_of(first), cell_of(second), of)

    def persons(self) -> HouseholdNumber:
        """How many persons count, which is private: made of the noisy numbers of households by size."""
        return self._answers.persons()

    def mean_size(self) -> HouseholdNumber:
        """The persons of a household who count, on average."""
        return self._answers.mean_size()

    @property
    def _answers(self) -> HouseholdAnswers:
        from pmwpub.release.households.reading.household_answers import HouseholdAnswers

        return HouseholdAnswers(self.bundle)


@dataclass(frozen=True, eq=False)
class OfferedHouseholds:
    """A population of households, its loaded private table, and the stored public ones by name."""

    service: Service
    current: Study
    private: HouseholdTable
    keys: Mapping[str, str]


def household_inputs(
    ledger: Ledger,
    population: str,
    *,
    schema: HouseholdSchema,
    private: Frame,
    public: Mapping[str, Frame],
    workload: WorkloadChoice | None,
    overlap_acknowledged: bool | None,
) -> OfferedHouseholds:
    """Load the private table, and store the public ones once they were compared with it; nothing is charged."""
    of_kind(Ledger, ledger, "A ledger (pmwpub.Ledger)")
    of_kind(HouseholdSchema, schema, "A schema of households (pmwpub.HouseholdSchema)")
    service = Service(ledger, InlineEngine(), policy=Policy.declared("localhost").beside(ledger))
    choice = WorkloadChoice(k=2)
    if workload is not None:
        choice = of_kind(WorkloadChoice, workload, "A workload (pmwpub.WorkloadChoice)")
    adopt_households(service, population, schema, choice)
    loaded = load_households(service, population, from_frame(private), schema)
    offers = [Offer(name, from_frame(frame), attested=True) for name, frame in public.items()]
    shared = purchases.offer(service, population, {one.name: one.table for one in offers}, loaded)
    purchases.decided(shared, overlap_acknowledged, answers=service.policy.answers, refusal=UNDECIDED)
    keys = purchases.store(service, population, offers, loaded)
    current = adopting.adopted(service, population, schema.persons, choice)
    return OfferedHouseholds(service, current, loaded, dict(zip(public, keys, strict=True)))


def release_households(
    ledger: Ledger,
    population: str,
    *,
    schema: HouseholdSchema,
    private: Frame,
    public: Frame,
    epsilon: Number,
    workload: WorkloadChoice | None = None,
    public_name: str = "public",
    engine: str | None = None,
    rounds: int | None = None,
    repeat: int = 0,
    overlap_acknowledged: bool | None = None,
) -> SyntheticHouseholds:
    """Buy a release of households for a population that is registered with households as its unit.

    private, public  a row a person, with the column of household ids
    epsilon          at the population's delta, or "rest"
    workload         the marginals of persons that are asked about; all of two columns where none is said
    engine           "table-fit" or "pmw-pub"; where none is named PMW^Pub if `rounds` is given, or else table fit
    rounds           T of PMW^Pub, 25 where nothing is said

    Raises PlanError for a population or a schema of persons, OverlapUndecided or Overspent before anything is charged,
    NoResult where the charge was made and no result is stored, or not yet.

    Privacy: charged to the population before anything is drawn; a plan that was sent before is not drawn again.
    """
    by_rounds, settings = _engine(engine, rounds)
    price, repeat = number_text(epsilon), whole_number(repeat, "The number of a draw")
    offered = household_inputs(
        ledger,
        population,
        schema=schema,
        private=private,
        public={public_name: public},
        workload=workload,
        overlap_acknowledged=overlap_acknowledged,
    )
    service, loaded, keys, current = offered.service, offered.private, list(offered.keys.values()), offered.current
    plan: AnyHouseholdPlan
    with values_in_words():
        if by_rounds:
            plan = household_round_plan(
                service, current, schema, keys, epsilon=price, private=loaded, settings=settings
            )
        else:
            plan = household_plan(service, current, schema, keys, epsilon=price, private=loaded)
    with draws_in_words():
        wanted = [purchases.purchase_of(plan)]
        (outcome,) = purchases.buy(service, loaded, wanted, repeat=repeat, tick=overlap_acknowledged, current=current)
    found = household_bundle(service, outcome.booking)
    if found is None:
        raise no_result(outcome, again="The next `repeat`")
    return SyntheticHouseholds(found)


def _engine(engine: str | None, rounds: int | None) -> tuple[bool, PmwPubSettings]:
    """Whether it is PMW^Pub, and its settings; PlanError for another engine, and for rounds of table fit."""
    settings = engine_settings(engine, rounds)
    if engine not in (None, "table-fit", "pmw-pub"):
        raise PlanError("A release of households is by table-fit or by pmw-pub. Nothing was charged.")
    if engine == "table-fit" and settings:
        raise PlanError("Table fit has no rounds; leave them out, or name pmw-pub. Nothing was charged.")
    return engine == "pmw-pub" or bool(settings), settings
