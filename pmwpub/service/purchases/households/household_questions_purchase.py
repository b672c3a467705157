"""The purchases of errors, floors and choices of households: their charges, their work, what is stored."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np

from pmwpub.errors import PlanError
from pmwpub.ledger import Charge, PlanKey
from pmwpub.mechanisms.households.household_atoms import HouseholdAtoms
from pmwpub.mechanisms.households.household_counts import HouseholdTables, count_households
from pmwpub.mechanisms.households.household_errors import whole_released
from pmwpub.mechanisms.noisy_error.assessment import AssessmentShare, NoisyError
from pmwpub.mechanisms.noisy_error.choose_best import best_charge
from pmwpub.plans import HouseholdAssessmentPlan, HouseholdBestPlan, HouseholdErrorPlan
from pmwpub.plans.household_plans import MOST_ENTRIES, PlanOfHouseholds, asked_tables, check_entries
from pmwpub.plans.household_question_plans import OfPublicHouseholds
from pmwpub.privacy.budget import shown
from pmwpub.service.core import Service
from pmwpub.service.households.household_questions import shares_of_households, stored_households
from pmwpub.service.inputs.study import Study
from pmwpub.service.private_table import PrivateTable
from pmwpub.service.purchases.assessment_purchase import number_of
from pmwpub.service.purchases.caveats import remarks_from
from pmwpub.service.purchases.households.household_purchase import belonging, public_of
from pmwpub.service.purchases.protocol import OnCandidates, Prepared
from pmwpub.tabular.households.grouped_persons import Households
from pmwpub.tabular.households.household_schema import HouseholdSchema
from pmwpub.tasks.household_questions_work import HouseholdAssessmentWork, HouseholdBestWork, HouseholdErrorWork

MOST_SCORED = MOST_ENTRIES // 2
"""Of the matrices that whole-number scores are made by: twice what a fit holds of each entry."""


@dataclass(frozen=True)
class HouseholdAssessmentPurchase(OnCandidates):
    """The floor and the start of one public table's households, or either alone.

    Privacy: two mechanisms with two charges; see mechanisms.households.household_errors.
    """

    plan: HouseholdAssessmentPlan

    def charges(self, current: Study) -> tuple[Charge, ...]:
        """One charge for the floor and one for the start."""
        name = current.known_names(self.plan.inputs.candidates)
        shares = shares_of_households(self.plan)
        return tuple(_charge(f"{share.purpose} of the households of {name}", share) for share in shares)

    def prepared(self, service: Service, private: PrivateTable, current: Study, repeat: int) -> Prepared:
        """The purchase, once all that it needs belongs together."""
        plan = self.plan
        households, tables, (atoms,) = _scored(plan, service, private, current)
        epsilons = {share.purpose: share.epsilon for share in shares_of_households(plan)}
        remarks = remarks_from(service.ledger.marks(private.population))
        return Prepared(
            work=lambda: HouseholdAssessmentWork(tables, atoms, count_households(tables, households), epsilons),
            encode=lambda booking, found: _parts_encoded(found, remarks),
        )


@dataclass(frozen=True)
class HouseholdBestPurchase(OnCandidates):
    """One choice among public tables of households.

    Privacy: one exponential mechanism at sensitivity H, rho = epsilon^2/8; see `household_choice`.
    """

    plan: HouseholdBestPlan

    def charges(self, current: Study) -> tuple[Charge, ...]:
        """One charge, however many candidates."""
        plan = self.plan
        names = ", ".join(current.known_names((one,)) for one in plan.inputs.candidates)
        errors = "best-mixture errors" if plan.by == "floor" else "errors of unchanged tables"
        return (
            Charge(
                purpose=f"best of the households of {names}",
                mechanism=f"exponential mechanism on the {errors}, decided from intervals",
                sensitivity=f"{plan.largest}/{plan.n} persons per household",
                scale=f"epsilon = {shown(plan.exact_epsilon)}",
                rho=best_charge(plan.exact_epsilon),
            ),
        )

    def prepared(self, service: Service, private: PrivateTable, current: Study, repeat: int) -> Prepared:
        """The purchase, once all that it needs belongs together."""
        plan = self.plan
        households, tables, offered = _scored(plan, service, private, current)
        remarks = remarks_from(service.ledger.marks(private.population))
        return Prepared(
            work=lambda: HouseholdBestWork(
                tables, offered, count_households(tables, households), plan.exact_epsilon, plan.by
            ),
            encode=lambda booking, found: _choice_encoded(plan, found, remarks),
        )


@dataclass(frozen=True)
class HouseholdErrorPurchase:
    """The noisy error of one stored release of households.

    Privacy: the weights are read from the store before the charge and stay fixed; see `household_error_release`.
    """

    plan: HouseholdErrorPlan

    @property
    def task(self) -> str:
        """A task has the name of the kind of plan that it is for."""
        return self.plan.kind

    @property
    def public_tables(self) -> frozenset[str]:
        """The empty set: the error is that of released weights."""
        return frozenset()

    def charges(self, current: Study) -> tuple[Charge, ...]:
        """One charge: discrete Laplace noise on the largest error."""
        plan = self.plan
        purpose = f"error of the release of households {plan.release[:12]}, draw {plan.release_repeat + 1}"
        return tuple(_charge(purpose, share) for share in shares_of_households(plan))

    def prepared(self, service: Service, private: PrivateTable, current: Study, repeat: int) -> Prepared:
        """The purchase, once release, private table and population are seen to belong together."""
        plan = self.plan
        released, bundle = stored_households(
            service, current.population.name, PlanKey(plan.release, plan.release_repeat)
        )
        if (plan.n, plan.largest) != (released.n, released.largest):
            raise PlanError("The plan and its release name other numbers of households or persons; plan again.")
        households, schema = belonging(released, private, current)
        tables = _tables(released, schema, [bundle.atoms])
        atoms = HouseholdAtoms(bundle.atoms, np.ones(len(bundle.atoms), dtype=np.int64))
        weights = whole_released(bundle.weights)
        remarks = remarks_from(service.ledger.marks(private.population))
        return Prepared(
            work=lambda: HouseholdErrorWork(
                tables, atoms, weights, count_households(tables, households), plan.exact_epsilon
            ),
            encode=lambda booking, found: _error_encoded(found, remarks),
        )


def _charge(purpose: str, share: AssessmentShare) -> Charge:
    return Charge(
        purpose=purpose,
        mechanism=share.mechanism,
        sensitivity=share.sensitivity,
        scale=share.scale_text,
        rho=share.rho,
    )


def _scored(
    plan: OfPublicHouseholds, service: Service, private: PrivateTable, current: Study
) -> tuple[Households, HouseholdTables, tuple[HouseholdAtoms, ...]]:
    """The private households, the tables that are asked about, and the households of each candidate."""
    households, schema = belonging(plan, private, current)
    current.check_usable(plan.inputs.candidates)
    public = [public_of(service, current, one, schema).households for one in plan.inputs.candidates]
    return households, _tables(plan, schema, public), tuple(map(HouseholdAtoms.of, public))


def _tables(
    plan: PlanOfHouseholds | OfPublicHouseholds, schema: HouseholdSchema, public: list[Households]
) -> HouseholdTables:
    tables = asked_tables(schema, plan.inputs.workload.build(schema.persons.domain))
    check_entries(tables, public, MOST_SCORED)
    return tables


def _parts_encoded(found: object, remarks: tuple[str, ...]) -> bytes:
    if not isinstance(found, dict):
        raise TypeError("An assessment returns its parts by name.")
    parts = {part: number_of(noisy) for part, noisy in sorted(found.items())}
    return json.dumps(parts | {"remarks": remarks}, sort_keys=True).encode()


def _choice_encoded(plan: HouseholdBestPlan, found: object, remarks: tuple[str, ...]) -> bytes:
    if not isinstance(found, int):
        raise TypeError("A choice returns a place among what was offered.")
    chosen = [plan.inputs.candidates[found]]
    return json.dumps({"candidate": chosen, "remarks": remarks}, sort_keys=True).encode()


def _error_encoded(found: object, remarks: tuple[str, ...]) -> bytes:
    if not isinstance(found, NoisyError):
        raise TypeError("An error's task returns a noisy error.")
    return json.dumps({"error": number_of(found), "remarks": remarks}, sort_keys=True).encode()
