"""What a release of households by PMW^Pub states of its rounds, and its measurements as a table."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field

from pmwpub.mechanisms.households.household_counts import HouseholdTables
from pmwpub.mechanisms.pmw_pub.algorithm import Measurement
from pmwpub.plans.household_round_plans import HouseholdRoundPlan
from pmwpub.release.certificates.certificate_parts import Exact, Part
from pmwpub.tabular.files.text.inert_cells import inert
from pmwpub.tabular.files.text.quoted_csv import csv_bytes

HEADER = ("round", "of", "query", "noisy_count", "sigma")


def _above_zero(text: str) -> str:
    """What a certificate states of noise; ValueError for none."""
    if Fraction(text) <= 0:
        raise ValueError("noise of no scale is none")
    return text


NoiseScale = Annotated[Exact, AfterValidator(_above_zero)]
"""Of noise, or what it follows from: more than zero, for costs are divided by it."""


class RoundOfHouseholds(Part):
    """One round: the query as column -> level, whether it counts persons or households, its number, its noisy count.

    number  of all queries of both levels, those of persons first
    """

    of: Literal["persons", "households"]
    query: dict[str, str]
    number: Annotated[int, Field(ge=0)]
    noisy_count: Annotated[int, Field(ge=-(2**63), lt=2**63)]


class RoundsStated(Part):
    """The rounds of a run.

    epsilon0  of each: selection at 2 epsilon0, noise of H/epsilon0 persons or of 1/epsilon0 households
    """

    rounds: Annotated[int, Field(ge=1)]
    selection: str
    output: str
    start: str
    replay: str
    replay_seed: int
    epsilon0: NoiseScale
    scale_of_persons: NoiseScale
    scale_of_households: NoiseScale
    transcript: tuple[RoundOfHouseholds, ...]

    @classmethod
    def of(cls, plan: HouseholdRoundPlan, repeat: int, transcript: tuple[RoundOfHouseholds, ...] = ()) -> Self:
        """Those of a plan; without a transcript in a draft."""
        schedule = plan.schedule(repeat)
        return cls(
            rounds=plan.rounds,
            selection=plan.selection,
            output=plan.output.value,
            start=plan.start.value,
            replay=plan.replay.value,
            replay_seed=schedule.replay_seed,
            epsilon0=str(schedule.share.epsilon0),
            scale_of_persons=str(schedule.share.measurement.scale),
            scale_of_households=str(schedule.own.scale),
            transcript=transcript,
        )

    @property
    def measured(self) -> tuple[Measurement, ...]:
        """The transcript as the engine has it."""
        return tuple(Measurement(line.number, line.noisy_count) for line in self.transcript)


def lines_of(queries: HouseholdTables, transcript: Sequence[Measurement]) -> tuple[RoundOfHouseholds, ...]:
    """A transcript in words; WorkloadError for a query that is none of these."""
    found, persons = [], queries.persons.queries
    for line in transcript:
        of_persons = line.query < persons
        labels = queries.persons.labels(line.query) if of_persons else queries.own.labels(line.query - persons)
        found.append(
            RoundOfHouseholds(
                of="persons" if of_persons else "households",
                query=labels,
                number=line.query,
                noisy_count=line.noisy_count,
            )
        )
    return tuple(found)


def household_measurements_csv(stated: RoundsStated) -> bytes:
    """The measurements as CSV, a line a round; text is inert in a spreadsheet.

    noisy_count  of persons or of households, as `of` says; it may be negative
    sigma        of the noise on it
    """
    scales = {"persons": stated.scale_of_persons, "households": stated.scale_of_households}
    sigmas = {of: float(Fraction(scale)) for of, scale in scales.items()}
    lines = (
        [number, line.of, inert("; ".join(f"{name}={level}" for name, level in line.query.items())),
         line.noisy_count, sigmas[line.of]]
        for number, line in enumerate(stated.transcript, start=1)
    )  # fmt: skip
    return csv_bytes(HEADER, lines)
