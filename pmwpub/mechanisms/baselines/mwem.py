"""MWEM (Hardt, Ligett, McSherry 2012): PMW^Pub's mechanism on every possible row, from a uniform start.

No public table is needed. Every cell of the domain carries a weight, so the domain must be small; a larger one can be
projected to attributes picked by hand, and then only the marginals inside them are answered.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pmwpub.domain import Domain
from pmwpub.errors import MethodRefused
from pmwpub.mechanisms.baselines.prefix_refusal import refuse_prefixes
from pmwpub.mechanisms.pmw_pub.algorithm import Release, Schedule, Start, pmw_pub
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.progress import Progress, unwatched
from pmwpub.queries.counts import PrivateCounts
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.repeated_rows import RepeatedRows
from pmwpub.queries.workload import Marginal, Workload
from pmwpub.records import Dataset, Support, code_type

MAX_CELLS = 10**7
"""The largest full domain that is kept in memory."""

MAX_UPDATES = 2 * 10**10
"""The most cell updates, cells times marginals, that one evaluation of all queries may take."""

SECONDS_AN_UPDATE = 2.2e-9
"""Measured on one core at 2 GHz."""


def refusal(workload: Workload) -> str:
    """Why MWEM cannot run on a workload's domain, in words; "" if it can. Public sizes only."""
    cells, marginals = workload.domain.size, len(workload.tables)
    if cells > MAX_CELLS:
        return (
            f"MWEM keeps a weight for each of the domain's {_large(cells)} possible rows, about "
            f"{_bytes(workload.domain)} of memory; at most {MAX_CELLS:,} rows fit. "
            "Pick fewer attributes for it, or bin them."
        )
    if cells * marginals > MAX_UPDATES:
        return (
            f"MWEM would need up to {cells * marginals * SECONDS_AN_UPDATE:,.0f} s a round for {marginals:,} marginals "
            f"of {cells:,} possible rows; the limit is {MAX_UPDATES * SECONDS_AN_UPDATE:.0f} s. "
            "Pick fewer attributes or marginals."
        )
    return ""


def full_problem(workload: Workload) -> PublicProblem:
    """The workload on every possible row of its domain; all public.

    Raises MethodRefused where `refusal` has a reason.
    """
    if why := refusal(workload):
        raise MethodRefused(why)
    return PublicProblem(workload, Support.full(workload.domain))


def mwem(
    counts: PrivateCounts,
    problem: PublicProblem,
    schedule: Schedule,
    *,
    noise: NoiseSource = SECURE,
    progress: Progress = unwatched,
) -> Release:
    """Run MWEM with the paper's optimisations: replay, Gaussian noise, the schedule's selection and output.

    problem  from `full_problem`; reusable, for it is public
    schedule  as for PMW^Pub; its start is taken as uniform, whatever it says

    Privacy: PMW^Pub on a support that depends on the schema alone, hence (T * share.rho)-zCDP for neighbours that
    replace one person's at most k rows, by the proof of `pmw_pub`, which holds for any fixed support and start.

    Raises PlanError if the counts do not belong to the workload, MethodRefused if the support is not the full domain.
    """
    if len(problem.support) != problem.support.domain.size:
        raise MethodRefused(
            f"MWEM needs all {_large(problem.support.domain.size)} possible rows; the support has "
            f"{len(problem.support):,}. Make the problem with full_problem."
        )
    return pmw_pub(counts, problem, replace(schedule, start=Start.UNIFORM), noise=noise, progress=progress)


def inside(workload: Workload, names: Iterable[str]) -> Workload:
    """The marginals that lie wholly within the named attributes, on the domain of these attributes alone.

    Raises DomainError for an unknown name, MethodRefused for a workload with prefixes, or if no marginal lies within
    them.
    """
    refuse_prefixes(workload)
    kept = _positions(workload.domain, names)
    place = {position: new for new, position in enumerate(kept)}
    smaller = workload.domain.project(workload.domain.names[position] for position in kept)
    marginals = [
        Marginal(tuple(place[a] for a in marginal.attributes))
        for marginal in workload.marginals
        if set(marginal.attributes) <= set(kept)
    ]
    if not marginals:
        raise MethodRefused(
            f"None of the workload's {len(workload.marginals):,} marginals lies within {', '.join(smaller.names)}; "
            "pick more attributes."
        )
    return Workload(smaller, tuple(marginals))


def projected(dataset: Dataset | RepeatedRows, names: Iterable[str]) -> Dataset | RepeatedRows:
    """The rows on the named attributes alone, in the domain's order; as many rows.

    Raises DomainError for an unknown name.
    """
    if isinstance(dataset, RepeatedRows):
        return dataset.projected(names)
    kept = _positions(dataset.domain, names)
    smaller = dataset.domain.project(dataset.domain.names[position] for position in kept)
    return Dataset(smaller, dataset.codes[:, kept])


def _positions(domain: Domain, names: Iterable[str]) -> Sequence[int]:
    return sorted({domain.index(name) for name in names})


def _bytes(domain: Domain) -> str:
    """Codes by row and by column, and eight arrays of eight bytes."""
    needed = domain.size * (2 * len(domain.attributes) * code_type(domain).itemsize + 64)
    if needed < 10**9:
        return f"{needed // 10**6:,} MB"
    return f"{needed / 10**9:.3g} GB" if needed < 10**12 else f"{_large(needed // 10**12)} TB"


def _large(number: int) -> str:
    return f"{number:,}" if number < 10**9 else f"{number:.2e}"
