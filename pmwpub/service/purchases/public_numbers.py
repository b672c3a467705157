"""The numbers of public tables that a release keeps, so that cells can be drawn from them later; public alone."""

from __future__ import annotations

from pmwpub.errors import PlanError
from pmwpub.plans import AnyReleasePlan, UnchangedPlan
from pmwpub.service.core import Service
from pmwpub.service.inputs import stored_tables
from pmwpub.service.inputs.study import Study
from pmwpub.tabular.coding.public_values import PublicValues


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
