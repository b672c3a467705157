"""Replicate weights of a stored release: made once by a worker, kept, and read by everybody. Free and public."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from pmwpub.errors import PlanError
from pmwpub.jobs import Job, Reason
from pmwpub.mechanisms.table_fit.replicates.replicate_weights import REPLICATES
from pmwpub.release.answers.replicate_files import REPRODUCE
from pmwpub.release.bundle import INTERVALS, Bundle
from pmwpub.service.core import Service
from pmwpub.service.free_work import free_claim
from pmwpub.service.inputs.study_store import Study
from pmwpub.tasks.replicate_work import ReplicateWork

__all__ = ["REPLICATES", "REPRODUCE", "Bundle", "ReplicatesSeen", "archive", "can_be_made", "make", "replicates"]

KIND, TASK = "replicate-weights", "replicates"
VERSION = 2
"""The rule by which they are made; another rule makes others."""


@dataclass(frozen=True)
class ReplicatesSeen:
    """Replicate weights of a release: stored, at work (`job`), or neither.

    reason  why they were not made, where this program knows
    """

    stored: bool = False
    job: Job | None = None
    reason: Reason | None = None


def can_be_made(bundle: Bundle) -> bool:
    """Whether a release has the intervals that replicate weights carry."""
    return INTERVALS in bundle.certificate.files


def replicates(service: Service, current: Study, bundle: Bundle) -> ReplicatesSeen:
    """What is known of the replicate weights of a release; nothing is run."""
    population, key = current.population.name, _key(bundle)
    if key in {entry.key for entry in service.ledger.documents(population, KIND)}:
        return ReplicatesSeen(stored=True)
    job_key = _job_key(population, key)
    job = service.engine.job(job_key)
    if job is None or service.engine.expects(job_key):
        return ReplicatesSeen(job=job)
    return ReplicatesSeen(reason=job.reason)


def archive(service: Service, current: Study, bundle: Bundle) -> bytes:
    """A zip of the stored table and its note; LedgerError where they were not made."""
    return service.ledger.document(current.population.name, KIND, _key(bundle))


def make(service: Service, current: Study, bundle: Bundle) -> ReplicatesSeen:
    """Start to make them, or find those that are being made or stored; nothing is charged.

    Raises ViewersOnly on a server for viewers alone, QueueFull without a place.
    """
    found = replicates(service, current, bundle)
    if found.stored or found.job is not None:
        return found
    population, key = current.population.name, _key(bundle)
    claim = free_claim(service, population, 0)
    service.engine.forget(_job_key(population, key))
    service.engine.submit(
        TASK,
        ReplicateWork(bundle.parts),
        key=_job_key(population, key),
        on_done=lambda result: service.ledger.put_document(population, KIND, key, _packed(result)),
        on_failed=lambda reason: None,
        claim=claim,
    )
    return replicates(service, current, bundle)


def _packed(result: object) -> bytes:
    if not isinstance(result, bytes):
        raise PlanError("Replicate weights come as an archive.")
    return result


def _key(bundle: Bundle) -> str:
    """A key of all that they depend on: the rule, how many, and the release's files."""
    files = sorted(bundle.certificate.files.items())
    return hashlib.sha256(json.dumps([VERSION, REPLICATES, files]).encode()).hexdigest()


def _job_key(population: str, key: str) -> str:
    return f"{KIND}:{population}:{key}"
