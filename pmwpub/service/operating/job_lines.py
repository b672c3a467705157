"""The jobs of a server: what is at work, and what waits for it. No progress and no reason, which may be private."""

from __future__ import annotations

from dataclasses import dataclass

from pmwpub.jobs import Lane
from pmwpub.service.core import Service, job_key
from pmwpub.service.operating.operators import refuse_others

KINDS = {
    "release": "release by PMW^Pub",
    "table-fit": "release by table fit",
    "table-fit-pool": "release by table fit, weighted pool",
    "households": "release of households",
    "households-pmw-pub": "release of households by PMW^Pub",
    "household-assessment": "assessment of households",
    "household-best": "choice of the best households",
    "household-error": "noisy error of a release of households",
    "assess": "assessment of candidates",
    "best": "choice of the best candidate",
    "error": "noisy error of a release",
    "misfits": "look at the fit",
    "weight-total": "noisy total of weights",
    "acceptance": "acceptance of a release",
    "simulation": "simulation",
    "household-simulation": "simulation of households",
    "compare": "comparison of public tables",
    "engines": "trial of both engines",
    "replicates": "replicate weights",
}
"""What each task is to whoever reads of it."""


@dataclass(frozen=True)
class JobFacts:
    """One job, as its operator sees it.

    population  whose budget it was charged to; "" for free work
    place       how far from the front of the line it waits; 0 is at work
    """

    kind: str
    paid: bool
    population: str
    place: int


def jobs(service: Service) -> list[JobFacts]:
    """The jobs at work, then those that wait, the next one first."""
    refuse_others(service)
    charged = _charged(service)
    return [
        JobFacts(KINDS.get(one.job.task, one.job.task), one.lane is Lane.PAID, charged.get(one.job.key, ""), one.place)
        for one in service.engine.in_line()
    ]


def _charged(service: Service) -> dict[str, str]:
    """The population of every job whose plan was charged and has no outcome yet."""
    names = [population.name for population in service.ledger.populations()]
    return {job_key(name, booking.key): name for name in names for booking in service.running(name)}
