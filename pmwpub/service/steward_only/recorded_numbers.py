"""Exact numbers of the private table for the steward's own eyes: recorded first, computed afterwards, stored nowhere.

No epsilon covers them. They may steer what is chosen later, so each look is a mark in the ledger, and every later
plan of the population carries a remark. They are handed to the caller alone: no cache, no log, no export holds them.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pmwpub.errors import DomainError, PlanError
from pmwpub.evaluation import Errors, errors_of
from pmwpub.ledger import PlanKey
from pmwpub.plans import RowsBeyond
from pmwpub.plans.weighing import planned_counts
from pmwpub.queries.counts import WEIGHED, count
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload
from pmwpub.release.rebuilding import workload_of
from pmwpub.service.bought.stored_releases import check_schema, stored_release
from pmwpub.service.core import Service
from pmwpub.service.inputs import study_store
from pmwpub.service.private_table import PrivateTable
from pmwpub.service.purchases.caveats import PRIVATE_NUMBERS_SEEN, noted


def offered(service: Service, population: str) -> bool:
    """Whether private numbers may be opened: only once a plan is frozen and charged, so that it was chosen unseen."""
    return bool(service.ledger.bookings(population))


def true_errors(service: Service, private: PrivateTable, release: PlanKey) -> Errors:
    """The exact errors of a stored release over its own workload.

    Raises PlanError where nothing was frozen yet, or the release is of another schema; NoResult where it has no
    result; StoreUnavailable where the look cannot be recorded. Nothing is computed then.

    Privacy: none. Exact numbers for the steward alone; the mark is committed before a private row is looked at.
    """
    bundle = stored_release(service, private.population, release)
    check_schema(private, bundle)
    record(service, private, f"true errors of release {release.plan_sha256[:12]}, draw {release.repeat + 1}")
    workload = workload_of(bundle.certificate, bundle.schema)
    released = bundle.distribution()
    counts = planned_counts(workload, private.dataset, bundle.certificate)
    return errors_of(counts, PublicProblem(workload, released.support), released)


def one_way_shares(service: Service, private: PrivateTable) -> Mapping[str, tuple[float, ...]]:
    """Column -> the exact share of private rows at each of its levels. Raises as `true_errors` does, and DomainError of
    rows that are weighed.

    Privacy: none. Exact numbers for the steward alone; the mark is committed before a private row is looked at.
    """
    _refuse_weighed(service, private)
    record(service, private, "one-way marginals of the private table")
    counts = _level_counts(private)
    return {name: tuple((levels[:-1] / len(private.dataset)).tolist()) for name, levels in counts.items()}


UNMAPPED: Mapping[RowsBeyond, str] = {
    None: "How many cells of each column no rule of the schema places: they count in n and in no query.",
    "keep": "How many cells of each column count in n and in no query: those that no rule of the schema places, and in "
    "every column the cells of rows without an ID and of an ID's rows beyond k, whatever they say.",
}
"""What `unmapped_cells` counts, by what becomes of further rows of one ID."""


def unmapped_cells(service: Service, private: PrivateTable) -> Mapping[str, int]:
    """Column -> how many private cells have no level; UNMAPPED says why. Raises as `one_way_shares` does.

    Privacy: none. Exact numbers for the steward alone; the mark is committed before a private row is looked at.
    """
    _refuse_weighed(service, private)
    record(service, private, "cells of the private table without a level, counted by column")
    return {name: int(levels[-1]) for name, levels in _level_counts(private).items()}


def record(service: Service, private: PrivateTable, what: str) -> None:
    """Commit the mark of a look at private numbers, before anything is computed.

    Raises PlanError where no plan is frozen yet, StoreUnavailable where the mark cannot be committed.
    """
    service.refuse_viewers(private.population)
    population = private.population
    if not offered(service, population):
        raise PlanError("Private numbers are offered once a plan is frozen and charged; none is. Nothing was computed.")
    last = max((record.id for record in service.ledger.history(population)), default=0)
    service.ledger.mark(population, PRIVATE_NUMBERS_SEEN, noted(what, last))


def _refuse_weighed(service: Service, private: PrivateTable) -> None:
    """DomainError where rows are weighed, by the schema alone: none are shown without their weights, and a look that
    shows nothing leaves no mark."""
    schema = study_store.study(service, private.population).schema
    if schema is not None and schema.sha256 == private.schema_sha256 and schema.weight_column is not None:
        raise DomainError(WEIGHED)


def _level_counts(private: PrivateTable) -> dict[str, np.ndarray]:
    """Column -> int64 (levels + 1,): rows at each level; the last entry counts the cells without one."""
    dataset = private.dataset
    workload = Workload.all_kway(dataset.domain, 1)
    levels = np.split(count(workload, dataset).counts, workload.offsets[1:-1])
    return {
        name: np.append(placed, len(dataset) - placed.sum())
        for name, placed in zip(dataset.domain.names, levels, strict=True)
    }
