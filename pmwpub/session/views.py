"""Results as figures and sentences: which numbers stand side by side, and what they say in words. No streamlit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pmwpub import figures
from pmwpub.evaluation import PMW_PUB, UNCHANGED, Summary, summarise
from pmwpub.jobs.work import Simulation
from pmwpub.service import Assessed, NoisyNumber, Price, Study, ranking
from pmwpub.session.words import cost, number, plain

Latest = Mapping[tuple[str, ...], Assessed]


def latest(bought: Sequence[Assessed], study: Study) -> Latest:
    """The newest finished assessment of each candidate under the schema and workload of today."""
    if study.schema is None or study.choice is None:
        return {}
    today = (study.schema.sha256, study.workload().sha256)
    return {
        one.candidates: one
        for one in bought
        if one.outcome.status == "done" and (one.plan.inputs.schema_sha256, one.plan.inputs.workload_sha256) == today
    }


def ranked(found: Sequence[Assessed]) -> list[tuple[Assessed, NoisyNumber]]:
    """The candidates whose floor was bought, the lowest noisy floor first."""
    return sorted(((one, one.floor) for one in found if one.floor), key=lambda pair: pair[1].value)


def too_close(found: Sequence[Assessed]) -> dict[tuple[str, ...], int]:
    """Candidate -> group, where the interval of its floor overlaps that of the group's best."""
    order = ranked(found)
    groups = ranking.too_close([floor for _, floor in order])
    return {one.candidates: group for (one, _), group in zip(order, groups, strict=True) if group is not None}


def dot_plot(found: Sequence[Assessed]) -> figures.Plot:
    """The ranked candidates with the intervals that were bought."""
    groups = too_close(found)
    confidences = [noisy.confidence for one in found for noisy in (one.floor, one.start) if noisy]
    candidates = [
        figures.AssessedCandidate(one.name, _noisy(one.floor), _noisy(one.start), groups.get(one.candidates))
        for one in found
    ]
    return figures.candidates_dot_plot(candidates, confidence=min(confidences, default=0.95))


def verdicts(found: Sequence[Assessed], target: float) -> list[tuple[bool, str]]:
    """For each floor: whether the target is out of reach, and the sentence that says so."""
    return [(floor.low > target, _verdict(one.name, floor, one.start, target)) for one, floor in ranked(found)]


def _verdict(name: str, floor: NoisyNumber, start: NoisyNumber | None, target: float) -> str:
    sure = f"with {floor.confidence:.0%} confidence"
    if floor.low > target:
        return (
            f"**{plain(name)}** can never reach an error of {number(target)}: its best-mixture error is at least about "
            f"{number(floor.low)} {sure}: no ε gets below it."
        )
    words = (
        f"**{plain(name)}** is not ruled out: reweighted perfectly, an error between {number(floor.low)} and "
        f"{number(floor.high)} would remain on the queries that were looked at ({sure})."
    )
    if start is not None and floor.high >= start.low:
        words += " At this ε the floor cannot be told from the start, so reweighting may gain little."
    return words


def worked_sentence(found: Sequence[Assessed], price: Price) -> str:
    """What was spent and what it bought, for people who were not there."""
    order = ranked(found)
    if not order:
        return ""
    (best, floor), groups = order[0], too_close(found)
    names = "one candidate" if len(found) == 1 else f"{len(found)} candidates"
    group = groups.get(best.candidates)
    rivals = [plain(one.name) for one, _ in order[1:] if group is not None and groups.get(one.candidates) == group]
    tie = f", too close to call with {' and '.join(rivals)}" if rivals else ""
    lead = f"{plain(best.name)} has the lowest, about {number(floor.value)}{tie}"
    return (
        f"For {cost(price.epsilon, price.delta, price.rho.rho)}, the steward bought noisy best-mixture errors "
        f"of {names}. {lead}. The best-mixture error is what would remain if a public table were reweighted "
        "perfectly; it was taken over a public part of the workload, so over the whole workload it can only be higher."
    )


def _noisy(noisy: NoisyNumber | None) -> figures.NoisyValue | None:
    return None if noisy is None else figures.NoisyValue(noisy.value, noisy.low, noisy.high)


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


def interval(noisy: NoisyNumber | None) -> str:
    """ "0.0123 (0.0100 to 0.0150)", or a dash where it was not bought."""
    return "–" if noisy is None else f"{number(noisy.value)} ({number(noisy.low)} to {number(noisy.high)})"
