"""What a worker does for a choice among candidates: their floors as far as the choice needs them, and no further."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from pmwpub.errors import JobUnresolved
from pmwpub.mechanisms.best_mixture.interval import BestMixture
from pmwpub.mechanisms.noisy_error.assessment import Unresolved
from pmwpub.mechanisms.noisy_error.choose_best import best_release
from pmwpub.progress import Progress
from pmwpub.queries.counts import PrivateCounts
from pmwpub.tasks.mechanism_work import PublicInput


@dataclass(frozen=True, eq=False, repr=False)
class BestWork:
    """One choice among candidates. Privacy: it holds private counts; its repr shows nothing.

    offered  the candidates and pools, all on the one workload that the counts are of
    """

    offered: tuple[PublicInput, ...]
    counts: PrivateCounts
    epsilon: Fraction
    rows_per_person: int


def best(work: BestWork, progress: Progress) -> int:
    """The place of the candidate that was chosen; JobUnresolved if the choice cannot be resolved."""
    progress(0, 1)
    states = [BestMixture(work.counts, source.workload, source.support) for source in work.offered]
    found = best_release(
        states,
        work.epsilon,
        private_rows=work.counts.n,
        rows_per_person=work.rows_per_person,
        progress=progress,
    )
    if isinstance(found, Unresolved):
        raise JobUnresolved("The choice could not be resolved.")
    return found.candidate
