"""Which assessments stand side by side, and error against epsilon as a figure. No streamlit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pmwpub import figures
from pmwpub.evaluation import PMW_PUB, UNCHANGED, Simulation, Summary, summarise
from pmwpub.service import Assessed, NoisyNumber, Study
from pmwpub.session.words import number

Latest = Mapping[tuple[str, ...], Assessed]


def latest(bought: Sequence[Assessed], study: Study, setting: str | None = None) -> Latest:
    """The newest finished floor and start of each candidate under the schema and workload of today.

    setting  only those bought in it; None: whichever came last
    """
    if study.schema is None or study.choice is None:
        return {}
    today = (study.schema.sha256, study.workload().sha256)
    found: dict[tuple[str, ...], Assessed] = {}
    for one in bought:
        bought_today = (one.plan.inputs.schema_sha256, one.plan.inputs.workload_sha256) == today
        if one.outcome.status == "done" and bought_today and setting in (None, one.plan.setting):
            found[one.candidates] = _joined(found.get(one.candidates), one)
    return found


def _joined(before: Assessed | None, one: Assessed) -> Assessed:
    """A later purchase, with what only an earlier one has: floor and start may be bought apart."""
    if before is None:
        return one
    remarks = tuple(dict.fromkeys(before.remarks + one.remarks))
    return replace(one, floor=one.floor or before.floor, start=one.start or before.start, remarks=remarks)


def error_plot(simulation: Simulation | None, found: Sequence[Assessed]) -> figures.Plot:
    """Error against epsilon of a sweep, with its certified floors, and the noisy floors that were bought."""
    summaries = [] if simulation is None else summarise(simulation.errors)
    proved = [] if simulation is None else simulation.floors
    floors = [figures.Floor(floor.candidate, floor.lower, floor.upper, noisy=False) for floor in proved]
    floors += [
        figures.Floor(one.name, one.floor.low, one.floor.high, noisy=True, confidence=one.floor.confidence)
        for one in found
        if one.floor is not None
    ]
    return figures.error_against_epsilon(_curves(summaries), floors, _unchanged(summaries))


def _curves(summaries: Sequence[Summary]) -> list[figures.ErrorCurve]:
    names = dict.fromkeys(line.candidate for line in summaries if line.method == PMW_PUB)
    return [_curve(name, [line for line in summaries if _is_of(line, name)]) for name in names]


def _is_of(line: Summary, name: str) -> bool:
    return line.method == PMW_PUB and line.candidate == name


def _curve(name: str, lines: list[Summary]) -> figures.ErrorCurve:
    lines = sorted(lines, key=lambda line: line.epsilon)
    return figures.ErrorCurve(
        name,
        tuple(line.epsilon for line in lines),
        tuple(line.mean for line in lines),
        tuple(line.standard_error for line in lines),
        runs=min(line.runs for line in lines),
    )


def _unchanged(summaries: Sequence[Summary]) -> list[figures.Unchanged]:
    starts = {line.candidate: line.mean for line in summaries if line.method == UNCHANGED}
    return [figures.Unchanged(name, error) for name, error in starts.items()]


def estimate(noisy: NoisyNumber) -> float:
    """The noisy value as it is shown: noise may carry it below 0 or above 1, where no error lies."""
    return min(max(noisy.value, noisy.low), noisy.high)


def interval(noisy: NoisyNumber | None) -> str:
    """ "0.0123 (0.0100 to 0.0150)", or a dash where it was not bought."""
    return "–" if noisy is None else f"{number(estimate(noisy))} ({number(noisy.low)} to {number(noisy.high)})"
