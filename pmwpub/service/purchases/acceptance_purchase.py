"""The purchase of an acceptance: noisy numbers of a stored release, against criteria that stood in its plan.

Its rules. The criteria are those of the release's own plan, all of them, and none are added afterwards. A criterion
whose half-width exceeds its bar could not be passed, whatever the private rows are: it is refused before any charge.
The number is sold, so not passing is no reason to refund. How many releases with criteria, and how many acceptances,
the ledger holds is stored with the numbers: whoever tries often enough passes.
"""

from __future__ import annotations

from dataclasses import dataclass

from pmwpub.errors import PlanError
from pmwpub.ledger import Booking, Charge
from pmwpub.plans import AcceptancePlan
from pmwpub.service.accepting.criteria_attempts import attempts_by
from pmwpub.service.accepting.criteria_of_release import check_stands
from pmwpub.service.accepting.exact_numbers import exact_numbers
from pmwpub.service.accepting.stored_acceptance import StoredAcceptance
from pmwpub.service.bought.stored_releases import release_measured_by
from pmwpub.service.core import Service
from pmwpub.service.inputs.study import Study
from pmwpub.service.private_table import PrivateTable
from pmwpub.service.purchases.caveats import remarks_from
from pmwpub.service.purchases.protocol import Prepared
from pmwpub.tasks.mechanism_work import AcceptanceWork

TOO_WIDE = (
    "At this price the noise of {what} is wider than the bar, so no table could pass. Take narrower noise, or before "
    "the next release a wider bar. Nothing was charged."
)


@dataclass(frozen=True)
class AcceptancePurchase:
    """One acceptance of one stored release.

    Privacy: the weights are read from the store before the charge and stay fixed; see
    mechanisms.acceptance.acceptance_noise.
    """

    plan: AcceptancePlan
    task: str = "acceptance"

    @property
    def public_tables(self) -> frozenset[str]:
        """The empty set: released weights are held against the private table, and no public table takes part."""
        return frozenset()

    def charges(self, current: Study) -> tuple[Charge, ...]:
        """One charge for each number: discrete Gaussian noise."""
        plan = self.plan
        law, criteria = plan.law, [one for one, own in zip(plan.criteria, plan.places, strict=True) for _ in _each(own)]
        return tuple(
            Charge(
                purpose=f"acceptance of release {plan.release[:12]}, draw {plan.release_repeat + 1}: {one.words}",
                mechanism="criterion, discrete Gaussian",
                sensitivity=f"{number.sensitivity} times {one.step}",
                scale=f"{float(noise.scale):.6g} times {one.step}",
                rho=noise.rho,
            )
            for one, number, noise in zip(criteria, law.numbers, law.noises, strict=True)
        )

    def prepared(self, service: Service, private: PrivateTable, current: Study, repeat: int) -> Prepared:
        """The purchase, once it is one that is sold, and release, private table and population belong together."""
        plan = self.plan
        bundle = release_measured_by(service, private, plan, current.population)
        check_stands(plan, bundle)
        if plan.too_wide:
            raise PlanError(TOO_WIDE.format(what="; ".join(one.words for one in plan.too_wide)))
        remarks = remarks_from(service.ledger.marks(private.population))
        # Counted before the charge: a file that changed since it was loaded, or cannot be read, costs nothing.
        values = exact_numbers(plan, bundle, private)
        return Prepared(
            work=lambda: AcceptanceWork(values, plan.law),
            encode=lambda booking, found: _encoded(service, booking, plan, found, remarks),
        )


def _each(own: slice) -> range:
    return range(own.start, own.stop)


def _encoded(
    service: Service, booking: Booking, plan: AcceptancePlan, found: object, remarks: tuple[str, ...]
) -> bytes:
    """The noisy numbers in the plan's order, with their half-widths and bars; verdicts follow from these."""
    if not isinstance(found, tuple) or len(found) != len(plan.law.numbers):
        raise TypeError("An acceptance returns one noisy number for each that was planned.")
    stored = StoredAcceptance.of(plan, found, attempts_by(service.ledger, booking), remarks)
    return stored.model_dump_json().encode()
