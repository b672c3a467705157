"""What is asked about private households by programs: errors, floors, the best of several public tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pmwpub.api.arguments import number_text, of_kind, whole_number
from pmwpub.api.household_frames import OfferedHouseholds, SyntheticHouseholds, household_inputs
from pmwpub.errors import PlanError
from pmwpub.ledger import Ledger, PlanKey
from pmwpub.plans import WorkloadChoice
from pmwpub.privacy.budget import Number
from pmwpub.service import Outcome, purchases
from pmwpub.service.households import household_questions as questions
from pmwpub.service.households.household_questions import HouseholdError
from pmwpub.service.purchases import purchase_of
from pmwpub.service.purchases.protocol import Plan
from pmwpub.tabular.households.household_schema import HouseholdSchema
from pmwpub.wording import draws_in_words, no_result, values_in_words

if TYPE_CHECKING:
    from pmwpub.tabular.files.reading import Frame


@dataclass(frozen=True, eq=False)
class AskedHouseholds:
    """A population whose unit is a household, its private table, and public ones: what may be asked of them at a price.

    Every method charges the population before anything is drawn; a plan that was sent before is not drawn again. They
    raise OverlapUndecided or Overspent before a charge, and NoResult where it was made and no result is stored.
    """

    schema: HouseholdSchema
    offered: OfferedHouseholds
    tick: bool | None

    @classmethod
    def of(
        cls,
        ledger: Ledger,
        population: str,
        *,
        schema: HouseholdSchema,
        private: Frame,
        public: dict[str, Frame],
        workload: WorkloadChoice | None = None,
        overlap_acknowledged: bool | None = None,
    ) -> AskedHouseholds:
        """Load the tables, each a row a person with the column of household ids; nothing is charged.

        public    data frames by name
        workload  the marginals of persons that are asked about; all of two columns where none is said

        Raises PlanError for a population or a schema of persons.
        """
        offered = household_inputs(
            ledger,
            population,
            schema=schema,
            private=private,
            public=of_kind(dict, public, "Public data frames by name (a dict)"),
            workload=workload,
            overlap_acknowledged=overlap_acknowledged,
        )
        return cls(schema, offered, overlap_acknowledged)

    def assess(
        self, name: str, *, epsilon: Number, floor: bool = True, start: bool = True, repeat: int = 0
    ) -> dict[str, HouseholdError]:
        """The noisy error of one public table: "floor" of its best mixture, "start" as it is."""
        with values_in_words():
            plan = questions.household_assessment_plan(
                self.offered.current,
                self.schema,
                self._key(name),
                epsilon=number_text(epsilon),
                private=self.offered.private,
                floor=floor,
                start=start,
            )
        return questions.read_household_assessment(self._bought(plan, repeat))[1]

    def choose(
        self, names: Sequence[str] | None = None, *, epsilon: Number, by_floor: bool = True, repeat: int = 0
    ) -> str:
        """The name of the public table of the lowest error, by the exponential mechanism; of all where none are named.

        by_floor  whether by the error of the best mixture, or of the table as it is
        """
        keys = {self._key(name): name for name in (self.offered.keys if names is None else names)}
        with values_in_words():
            plan = questions.household_best_plan(
                self.offered.current,
                self.schema,
                list(keys),
                epsilon=number_text(epsilon),
                private=self.offered.private,
                by="floor" if by_floor else "start",
            )
        _, chosen = questions.read_household_choice(self._bought(plan, repeat))
        return keys[str(chosen)]

    def error(self, release: SyntheticHouseholds, *, epsilon: Number, repeat: int = 0) -> HouseholdError:
        """The noisy error of a release of this population's households."""
        stated = of_kind(SyntheticHouseholds, release, "A release of households").certificate
        key, service = PlanKey(stated.plan_sha256, stated.repeat), self.offered.service
        with values_in_words():
            plan = questions.household_error_plan(
                service,
                self.offered.current.population.name,
                key,
                epsilon=number_text(epsilon),
                private=self.offered.private,
            )
        found = questions.read_household_error(self._bought(plan, repeat))[1]
        if found is None:
            raise PlanError("What is stored is no error of a release of households.")
        return found

    def _key(self, name: str) -> str:
        if name not in self.offered.keys:
            raise PlanError(f"No public table was given by that name; there are {', '.join(self.offered.keys)}.")
        return self.offered.keys[name]

    def _bought(self, plan: Plan, repeat: int) -> Outcome:
        offered = self.offered
        with draws_in_words():
            (found,) = purchases.buy(
                offered.service,
                offered.private,
                [purchase_of(plan)],
                repeat=whole_number(repeat, "The number of a draw"),
                tick=self.tick,
                current=offered.current,
            )
        if found.result is None:
            raise no_result(found, again="The next `repeat`")
        return found
