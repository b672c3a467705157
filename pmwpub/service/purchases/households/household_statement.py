"""What the certificate of a release of households states, whichever engine made it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import metadata

from pmwpub.errors import PlanError
from pmwpub.ledger import Booking
from pmwpub.plans.household_plans import PlanOfHouseholds
from pmwpub.privacy.budget import ZCDP, epsilon_of
from pmwpub.release.certificates.certificate_parts import LedgerTotal, decimal_rho, versions
from pmwpub.release.households.household_certificate import (
    HouseholdCertificate,
    HouseholdTableStated,
    PublicFacts,
    engine_stated,
)
from pmwpub.release.households.household_rounds_stated import RoundsStated
from pmwpub.rounding import stated_delta
from pmwpub.service.core import Service
from pmwpub.service.inputs.study import Study
from pmwpub.service.purchases.release_statement import candidate_of
from pmwpub.tabular.households.household_schema import HouseholdSchema
from pmwpub.tabular.households.reading_households import PublicHouseholds

UNKNOWN_TIME = "2000-01-01T00:00:00+00:00"
"""Stands for the time of a charge in a draft that is made before it."""

Measured = tuple[HouseholdTableStated, ...] | RoundsStated
"""What an engine measured: tables, each with its noise, or rounds."""


@dataclass(frozen=True, eq=False)
class StatedHouseholds:
    """What a purchase runs on, from the preparation to its stored bytes. Public alone."""

    plan: PlanOfHouseholds
    current: Study
    schema: HouseholdSchema
    public: PublicHouseholds
    remarks: tuple[str, ...]

    def booked(self, service: Service, booking: Booking, measured: Measured) -> HouseholdCertificate:
        """The certificate of what a booking paid."""
        history = service.ledger.history(booking.population)
        spent = sum((record.rho for record in history if record.id <= max(booking.charges)), ZCDP(0))
        rho = sum((record.rho for record in history if record.id in booking.charges), ZCDP(0))
        return self.stated((booking.charges[0], booking.key.repeat, booking.created), rho, spent, measured)

    def refuse_unstated(self, service: Service, repeat: int, rho: ZCDP, measured: Measured) -> None:
        """PlanError where the certificate could not be stated or written down: after the charge it is too late."""
        spent = service.ledger.balance(self.current.population.name).spent + rho
        try:
            drafted = self.stated((1, repeat, UNKNOWN_TIME), rho, spent, measured).to_bytes()
            HouseholdCertificate.from_bytes(drafted)
        except ValueError:
            raise PlanError(
                "The certificate of this release could not be stated: a name or a number in it has characters or "
                "digits that it cannot hold. Nothing was charged."
            ) from None

    def stated(self, charged: tuple[int, int, str], rho: ZCDP, spent: ZCDP, measured: Measured) -> HouseholdCertificate:
        """The certificate but for what is drawn.

        charged  the number of the charge, which draw of the plan it paid, and when
        spent    by the population by then, this charge included
        """
        terms, plan, public = self.current.population, self.plan, self.public
        return HouseholdCertificate(
            **engine_stated(measured),
            epsilon=epsilon_of(rho, terms.delta),
            delta=stated_delta(terms.delta),
            rho=decimal_rho(rho.units),
            population=terms.name,
            unit=terms.unit,
            n=plan.n,
            largest_household=plan.largest,
            strengths=None,
            schema_sha256=self.schema.sha256,
            candidate=candidate_of(self.current.candidate(plan.inputs.candidates[0])),
            public=PublicFacts(**public.facts),
            plan=json.loads(plan.canonical),
            plan_sha256=plan.sha256,
            charge_id=charged[0],
            repeat=charged[1],
            charged_at=charged[2],
            ledger_total=LedgerTotal(rho=decimal_rho(spent.units), epsilon=epsilon_of(spent, terms.delta)),
            budget=LedgerTotal(rho=decimal_rho(terms.total.units), epsilon=epsilon_of(terms.total, terms.delta)),
            remarks=self.remarks,
            versions=versions() | {"scipy": metadata.version("scipy")},
        )
