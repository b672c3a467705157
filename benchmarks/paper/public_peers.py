"""Others that have the same noisy tables or a plain Gaussian vector, on ADULT: docs/results/public_peers.csv.

    python benchmarks/paper/public_peers.py [--seeds 3] [--epsilons 0.1 0.25 0.5 1] [--biases 0 0.2 0.45 0.65]

Three lines on each split: table fit; `mbi`'s weights for the same public rows, fitted to the very same noisy tables
(needs the extra `peers`); and the workload's own cells with Gaussian noise, without a public table and without rows.
Runs that stand in the file are not made again. Splits and workload are those of figure_adult.py.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Iterator

import numpy as np
from common import OUT
from figure_adult import pair

from pmwpub.evaluation import TABLE_FIT, Errors, Stage, errors_of
from pmwpub.evaluation.answering import errors_of_answers
from pmwpub.mechanisms.baselines.graphical.fitted_model import library
from pmwpub.mechanisms.table_fit.fit_constants import FitConstants
from pmwpub.mechanisms.table_fit.measured_tables import measured_tables
from pmwpub.mechanisms.table_fit.table_fit import table_fit
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule, schedule
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.seeded_noise import SimulationNoise
from pmwpub.privacy.vector_gaussian import VectorGaussian
from pmwpub.queries.counts import count
from pmwpub.queries.incidence import PublicProblem
from pmwpub.records import Distribution, Floats, Ints, Support

BIASES = (0.0, 0.2, 0.45, 0.65)
EPSILONS = (0.1, 0.25, 0.5, 1.0)
STEPS, RATE = 1_000, 0.1
"""Of Adam on the logarithms of the weights: as many as AIM's fits take here; the rate is that of mbi's own text."""

REWEIGHTED, GAUSSIAN = "mbi-reweighted", "gaussian-answers"
COLUMNS = ("method", "candidate", "epsilon", "seed", "max_error", "mean_error", "rms_error", "seconds")
Line = tuple[str, str, Errors, float]


def with_public(bias: float, epsilon: float, seed: int) -> Iterator[Line]:
    """Table fit, and mbi's weights for its noisy tables."""
    stage = pair(bias, seed)
    assert stage.rows is not None
    (candidate, support), n = next(iter(stage.candidates.items())), stage.counts.n
    tables, budget = measured_tables(stage.workload), stage.terms(epsilon).budget
    constants = FitConstants.advised(tables, budget, n=n, delta=stage.delta)
    plan = schedule(tables, support, budget, rows_per_person=1, complete=False, constants=constants)
    problem = PublicProblem(stage.workload, support)
    noise, began = SimulationNoise(f"{TABLE_FIT}\n{candidate}\n{epsilon!r}\n{seed}"), time.perf_counter()
    found = table_fit(count(tables, stage.rows), support, plan, noise=noise)
    yield TABLE_FIT, candidate, errors_of(stage.counts, problem, found.distribution), time.perf_counter() - began
    began = time.perf_counter()
    weights = reweighted(support, plan, found.noisy, n)
    errors = errors_of(stage.counts, problem, Distribution(support, weights))
    yield REWEIGHTED, candidate, errors, time.perf_counter() - began


def reweighted(support: Support, plan: TableSchedule, noisy: Ints, n: int) -> Floats:
    """float64 (m,): the weights that mbi gives the public rows, which begin with equal ones; each public row is one."""
    mbi = library()
    import optax
    from mbi.extensions.reweighted_dataset import ReweightedDatasetEstimator

    names = plan.tables.domain.names
    domain = mbi.Domain(names, plan.tables.domain.shape)
    often, edges = support.multiplicity, plan.tables.offsets
    columns = {name: np.repeat(support.columns[i].astype(np.int64), often) for i, name in enumerate(names)}
    lines = [
        mbi.LinearMeasurement(
            noisy[edges[t] : edges[t + 1]].astype(np.float64),
            tuple(names[a] for a in table.attributes),
            float(plan.noises[t].scale),
        )
        for t, table in enumerate(plan.tables.marginals)
    ]
    estimator = ReweightedDatasetEstimator(mbi.Dataset(columns, domain), optax.adam(RATE))
    loss = mbi.marginal_loss.from_linear_measurements(lines, domain)
    fitted = estimator.estimate(domain, loss, known_total=float(n), iters=STEPS)
    of_rows = np.asarray(fitted.weights, dtype=np.float64)
    weights = np.add.reduceat(of_rows, np.concatenate([[0], np.cumsum(often)[:-1]]))
    found: Floats = weights / weights.sum()
    return found


def without_public(epsilon: float, seed: int) -> Line:
    """Every cell of W marginals with Gaussian noise, between no row and all: one vector, which k rows move by
    k sqrt(2W)."""
    stage = pair(0.0, seed)
    law = VectorGaussian.costing(_budget(stage, epsilon), 2 * len(stage.workload.marginals))
    began = time.perf_counter()
    noisy = law.measure(stage.counts.counts, noise=SimulationNoise(f"{GAUSSIAN}\n{epsilon!r}\n{seed}"))
    answers = np.clip(noisy, 0, stage.counts.n) / stage.counts.n
    return GAUSSIAN, "", errors_of_answers(stage.counts, answers), time.perf_counter() - began


def _budget(stage: Stage, epsilon: float) -> ZCDP:
    return stage.terms(epsilon).budget


def main() -> None:
    """Every line that is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epsilons", type=float, nargs="+", default=EPSILONS)
    parser.add_argument("--biases", type=float, nargs="*", default=BIASES)
    parsed, path = parser.parse_args(), OUT / "public_peers.csv"
    known = set()
    if path.is_file():
        with path.open(newline="", encoding="utf-8") as stream:
            known = {(r["method"], r["candidate"], float(r["epsilon"]), int(r["seed"])) for r in csv.DictReader(stream)}
    for seed in range(parsed.seeds):
        for epsilon in parsed.epsilons:
            for bias in parsed.biases:
                if (REWEIGHTED, f"Δ = {bias:+g}", epsilon, seed) not in known:
                    for line in with_public(bias, epsilon, seed):
                        add(path, line, epsilon, seed)
            if (GAUSSIAN, "", epsilon, seed) not in known:
                add(path, without_public(epsilon, seed), epsilon, seed)


def add(path, line: Line, epsilon: float, seed: int) -> None:  # type: ignore[no-untyped-def]
    """One more line, below a header."""
    method, candidate, found, seconds = line
    errors = [f"{value:.6g}" for value in (found.max_error, found.mean_error, found.rms_error)]
    begins = not path.is_file()
    with path.open("a", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        row = [method, candidate, f"{epsilon:g}", str(seed), *errors, f"{seconds:.1f}"]
        writer.writerows([COLUMNS, row] if begins else [row])
    print(*row, flush=True)


if __name__ == "__main__":
    main()
