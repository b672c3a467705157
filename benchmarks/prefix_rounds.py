"""What prefixes cost PMW^Pub: rounds with and without them on one problem of the paper's size, and what they bring.

    python benchmarks/prefix_rounds.py [--columns 4] [--epsilons 0.1 1] [--rounds 50] [--threads 2] [--repeats 2]
        [--atoms 100000] [--marginals 4096] [--rows 100000] [--tilt 0.15]

The problem is that of `full_scale.py`; its widest columns count as ordered. Runs with and without prefixes take turns
in one process, so that the ratio of their rounds is of one machine at one time. Errors are the largest over cells, and
over prefixes, of both kinds of release.

Beside it stands what measuring all prefixes of these columns at once would do, by how far one person moves a vector of
them: the noise on each at the whole budget, and that of dyadic ranges, from which prefixes are put together.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from full_scale import domain, rows_of, warm_up

from pmwpub.domain import Attribute, Domain
from pmwpub.mechanisms.pmw_pub.algorithm import Release, Schedule, pmw_pub
from pmwpub.privacy.budget import ZCDP, ApproxDP, as_fraction, zcdp_of
from pmwpub.privacy.round_share import split
from pmwpub.privacy.vector_gaussian import VectorGaussian
from pmwpub.privacy.vector_sensitivity import crossed_reach, prefix_reach, range_reach
from pmwpub.queries.counts import PrivateCounts, count
from pmwpub.queries.incidence import PublicProblem, quantise
from pmwpub.queries.workload import Workload
from pmwpub.records import Support


def ordered_domain(columns: int) -> Domain:
    """The domain of `full_scale`, its widest columns in order."""
    shape = domain()
    widest = sorted(range(len(shape.shape)), key=lambda a: (-shape.shape[a], a))[:columns]
    return Domain(
        tuple(
            Attribute(one.name, one.levels, one.size if place in widest else 0)
            for place, one in enumerate(shape.attributes)
        )
    )


@dataclass(frozen=True, eq=False)
class Side:
    """One workload on the problem."""

    problem: PublicProblem
    counts: PrivateCounts

    def run(self, rho: ZCDP, rounds: int, threads: int) -> tuple[float, Release]:
        """Seconds a round, and the release."""
        stamps: list[float] = []
        release = pmw_pub(
            self.counts, self.problem, Schedule(rounds, split(rho, rounds)), threads=threads,
            progress=lambda done, total: stamps.append(time.perf_counter()),
        )  # fmt: skip
        return (stamps[-1] - stamps[0]) / rounds, release


def errors(both: Side, release: Release) -> tuple[float, float]:
    """The largest error over cells, and over prefixes."""
    whole = quantise(release.distribution.weights, both.counts.n)
    gaps = np.abs(both.counts.counts / both.counts.n - both.problem.sums(whole.values) / whole.total)
    first = both.problem.workload.offsets[len(both.problem.workload.marginals)]
    return float(gaps[:first].max()), float(gaps[first:].max(initial=0.0))


def dyadic(levels: int) -> Iterator[tuple[int, int]]:
    """Ranges of 1, 2, 4, .. levels, side by side."""
    length = 1
    while length < levels:
        yield from ((begin, min(begin + length, levels) - 1) for begin in range(0, levels, length))
        length *= 2


def at_once(workload: Workload, rho: ZCDP) -> str:
    """The noise of vectors that are measured at once, in rows."""
    shape, tables = workload.domain, workload.prefixes
    alone = sum(prefix_reach(shape.attributes[table.ordered].ordered) for table in tables if not table.beside)
    crossed = sum(crossed_reach(shape.attributes[table.ordered].ordered) for table in tables if table.beside)
    levels = [shape.attributes[table.ordered].ordered for table in tables if not table.beside]
    ranges = sum(range_reach(list(dyadic(one)), one) for one in levels)
    found = [float(VectorGaussian.costing(rho, one).scale) for one in (alone, ranges, alone + crossed)]
    return (
        f"  at once: {found[0]:.0f} rows of noise on each prefix of the columns alone, {found[1]:.0f} on each of their "
        f"dyadic ranges, {found[2]:.0f} on each prefix of all tables"
    )


def compare(plain: Side, both: Side, epsilon: str, asked: argparse.Namespace) -> None:
    """Print rounds, ratio and errors at one epsilon."""
    rho = zcdp_of(ApproxDP(as_fraction(epsilon), Fraction(1, both.counts.n**2)))
    seconds: dict[str, list[float]] = {"without": [], "with": []}
    releases: dict[str, Release] = {}
    for _ in range(asked.repeats):
        for name, side in (("without", plain), ("with", both)):
            a_round, releases[name] = side.run(rho, asked.rounds, asked.threads)
            seconds[name].append(a_round)
    ratio = float(np.mean(seconds["with"]) / np.mean(seconds["without"]))
    print(f"epsilon {epsilon}: rounds with prefixes take {ratio:.2f} times those without")
    for name, release in releases.items():
        cells, prefixes = errors(both, release)
        each = ", ".join(f"{one:.4f}" for one in seconds[name])
        print(f"  {name:>7}: {each} s a round; largest error of cells {cells:.4f}, of prefixes {prefixes:.4f}")
    print(at_once(both.problem.workload, rho), flush=True)


def main() -> None:
    """Print the problem, then each epsilon."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--columns", type=int, default=4)
    parser.add_argument("--epsilons", nargs="+", default=["0.1", "1"])
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--atoms", type=int, default=100_000)
    parser.add_argument("--marginals", type=int, default=4_096)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--tilt", type=float, default=0.15)
    asked = parser.parse_args()
    shape = ordered_domain(asked.columns)
    private = rows_of(shape, asked.rows, 0.0, 2)
    support = Support.of(rows_of(shape, asked.atoms, asked.tilt, 3))
    plain = Workload.sampled(shape, 3, asked.marginals, 0)
    both = plain.with_prefixes([one.name for one in shape.attributes if one.ordered])
    sides = [Side(PublicProblem(one, support), count(one, private)) for one in (plain, both)]
    warm_up()
    print(
        f"m = {len(support):,}, W = {len(plain.marginals):,}, n = {asked.rows:,}; {len(both.prefixes):,} prefix tables "
        f"of {asked.columns} columns, {both.queries - plain.queries:,} of {both.queries:,} queries"
    )
    for epsilon in asked.epsilons:
        compare(*sides, epsilon, asked)


if __name__ == "__main__":
    main()
