"""What a release states and keeps beside its own mechanism: what guided it, what it cost, what it ran on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from pmwpub.errors import DomainError, LedgerError, PlanError
from pmwpub.ledger import Booking
from pmwpub.plans import AnyReleasePlan, ReleasePlan, UnchangedPlan
from pmwpub.privacy.budget import ZCDP, epsilon_of
from pmwpub.records import Dataset, Support
from pmwpub.release.certificates.certificate_parts import Candidate, LedgerTotal, Provenance, decimal_rho
from pmwpub.release.certificates.stated_rules import StatedRule, stated_rules
from pmwpub.release.report import TEMPLATES, Choices
from pmwpub.release.report import template as report_template
from pmwpub.rounding import stated_delta
from pmwpub.service.accepting.criteria_attempts import attempts_by
from pmwpub.service.accepting.criteria_of_release import checked_criteria
from pmwpub.service.bought.provenance import choices_of
from pmwpub.service.core import Service
from pmwpub.service.inputs import stored_tables
from pmwpub.service.inputs.study import CandidateFacts, Study
from pmwpub.service.purchases.caveats import remarks_from
from pmwpub.service.simulations.validated_settings import in_words, tuning_of
from pmwpub.tabular.coding.decode import refuse_unplaced
from pmwpub.tabular.coding.public_values import PublicValues

UNKNOWN_TIME = "2000-01-01T00:00:00+00:00"
"""Stands for the time of a charge in a draft that is made before it."""


@dataclass(frozen=True)
class Known:
    """What stood in the store when a plan was sent, and so may have guided it."""

    remarks: tuple[str, ...]
    choices: Choices
    settings_from: str


def known_before(service: Service, current: Study, plan: AnyReleasePlan) -> Known:
    """Read before the charge: what is recorded later cannot have guided the plan, whatever the clock says.

    Raises SchemaError or PlanError for criteria in the plan that no purchase could measure.
    """
    if plan.criteria and current.schema is not None:
        checked_criteria(plan.criteria, current.schema, plan.n, plan.rows_per_person)
    report_template(TEMPLATES[1 if isinstance(plan, ReleasePlan) else 2])
    tuning = tuning_of(service, current, plan) if isinstance(plan, ReleasePlan) else None
    return Known(
        remarks_from(service.ledger.marks(current.population.name)),
        choices_of(service, current, plan),
        "" if tuning is None else in_words(tuning),
    )


def refuse_unstated(
    service: Service,
    plan: AnyReleasePlan,
    repeat: int,
    current: Study,
    known: Known,
    rho: ZCDP,
    draft: Callable[[Provenance], bytes],
) -> None:
    """PlanError where the certificate of a release could not be stated, or not be written down.

    draft  the certificate's bytes, of all that it says but what is drawn

    A draft of it is made before the charge: after the charge it would be too late.
    """
    spent = service.ledger.balance(current.population.name).spent + rho
    try:
        draft(_stated(plan, current, known, (1, repeat, UNKNOWN_TIME), rho, spent, 1 if plan.criteria else None))
    except ValueError:
        raise PlanError(
            "The certificate of this release could not be stated: a name or a number in it has characters or digits "
            "that it cannot hold. Nothing was charged."
        ) from None


def refuse_unwritten(current: Study, support: Support) -> None:
    """PlanError where the public rows that a release weighs could not be written down under the schema: a row of
    another domain, without a level, or that breaks a rule. After the charge it would be too late.
    """
    if current.schema is None:
        raise PlanError("A release needs its schema.")
    try:
        refuse_unplaced(Dataset(support.domain, support.codes), current.schema)
    except DomainError as refusal:
        raise PlanError(
            f"The public rows of this release could not be written down. {refusal} Load the public tables again. "
            "Nothing was charged."
        ) from refusal


def provenance_of(service: Service, booking: Booking, plan: AnyReleasePlan, current: Study, known: Known) -> Provenance:
    """What the certificate of a booked release states of its charge and its inputs."""
    history = service.ledger.history(booking.population)
    spent = sum((record.rho for record in history if record.id <= max(booking.charges)), ZCDP(0))
    own = [record for record in history if record.id in booking.charges]
    if not own:
        raise LedgerError("The charge of this release is not in the ledger.")
    charged = (booking.charges[0], booking.key.repeat, booking.created)
    attempts = attempts_by(service.ledger, booking).releases if plan.criteria else None
    return _stated(plan, current, known, charged, sum((record.rho for record in own), ZCDP(0)), spent, attempts)


def _stated(
    plan: AnyReleasePlan,
    current: Study,
    known: Known,
    charged: tuple[int, int, str],
    rho: ZCDP,
    spent: ZCDP,
    attempts: int | None,
) -> Provenance:
    """What a certificate states of a release that was charged rho.

    charged   the number of the charge, which draw of the plan it paid, and when
    spent     by the population by then, this charge included
    attempts  see `Provenance`
    """
    terms = current.population
    return Provenance(
        population=terms.name,
        epsilon=epsilon_of(rho, terms.delta),
        delta=stated_delta(terms.delta),
        charge_id=charged[0],
        repeat=charged[1],
        ledger_total=_total(spent, terms.delta),
        candidates=tuple(candidate_of(current.candidate(sha256)) for sha256 in plan.inputs.candidates),
        unit=terms.unit,
        rules=rules_of(current, plan),
        budget=_total(terms.total, terms.delta),
        charged_at=charged[2],
        settings_from=known.settings_from,
        remarks=known.remarks,
        attempts=attempts,
    )


def rules_of(current: Study, plan: AnyReleasePlan | UnchangedPlan) -> tuple[StatedRule, ...] | None:
    """The rules of the schema as a certificate states them; None without any."""
    rules = () if current.schema is None else current.schema.rules
    return stated_rules(rules, [current.candidate(sha256).by_rule for sha256 in plan.inputs.candidates])


def candidate_of(facts: CandidateFacts) -> Candidate:
    """A public table as a certificate names it."""
    weighed = {"weighed_by": facts.weighed_by} if facts.weighed_by else {}
    read = {} if facts.options is None else {"read_as": facts.options.spelt}
    return Candidate(name=facts.name, sha256=facts.sha256, **read, **weighed)


def _total(rho: ZCDP, delta: Fraction) -> LedgerTotal:
    return LedgerTotal(rho=decimal_rho(rho.units), epsilon=epsilon_of(rho, delta))


def public_values(service: Service, current: Study, plan: AnyReleasePlan | UnchangedPlan) -> PublicValues:
    """The numbers of a plan's public tables, read before the charge: the tables may be gone when cells are drawn."""
    schema, name = current.schema, current.population.name
    if schema is None:
        raise PlanError("A release needs its schema.")
    named = plan.inputs.candidates
    readings = " ".join(f"{sha256}{plan.inputs.reading_of(sha256) or ''}" for sha256 in named)
    return service.cache(
        f"values:{readings}:{schema.sha256}",
        lambda: PublicValues.of([stored_tables.table(service, name, sha256) for sha256 in named], schema),
    )
