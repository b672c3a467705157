"""Planning, pricing and running PMW^Pub releases, and reading them back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from pmwpub.errors import LedgerError, PlanError
from pmwpub.jobs.work import ReleaseWork
from pmwpub.ledger import Booking, Charge, PlanKey
from pmwpub.mechanisms.pmw_pub import Output, Release, Replay, Start
from pmwpub.plans import ReleasePlan
from pmwpub.privacy.budget import ZCDP, ApproxDP, as_fraction, epsilon_of, zcdp_of
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.release.bundle import Bundle
from pmwpub.release.certificate import Candidate, LedgerTotal, Provenance, decimal_rho
from pmwpub.release.report import Choices
from pmwpub.release.report import template as report_template
from pmwpub.rounding import stated_delta
from pmwpub.service.choices import choices_of
from pmwpub.service.core import Outcome, Price, PrivateTable, Service
from pmwpub.service.remarks import remarks_from
from pmwpub.service.studies import CandidateFacts, Study, public_core, study
from pmwpub.service.tuning import in_words, tuning_of

REST = "rest"
DEFAULT_ROUNDS = 25
REPLAYS = {"half": Replay.HALF, "off": Replay.OFF}
_UPDATE_SECONDS = 2.5e-9


@dataclass(frozen=True)
class WorkloadFacts:
    """What a workload means in size; public. Seconds are a rough guide for one core."""

    marginals: int
    queries: int
    dimension: int
    domain_size: int
    megabytes: float
    seconds_per_round: float


@dataclass(frozen=True)
class Released:
    """One release as booked, and its files where it is done."""

    name: str
    plan: ReleasePlan
    outcome: Outcome
    bundle: Bundle | None = None


def workload_facts(workload: Workload, atoms: int) -> WorkloadFacts:
    """Sizes of a workload on a support of `atoms` rows."""
    updates = len(workload.marginals) * atoms + 12 * workload.queries
    return WorkloadFacts(
        len(workload.marginals),
        workload.queries,
        workload.domain.dimension,
        workload.domain.size,
        workload.queries * 8 * 6 / 1e6,
        updates * _UPDATE_SECONDS,
    )


def release_plan(
    service: Service,
    current: Study,
    candidates: Sequence[str],
    *,
    epsilon: str,
    rounds: int = DEFAULT_ROUNDS,
    selection: str = "exponential",
    output: str = "last",
    start: str = "public",
    replay: str = "half",
) -> ReleasePlan:
    """Freeze a release; `epsilon` is at the population's delta, or "rest" for all that is left.

    selection  "exponential" or "permute-and-flip"; output  "last" or "average"; start  "public" or "uniform";
    replay     "half": past measurements of at least half the newest one's error are applied again; or "off"
    """
    return ReleasePlan(
        n=current.population.n,
        rows_per_person=current.population.rows_per_person,
        inputs=current.inputs(candidates),
        rho_units=_budget(service, current, epsilon).units,
        rounds=rounds,
        selection=selection,  # type: ignore[arg-type]
        output=Output(output),
        start=Start(start),
        replay=REPLAYS[replay],
    )


def charges_of(plan: ReleasePlan, name: str) -> list[Charge]:
    """One charge: all rounds, each a selection and a measurement."""
    schedule = plan.schedule()
    return [
        Charge(
            purpose=f"release with {name}",
            mechanism=f"PMW^Pub, {plan.rounds} rounds of {plan.selection} selection and discrete Gaussian",
            sensitivity=f"{plan.rows_per_person} rows",
            scale=f"sigma = {float(schedule.share.measurement.scale):.6g} rows",
            rho=schedule.rho,
        )
    ]


def price(service: Service, plan: ReleasePlan, population: str, *, repeat: int = 0) -> Price:
    """What the plan costs: the sum of its rounds as charged, at most its budget; nothing if it was sent before."""
    booked = service.ledger.booking(population, PlanKey(plan.sha256, repeat))
    return service.price(population, charges_of(plan, "candidate") if booked is None else [])


def release(
    service: Service, private: PrivateTable, plan: ReleasePlan, *, repeat: int = 0, current: Study | None = None
) -> Outcome:
    """Run a release as a job. A plan that was sent before returns its stored bytes, uncharged.

    Raises PlanError, Overspent and TableBlocked before anything is charged.

    Privacy: `plan.schedule().rho` in zCDP; see mechanisms.pmw_pub.
    """
    current = current or study(service, private.population)
    workload = current.planned(plan, private)
    name = current.names(plan.inputs.candidates)
    known = _known_before(service, current, plan)
    return service.spend(
        private.population,
        PlanKey(plan.sha256, repeat),
        plan.canonical,
        charges_of(plan, name),
        private=private,
        task="release",
        work=lambda: _work(service, plan, repeat, private, current, workload),
        to_bytes=lambda booking, found: _to_bytes(service, booking, plan, found, current, workload, known),
    )


def releases(service: Service, current: Study) -> list[Released]:
    """Every release that was charged, oldest first, with what became of it."""
    return [released(service, current, booking) for booking in service.bought(current.population.name, "release")]


def released(service: Service, current: Study, booking: Booking) -> Released:
    """One release read back from its stored bytes."""
    plan = ReleasePlan.model_validate_json(booking.plan_json)
    name = current.known_names(plan.inputs.candidates)
    outcome = service.outcome(booking)
    return Released(name, plan, outcome, None if outcome.result is None else Bundle.from_bytes(outcome.result))


def _budget(service: Service, current: Study, epsilon: str) -> ZCDP:
    if epsilon.strip().lower() != REST:
        return zcdp_of(ApproxDP(as_fraction(epsilon), current.population.delta))
    left = service.ledger.balance(current.population.name).remaining
    if left.units == 0:
        raise PlanError("Nothing is left of this population's budget.")
    return left


def _work(
    service: Service, plan: ReleasePlan, repeat: int, private: PrivateTable, current: Study, workload: Workload
) -> ReleaseWork:
    source = public_core(service, current, plan.inputs.candidates, workload)
    return ReleaseWork(source, count(workload, private.dataset), plan.schedule(repeat))


@dataclass(frozen=True)
class _Known:
    """What stood in the store when a plan was sent, and so may have guided it."""

    remarks: tuple[str, ...]
    choices: Choices
    settings_from: str


def _known_before(service: Service, current: Study, plan: ReleasePlan) -> _Known:
    """Read before the charge: what is recorded later cannot have guided the plan, whatever the clock says."""
    report_template()
    tuning = tuning_of(service, current, plan)
    return _Known(
        remarks_from(service.ledger.marks(current.population.name)),
        choices_of(service, current, plan),
        "" if tuning is None else in_words(tuning),
    )


def _to_bytes(
    service: Service,
    booking: Booking,
    plan: ReleasePlan,
    found: object,
    current: Study,
    workload: Workload,
    known: _Known,
) -> bytes:
    if not isinstance(found, Release) or current.schema is None:
        raise PlanError("A release needs its schema and a finished run.")
    provenance = _provenance(service, booking, plan, current, known)
    return Bundle.of(plan, found, workload, current.schema, provenance, known.choices).to_bytes()


def _provenance(service: Service, booking: Booking, plan: ReleasePlan, current: Study, known: _Known) -> Provenance:
    terms = current.population
    history = service.ledger.history(booking.population)
    spent = sum((record.rho for record in history if record.id <= max(booking.charges)), ZCDP(0))
    own = [record for record in history if record.id in booking.charges]
    if not own:
        raise LedgerError("The charge of this release is not in the ledger.")
    return Provenance(
        population=booking.population,
        epsilon=epsilon_of(sum((record.rho for record in own), ZCDP(0)), terms.delta),
        delta=stated_delta(terms.delta),
        charge_id=booking.charges[0],
        repeat=booking.key.repeat,
        ledger_total=_total(spent, terms.delta),
        candidates=tuple(_candidate(current.candidate(sha256)) for sha256 in plan.inputs.candidates),
        unit=terms.unit,
        budget=_total(terms.total, terms.delta),
        charged_at=booking.created,
        settings_from=known.settings_from,
        remarks=known.remarks,
    )


def _candidate(facts: CandidateFacts) -> Candidate:
    named = Candidate(name=facts.name, sha256=facts.sha256)
    return named if facts.options is None else named.model_copy(update={"read_as": facts.options.spelt})


def _total(rho: ZCDP, delta: Fraction) -> LedgerTotal:
    return LedgerTotal(rho=decimal_rho(rho.units), epsilon=epsilon_of(rho, delta))
