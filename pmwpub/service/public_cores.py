"""What PMW^Pub runs on, built from public things alone and kept by content."""

from __future__ import annotations

from collections.abc import Sequence

from pmwpub.errors import SchemaError
from pmwpub.queries.workload import Workload
from pmwpub.service.core import Service
from pmwpub.service.inputs import stored_tables
from pmwpub.service.inputs.study import Study
from pmwpub.tasks.mechanism_work import PublicInput


def public_core(service: Service, current: Study, candidates: Sequence[str], workload: Workload) -> PublicInput:
    """A public support with a workload; kept by content for every session."""
    if current.schema is None:
        raise SchemaError("A run needs a schema; draft or load one on the Prepare page.")
    read = [f"{sha256}{stored_tables.spelt(current.candidate(sha256).options)}" for sha256 in candidates]
    key = f"{workload.sha256}:{current.schema.sha256}:{'+'.join(read)}"
    return service.cache(f"core:{key}", lambda: PublicInput(key, workload, current.support(candidates)))
