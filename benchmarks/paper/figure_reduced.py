"""Figure 1, first row: a census table of few small attributes, where MWEM can run.

    python benchmarks/paper/figure_reduced.py [--seeds 5] [--workers 2]

Ohio 2018 is private; all 792 sets of five of its 12 attributes of at most four levels; public tables and validation as
in figure_census.py. The paper's ACS (reduced) of Pennsylvania has 15 attributes, 3,003 sets of five and ten times as
many people.
"""

from __future__ import annotations

from common import (
    EPSILONS,
    MATRIX,
    ROUNDS,
    Options,
    census,
    chosen,
    narrowed,
    options,
    played,
    reduced_names,
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

__all__ = ["EPSILONS", "PLAYED_BY", "ROUNDS", "runs", "stage"]


def stage(truth: str, candidates: tuple[str, ...]) -> Stage:
    names = reduced_names()
    table = narrowed(census(truth), names)
    return stage_of(
        Workload.all_kway(table.domain, 5), table, {name: narrowed(census(name), names) for name in candidates}
    )


def runs(made: Options) -> list[tuple[str, SimulatedError]]:
    """(how the hyperparameters were chosen, run)."""
    earlier = stage("oh_2015", tuple(dict.fromkeys(PLAYED_BY.values())))
    methods = (PMW_PUB, "mwem", *made.dual_query)
    picked = played(chosen(validation("reduced", lambda _: earlier, methods, workers=made.workers)), PLAYED_BY)
    test = stage("oh_2018", tuple(PLAYED_BY))
    found: list[tuple[str, SimulatedError]] = []
    for seed in range(made.seeds):
        once = run(f"reduced-{seed}", test, rounds_sweep((UNCHANGED, *MATRIX), seed), made.workers)
        found += [("grid", one) for one in once.errors]
        found += [("validated", one) for one in run_chosen(f"reduced-{seed}-chosen", test, picked, seed, made.workers)]
    return found


if __name__ == "__main__":
    write("reduced", runs(options(__doc__)))
