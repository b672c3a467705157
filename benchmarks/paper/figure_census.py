"""Figure 1, rows 2 and 3, and the figures of mean and squared error: a census table of full dimension.

    python benchmarks/paper/figure_census.py [--seeds 5] [--workers 2]

Ohio 2018 is private; Ohio 2015, Ohio 2012 and Illinois 2018 are public; hyperparameters are those that did best on the
pairs of earlier years (Ohio 2015 private, with Ohio 2012 and Illinois 2015). Differences from the paper: 29 attributes
and all 3,654 3-way marginals instead of 67 and 4,096 sampled ones; about 11,000 people instead of 100,000, so errors
are larger at the same epsilon.
"""

from __future__ import annotations

from common import (
    JI_ELKAN,
    Chosen,
    Options,
    census,
    chosen,
    options,
    played,
    rounds_sweep,
    run,
    run_chosen,
    stage_of,
    validation,
    write,
)

from pmwpub.evaluation import PMW_PUB, UNCHANGED, SimulatedError, Stage
from pmwpub.queries.workload import Workload

PLAYED_BY = {"oh_2015": "oh_2012", "oh_2012": "oh_2012", "il_2018": "il_2015"}
"""Who plays a candidate on the validation pair."""

EPSILONS = (0.1, 0.25, 0.5, 1.0)
ROUNDS = (5, 10, 25, 50, 100, 200)


def stage(truth: str, candidates: tuple[str, ...]) -> Stage:
    table = census(truth)
    return stage_of(Workload.all_kway(table.domain, 3), table, {name: census(name) for name in candidates})


def validated(made: Options) -> Chosen:
    """What did best on the earlier years, by the names of the candidates of the test."""
    methods = (PMW_PUB, *JI_ELKAN, *made.dual_query)
    earlier = stage("oh_2015", tuple(dict.fromkeys(PLAYED_BY.values())))
    found = validation("census", lambda _: earlier, methods, EPSILONS, ROUNDS, workers=made.workers)
    return played(chosen(found), PLAYED_BY)


def runs(made: Options) -> list[tuple[str, SimulatedError]]:
    """(how the hyperparameters were chosen, run)."""
    picked, test = validated(made), stage("oh_2018", tuple(PLAYED_BY))
    found: list[tuple[str, SimulatedError]] = []
    for seed in range(made.seeds):
        once = rounds_sweep((UNCHANGED, "residual-planner+even"), seed, EPSILONS)
        found += [("grid", one) for one in run(f"census-{seed}", test, once, made.workers).errors]
        found += [("validated", one) for one in run_chosen(f"census-{seed}-chosen", test, picked, seed, made.workers)]
    return found


if __name__ == "__main__":
    write("census", runs(options(__doc__)))
