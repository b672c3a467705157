"""Table fit as a line of every figure and table of the paper: docs/results/table_fit.csv.

    python benchmarks/paper/table_fit_lines.py [--seeds 5] [--figures reduced adult census public_size]

On the pairs, workloads, epsilons and seeds of the figures' own scripts; there is nothing to choose by validation. Runs
that stand in the file are not made again. Where a figure's runs stand in the page under several headings, the line
stands under each; the table of validated public tables takes, at each epsilon, the one that validation chose there for
PMW^Pub.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from fractions import Fraction

import figure_adult
import figure_census
import figure_public_size
import figure_reduced
from common import EPSILONS, OUT, census, rounded, stage_of

from pmwpub.evaluation import TABLE_FIT, Run, SimulatedError, Stage
from pmwpub.evaluation.resampling import part_of_table
from pmwpub.evaluation.runs import play
from pmwpub.queries.workload import Workload

PATH = OUT / "table_fit.csv"
COLUMNS = ["figure", "panel", *(field.name for field in fields(SimulatedError) if field.name != "contributions")]


@dataclass(frozen=True)
class Wanted:
    """Runs on one stage: under which headings of which figure, and with which candidates, epsilons and seed."""

    figure: str
    panels: tuple[str, ...]
    stage: Callable[[], Stage]
    candidates: tuple[str, ...]
    epsilons: tuple[float, ...]
    seed: int


def adult(seed: int) -> Iterator[Wanted]:
    """All biases; those that have a heading of their own first."""
    for bias in figure_adult.BIASES:
        panels = ("grid", "validated") if bias in figure_adult.COMPARED else ("grid",)
        stage = lambda b=bias: figure_adult.pair(b, seed)  # noqa: E731
        yield Wanted("adult", panels, stage, (f"Δ = {bias:+g}",), EPSILONS, seed)


def reduced(seed: int) -> Iterator[Wanted]:
    """The three public tables on few small attributes."""
    names = tuple(figure_reduced.PLAYED_BY)
    yield Wanted("reduced", ("grid",), lambda: figure_reduced.stage("oh_2018", names), names, EPSILONS, seed)


def full(seed: int) -> Iterator[Wanted]:
    """The three public tables on all attributes."""
    names = tuple(figure_census.PLAYED_BY)
    stage = lambda: figure_census.stage("oh_2018", names)  # noqa: E731
    yield Wanted("census", ("grid",), stage, names, figure_census.EPSILONS, seed)


def public_size(seed: int) -> Iterator[Wanted]:
    """Parts of two public tables."""
    for share in figure_public_size.SHARES:
        for name in figure_public_size.PLAYED_BY:

            def stage(name: str = name, share: str = share) -> Stage:
                part = part_of_table(census(name), Fraction(share) / 100, seed)
                return stage_of(Workload.all_kway(part.domain, 3), census("oh_2018"), {name: part})

            yield Wanted("public_size", (share,), stage, (name,), figure_census.EPSILONS, seed)


FIGURES = {"reduced": reduced, "adult": adult, "census": full, "public_size": public_size}


def make(wanted: Wanted, done: set[tuple[str, str, str, float, int]]) -> None:
    """The runs that are missing, added to the file as they end."""
    stage: Stage | None = None
    for candidate in wanted.candidates:
        for epsilon in wanted.epsilons:
            if (wanted.figure, wanted.panels[0], candidate, epsilon, wanted.seed) in done:
                continue
            stage = stage or wanted.stage()
            found = play(stage, Run(candidate, TABLE_FIT, epsilon, 0, wanted.seed))
            assert isinstance(found, SimulatedError)
            add([{"figure": wanted.figure, "panel": panel, **rounded(found.written)} for panel in wanted.panels])


def add(rows: list[dict[str, object]]) -> None:
    """More lines, below a header."""
    begins = not PATH.is_file()
    with PATH.open("a", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        if begins:
            writer.writeheader()
        writer.writerows(rows)
    print(*rows[0].values(), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--figures", nargs="+", choices=list(FIGURES), default=list(FIGURES))
    parsed, done = parser.parse_args(), set()
    if PATH.is_file():
        with PATH.open(newline="", encoding="utf-8") as stream:
            for row in csv.DictReader(stream):
                done.add((row["figure"], row["panel"], row["candidate"], float(row["epsilon"]), int(row["seed"])))
    for figure in parsed.figures:
        for seed in range(parsed.seeds):
            for wanted in FIGURES[figure](seed):
                make(wanted, done)


if __name__ == "__main__":
    main()
