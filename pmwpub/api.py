"""From data frames to a synthetic one, for programs: the service under a handful of names.

An API release needs a ledger population like any other; nothing can be drawn without a charge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pmwpub.errors import NoResult
from pmwpub.jobs import InlineEngine
from pmwpub.ledger import Ledger
from pmwpub.plans import WorkloadChoice
from pmwpub.release.bundle import Bundle
from pmwpub.service import Assessed, PrivateTable, Service, assessing, releasing, studies
from pmwpub.tabular.decode import decode
from pmwpub.tabular.reading import from_frame
from pmwpub.tabular.schema import Schema, draft

if TYPE_CHECKING:
    from pmwpub.tabular.reading import Frame


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

    Raises a PmwPubError for an unknown population, or for tables that do not fit the schema.
    """

    def __init__(
        self, ledger: Ledger, population: str, *, schema: Schema, public: Mapping[str, Frame], workload: WorkloadChoice
    ) -> None:
        self._service = Service(ledger, InlineEngine())
        self._population = population
        ledger.population(population)
        self._candidates = {
            name: studies.add_candidate(self._service, population, name, from_frame(frame).content, attested=True)
            for name, frame in public.items()
        }
        studies.save_schema(self._service, population, schema)
        studies.choose_workload(self._service, population, workload)

    def assess(self, private: Frame, *, epsilon: str, only: Sequence[str] | None = None) -> dict[str, Assessed]:
        """A noisy floor and start for each public table, at `epsilon` each.

        Privacy: charged to the population before anything is drawn; a plan that was sent before is not drawn again.
        """
        current = studies.study(self._service, self._population)
        loaded = self._load(private)
        found = {}
        for name in self._candidates if only is None else only:
            plan = assessing.assessment_plan(current, [self._candidates[name]], epsilon=epsilon)
            outcome = assessing.assess(self._service, loaded, plan, current=current)
            found[name] = assessing.assessed(self._service, current, outcome.booking)
        return found

    def release(
        self, private: Frame, public: str | Sequence[str], *, epsilon: str, rounds: int = 25, repeat: int = 0
    ) -> SyntheticRelease:
        """Run PMW^Pub with one public table, or a pool of several.

        Raises Overspent before anything is drawn, NoResult where the charge was made and no result is stored.

        Privacy: charged to the population before anything is drawn; a plan that was sent before is not drawn again.
        """
        current = studies.study(self._service, self._population)
        names = [public] if isinstance(public, str) else public
        candidates = [self._candidates[name] for name in names]
        plan = releasing.release_plan(self._service, current, candidates, epsilon=epsilon, rounds=rounds)
        outcome = releasing.release(self._service, self._load(private), plan, repeat=repeat, current=current)
        bundle = releasing.released(self._service, current, outcome.booking).bundle
        if bundle is None:
            raise NoResult("No result is stored for this plan; its charge stays and nothing is drawn again.")
        return SyntheticRelease(bundle)

    def _load(self, private: Frame) -> PrivateTable:
        return studies.load_private(self._service, self._population, from_frame(private).content)
