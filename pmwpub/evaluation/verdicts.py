"""What a sweep says about choosing: where publishing the table unchanged does as well, and which epsilon is enough."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pmwpub.evaluation.baseline_registry import TABLE_FIT, is_baseline, label_of
from pmwpub.evaluation.methods import PMW_PUB, UNCHANGED
from pmwpub.evaluation.sweep_results import CertifiedFloor, Measure, SimulatedError, Summary, mean_of, summarise

CLEARLY = 2.0
"""How many standard errors a mean must lie below the table unchanged to have beaten it."""

ENGINES = (TABLE_FIT, PMW_PUB)
"""The two ways to make a release, as methods of a sweep."""

WORTH = 0.1
"""The least gain that counts, as a share of the error of the table unchanged: another sample may change less."""


@dataclass(frozen=True)
class NotBeaten:
    """A candidate for which a release was not clearly better than the table unchanged.

    epsilons        those tried at which it was not, ascending
    all_below       whether they are the smallest ones tried, so that it is so up to the largest of them
    mean, standard_error, unchanged  the errors at the largest of them
    engine          the method that came nearest there: of those simulated, the engine of the least mean error
    """

    candidate: str
    epsilons: tuple[float, ...]
    all_below: bool
    mean: float
    standard_error: float
    unchanged: float
    engine: str = PMW_PUB


@dataclass(frozen=True)
class Reach:
    """The smallest epsilon tried at which the mean error of one engine, with one candidate, was small enough.

    epsilon  None where none of those tried was
    best     the least mean error among those tried
    largest  the largest epsilon tried
    floor    certified: below it no epsilon is enough; 0 if unknown
    engine   the method of the sweep, one of ENGINES
    """

    candidate: str
    epsilon: float | None
    best: float
    largest: float
    floor: float
    engine: str = PMW_PUB


def best_lines(results: Iterable[SimulatedError], measure: Measure = "max_error") -> list[Summary]:
    """For each candidate and epsilon, the variant and rounds of PMW^Pub of the least mean error; ascending epsilon.

    With several of them this is an oracle's choice, made on the truth.
    """
    own = (one for one in results if one.method != UNCHANGED and not is_baseline(one.method))
    return [line for lines in _best_of(own, measure).values() for line in lines]


def engine_lines(results: Iterable[SimulatedError], engine: str, measure: Measure = "max_error") -> list[Summary]:
    """For each candidate the errors of one engine at each epsilon, ascending; of PMW^Pub as `best_lines` has them."""
    if engine == PMW_PUB:
        return best_lines(results, measure)
    own = (one for one in results if one.method == engine)
    return [line for lines in _best_of(own, measure).values() for line in lines]


def baseline_lines(results: Iterable[SimulatedError], measure: Measure = "max_error") -> dict[str, list[Summary]]:
    """What a baseline is called (with the candidate that it uses) -> at each epsilon its least mean error."""
    best = _best_of((one for one in results if is_baseline(one.method)), measure)
    return {
        ", ".join(filter(None, (candidate, label_of(family)))): lines for (candidate, family), lines in best.items()
    }


def _best_of(results: Iterable[SimulatedError], measure: Measure) -> dict[tuple[str, str], list[Summary]]:
    """By candidate and family (the name before its first plus sign), the best line at each epsilon, ascending."""
    best: dict[tuple[str, str], dict[float, Summary]] = {}
    for line in summarise(results, measure):
        lines = best.setdefault((line.candidate, line.method.partition("+")[0]), {})
        if line.epsilon not in lines or line.mean < lines[line.epsilon].mean:
            lines[line.epsilon] = line
    return {key: [lines[epsilon] for epsilon in sorted(lines)] for key, lines in best.items()}


def fewest_rounds(lines: Iterable[Summary]) -> Summary:
    """Among several numbers of rounds of one method, the fewest that do as well as the best one.

    As well: a mean that lies at most two standard errors of the best one above it, or a tenth. Past its best number of
    rounds a run spends its budget on noise, and where the least of several means lies there is chance; so on another
    pair of tables fewer rounds cost less than more do.
    """
    order = sorted(lines, key=lambda line: line.rounds)
    best = min(order, key=lambda line: line.mean)
    allowed = best.mean + max(CLEARLY * best.standard_error, WORTH * best.mean)
    return next(line for line in order if line.mean <= allowed)


@dataclass(frozen=True)
class ExpectedPool:
    """What a pool with learnt weights is expected to be at an epsilon, in the mean over the runs.

    mean           its error
    best           the least error of any other line, and `beside` what that is: a candidate with a method's name
    contributions  (candidate, part of the prior), the largest first
    """

    epsilon: float
    mean: float
    best: float
    beside: tuple[str, str]
    contributions: tuple[tuple[str, float], ...]


def expected_pools(results: Sequence[SimulatedError], measure: Measure = "max_error") -> list[ExpectedPool]:
    """At each epsilon the pool beside the best other line, where both were played; epsilons ascending."""
    found = []
    for epsilon in sorted({one.epsilon for one in results if one.contributions}):
        runs = [one for one in results if one.epsilon == epsilon and one.contributions]
        others = [one for one in summarise(results, measure) if one.epsilon == epsilon and one.method != runs[0].method]
        if not others:
            continue
        least = min(others, key=lambda one: one.mean)
        parts: dict[str, float] = {}
        for name, part in (named for run in runs for named in run.contributions):
            parts[name] = parts.get(name, 0.0) + part / (1_000 * len(runs))
        ranked = tuple(sorted(parts.items(), key=lambda named: -named[1]))
        mean = mean_of([getattr(run, measure) for run in runs])[0]
        found.append(ExpectedPool(epsilon, mean, least.mean, (least.method, least.candidate), ranked))
    return found


def not_beaten(results: Sequence[SimulatedError], measure: Measure = "max_error") -> list[NotBeaten]:
    """Where a release is not expected to beat publishing the table unchanged, by the sweep's own numbers.

    A release counts as better where its mean error lies below the table's by two standard errors, and by a tenth; it
    is by the engine of the least mean error, of those that were simulated.
    """
    start = {one.candidate: one.mean for one in summarise(results, measure) if one.method == UNCHANGED}
    lines = [line for line in _least_of_engines(results, measure) if line.candidate in start]
    found = []
    for candidate in dict.fromkeys(line.candidate for line in lines):
        own = [line for line in lines if line.candidate == candidate]
        bar = start[candidate]
        weak = [line for line in own if line.mean + max(CLEARLY * line.standard_error, WORTH * bar) >= bar]
        if weak:
            last = weak[-1]
            below = [line.epsilon for line in own if line.epsilon <= last.epsilon]
            epsilons = tuple(line.epsilon for line in weak)
            all_below, engine = list(epsilons) == below, last.method.partition("+")[0]
            found.append(NotBeaten(candidate, epsilons, all_below, last.mean, last.standard_error, bar, engine))
    return found


def _least_of_engines(results: Sequence[SimulatedError], measure: Measure) -> list[Summary]:
    """For each candidate and epsilon the engine of the least mean error; candidates in the sweep's order."""
    least: dict[tuple[str, float], Summary] = {}
    for line in (line for engine in ENGINES for line in engine_lines(results, engine, measure)):
        key = (line.candidate, line.epsilon)
        if key not in least or line.mean < least[key].mean:
            least[key] = line
    order = list(dict.fromkeys(one.candidate for one in results))
    return sorted(least.values(), key=lambda line: (order.index(line.candidate), line.epsilon))


def reach(results: Sequence[SimulatedError], floors: Sequence[CertifiedFloor], error: float) -> list[Reach]:
    """For each candidate and engine the smallest epsilon tried whose mean of the largest error is at most `error`.

    Of a candidate the engine comes first whose least mean error is the lower one.
    """
    known = {floor.candidate: floor.lower for floor in floors}
    found = []
    for engine in ENGINES:
        lines = engine_lines(results, engine)
        for candidate in dict.fromkeys(line.candidate for line in lines):
            own = [line for line in lines if line.candidate == candidate]
            enough = min((line.epsilon for line in own if line.mean <= error), default=None)
            best = min(line.mean for line in own)
            found.append(Reach(candidate, enough, best, own[-1].epsilon, known.get(candidate, 0.0), engine))
    order = list(dict.fromkeys(one.candidate for one in results))
    return sorted(found, key=lambda one: (order.index(one.candidate), one.best))
