"""Writes docs/results.md and its pictures from the CSV files in docs/results.

    python benchmarks/paper/report.py [--no-pictures]

Pictures need the test extra's Playwright and a Chromium.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace
from pathlib import Path

import households_report
import pools_report
import ranges_report
import sharper_report
import three_way_report
from common import OUT, ROOT

from pmwpub import figures
from pmwpub.evaluation import (
    PMW_PUB,
    TABLE_FIT,
    UNCHANGED,
    Measure,
    SimulatedError,
    Summary,
    is_baseline,
    label_of,
    summarise,
)
from pmwpub.evaluation.baseline_registry import FAMILIES

PAGE = ROOT / "docs" / "results.md"
CHROMIUM = Path("/usr/bin/chromium")
Lines = list[tuple[str, SimulatedError]]
CHOSEN = {
    kind: {key: float(FAMILIES[kind].parameters[key].default) for key in keys}
    for kind, keys in {"dual-query": ("samples", "eta"), "ji-elkan": ("lambda",)}.items()
}
"""The parameters that validation chose, with their defaults."""
PEERS_BESIDE = ("Δ = +0", "Δ = +0.2", "Δ = +0.45", "Δ = +0.65")
"""The public tables with which table fit stands beside methods that use none."""

NOT_RUN = "*Not run on this machine yet.*"

PAPER = """| ACS of the paper (other data) | ε = 0.1 | 0.15 | 0.2 | 0.25 | 0.5 | 1 |
|---|---|---|---|---|---|---|
| ACS (reduced) PA, PMW^Pub | 0.0301 | 0.0197 | 0.0196 | 0.0172 | 0.0097 | 0.0067 |
| ACS (reduced) PA, DualQuery | 0.1115 | 0.0871 | 0.0816 | 0.0625 | 0.0473 | 0.0330 |
| ACS PA, PMW^Pub | 0.0499 | 0.0458 | 0.0332 | 0.0298 | 0.0195 | 0.0141 |
| ACS PA, DualQuery | 0.2289 | 0.1908 | 0.1639 | 0.1526 | 0.1086 | 0.0816 |
| ACS GA, PMW^Pub | 0.0753 | 0.0523 | 0.0470 | 0.0380 | 0.0244 | 0.0175 |
| ACS GA, DualQuery | 0.2615 | 0.2117 | 0.1904 | 0.1709 | 0.1212 | 0.0910 |
"""


def read(name: str) -> Lines:
    """The runs of a figure, table fit's behind the others; none where it was not made."""
    return _runs(OUT / f"{name}.csv") + _runs(OUT / "table_fit.csv", name)


def validated() -> Lines:
    """The runs with the public table that validation chose for PMW^Pub, and table fit's with the same ones."""
    lines = _runs(OUT / "validated.csv")
    chosen = {(panel, one.epsilon, one.candidate) for panel, one in lines if one.method.startswith(PMW_PUB)}
    own = [(problem, one) for problem in ("reduced", "census") for _, one in _runs(OUT / "table_fit.csv", problem)]
    return lines + [(panel, one) for panel, one in own if (panel, one.epsilon, one.candidate) in chosen]


def variants() -> Lines:
    """The runs of PMW^Pub's variants, and table fit's with the same public table behind them."""
    beside = {"adult": "Δ = +0.2", "census": "il_2018"}
    own = [(name, one) for name in beside for panel, one in _runs(OUT / "table_fit.csv", name) if panel == "grid"]
    return _runs(OUT / "variants.csv") + [(panel, one) for panel, one in own if one.candidate == beside[panel]]


def _runs(path: Path, figure: str = "") -> Lines:
    """The runs that stand in a file; of a file of several figures, those of one."""
    if not path.is_file():
        return []
    kinds = {field.name: field.type for field in fields(SimulatedError)}
    convert: dict[object, Callable[[str], object]] = {"str": str, "float": float, "int": int}
    with path.open(newline="", encoding="utf-8") as stream:
        return [
            (row.pop("panel"), SimulatedError(**{key: convert[kinds[key]](value) for key, value in row.items()}))  # type: ignore[arg-type]
            for row in csv.DictReader(stream)
            if row.pop("figure", "") == figure
        ]


def called(line: Summary) -> str:
    """A line of a table or figure: the method, and the candidate that it uses."""
    return f"{_method(line)}, {line.candidate}" if line.candidate else _method(line)


def _method(line: Summary) -> str:
    kind = line.method.partition("+")[0]
    if is_baseline(kind):
        return label_of(kind)
    return "unchanged" if line.method == UNCHANGED else f"PMW^Pub{line.method.removeprefix(PMW_PUB).replace('+', ', ')}"


def table(lines: Sequence[Summary], digits: int = 4, *, mixed: bool = False) -> str:
    """Means with standard errors, one row a method and candidate, one column an epsilon.

    mixed  a method's candidate differs from one epsilon to the next, and stands in the cells
    """
    epsilons = sorted({line.epsilon for line in lines})
    rows: dict[str, dict[float, Summary]] = {}
    for line in lines:
        rows.setdefault(_method(line) if mixed else called(line), {})[line.epsilon] = line
    head = _head(f"{_span([line.runs for line in lines])} runs", epsilons)
    body = "".join(
        f"| {name} | " + " | ".join(_cell(own.get(epsilon), digits, mixed) for epsilon in epsilons) + " |\n"
        for name, own in rows.items()
    )
    return head + body


def _cell(line: Summary | None, digits: int, named: bool) -> str:
    if line is None:
        return "did not run"
    several = line.runs > 1 and line.standard_error > 0
    spread = f" ± {line.standard_error:.{digits}f}" if several else ""
    return f"{line.mean:.{digits}f}{spread}" + (f" ({line.candidate})" if named and line.candidate else "")


def choices(results: Iterable[SimulatedError]) -> str:
    """What validation chose for each method and candidate, one column an epsilon: its parameters, or T."""
    found: dict[str, dict[float, str]] = {}
    for line in summarise(results):
        if chosen := _parameters(line):
            found.setdefault(called(line), {})[line.epsilon] = chosen
    epsilons = sorted({epsilon for own in found.values() for epsilon in own})
    rows = (f"| {name} | " + " | ".join(own.get(e, "") for e in epsilons) + " |\n" for name, own in found.items())
    return _head("chosen", epsilons) + "".join(rows)


def _head(corner: str, epsilons: Sequence[float]) -> str:
    """The first two lines of a table."""
    return f"| {corner} | {' | '.join(f'ε = {e:g}' for e in epsilons)} |\n" + "|---" * (len(epsilons) + 1) + "|\n"


def _parameters(line: Summary) -> str:
    """Such as T = 25, or samples = 50, eta = 3: those that a name leaves out are the defaults."""
    kind, *parts = line.method.split("+")
    if line.rounds:
        return f"T = {line.rounds}"
    given = dict(part.split("=") for part in parts if "=" in part)
    return ", ".join(f"{key} = {given.get(key, f'{value:g}')}" for key, value in CHOSEN.get(kind, {}).items())


def best_rounds(results: Iterable[SimulatedError], measure: Measure = "max_error") -> list[Summary]:
    """For each method, candidate and epsilon the T of the least mean: an oracle's choice."""
    best: dict[tuple[str, str, float], Summary] = {}
    for line in summarise(results, measure):
        key = (line.method, line.candidate, line.epsilon)
        if key not in best or line.mean < best[key].mean:
            best[key] = line
    return list(best.values())


def picture(name: str, title: str, lines: Sequence[Summary], measure: str = "Maximum error") -> str:
    """A figure as docs/results/NAME.png: PMW^Pub's lines are called by their public tables."""
    grouped: dict[str, list[Summary]] = {}
    unchanged: dict[str, figures.Unchanged] = {}
    for line in sorted(lines, key=lambda line: line.epsilon):
        if line.method == UNCHANGED:
            unchanged[line.candidate] = figures.Unchanged(line.candidate, line.mean)
        else:
            label = line.candidate if line.method.startswith(PMW_PUB) else called(line)
            grouped.setdefault(label, []).append(line)
    # As many lines as the palette has colours; ResidualPlanner stands for the matrix mechanisms.
    if len(grouped) > len(figures.PALETTE):
        grouped.pop(label_of("hdmm"), None)
    curves = [
        figures.ErrorCurve(
            label,
            tuple(line.epsilon for line in own),
            tuple(line.mean for line in own),
            tuple(line.standard_error for line in own),
            runs=min(line.runs for line in own),
        )
        for label, own in grouped.items()
    ]
    plot = figures.error_against_epsilon(curves, (), list(unchanged.values()), measure=measure)
    PICTURES[name] = figures.self_contained(plot, title=title, notes=())
    return f"![{title}: {measure.lower()} against epsilon; its numbers are in the table above](results/{name}.png)\n"


PICTURES: dict[str, bytes] = {}
DRAWN = "figure svg, .js-plotly-plot"
"""A figure on its page: a picture of itself, or drawn by plotly."""


def save_pictures() -> None:
    """Photograph each figure in headless Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM) if CHROMIUM.exists() else None)
        page = browser.new_page(viewport={"width": 1100, "height": 760})
        for name, content in PICTURES.items():
            page.set_content(content.decode(), wait_until="load")
            page.locator(DRAWN).first.wait_for(state="visible")
            page.wait_for_timeout(500)
            page.locator(DRAWN).first.screenshot(path=str(OUT / f"{name}.png"))
        browser.close()


def adult() -> str:
    """ADULT by bias, chosen by validation and by an oracle; and all biases."""
    lines = read("adult")
    if not lines:
        return NOT_RUN
    parts = []
    alone = [one for panel, one in lines if panel == "validated" and not one.candidate]
    for bias in ("+0", "+0.2", "+0.45"):
        name = f"Δ = {bias}"
        own = [one for panel, one in lines if panel == "validated" and one.candidate == name]
        start = [replace(one, rounds=0) for panel, one in lines if one.candidate == name and one.method == UNCHANGED]
        chosen = summarise(own + start + alone)
        parts += [f"### {name}, hyperparameters by validation\n", table(chosen)]
        parts.append(picture(f"adult{bias}", f"ADULT, {name}", chosen))
        parts.append(folded(*other_errors(own + start + alone), choices(own + alone)))
    oracle = best_rounds(one for panel, one in lines if panel == "grid")
    order = sorted(oracle, key=lambda line: (line.method == UNCHANGED, abs(float(line.candidate.split("=")[1]))))
    parts += ["### All biases, the T that was best on the test runs (as the paper reports)\n", table(order)]
    return "\n".join(parts)


def problem(name: str, title: str) -> str:
    """A census problem: largest, mean and RMS error."""
    lines = read(name)
    if not lines:
        return NOT_RUN
    results = [replace(one, rounds=0) for _, one in lines]
    chosen = choices(one for panel, one in lines if panel == "validated")
    shown = [table(summarise(results)), *_pictures(name, title, results)]
    return "\n".join([*shown, folded(*other_errors(results), chosen)])


def _pictures(name: str, title: str, results: Sequence[SimulatedError]) -> list[str]:
    """PMW^Pub beside the baselines, and beside table fit: more lines than a palette has colours."""
    others = summarise(one for one in results if one.method != TABLE_FIT)
    engines = summarise(one for one in results if one.method in (PMW_PUB, UNCHANGED, TABLE_FIT))
    second = picture(f"{name}_engines", f"{title}, both engines", engines)
    return [picture(name, title, others), *([second] if any(one.method == TABLE_FIT for one in results) else [])]


def folded(*parts: str) -> str:
    """Behind a line that opens them."""
    head = "<details><summary>Mean and RMS error, and what validation chose</summary>\n"
    return "\n".join([head, *parts, "</details>\n"])


def other_errors(results: Sequence[SimulatedError]) -> list[str]:
    """Mean and RMS error, each below its name."""
    measures: tuple[tuple[Measure, str], ...] = (("mean_error", "Mean error"), ("rms_error", "RMS error"))
    return [
        part for measure, words in measures for part in (f"**{words}**\n", table(summarise(results, measure), digits=6))
    ]


def by_panel(lines: Lines, words: Callable[[str], str], *, oracle: bool = False, mixed: bool = False) -> str:
    """One table for each panel, `mixed` as in `table`."""
    if not lines:
        return NOT_RUN
    parts = []
    for panel in dict.fromkeys(panel for panel, _ in lines):
        own = [one for where, one in lines if where == panel]
        shown = best_rounds(own) if oracle else summarise([replace(one, rounds=0) for one in own])
        parts += [f"**{words(panel)}**\n", table(shown, mixed=mixed)]
    return "\n".join(parts)


def run_time() -> str:
    """Seconds a round; of table fit, which has none, a release."""
    path = OUT / "run_time.csv"
    if not path.is_file():
        return NOT_RUN
    with path.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    parts = {"a round": [row for row in rows if row["method"] != TABLE_FIT]}
    parts["a release"] = [row for row in rows if row["method"] == TABLE_FIT]
    return "\n".join([*(_seconds(own, what) for what, own in parts.items() if own), *_in_rounds(rows)])


def _in_rounds(rows: Sequence[dict[str, str]]) -> list[str]:
    """How many rounds of PMW^Pub a release by table fit takes, by the least processor seconds of each."""
    least: dict[tuple[str, str, str], float] = {}
    for row in rows:
        key = (row["method"], row["problem"], row["epsilon"])
        least[key] = min(float(row["processor"]), least.get(key, float("inf")))
    found = [
        f"{fit / least[PMW_PUB, problem, epsilon]:.0f} ({problem}, ε = {float(epsilon):g})"
        for (method, problem, epsilon), fit in least.items()
        if method == TABLE_FIT and (PMW_PUB, problem, epsilon) in least
    ]
    return (
        [f"A release by table fit takes as long as this many rounds of PMW^Pub: {', '.join(found)}."] if found else []
    )


def _seconds(rows: Sequence[dict[str, str]], what: str) -> str:
    keys = dict.fromkeys((row["problem"], row["method"], row["epsilon"]) for row in rows)
    body = ""
    for key in keys:
        own = [row for row in rows if (row["problem"], row["method"], row["epsilon"]) == key]
        least = [min(float(row[column]) for row in own) for column in ("processor", "wall")]
        body += f"| {' | '.join(key)} | {least[0]:.4f} | {least[1]:.4f} | {len(own)} |\n"
    head = f"| problem | method | ε | processor seconds {what} | seconds {what} by the clock | repeats |\n"
    return head + "|---|---|---|---|---|---|\n" + body


def peers() -> str:
    """AIM and MST, and table fit below them: errors, then how many marginals the two measured, and seconds."""
    path = OUT / "peers.csv"
    if not path.is_file():
        return NOT_RUN
    with path.open(newline="", encoding="utf-8") as stream:
        rows = sorted(csv.DictReader(stream), key=lambda row: (row["method"], float(row["epsilon"]), int(row["seed"])))
    errors = [
        SimulatedError(
            row["method"], "", float(row["epsilon"]), 0, int(row["seed"]),
            float(row["max_error"]), float(row["mean_error"]), float(row["rms_error"]),
        )
        for row in rows
    ]  # fmt: skip
    own = [one for panel, one in _runs(OUT / "table_fit.csv", "adult") if panel == "grid"]
    errors += [one for one in own if one.candidate in PEERS_BESIDE]
    parts = [table(summarise(errors)), *other_errors(errors)]
    parts.append("| | ε | runs | marginals measured | seconds a run |\n|---|---|---|---|---|")
    for method, epsilon in dict.fromkeys((row["method"], row["epsilon"]) for row in rows):
        own = [row for row in rows if (row["method"], row["epsilon"]) == (method, epsilon)]
        spans = [_span([int(row[column]) for row in own]) for column in ("measured", "seconds")]
        parts.append(f"| {label_of(method)} | {epsilon} | {len(own)} | {' | '.join(spans)} |")
    return "\n".join(parts)


def _span(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low}" if low == high else f"{low} to {high}"


def page() -> str:
    """The whole page, from its template beside this script."""
    text = (Path(__file__).parent / "results_template.md").read_text(encoding="utf-8")
    parts = {
        "adult": adult,
        "reduced": lambda: problem("reduced", "Census, 12 small attributes"),
        "census": lambda: problem("census", "Census, 29 attributes"),
        "public_size": lambda: by_panel(read("public_size"), lambda share: f"{share} % of the rows"),
        "variants": lambda: by_panel(variants(), lambda data: data.capitalize(), oracle=True),
        "validated": lambda: by_panel(validated(), lambda problem: problem.capitalize(), mixed=True),
        "run_time": run_time,
        "peers": peers,
        "paper": lambda: PAPER,
        "sharper_tables": sharper_report.tables,
        "sharper_pairs": sharper_report.pairs,
        "sharper_size": sharper_report.size,
        "grown": sharper_report.grown,
        "public_peers": sharper_report.public_peers,
        "pools": pools_report.pools,
        "three_way": three_way_report.three_way,
        "households": households_report.households,
        "ranges": ranges_report.ranges,
        "range_values": ranges_report.values,
    }
    for name, make in parts.items():
        text = text.replace(f"{{{{{name}}}}}", make().strip())
    return text


def main() -> None:
    """Write the page, and unless told otherwise its pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-pictures", action="store_true")
    parsed = parser.parse_args()
    PAGE.write_text(page(), encoding="utf-8")
    if not parsed.no_pictures and PICTURES:
        save_pictures()
    print(PAGE)


if __name__ == "__main__":
    main()
