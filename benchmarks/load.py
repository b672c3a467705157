"""A server under load: sessions that speak Streamlit's own protocol, two real browsers, and workers that are busy.

    python benchmarks/load.py [--minutes 10] [--sessions 25] [--browsers 2] [--jobs 5] [--again] [--postgres]

Starts `streamlit run app.py` on a throwaway SQLite store, with `--postgres` on a throwaway PostgreSQL, or on the empty
database of `--store URL`, with a demo in it that has everything to show. Sessions think for 3 to 7 seconds, then go to another page or change a widget; every fifth holds
a private table of its own. Five more each keep one job in the line or at work, two paid and three free: so two are at
work and three wait. Prints the processor time of a rerun by page, what all saw, and the memory of the server and of its
workers before, during and after. `--again` does it all twice: memory must come back to within 10 % of its level after
the first time. `--steps N` is the short form, by steps and not by the clock. Ends with status 1 if a session failed.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
for folder in (ROOT, ROOT / "tests"):
    sys.path.insert(0, str(folder))

from browser.conftest import Server  # noqa: E402 - the tests' own helpers
from browser.plain_client import visiting  # noqa: E402
from browser.stage import furnished_demo  # noqa: E402
from ledger.cluster import cluster  # noqa: E402
from loading.browsers import browse  # noqa: E402
from loading.server_costs import cpu, memory, page_costs  # noqa: E402
from loading.sessions import Buyer, JobKeeper, Simulator, Visit, walk  # noqa: E402
from loading.tally import Pace, Tally, share  # noqa: E402

GRACE_SECONDS = 60.0
"""After the last tab is closed the server keeps its sessions for 30 s; then its memory is read."""


@dataclass(frozen=True)
class Crowd:
    """How many visit, of each kind, and at what pace.

    jobs  sessions that keep a job in the line or at work
    """

    sessions: int
    browsers: int
    jobs: int
    pace: Pace
    chromium: str


class Load:
    """One run of a crowd on a server."""

    def __init__(self, server: Server, population: str, crowd: Crowd) -> None:
        self.server, self.population, self.crowd = server, population, crowd
        self.tally = Tally()
        self.keepers: list[JobKeeper] = []
        self.line: list[tuple[int, int]] = []
        self.most = (0.0, 0.0)

    def run(self) -> float:
        """Until the last visitor is gone; the server's processor seconds meanwhile."""
        assert self.server.process is not None
        pid, before = self.server.process.pid, cpu(self.server.process.pid)
        threads = [threading.Thread(target=self._attempt, args=one) for one in self._visits()]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            time.sleep(1)
            states = [keeper.state for keeper in self.keepers]
            self.line.append((states.count("works"), states.count("waits")))
            now = memory(pid)
            self.most = (max(self.most[0], now[0]), max(self.most[1], now[1]))
        return cpu(pid) - before

    def _visits(self) -> list[tuple[str, Callable[[random.Random], None]]]:
        crowd = self.crowd
        kinds = [Buyer if place < crowd.jobs // 2 else Simulator for place in range(crowd.jobs)]
        return [
            *((f"session {place}", self._walker(place)) for place in range(crowd.sessions)),
            *((f"job {place}", self._keeper(kind)) for place, kind in enumerate(kinds)),
            *((f"browser {place}", self._browser) for place in range(crowd.browsers)),
        ]

    def _attempt(self, name: str, visit: Callable[[random.Random], None]) -> None:
        """A session that fails is noted, and the others go on."""
        try:
            visit(random.Random(name))
        except Exception as failure:  # noqa: BLE001 - whatever breaks a session is a failed session
            with self.tally.lock:
                self.tally.failed[name] = f"{type(failure).__name__}: {failure}"[:300]

    def _walker(self, place: int) -> Callable[[random.Random], None]:
        def visit(draw: random.Random) -> None:
            with visiting(self.server.url) as client:
                own = place % 5 == 0
                walk(Visit(client, self.tally, draw), self.crowd.pace, None if own else self.population)

        return visit

    def _keeper(self, kind: type[Buyer] | type[Simulator]) -> Callable[[random.Random], None]:
        def visit(draw: random.Random) -> None:
            with visiting(self.server.url) as client:
                keeper = JobKeeper(kind, Visit(client, self.tally, draw))
                self.keepers.append(keeper)
                keeper.keep(self.crowd.pace)

        return visit

    def _browser(self, draw: random.Random) -> None:
        browse(self.server.url, self.population, self.crowd.pace, self.tally, draw, self.crowd.chromium)


def told(load: Load, seconds: float) -> None:
    """Print what a run saw."""
    tally, all_reruns = load.tally, load.tally.all_reruns
    count = len(all_reruns) + len(tally.fragments)
    print(f"failed sessions: {len(tally.failed)} of {len(load._visits())}")
    for name, words in tally.failed.items():
        print(f"  {name}: {words}")
    for words, how_often in tally.refused.most_common(5):
        print(f"  error box, {how_often} times: {words[:160]}")
    print(f"reruns: {len(all_reruns)} of pages, {len(tally.fragments)} of parts by the clock")
    for page, found in sorted(tally.reruns.items()):
        print(f"  {page or 'home':11}{len(found):6}   p50 {share(found, 0.5):.3f} s   p95 {share(found, 0.95):.3f} s")
    print(f"rerun: p50 {share(all_reruns, 0.5):.3f} s, p95 {share(all_reruns, 0.95):.3f} s")
    print(f"part by the clock: p50 {share(tally.fragments, 0.5):.3f} s, p95 {share(tally.fragments, 0.95):.3f} s")
    print(f"server's processor: {seconds:.0f} s, {1000 * seconds / max(1, count):.1f} ms a rerun of any kind")
    clicks = tally.browser
    print(f"browser: {len(clicks)} clicks, p50 {share(clicks, 0.5):.2f} s, p95 {share(clicks, 0.95):.2f} s")
    jobs = ", ".join(f"{tally.jobs[kind]} {kind}" for kind in ("begun", "cancelled", "came to an end"))
    print(f"jobs: {jobs}; on average {_mean(load.line, 0):.1f} at work and {_mean(load.line, 1):.1f} in line")
    cancels = tally.cancels
    print(f"cancel: p50 {share(cancels, 0.5):.2f} s, at most {max(cancels, default=0):.2f} s", flush=True)


def _mean(line: Sequence[tuple[int, int]], which: int) -> float:
    return sum(states[which] for states in line) / max(1, len(line))


def remembered(when: str, found: tuple[float, float]) -> float:
    """Print memory; its sum."""
    print(f"memory {when}: server {found[0]:.0f} MB, workers {found[1]:.0f} MB", flush=True)
    return sum(found)


def main(crowd: Crowd, *, store: str, reruns: int, again: bool, grace: float) -> int:
    """Print everything; 1 if a session failed."""
    failed, levels = 0, []
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder), database=store)
        population = furnished_demo(server.store_url)
        server.start()
        assert server.process is not None
        pid = server.process.pid
        try:
            costs = list(page_costs(server.url, pid, f"population={population}", 2, reruns))
            for page, seconds in costs:
                print(f"alone: {page or 'home':11}{1000 * seconds:7.1f} ms of processor a rerun")
            print(f"alone: mean {1000 * sum(seconds for _, seconds in costs) / len(costs):11.1f} ms")
            remembered("before", memory(pid))
            for turn in range(1, 3 if again else 2):
                load = Load(server, population, crowd)
                print(f"run {turn}", flush=True)
                told(load, load.run())
                failed += len(load.tally.failed)
                remembered("at most", load.most)
                time.sleep(grace)
                levels.append(remembered("after", memory(pid)))
            if again:
                print(
                    f"memory after the second run: {100 * (levels[1] / levels[0] - 1):+.1f} % of that after the first"
                )
            if "Traceback" in server.log():
                failed += 1
                print(server.log()[-3000:])
        finally:
            server.stop()
    return 1 if failed else 0


@contextmanager
def database(store: str, *, postgres: bool) -> Iterator[str]:
    """The address of the store; "" for a SQLite file of the server's own."""
    if not postgres:
        yield store
        return
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # PostgreSQL runs as a user of its own
        with cluster(Path(folder) / "cluster") as made:
            yield made.url


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--steps", type=int, help="instead of minutes: so many steps of each session, at once")
    parser.add_argument("--sessions", type=int, default=25)
    parser.add_argument("--browsers", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=5)
    parser.add_argument("--again", action="store_true", help="twice, on one server")
    parser.add_argument("--postgres", action="store_true", help="on a PostgreSQL that is made for it")
    parser.add_argument("--store", default="", help="an empty database, such as postgresql://user@localhost/name")
    parser.add_argument("--reruns", type=int, default=20, help="of each page, to measure its processor time")
    parser.add_argument("--chromium", default=shutil.which("chromium") or "/usr/bin/chromium")
    given = parser.parse_args()
    pace = Pace(60 * given.minutes, given.steps)
    crowd = Crowd(given.sessions, given.browsers, given.jobs, pace, given.chromium)
    grace = 0.0 if given.steps is not None else GRACE_SECONDS
    with database(given.store, postgres=given.postgres) as store:
        status = main(crowd, store=store, reruns=given.reruns, again=given.again, grace=grace)
    sys.exit(status)
