"""Noisy floors and starts in order: as a figure, as sentences, and as rows of a file. No streamlit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pmwpub import figures
from pmwpub.noisy_interval import NoisyInterval
from pmwpub.plans.weighing import shares_of_what
from pmwpub.rounding import in_percent
from pmwpub.service import Assessed, Price
from pmwpub.service.bought.best_candidate import too_close
from pmwpub.service.grant import alone, taken
from pmwpub.ui.wording.written import plain

Row = Mapping[str, str | int | float]
PART = "taken over a public part of the workload, so over the whole workload it can only be higher"
WHOLE = "taken over the whole workload"


def ranked(found: Sequence[Assessed]) -> list[tuple[Assessed, NoisyInterval]]:
    """The candidates whose floor was bought, the lowest noisy floor first."""
    return sorted(((one, one.floor) for one in found if one.floor), key=lambda pair: pair[1].value)


def groups(found: Sequence[Assessed]) -> dict[tuple[str, ...], int]:
    """Candidate -> group, for those whose floors are too close to call."""
    order = ranked(found)
    places = too_close([floor for _, floor in order])
    return {one.candidates: place for (one, _), place in zip(order, places, strict=True) if place is not None}


def dot_plot(found: Sequence[Assessed], *, weighed: bool = False) -> figures.Plot:
    """The ranked candidates with the intervals that were bought."""
    tied = groups(found)
    confidences = [noisy.confidence for one in found for noisy in (one.floor, one.start) if noisy]
    candidates = [figures.AssessedCandidate(one.name, one.floor, one.start, tied.get(one.candidates)) for one in found]
    confidence, whole = min(confidences, default=0.95), shares_of_what(weighed=weighed)
    return figures.drawn_once(figures.candidates_dot_plot, candidates, confidence=confidence, whole=whole)


def verdicts(found: Sequence[Assessed], target: float) -> list[tuple[bool, str]]:
    """For each floor: whether the target is out of reach, and the sentence that says so."""
    return [(floor.low > target, _verdict(one.name, floor, one.start, target)) for one, floor in ranked(found)]


def _verdict(name: str, floor: NoisyInterval, start: NoisyInterval | None, target: float) -> str:
    sure = f"with {floor.confidence:.0%} confidence"
    if floor.low > target:
        return (
            f"**{plain(name)}** can never reach an error of {in_percent(target, 3)}: its best-mixture error is at "
            f"least about {in_percent(floor.low)} {sure}: no ε gets below it."
        )
    words = (
        f"**{plain(name)}** is not ruled out: reweighted perfectly, an error between {in_percent(floor.low)} and "
        f"{in_percent(floor.high)} would remain on the queries that were looked at ({sure})."
    )
    if start is not None and floor.high >= start.low:
        words += " At this ε the floor cannot be told from the start, so reweighting may gain little."
    return words


def worked_sentence(found: Sequence[Assessed], price: Price, *, whole: bool) -> str:
    """What was spent and what it bought, for people who were not there.

    whole  whether the floors are over the whole workload
    """
    order = ranked(found)
    if not order:
        return ""
    (best, floor), tied = order[0], groups(found)
    names = "one candidate" if len(found) == 1 else f"{len(found)} candidates"
    group = tied.get(best.candidates)
    rivals = [plain(one.name) for one, _ in order[1:] if group is not None and tied.get(one.candidates) == group]
    tie = f", too close to call with {' and '.join(rivals)}" if rivals else ""
    lead = f"{plain(best.name)} has the lowest, about {in_percent(floor.estimate)}{tie}"
    return (
        f"For {taken(price.rho, price.total)} of the grant (by itself {alone(price)}), the steward bought noisy "
        f"best-mixture errors of {names}. {lead}. The best-mixture error is what would remain if a public table were "
        f"reweighted perfectly; it was {WHOLE if whole else PART}."
    )


def rows(found: Sequence[Assessed]) -> list[Row]:
    """One row a candidate, the lowest floor first, to be downloaded: numbers as drawn, "" where nothing was bought."""
    tied = groups(found)
    order = [one for one, _ in ranked(found)] + [one for one in found if one.floor is None]
    return [
        {
            "candidate": one.name,
            "setting": one.plan.setting,
            **_ends("noisy_floor", one.floor),
            **_ends("noisy_start", one.start),
            "too_close_to_call": tied.get(one.candidates, ""),
            "remarks": "; ".join(one.remarks),
            "workload_sha256": one.plan.inputs.workload_sha256,
        }
        for one in order
    ]


def _ends(part: str, noisy: NoisyInterval | None) -> Row:
    names = (part, f"{part}_low", f"{part}_high", f"{part}_confidence", f"{part}_epsilon")
    if noisy is None:
        return dict.fromkeys(names, "")
    return dict(zip(names, (noisy.value, noisy.low, noisy.high, noisy.confidence, noisy.epsilon), strict=True))
