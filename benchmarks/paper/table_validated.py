"""The table of public tables chosen by validation: at each epsilon, the one that did best on the earlier years.

    python benchmarks/paper/table_validated.py [--seeds 5] [--workers 2]

For the reduced and the full census problem: the public table that PMW^Pub did best with on the validation pair is used
on Ohio 2018, beside DualQuery. Everything comes from the runs of figure_reduced.py and figure_census.py.
"""

from __future__ import annotations

from collections.abc import Sequence

import figure_census
import figure_reduced
from common import Options, options, validation, write

from pmwpub.evaluation import PMW_PUB, SimulatedError, Stage, summarise


def best_tables(
    problem: str, stage: Stage, epsilons: Sequence[float], rounds: Sequence[int], workers: int
) -> dict[float, str]:
    """At each epsilon, the candidate with the least mean error over T on the validation pair."""
    lines = summarise(validation(problem, lambda _: stage, (PMW_PUB,), epsilons, rounds, workers=workers))
    return {
        epsilon: min((line for line in lines if line.epsilon == epsilon), key=lambda line: line.mean).candidate
        for epsilon in epsilons
    }


def runs(made: Options) -> list[tuple[str, SimulatedError]]:
    """(problem, run): PMW^Pub with the table that validation chose, and DualQuery."""
    found: list[tuple[str, SimulatedError]] = []
    for label, module in (("reduced", figure_reduced), ("census", figure_census)):
        played_by = module.PLAYED_BY
        earlier = module.stage("oh_2015", tuple(dict.fromkeys(played_by.values())))
        best = best_tables(label, earlier, module.EPSILONS, module.ROUNDS, made.workers)
        for _, one in module.runs(made):
            # oh_2012 plays both Ohio tables; of these the one that is closer in time is taken.
            chosen = {"oh_2012": "oh_2015", "il_2015": "il_2018"}[best[one.epsilon]]
            own = one.method.startswith(PMW_PUB) and one.candidate == chosen
            if own or one.method.startswith("dual-query"):
                found.append((label, one))
    return found


if __name__ == "__main__":
    write("validated", runs(options(__doc__)))
