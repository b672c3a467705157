"""The private table's own marginals beside a release's, for the steward; each look is recorded before it.

See `recorded_numbers` for what that means.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pmwpub.ledger import PlanKey
from pmwpub.plans.weighing import mass_of, planned_counts
from pmwpub.records import Floats
from pmwpub.release.quality import MarginalsCompared, distances
from pmwpub.service.bought.stored_releases import check_schema, stored_release
from pmwpub.service.core import Service
from pmwpub.service.private_table import PrivateTable
from pmwpub.service.steward_only import recorded_numbers


@dataclass(frozen=True, eq=False, repr=False)
class TrueMarginals:
    """The private table's own marginals, and how far the public table and a release are from them.

    compared  the marginals, with what public table and release say
    private   float64 (Q,), exact shares of private rows

    Privacy: none. Exact numbers for the steward alone; the repr shows nothing.
    """

    compared: MarginalsCompared
    private: Floats

    @property
    def public_distance(self) -> Floats:
        """float64 (W,): the total variation distance of the public table's marginals from the truth."""
        return distances(self.compared.workload, self.compared.public, self.private)

    @property
    def released_distance(self) -> Floats:
        """float64 (W,): the total variation distance of the release's marginals from the truth."""
        return distances(self.compared.workload, self.compared.released, self.private)


def true_marginals(
    service: Service, private: PrivateTable, release: PlanKey, comparisons: Mapping[int, MarginalsCompared]
) -> Mapping[int, TrueMarginals]:
    """k -> the k-way marginals of the private table beside those of a release.

    comparisons  k -> the comparison of that release with its public table

    Raises PlanError where nothing was frozen yet, or the release is of another schema; NoResult where it has no
    result; StoreUnavailable where the look cannot be recorded. Nothing is computed then.

    Privacy: none. Exact numbers for the steward alone; the mark is committed before a private row is looked at.
    """
    bundle = stored_release(service, private.population, release)
    check_schema(private, bundle)
    stated = bundle.certificate
    ways = ", ".join(f"{k}-way" for k in comparisons)
    what = f"{ways} marginals of the private table beside release {release.plan_sha256[:12]}, draw {release.repeat + 1}"
    recorded_numbers.record(service, private, what)
    return {
        k: TrueMarginals(one, planned_counts(one.workload, private.dataset, stated).counts / mass_of(stated))
        for k, one in comparisons.items()
    }
