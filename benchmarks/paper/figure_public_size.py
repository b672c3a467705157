"""Figure 3: error where only a part of the public table is used.

    python benchmarks/paper/figure_public_size.py [--seeds 5] [--workers 2]

Ohio 2018 is private; 100 %, 10 %, 1 % and 0.1 % of the rows of Ohio 2015 and Illinois 2018 are public; T from the whole
table of the validation pair (Ohio 2015 private, with Ohio 2012 and Illinois 2015). Workload as in figure_census.py. The
paper's public tables have ten times as many rows, so its 1 % is about our 10 %.
"""

from __future__ import annotations

from fractions import Fraction

import figure_census
from common import Options, census, chosen, options, run, stage_of, validation, write
from figure_census import EPSILONS, ROUNDS

from pmwpub.evaluation import PMW_PUB, UNCHANGED, SimulatedError, Sweep, part_of_table
from pmwpub.queries.workload import Workload

SHARES = ("100", "10", "1", "0.1")
PLAYED_BY = {"oh_2015": "oh_2012", "il_2018": "il_2015"}


def runs(made: Options) -> list[tuple[str, SimulatedError]]:
    """(share in percent, run)."""
    workload = Workload.all_kway(census("oh_2018").domain, 3)
    earlier = figure_census.stage("oh_2015", tuple(PLAYED_BY.values()))
    picked = chosen(validation("census", lambda _: earlier, (PMW_PUB,), EPSILONS, ROUNDS, workers=made.workers))
    found: list[tuple[str, SimulatedError]] = []
    for seed in range(made.seeds):
        for share in SHARES:
            parts = {name: part_of_table(census(name), Fraction(share) / 100, seed) for name in PLAYED_BY}
            for name, table in parts.items():
                stage = stage_of(workload, census("oh_2018"), {name: table})
                for epsilon in EPSILONS:
                    _, rounds = picked[PLAYED_BY[name], PMW_PUB, epsilon]
                    once = Sweep((epsilon,), (rounds,), 1, (PMW_PUB, UNCHANGED), floors=False, first_seed=seed)
                    made_now = run(f"size-{name}-{share}-{seed}", stage, once, made.workers)
                    found += [(share, one) for one in made_now.errors]
    return found


if __name__ == "__main__":
    write("public_size", runs(options(__doc__)))
