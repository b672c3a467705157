"""From data frames to a synthetic one, for programs: the service under a handful of names.

An API release needs a ledger population like any other; nothing can be drawn without a charge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pmwpub.errors import NoResult, PlanError
from pmwpub.jobs import InlineEngine
from pmwpub.ledger import Ledger
from pmwpub.plans import WorkloadChoice
from pmwpub.release.bundle import Bundle
from pmwpub.service import Assessed, Policy, PrivateTable, Service, Study, assessing, purchases, releasing, studies
from pmwpub.service.purchases import AssessmentPurchase, Offer, ReleasePurchase
from pmwpub.tabular.decode import decode
from pmwpub.tabular.reading import from_frame
from pmwpub.tabular.schema import Schema, draft

if TYPE_CHECKING:
    from pmwpub.tabular.reading import Frame

UNDECIDED = (
    "Say overlap_acknowledged=True if no public table was made from the private one. Rows that a public table shares "
    "with it, more than chance explains, need that word, and so does every purchase in a shared service. Nothing was "
    "stored or charged."
)


def draft_schema(public: Sequence[Frame]) -> Schema:
    """Levels and bins from public data frames, and only from those."""
    return draft([from_frame(frame) for frame in public])


@dataclass(frozen=True)
class SyntheticRelease:
    """A finished release: the weights, the certificate, and as many synthetic rows as wanted."""

    bundle: Bundle

    def frame(self, rows: int | None = None, *, seed: int = 0) -> Frame:
        """Synthetic rows as labels; by default n of them. Free post-processing."""
        from pmwpub.release.synthesis import synthesise

        wanted = self.bundle.certificate.n if rows is None else rows
        return decode(synthesise(self.bundle.distribution(), wanted, seed=seed), self.bundle.schema)

    def files(self, rows: int | None = None, *, seed: int = 0) -> dict[str, bytes]:
        """Everything that is handed out, by name: synthetic.csv, certificate.json, report.html and the rest."""
        return self.bundle.files(rows, seed)


class Project:
    """A registered population with its schema, public tables and workload.

    The public tables are held in memory until a private table was compared with them, and stored then.
    The policy is the environment's; see `service.policy`.
    Raises a PmwPubError for an unknown population, or for tables that cannot be read.
    """

    def __init__(
        self, ledger: Ledger, population: str, *, schema: Schema, public: Mapping[str, Frame], workload: WorkloadChoice
    ) -> None:
        self._service = Service(ledger, InlineEngine(), policy=Policy.declared("localhost").beside(ledger))
        self._population = population
        ledger.population(population)
        self._offers = {name: Offer(name, from_frame(frame), attested=True) for name, frame in public.items()}
        studies.save_schema(self._service, population, schema)
        studies.choose_workload(self._service, population, workload)

    def assess(
        self,
        private: Frame,
        *,
        epsilon: str,
        only: Sequence[str] | None = None,
        overlap_acknowledged: bool | None = None,
    ) -> dict[str, Assessed]:
        """A noisy floor and start for each public table, at `epsilon` each: all of them are bought, or none.

        overlap_acknowledged  whether no public table was made from the private one; needed where they share more rows
                              than chance explains, and for every purchase in a shared service

        Raises OverlapUndecided or Overspent before anything is charged.

        Privacy: charged to the population before anything is drawn; a plan that was sent before is not drawn again.
        """
        names = list(self._offers) if only is None else list(only)
        loaded, keys, current = self._prepared(private, names, overlap_acknowledged)
        plans = [AssessmentPurchase(assessing.assessment_plan(current, [key], epsilon=epsilon)) for key in keys]
        outcomes = purchases.buy(self._service, loaded, plans, tick=overlap_acknowledged, current=current)
        return {
            name: assessing.assessed(self._service, current, outcome.booking)
            for name, outcome in zip(names, outcomes, strict=True)
        }

    def release(
        self,
        private: Frame,
        public: str | Sequence[str],
        *,
        epsilon: str,
        rounds: int = 25,
        repeat: int = 0,
        overlap_acknowledged: bool | None = None,
    ) -> SyntheticRelease:
        """Run PMW^Pub with one public table, or a pool of several.

        overlap_acknowledged  as in `assess`

        Raises OverlapUndecided or Overspent before anything is drawn, NoResult where the charge was made and no result
        is stored.

        Privacy: charged to the population before anything is drawn; a plan that was sent before is not drawn again.
        """
        names = [public] if isinstance(public, str) else list(public)
        loaded, keys, current = self._prepared(private, names, overlap_acknowledged)
        plan = releasing.release_plan(self._service, current, keys, epsilon=epsilon, rounds=rounds)
        (outcome,) = purchases.buy(
            self._service, loaded, [ReleasePurchase(plan)], repeat=repeat, tick=overlap_acknowledged, current=current
        )
        bundle = releasing.released(self._service, current, outcome.booking).bundle
        if bundle is None:
            raise NoResult("No result is stored for this plan; its charge stays and nothing is drawn again.")
        return SyntheticRelease(bundle)

    def _prepared(
        self, private: Frame, names: Sequence[str], tick: bool | None
    ) -> tuple[PrivateTable, list[str], Study]:
        """The private table; the SHA-256 of the named tables, once they were compared with it and stored; what is
        public."""
        service, population = self._service, self._population
        unknown = [name for name in names if name not in self._offers]
        if unknown:
            known = ", ".join(self._offers) or "none"
            raise PlanError(f"No public table {unknown[0]!r} is among this project's; they are: {known}.")
        offers = [self._offers[name] for name in names]
        loaded = studies.load_private(service, population, from_frame(private).content)
        shared = purchases.offer(service, population, {one.name: one.table for one in offers}, loaded)
        purchases.decided(shared, tick, answers=service.policy.answers, refusal=UNDECIDED)
        return loaded, purchases.store(service, population, offers, loaded), studies.study(service, population)
