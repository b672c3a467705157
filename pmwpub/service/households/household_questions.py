"""Planning errors, floors and choices of households, and reading back what was bought."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pmwpub.errors import NoResult, PlanError
from pmwpub.ledger import PlanKey
from pmwpub.mechanisms.households.household_errors import household_charges
from pmwpub.mechanisms.noisy_error.assessment import AssessmentShare
from pmwpub.noisy_interval import NoisyInterval
from pmwpub.plans import HouseholdAssessmentPlan, HouseholdBestPlan, HouseholdErrorPlan
from pmwpub.plans.household_plans import asked_tables
from pmwpub.plans.household_question_plans import Kind
from pmwpub.plans.household_round_plans import AnyHouseholdPlan
from pmwpub.release.households.household_bundle import HouseholdBundle
from pmwpub.release.households.household_certificate import HouseholdCertificate
from pmwpub.release.households.household_checks import household_files_in
from pmwpub.release.households.household_files import CERTIFICATE
from pmwpub.service.bought.release_errors import draw_in_folder
from pmwpub.service.core import Outcome, Service, kind_of
from pmwpub.service.households.household_loading import HouseholdTable
from pmwpub.service.households.household_releases import read_households
from pmwpub.service.households.household_unit import check_unit
from pmwpub.service.inputs.study import Study
from pmwpub.service.reading_back.stored_results import StoredAssessment, StoredChoice, StoredError
from pmwpub.tabular.households.household_schema import HouseholdSchema

NO_RELEASE = "{population!r} has no release of households of that plan and draw; see its ledger for those that it has."


@dataclass(frozen=True)
class HouseholdError:
    """A noisy error of households as it is told: one number, in two units.

    households  a share of the households: no query of households is off by more
    persons     persons per household, H times as much: no query of persons is off by more
    remarks     what a reader must know beyond epsilon: what had been seen before the plan was sent
    """

    households: NoisyInterval
    largest: int
    remarks: tuple[str, ...] = ()

    @property
    def persons(self) -> NoisyInterval:
        """The same in persons per household."""
        share, times = self.households, self.largest
        return NoisyInterval(
            share.value * times, share.low * times, share.high * times, share.confidence, share.epsilon
        )


def household_assessment_plan(
    current: Study,
    schema: HouseholdSchema,
    candidate: str,
    *,
    epsilon: str,
    private: HouseholdTable,
    floor: bool = True,
    start: bool = True,
) -> HouseholdAssessmentPlan:
    """The plan of one public table's noisy floor and start; PlanError for a population of persons or too many cells."""
    _check(current, schema)
    return HouseholdAssessmentPlan(
        n=current.population.n,
        largest=schema.largest,
        household=schema.rule,
        inputs=current.inputs([candidate]),
        epsilon=epsilon,
        floor=floor,
        start=start,
        private_read_as=private.read_as,
    )


def household_best_plan(
    current: Study,
    schema: HouseholdSchema,
    candidates: Sequence[str],
    *,
    epsilon: str,
    private: HouseholdTable,
    by: Kind = "floor",
) -> HouseholdBestPlan:
    """The plan of one choice among public tables; PlanError for fewer than two, or as an assessment's."""
    _check(current, schema)
    return HouseholdBestPlan(
        n=current.population.n,
        largest=schema.largest,
        household=schema.rule,
        inputs=current.inputs(candidates),
        epsilon=epsilon,
        by=by,
        private_read_as=private.read_as,
    )


def household_error_plan(
    service: Service, population: str, release: PlanKey, *, epsilon: str, private: HouseholdTable
) -> HouseholdErrorPlan:
    """The plan of a stored release's error; PlanError where there is no such release, NoResult where it has none."""
    released, _ = stored_households(service, population, release)
    return HouseholdErrorPlan(
        n=released.n,
        largest=released.largest,
        epsilon=epsilon,
        release=release.plan_sha256,
        release_repeat=release.repeat,
        private_read_as=private.read_as,
    )


def _check(current: Study, schema: HouseholdSchema) -> None:
    check_unit(current.population, schema.largest)
    asked_tables(schema, current.workload())


def stored_households(service: Service, population: str, release: PlanKey) -> tuple[AnyHouseholdPlan, HouseholdBundle]:
    """A stored release of households; PlanError where the population has none of that plan and draw, NoResult where
    no result is stored of it."""
    booking = service.ledger.booking(population, release)
    if booking is None or kind_of(booking) not in ("households", "households-pmw-pub"):
        raise PlanError(NO_RELEASE.format(population=population))
    plan, bundle = read_households(service.outcome(booking))
    if bundle is None:
        raise NoResult("No result is stored for that release, so it has no error to be measured; nothing was charged.")
    return plan, bundle


def named_households(text: str, draw: int = 0) -> PlanKey:
    """A release of households by the SHA-256 of its plan and the number of its draw, or by the folder of its files.

    Raises CertificateError for a folder of anything else, one whose files are not those of its certificate, for what is
    measured is the stored release, and for another draw than the folder's.
    """
    folder = Path(text)
    if not folder.is_dir():
        return PlanKey(text, draw)
    files = household_files_in(folder)
    certificate = HouseholdCertificate.from_bytes(files.get(CERTIFICATE, b""))
    changed = [name for name in certificate.files if not certificate.states(name, files.get(name, b""))]
    return draw_in_folder(certificate, changed, draw)


def shares_of_households(plan: HouseholdAssessmentPlan | HouseholdErrorPlan) -> list[AssessmentShare]:
    """The mechanisms that a plan buys, each with its share of epsilon."""
    floor, start = (plan.floor, plan.start) if isinstance(plan, HouseholdAssessmentPlan) else (False, True)
    return household_charges(plan.exact_epsilon, plan.n, plan.largest, with_floor=floor, with_start=start)


def read_household_assessment(outcome: Outcome) -> tuple[HouseholdAssessmentPlan, dict[str, HouseholdError]]:
    """The floor and start that are stored, by name; none without a result. ValueError for what is no assessment."""
    plan = HouseholdAssessmentPlan.model_validate_json(outcome.booking.plan_json)
    if outcome.result is None:
        return plan, {}
    stored = StoredAssessment.model_validate_json(outcome.result)
    parts = {"floor": stored.floor, "start": stored.start}
    if [part is not None for part in parts.values()] != [plan.floor, plan.start]:
        raise ValueError("An assessment has the parts that were planned.")
    told = {name: one.interval for name, one in parts.items() if one is not None}
    return plan, {name: HouseholdError(one, plan.largest, stored.remarks) for name, one in told.items()}


def read_household_choice(outcome: Outcome) -> tuple[HouseholdBestPlan, str | None]:
    """The candidate that was chosen, by its hash; None without a result. ValueError for what is no choice."""
    plan = HouseholdBestPlan.model_validate_json(outcome.booking.plan_json)
    if outcome.result is None:
        return plan, None
    (chosen,) = StoredChoice.model_validate_json(outcome.result).candidate
    if chosen not in plan.inputs.candidates:
        raise ValueError("A choice is one of what was offered.")
    return plan, chosen


def read_household_error(outcome: Outcome) -> tuple[HouseholdErrorPlan, HouseholdError | None]:
    """The stored error of a release; None without a result. ValueError for what is none."""
    plan = HouseholdErrorPlan.model_validate_json(outcome.booking.plan_json)
    if outcome.result is None:
        return plan, None
    stored = StoredError.model_validate_json(outcome.result)
    return plan, HouseholdError(stored.error.interval, plan.largest, stored.remarks)
