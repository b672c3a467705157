"""What a workload means in size."""

from __future__ import annotations

from dataclasses import dataclass

from pmwpub.queries.workload import Workload

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


def workload_facts(workload: Workload, atoms: int) -> WorkloadFacts:
    """Sizes of a workload on a support of `atoms` rows."""
    updates = len(workload.tables) * atoms + 12 * workload.queries
    return WorkloadFacts(
        len(workload.marginals),
        workload.queries,
        workload.domain.dimension,
        workload.domain.size,
        workload.queries * 8 * 6 / 1e6,
        updates * _UPDATE_SECONDS,
    )
