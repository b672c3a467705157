"""Seconds that somebody waits for pmwpub, each beside the most that it should be on two cores of one's own.

    python benchmarks/waits.py [--rows 300000] [--no-browser] [--chromium /usr/bin/chromium]

Without a browser: a job that is cancelled, one that does not listen and is killed, a sweep that is cancelled, two
tables of `--rows` rows that are compared for shared runs, as many rows that are read and encoded, a certificate that is
checked. With one: from the first click of the demo to the first plot with its unachievable region, and a widget's
answer while a release runs. Ends with status 1 if one took longer than it should.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
for folder in (ROOT, ROOT / "tests"):
    sys.path.insert(0, str(folder))

from jobs.sample_tasks import TASKS  # noqa: E402
from jobs.waiting import until  # noqa: E402
from release.bundles import make, public_csv  # noqa: E402
from support import tables  # noqa: E402 - the tests' own helpers

from pmwpub.evaluation import Stage, Sweep  # noqa: E402
from pmwpub.jobs import Engine, Job  # noqa: E402
from pmwpub.queries.counts import count  # noqa: E402
from pmwpub.queries.workload import Workload  # noqa: E402
from pmwpub.release.checking import check  # noqa: E402
from pmwpub.tabular.files.reading import TextTable, read_table  # noqa: E402
from pmwpub.tabular.overlap.copied_runs import long_run  # noqa: E402
from pmwpub.tabular.private_pass import encode_private  # noqa: E402
from pmwpub.tabular.schema.drafting import draft  # noqa: E402
from pmwpub.tasks.simulation_work import SimulationWork, SweepPlace  # noqa: E402

Wait = tuple[str, float, float]
"""What was waited for, the seconds that it took, and the most that it should take."""


def seconds_of(done: Callable[[], object]) -> float:
    """Wall time of a call."""
    began = time.perf_counter()
    done()
    return time.perf_counter() - began


def jobs() -> Iterator[Wait]:
    """Jobs that are stopped: one that reports, and one that does not."""
    os.environ["PYTHONPATH"] = str(ROOT / "tests")
    engine = Engine(1, tasks=TASKS)
    try:
        for words, task, payload, limit in (
            ("a job that reports is cancelled", "count", (100_000, 0.02), 2.0),
            ("a job that does not listen is killed", "stubborn", 600.0, 5.0),
        ):
            job: Job = engine.submit(task, payload, key=task, on_done=print, on_failed=lambda reason: None)
            until(lambda job=job: job.total > 0)  # type: ignore[misc]
            engine.cancel(task)
            yield words, seconds_of(job.wait), limit
    finally:
        engine.shutdown()
    yield "a sweep is cancelled", cancelled_sweep(), 5.0


def cancelled_sweep() -> float:
    """Seconds from the wish to stop a long simulation to its end."""
    shape = tables.domain(3, 2, 2)
    workload = Workload.all_kway(shape, 2)
    private, candidates = tables.table(shape, 500, 1), {"b": tables.support(shape, 40, 2)}
    stage = Stage(workload, count(workload, private), candidates, Fraction(1, 250_000))
    sweep = Sweep(tuple(0.1 * place for place in range(1, 40)), rounds=(300,), runs=50)
    engine, parts = Engine(1), list[bytes]()
    job = engine.submit(
        "simulation", SimulationWork(stage, sweep, SweepPlace()), key="k",
        on_done=print, on_failed=lambda reason: None, on_part=parts.append,
    )  # fmt: skip
    until(lambda: parts)
    engine.cancel("k")
    seconds = seconds_of(job.wait)
    engine.shutdown()
    return seconds if job.state == "cancelled" else float("inf")


def table(rows: int, seed: int) -> TextTable:
    """People whose rows hardly ever agree."""
    rng = np.random.default_rng(seed)
    columns = (rng.integers(0, 90, rows), rng.integers(0, 100_000, rows), rng.integers(0, 50, rows))
    lines = [f"{age},{income},{hours}" for age, income, hours in zip(*columns, strict=True)]
    return read_table(("age,income,hours\n" + "\n".join(lines) + "\n").encode())


def files(rows: int) -> Iterator[Wait]:
    """Tables and certificates."""
    private, public = table(rows, 3), table(rows, 4)
    yield f"two tables of {rows:,} rows are compared", seconds_of(lambda: long_run(private, public)), 10.0
    schema, content = draft([public]), private.content
    encoded = seconds_of(lambda: encode_private(read_table(content), schema, n=rows))
    yield f"{rows:,} rows are read and encoded", encoded, 7.5
    bundle = make([public_csv(60, 1)]).bundle.files(50, 1)
    yield "a certificate is checked", seconds_of(lambda: check(bundle)), 1.0


@contextmanager
def demo(chromium: str) -> Iterator[tuple[object, float]]:
    """A visitor who has clicked the demo on a server of its own, and when."""
    from browser.conftest import QUIET, Server
    from browser.visitor import Visitor
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder))
        server.start()
        visitor = Visitor(playwright.chromium.launch(executable_path=chromium, args=list(QUIET)), server.url)
        visitor.open()
        visitor.page.get_by_role("button", name="Open the demo").wait_for()
        began = time.perf_counter()
        visitor.press("Open the demo")
        visitor.page.get_by_role("button", name="Buy these assessments").wait_for()
        try:
            yield visitor, began
        finally:
            server.stop()


def pages(chromium: str) -> Iterator[Wait]:
    """What a visitor of the demo waits for."""
    with demo(chromium) as (visitor, began):
        visitor.settle()
        visitor.press("Buy these assessments")
        visitor.see(re.compile("state_d.csv can never reach an error of 0.05"), 600_000)
        visitor.settle()
        visitor.go("Explore")
        visitor.press("Simulate")
        visitor.page.get_by_text(re.compile("unachievable with state_d")).first.wait_for(timeout=600_000)
        yield "first click to the first plot with its unachievable region", time.perf_counter() - began, 120.0
        visitor.go("Release")
        visitor.choose_rounds(5000)
        visitor.press("Buy this release")
        visitor.see(re.compile(r"round \d+ of 5000"))
        yield "a widget answers while a release runs (median of six)", float(np.median(answers(visitor))), 1.0


def answers(visitor: object) -> list[float]:
    """Seconds from a click to what it changes, six times."""
    page = visitor.page  # type: ignore[attr-defined]
    box = page.get_by_text("Use the advised number of rounds").first
    shown = page.get_by_role("textbox", name="Rounds", exact=True)
    found = []
    for turn in range(6):
        began = time.perf_counter()
        box.click()
        shown.wait_for(state="visible" if turn % 2 else "detached")
        found.append(time.perf_counter() - began)
    return found


def main(rows: int, chromium: str | None) -> int:
    """Print every wait; 1 if one was too long."""
    late = 0
    for source in (jobs(), files(rows), *([] if chromium is None else [pages(chromium)])):
        for words, seconds, limit in source:
            late += seconds > limit
            print(f"{words}: {seconds:.2f} s of at most {limit:g} s", flush=True)
    return 1 if late else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=300_000)
    parser.add_argument("--no-browser", action="store_true")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    given = parser.parse_args()
    sys.exit(main(given.rows, None if given.no_browser else given.chromium))
