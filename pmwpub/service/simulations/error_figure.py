"""Error against epsilon as a figure: a sweep's runs, what is proved about it, and noisy floors that were bought."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

from pmwpub import figures
from pmwpub.evaluation import (
    PMW_PUB,
    TABLE_FIT,
    TABLE_FIT_GROWN,
    UNCHANGED,
    Measure,
    SimulatedError,
    Simulation,
    Summary,
    baseline_lines,
    best_lines,
    is_baseline,
    label_of,
    summarise,
)  # fmt: skip
from pmwpub.service.bought.assessments import Assessed
from pmwpub.service.inputs.study_store import Study
from pmwpub.service.simulations.explorations import Exploration
from pmwpub.service.simulations.sweep_range import played

MEASURED: dict[Measure, str] = {"max_error": "Maximum error", "mean_error": "Mean error", "rms_error": "RMS error"}
OVER = {"fast": "a sample of the workload", "part": "a part of the workload", "full": "the whole workload"}
GROWN = f", {label_of(TABLE_FIT_GROWN)}"
"""What the label of a line ends with that adds rows to its table."""
OWN_NAME = label_of(PMW_PUB)
"""What PMW^Pub's own lines are called where others stand beside them."""

ENGINE_NAMES = (OWN_NAME, label_of(TABLE_FIT))
"""What stands behind a table's name in the names of lines, by what made the releases."""

Lines = Literal["best", "each"]
"""One line a candidate, the best rounds and variant at each epsilon, an oracle's choice; or a line for each of them."""


def error_plot(
    simulation: Simulation | None,
    bought: Sequence[Assessed] = (),
    *,
    measure: Measure = "max_error",
    lines: Lines = "best",
    drawn: Collection[str] | None = None,
    bounds: Sequence[figures.ProvedBound] = (),
    truth: str = "",
    height: float = 0.0,
    whole: str = figures.ROWS,
    drawing: figures.Drawing = figures.drawn_anew,
) -> figures.Plot:
    """Lines with bars of one standard error, the tables unchanged, and the region that no epsilon reaches.

    drawn   the names of the lines to draw, with what belongs to their tables; None for all
    bounds  the lines of the accuracy theorem, from `proved_bounds`, where they are wanted
    truth, height, whole  as in `figures.error_against_epsilon`
    drawing  `figures.drawn_once` for a simulation on public tables; one on the private table is drawn anew

    Region and bounds are drawn for the maximum error alone, for that is what they are about; not of a table to which a
    line that is drawn adds rows, for they are about its own.
    """
    results = [] if simulation is None else simulation.errors
    start = {one.candidate: one.mean for one in summarise(results, measure) if one.method == UNCHANGED}
    unchanged = [figures.Unchanged(name, error) for name, error in start.items()]
    curves, certified = _curves(results, measure, lines), _certified(simulation)
    if drawn is not None:
        curves = [curve for curve in curves if curve.name in drawn]
        tables = {_table_of(curve.label, start) for curve in curves}
        unchanged = [line for line in unchanged if line.label in tables]
        certified = [floor for floor in certified if floor.label in tables]
        bounds = [bound for bound in bounds if bound.label in tables]
    grown = {curve.label.removesuffix(GROWN) for curve in curves if curve.label.endswith(GROWN)}
    floors = [floor for floor in certified + _noisy(bought) if floor.label not in grown]
    bounds = [bound for bound in bounds if bound.label not in grown]
    if measure != "max_error":
        floors, bounds = [], ()
    return drawing(
        figures.error_against_epsilon,
        curves,
        floors,
        unchanged,
        bounds,
        measure=MEASURED[measure],
        truth=truth,
        height=height,
        whole=whole,
    )


def error_plots(
    simulation: Simulation,
    bought: Sequence[Assessed] = (),
    *,
    drawn: Sequence[str],
    truth: str,
    measure: Measure = "max_error",
    lines: Lines = "best",
    bounds: Sequence[figures.ProvedBound] = (),
    whole: str = figures.ROWS,
    drawing: figures.Drawing = figures.drawn_anew,
) -> list[tuple[str, figures.Plot]]:
    """A figure for each table of the drawn lines, by its name, all of one height: no line in another table's shade.

    drawn   the labels of the lines; those that are of no table come last, in a figure without a shade, named ""
    bought  noisy floors on the private table, of which each figure has its own table's
    truth   who plays the private table
    whole, drawing  as in `error_plot`
    """
    tables = {one.candidate for one in simulation.errors if one.method == UNCHANGED}
    by_table: dict[str, list[str]] = {}
    for label in sorted(drawn, key=lambda label: not _table_of(label, tables)):
        by_table.setdefault(_table_of(label, tables), []).append(label)

    def plot(table: str, own: Sequence[str], height: float) -> figures.Plot:
        return error_plot(
            simulation,
            [one for one in bought if one.name == table],
            measure=measure,
            lines=lines,
            drawn=own,
            bounds=bounds,
            truth=truth,
            height=height,
            whole=whole,
            drawing=drawing,
        )

    first = {table: plot(table, own, 0.0) for table, own in by_table.items()}
    height = max((one.figure.layout.yaxis.range[1] for one in first.values()), default=0.0)
    return [(table, plot(table, own, height)) for table, own in by_table.items()]


def labels(simulation: Simulation, *, measure: Measure = "max_error", lines: Lines = "best") -> list[str]:
    """The names of the lines that there are to draw, the least mean error first."""
    curves = _curves(simulation.errors, measure, lines)
    return [curve.name for curve in sorted(curves, key=lambda curve: sum(curve.mean) / len(curve.mean))]


def lines_of(simulation: Simulation, known: Sequence[str], names: Collection[str]) -> list[str]:
    """Those of some labels whose table is among the names."""
    tables = {one.candidate for one in simulation.errors if one.method == UNCHANGED}
    return [label for label in known if _table_of(label, tables) in names]


def _curves(results: Sequence[SimulatedError], measure: Measure, lines: Lines) -> list[figures.ErrorCurve]:
    return _best(results, measure) if lines == "best" else _each(results, measure)


def _table_of(label: str, tables: Iterable[str]) -> str:
    """The table that a line is of, by its label; "" where it is of none."""
    return max((name for name in tables if label == name or label.startswith(f"{name}, ")), key=len, default="")


def sizes(current: Study, found: Exploration) -> dict[str, dict[float, str]]:
    """Candidates of which several shares were played: name -> share in percent -> the share's name in the sweep."""
    shares: dict[str, dict[float, str]] = {}
    for name, (pool, share) in played(current, found.truth, found.terms).items():
        if pool:
            shares.setdefault(current.names(pool), {})[share] = name
    return {name: dict(sorted(named.items())) for name, named in shares.items() if len(named) > 1}


def size_plot(
    simulation: Simulation,
    candidate: str,
    named: Mapping[float, str],
    *,
    measure: Measure = "max_error",
    whole: str = figures.ROWS,
) -> figures.Plot:
    """Error, in parts of `whole`, against the share of a table used; the best rounds and variant at each point."""
    where = {name: share for share, name in named.items()}
    best = [line for line in best_lines(simulation.errors, measure) if line.candidate in where]
    start = {one.candidate: one.mean for one in summarise(simulation.errors, measure) if one.method == UNCHANGED}
    curves = []
    for epsilon in sorted({line.epsilon for line in best}):
        own = sorted(
            ((where[line.candidate], line) for line in best if line.epsilon == epsilon), key=lambda pair: pair[0]
        )
        curves.append(
            figures.ShareCurve(
                f"ε = {epsilon:g}",
                tuple(share for share, _ in own),
                tuple(line.mean for _, line in own),
                tuple(line.standard_error for _, line in own),
            )
        )
    shares = tuple(share for share, name in named.items() if name in start)
    means = tuple(start[named[share]] for share in shares)
    unchanged = figures.ShareCurve("unchanged", shares, means, (0.0,) * len(shares)) if shares else None
    return figures.drawn_once(
        figures.error_against_share, curves, unchanged, candidate=candidate, measure=MEASURED[measure], whole=whole
    )


def several(simulation: Simulation) -> bool:
    """Whether a candidate or baseline was run in more than one way at some epsilon, so that there is a choice."""
    seen: dict[tuple[str, str, float], set[tuple[str, int]]] = {}
    for one in simulation.errors:
        if one.method != UNCHANGED:
            family = one.method.partition("+")[0]
            seen.setdefault((one.candidate, family, one.epsilon), set()).add((one.method, one.rounds))
    return any(len(ways) > 1 for ways in seen.values())


def _certified(simulation: Simulation | None) -> list[figures.ShadedFloor]:
    floors = [] if simulation is None else simulation.floors
    return [figures.ShadedFloor(floor.candidate, floor.lower, floor.upper, noisy=False) for floor in floors]


def _noisy(bought: Sequence[Assessed]) -> list[figures.ShadedFloor]:
    """Floors that were bought; where they are over different parts of the workload, each mark says over which."""
    found = [(one, one.floor) for one in bought if one.floor is not None]
    several = len({(one.plan.setting, one.plan.part) for one, _ in found}) > 1
    return [
        figures.ShadedFloor(
            f"{one.name}, over {OVER[one.plan.setting]}" if several else one.name,
            floor.low,
            floor.high,
            noisy=True,
            confidence=floor.confidence,
        )
        for one, floor in found
    ]


def _best(results: Sequence[SimulatedError], measure: Measure) -> list[figures.ErrorCurve]:
    best = best_lines(results, measure)
    names = dict.fromkeys(line.candidate for line in best)
    engine = OWN_NAME if any(is_baseline(one.method) for one in results) else ""
    own = [_curve(name, [line for line in best if line.candidate == name], engine) for name in names]
    return own + [_curve(label, lines) for label, lines in baseline_lines(results, measure).items()]


def _each(results: Sequence[SimulatedError], measure: Measure) -> list[figures.ErrorCurve]:
    found = [line for line in summarise(results, measure) if line.method != UNCHANGED]
    ways: dict[str, list[Summary]] = {}
    for line in found:
        ways.setdefault(_way(line, found), []).append(line)
    return [_curve(label, sorted(lines, key=lambda line: line.epsilon)) for label, lines in ways.items()]


def _way(line: Summary, others: Sequence[Summary]) -> str:
    """The label of a line: its candidate, and what tells it from the candidate's other lines of rounds and variant."""
    own = [one for one in others if one.candidate == line.candidate and one.method == line.method]
    fixed = any(one.rounds != line.rounds and one.epsilon == line.epsilon for one in own)
    rounds = f", T = {line.rounds}" if fixed else ""
    if is_baseline(line.method):
        return ", ".join(filter(None, (line.candidate, f"{label_of(line.method, parameters=True)}{rounds}")))
    variant = line.method.removeprefix(PMW_PUB).lstrip("+").replace("+", ", ")
    return f"{line.candidate}{rounds}{f', {variant}' if variant else ''}"


def _curve(label: str, lines: Sequence[Summary], engine: str = "") -> figures.ErrorCurve:
    return figures.ErrorCurve(
        label,
        tuple(line.epsilon for line in lines),
        tuple(line.mean for line in lines),
        tuple(line.standard_error for line in lines),
        runs=min(line.runs for line in lines),
        engine=engine,
        rounds=tuple(line.rounds for line in lines) if all(line.rounds for line in lines) else (),
    )
