"""Which columns of a workload can have coarse tables, so that ranges of them get sharper."""

from __future__ import annotations

from pmwpub.mechanisms.table_fit.coarse_tables import range_columns
from pmwpub.service.core import Service
from pmwpub.service.inputs.study_store import Study


def columns_for_ranges(service: Service, current: Study) -> tuple[str, ...]:
    """Those that stand in order and have enough levels, in the domain's order; of each workload found once."""
    workload = current.workload()
    return service.cache(f"range columns:{workload.sha256}", lambda: range_columns(workload))
