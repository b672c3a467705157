"""Publishing a public table unchanged: a release that costs nothing, under the same word of the steward as any other.

It is stored like other public results, under its plan, and not in the ledger: there is no charge that it could stand
under. What is published is a function of the public table, the schema and the workload; that this table was chosen may
rest on what was bought before, which its own charges cover.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pmwpub.errors import PlanError, PopulationClosed
from pmwpub.plans import UnchangedPlan
from pmwpub.release.bundle import Bundle
from pmwpub.release.certificates.certificate_parts import Origin
from pmwpub.release.report import Choices
from pmwpub.service.bought.provenance import looks_before
from pmwpub.service.bought.stored_releases import bundle_of
from pmwpub.service.core import Service
from pmwpub.service.inputs.study import Study
from pmwpub.service.private_table import PrivateTable
from pmwpub.service.purchases.buying import check_tick
from pmwpub.service.purchases.caveats import remarks_from
from pmwpub.service.purchases.offers import said
from pmwpub.service.purchases.release_statement import candidate_of, public_values, rules_of

PUBLISHED = "unchanged-release"
"""The kind of document that such a release is stored as."""

BY_HAND = "The steward chose to publish the public table as it is."


@dataclass(frozen=True)
class Published:
    """A public table that was published unchanged: its plan, the tables' names, and its files."""

    plan: UnchangedPlan
    name: str
    bundle: Bundle = field(repr=False)


def publish_unchanged(
    service: Service,
    current: Study,
    plan: UnchangedPlan,
    *,
    private: PrivateTable,
    tick: bool | None = None,
    why: str = "",
) -> Published:
    """Publish a public table as it is, or find it published; nothing is charged.

    private  the loaded table, which is compared with the public ones where nobody said `TICK`, as before a purchase
    tick     as in `buy`
    why      the advice that was followed, in words; "" where the steward chose it

    Raises as `buy` does, but for what concerns a budget.

    Privacy: no private row has a part in the files; whether they are made may rest on the comparison of tables, which
    is the steward's to see.
    """
    service.refuse_viewers(current.population.name)
    said(tick)
    name, schema = current.population.name, current.schema
    if private.population != name:
        raise PlanError("The private table was loaded for another population; load this one's.")
    if not is_published(service, current, plan):
        if current.closed is not None:
            raise PopulationClosed(f"{current.closed.words} Nothing was published.")
        current.check_usable(plan.inputs.candidates)
        current.check_readings(plan.inputs)
        used = frozenset() if current.demo else frozenset(plan.inputs.candidates)
        check_tick(service, private, used, current, tick)
        if schema is None or plan.inputs.schema_sha256 != schema.sha256:
            raise PlanError("The schema changed since this was planned; plan again.")
        assessed, others = looks_before(service, current, plan)
        made = Bundle.of_public_table(
            plan,
            current.support(plan.inputs.candidates),
            plan.inputs.workload.build(schema.domain),
            schema,
            _origin(service, current, plan, why),
            Choices(assessed, why or BY_HAND, others),
            public_values(service, current, plan),
        )
        service.ledger.put_document(name, PUBLISHED, plan.sha256, made.to_bytes(), once=True)
    return _published(service, current, plan.sha256)


def is_published(service: Service, current: Study, plan: UnchangedPlan) -> bool:
    """Whether a plan's files are stored."""
    return plan.sha256 in {entry.key for entry in service.ledger.documents(current.population.name, PUBLISHED)}


def published(service: Service, current: Study) -> list[Published]:
    """Every public table that was published unchanged for the population, oldest first."""
    entries = service.ledger.documents(current.population.name, PUBLISHED)
    return [_published(service, current, entry.key) for entry in entries]


def _published(service: Service, current: Study, key: str) -> Published:
    name = current.population.name
    bundle = bundle_of(service, name, service.ledger.document(name, PUBLISHED, key))
    plan = UnchangedPlan.model_validate(bundle.certificate.plan)
    return Published(plan, current.known_names(plan.inputs.candidates), bundle)


def _origin(service: Service, current: Study, plan: UnchangedPlan, why: str) -> Origin:
    terms = current.population
    return Origin(
        population=terms.name,
        candidates=tuple(candidate_of(current.candidate(sha256)) for sha256 in plan.inputs.candidates),
        unit=terms.unit,
        rules=rules_of(current, plan),
        settings_from=why,
        remarks=remarks_from(service.ledger.marks(terms.name)),
    )
