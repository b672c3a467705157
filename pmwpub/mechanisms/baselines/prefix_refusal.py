"""Methods that answer the cells of marginals, and nothing else."""

from __future__ import annotations

from pmwpub.errors import MethodRefused
from pmwpub.queries.workload import Workload

CELLS_ALONE = (
    'It answers the cells of marginals, and no "at most" questions; compare it on a workload without them (prefixes).'
)


def refuse_prefixes(workload: Workload) -> None:
    """MethodRefused where a workload has queries that are no cells."""
    if workload.prefixes:
        raise MethodRefused(CELLS_ALONE)
