"""How often the end-to-end audits of PMW^Pub pass the right mechanism, and catch noise for twice the charged rho.

Every audit's gate is repeated on hits drawn from the enumerated law of its event: binomial, for runs are independent.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from mechanisms.pmw_pub.toy_problems import CASES, FAULTS, FULL, Case  # noqa: E402
from support.audits import EventGate  # noqa: E402


def simulated(gate: EventGate, probability: float, repeats: int, rng: np.random.Generator) -> float:
    """The share of audits that pass a mechanism whose event has this probability."""
    return float(gate.passes(rng.binomial(gate.runs, probability, size=repeats)).mean())


def lines(name: str, case: Case, times: int, simulate: Callable[[EventGate, float], float]) -> list[list[float]]:
    """Print one line a neighbour; return its figures: the right one passed, then each fault caught."""
    figures = []
    for ours in (True, False):
        gate = case.gate(ours, times)
        caught = [1 - simulate(gate, case.probability(ours, spending)) for spending in FAULTS.values()]
        exact = min(gate.catching(case.probability(ours, spending)) for spending in FAULTS.values())
        figures.append([simulate(gate, gate.exact), *caught])
        shown = "  ".join(f"{figure:9.5f}" for figure in figures[-1])
        neighbour = "ours" if ours else "theirs"
        print(f"{name:22} {neighbour:7} {gate.runs:6}  {gate.exact:.4f}  {shown}  {exact:.6f}")
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=100_000, help="audits of each kind")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    print("audit                  of        runs   exact  right     selection  measurement  both       least, exactly")
    for times in (1, FULL):
        figures = [
            line
            for name, case in CASES.items()
            for line in lines(name, case, times, lambda gate, p: simulated(gate, p, options.repeats, rng))
        ]
        least = np.array(figures).min(axis=0)
        size = "CI's size" if times == 1 else f"{times} times CI's size"
        print(
            f"{size}: the right one passed with {least[0]:.5f} at least, a fault was caught with {least[1:].min():.5f}"
        )


if __name__ == "__main__":
    main()
