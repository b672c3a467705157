"""The purchase of a PMW^Pub release: its charge, its run, and its files."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from pmwpub.errors import LedgerError, PlanError
from pmwpub.ledger import Booking, Charge
from pmwpub.mechanisms.pmw_pub.algorithm import Release
from pmwpub.plans import ReleasePlan
from pmwpub.privacy.budget import ZCDP, epsilon_of
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.release.bundle import Bundle
from pmwpub.release.certificate import Certificate
from pmwpub.release.certificate_parts import Candidate, LedgerTotal, Provenance, decimal_rho
from pmwpub.release.report import Choices
from pmwpub.release.report import template as report_template
from pmwpub.rounding import stated_delta
from pmwpub.service.bought.provenance import choices_of
from pmwpub.service.core import Service
from pmwpub.service.inputs.study import CandidateFacts, Study
from pmwpub.service.private_table import PrivateTable
from pmwpub.service.public_cores import public_core
from pmwpub.service.purchases.caveats import remarks_from
from pmwpub.service.purchases.protocol import Prepared
from pmwpub.service.simulations.validated_settings import in_words, tuning_of
from pmwpub.tasks.mechanism_work import ReleaseWork

UNKNOWN_TIME = "2000-01-01T00:00:00+00:00"
"""Stands for the time of a charge in a draft that is made before it."""


@dataclass(frozen=True)
class ReleasePurchase:
    """One release.

    Privacy: `plan.schedule().rho` in zCDP; see mechanisms.pmw_pub.algorithm.
    """

    plan: ReleasePlan
    task: str = "release"

    @property
    def public_tables(self) -> frozenset[str]:
        """The candidate, or the tables of a pool."""
        return frozenset(self.plan.inputs.candidates)

    def charges(self, current: Study) -> tuple[Charge, ...]:
        """One charge: all rounds, each a selection and a measurement."""
        plan, schedule = self.plan, self.plan.schedule()
        return (
            Charge(
                purpose=f"release with {current.known_names(plan.inputs.candidates)}",
                mechanism=f"PMW^Pub, {plan.rounds} rounds of {plan.selection} selection and discrete Gaussian",
                sensitivity=f"{plan.rows_per_person} rows",
                scale=f"sigma = {float(schedule.share.measurement.scale):.6g} rows",
                rho=schedule.rho,
            ),
        )

    def prepared(self, service: Service, private: PrivateTable, current: Study, repeat: int) -> Prepared:
        """The purchase, once all that it needs belongs together."""
        plan = self.plan
        workload = current.planned(plan, private)
        current.check_usable(plan.inputs.candidates)
        known = _known_before(service, current, plan)
        _refuse_unstated(service, plan, repeat, current, workload, known)
        return Prepared(
            work=lambda: _work(service, plan, repeat, private, current, workload),
            encode=lambda booking, found: _to_bytes(service, booking, plan, found, current, workload, known),
        )


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


def _refuse_unstated(
    service: Service, plan: ReleasePlan, repeat: int, current: Study, workload: Workload, known: _Known
) -> None:
    """PlanError where the certificate of this release could not be stated, or not be written down.

    A draft of it is made before the charge, of all that it says but the rounds: after the charge it would be too late.
    """
    rho = plan.schedule().rho
    spent = service.ledger.balance(current.population.name).spent + rho
    try:
        provenance = _stated(plan, current, known, (1, repeat, UNKNOWN_TIME), rho, spent)
        Certificate.drafted(plan, workload, provenance, rho=rho).to_bytes()
    except ValueError:
        raise PlanError(
            "The certificate of this release could not be stated: a name or a number in it has characters or digits "
            "that it cannot hold. Nothing was charged."
        ) from None


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
    history = service.ledger.history(booking.population)
    spent = sum((record.rho for record in history if record.id <= max(booking.charges)), ZCDP(0))
    own = [record for record in history if record.id in booking.charges]
    if not own:
        raise LedgerError("The charge of this release is not in the ledger.")
    charged = (booking.charges[0], booking.key.repeat, booking.created)
    return _stated(plan, current, known, charged, sum((record.rho for record in own), ZCDP(0)), spent)


def _stated(
    plan: ReleasePlan, current: Study, known: _Known, charged: tuple[int, int, str], rho: ZCDP, spent: ZCDP
) -> Provenance:
    """What a certificate states of a release that was charged rho.

    charged  the number of the charge, which draw of the plan it paid, and when
    spent    by the population by then, this charge included
    """
    terms = current.population
    return Provenance(
        population=terms.name,
        epsilon=epsilon_of(rho, terms.delta),
        delta=stated_delta(terms.delta),
        charge_id=charged[0],
        repeat=charged[1],
        ledger_total=_total(spent, terms.delta),
        candidates=tuple(_candidate(current.candidate(sha256)) for sha256 in plan.inputs.candidates),
        unit=terms.unit,
        budget=_total(terms.total, terms.delta),
        charged_at=charged[2],
        settings_from=known.settings_from,
        remarks=known.remarks,
    )


def _candidate(facts: CandidateFacts) -> Candidate:
    named = Candidate(name=facts.name, sha256=facts.sha256)
    return named if facts.options is None else named.model_copy(update={"read_as": facts.options.spelt})


def _total(rho: ZCDP, delta: Fraction) -> LedgerTotal:
    return LedgerTotal(rho=decimal_rho(rho.units), epsilon=epsilon_of(rho, delta))
