"""The figure of the last iterate, and permute-and-flip against the exponential mechanism.

    python benchmarks/paper/figure_variants.py [--seeds 5] [--workers 2]

ADULT at Delta = 0.2, and Ohio 2018 with Illinois 2018: each variant at each T of the paper's grid, the best T of each
at each epsilon (an oracle's choice, the same for all). The paper's own setting is permute-and-flip with the average.
"""

from __future__ import annotations

from common import Options, adult_pair, adult_workload, census, options, rounds_sweep, run, stage_of, write

from pmwpub.evaluation import PMW_PUB, UNCHANGED, SimulatedError, Stage
from pmwpub.queries.workload import Workload

VARIANTS = (
    PMW_PUB,
    f"{PMW_PUB}+average",
    f"{PMW_PUB}+permute-and-flip",
    f"{PMW_PUB}+permute-and-flip+average",
    f"{PMW_PUB}+no-replay",
)


MOST_SEEDS = {"adult": 5, "census": 2}
"""A seed of the census takes a quarter of an hour of one core."""


def pair(data: str, seed: int) -> Stage:
    if data == "adult":
        private, public = adult_pair(0.2, seed)
        return stage_of(adult_workload(), private, {"Δ = +0.2": public})
    table = census("oh_2018")
    return stage_of(Workload.all_kway(table.domain, 3), table, {"il_2018": census("il_2018")})


def runs(made: Options) -> list[tuple[str, SimulatedError]]:
    """(data, run)."""
    return [
        (data, one)
        for data in MOST_SEEDS
        for seed in range(min(made.seeds, MOST_SEEDS[data]))
        for one in run(
            f"variants-{data}-{seed}", pair(data, seed), rounds_sweep((*VARIANTS, UNCHANGED), seed), made.workers
        ).errors
    ]


if __name__ == "__main__":
    write("variants", runs(options(__doc__)))
