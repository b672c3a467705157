"""The quality report of a finished release: it stands beside its public table, for everybody.

The same beside the private table is for the steward alone: see `steward_only`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pmwpub.errors import DomainError, PlanError
from pmwpub.records import Distribution, Ints, Support
from pmwpub.release import quality
from pmwpub.release.bundle import TABLES, WEIGHTS, Bundle
from pmwpub.release.certificates.table_certificate import TableCertificate
from pmwpub.release.measured.causes import Cause, causes_of, touching
from pmwpub.release.measured.level_evidence import LevelEvidence, level_evidence
from pmwpub.release.quality import Concentration, HeavyAtom, MarginalsCompared
from pmwpub.release.rebuilding import workload_of
from pmwpub.service.bought.release_priors import prior_support
from pmwpub.service.bought.releases import Released
from pmwpub.service.core import Service
from pmwpub.service.inputs.study import Study

CHANGED = "The public table of this release is read in another way now, so the two cannot be compared."


@dataclass(frozen=True, eq=False)
class Quality:
    """What can be said of a release without the private table.

    key        of the release among public things
    released   on the public support, with rows that were added where the plan adds rows
    public     int64 (m,), how often the public table has each row
    causes     every measurement, as in `causes_of`
    evidence   levels and columns of which the noisy counts say what the public table does not
    weights    how concentrated the release is; public_weights  the same of the public table
    """

    key: str
    released: Distribution
    public: Ints
    causes: tuple[Cause, ...]
    evidence: tuple[LevelEvidence, ...]
    weights: Concentration
    public_weights: Concentration
    heaviest: tuple[HeavyAtom, ...]

    @property
    def ways(self) -> tuple[int, ...]:
        """The numbers of columns whose marginals are compared: 1, 2 and 3, as far as there are so many columns."""
        return quality.ways_of(self.released.support.domain)

    def touching(self, names: Sequence[str], limit: int = 3) -> tuple[Cause, ...]:
        """At most `limit` measurements that touch the marginal of some columns, in the order of `causes.touching`."""
        return touching(self.causes, names, limit)


def quality_of(service: Service, current: Study, found: Released) -> Quality:
    """The quality of a finished release; kept by content in the shared cache, for all of it is public.

    Raises PlanError, in words, where the release cannot be compared with its public table any more.

    Privacy: post-processing of the release and of public data.
    """
    bundle = found.bundle
    if bundle is None:
        raise PlanError("This release has no result that could be compared.")
    if current.schema is None or bundle.schema.sha256 != current.schema.sha256:
        raise PlanError("This release was made under another schema; it is compared under that one only.")
    candidates = found.plan.inputs.candidates
    if not set(candidates) <= {facts.sha256 for facts in current.usable}:
        raise PlanError("The public table of this release was deleted; add it again to compare the two.")
    read = current.readings(candidates)  # as they are read now, which may be otherwise than when this was kept
    key = f"quality:{bundle.certificate.files[WEIGHTS]}:{found.outcome.booking.id}:{read}"
    return service.cache(key, lambda: _quality(key, bundle, current, candidates))


def compared(service: Service, found: Quality, ways: int) -> MarginalsCompared:
    """The release's k-way marginals beside the public table's; kept like `quality_of`."""
    return service.cache(f"{found.key}:{ways}", lambda: quality.compared(found.released, ways, found.public))


def _quality(key: str, bundle: Bundle, current: Study, candidates: tuple[str, ...]) -> Quality:
    released, support = bundle.distribution(), prior_support(current, bundle, candidates)
    public = _public_rows(bundle, released.support, support)
    workload = workload_of(bundle.certificate, bundle.schema)
    tables = bundle.parts.get(TABLES, b"")
    causes = causes_of(bundle.certificate, released, workload, tables, public)
    return Quality(
        key=key,
        released=released,
        public=public,
        causes=causes,
        evidence=level_evidence(bundle.certificate, support, workload, causes, tables),
        weights=quality.concentration(released),
        public_weights=quality.concentration(Distribution.empirical(support)),
        heaviest=quality.heaviest(released, public=public),
    )


def _public_rows(bundle: Bundle, released: Support, public: Support) -> Ints:
    """How often the public table has each row of the release; PlanError where other rows differ than those added."""
    certificate = bundle.certificate
    grown = isinstance(certificate, TableCertificate) and certificate.adds_rows
    try:
        found = quality.public_rows(released, public)
    except DomainError as failure:
        raise PlanError(CHANGED) from failure
    if not grown and not found.all():
        raise PlanError(CHANGED)
    return found
