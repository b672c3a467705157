"""What a PMW^Pub release states about itself: a JSON file that a reader can check against the files beside it."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

from pydantic import Field

from pmwpub.mechanisms.pmw_pub.algorithm import Release
from pmwpub.plans import ReleasePlan
from pmwpub.plans.weighing import mass_of
from pmwpub.privacy.budget import ZCDP
from pmwpub.queries.workload import Workload
from pmwpub.release.certificates.certificate_parts import OF_WHOM, Exact, Part, Provenance
from pmwpub.release.certificates.charged_certificate import Charged, common

MECHANISM = "PMW^Pub (Liu, Vietri, Steinke, Ullman, Wu 2021): selection, discrete Gaussian, multiplicative weights"


class TranscriptLine(Part):
    """One round: the query as attribute -> level, its number, and its noisy answer (raw count and clamped share)."""

    query: dict[str, str]
    number: int
    noisy_count: int
    noisy_answer: Annotated[float, Field(ge=0, le=1)]


class Certificate(Charged):
    """The certificate of PMW^Pub, version 1: the run's settings and its transcript beside what all certificates state.

    epsilon0, measurement_scale  of each round: selection at 2 epsilon0, noise of that scale in rows
    """

    ORDER: ClassVar[tuple[str, ...]] = (
        *("version", "epsilon", "delta", "rho", "neighbours", "outside_the_guarantee", "statement"),
        *OF_WHOM,
        *("mechanism", "rounds", "selection", "output", "start"),
        *("replay", "replay_seed", "epsilon0", "measurement_scale", "workload", "workload_sha256", "queries"),
        *("schema_sha256", "rules", "candidate", "transcript", "plan", "plan_sha256", "repeat", "charge_id"),
        *("charged_at", "ledger_total", "budget", "attempts_with_criteria", "settings_from", "remarks", "rows"),
        *("row_seed", "cells", "files", "versions"),
    )

    version: Annotated[int, Field(ge=1, le=1)] = 1
    mechanism: str = MECHANISM
    rounds: int
    selection: str
    output: str
    start: str
    replay: str
    replay_seed: int
    epsilon0: Exact
    measurement_scale: Exact
    transcript: tuple[TranscriptLine, ...]

    @classmethod
    def of(cls, plan: ReleasePlan, release: Release, workload: Workload, provenance: Provenance) -> Self:
        """The certificate of a finished release, before its files are named."""
        lines = _transcript(release, workload, mass_of(plan))
        return cls.drafted(plan, workload, provenance, rho=release.rho, transcript=lines)

    @classmethod
    def drafted(
        cls,
        plan: ReleasePlan,
        workload: Workload,
        provenance: Provenance,
        *,
        rho: ZCDP,
        transcript: tuple[TranscriptLine, ...] = (),
    ) -> Self:
        """A certificate with the rounds that it is given: none before they are run, to see whether it can be stated.

        Raises pydantic's ValidationError, a ValueError, for what cannot be.
        """
        schedule = plan.schedule(provenance.repeat)
        return cls.stating(
            **common(plan, workload, provenance, rho),
            rounds=plan.rounds,
            selection=plan.selection,
            output=plan.output.value,
            start=plan.start.value,
            replay=plan.replay.value,
            replay_seed=schedule.replay_seed,
            epsilon0=str(schedule.share.epsilon0),
            measurement_scale=str(schedule.share.measurement.scale),
            transcript=transcript,
        )


def _transcript(release: Release, workload: Workload, n: int) -> tuple[TranscriptLine, ...]:
    return tuple(
        TranscriptLine(
            query=workload.labels(line.query),
            number=line.query,
            noisy_count=line.noisy_count,
            noisy_answer=min(1.0, max(0.0, line.noisy_count / n)),
        )
        for line in release.transcript
    )
