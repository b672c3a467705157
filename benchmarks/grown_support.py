"""Table fit that may add rows beside table fit that does not, on the same noisy tables.

    python benchmarks/grown_support.py [--seeds 3]     twelve census pairs, and the sample's state D, at three epsilons

Writes docs/results/sharper_grown.csv, which benchmarks/paper/report.py makes the page of. A run that stands there is
not repeated. All are simulations with seeded noise on rows that may be looked at. Data: as for benchmarks/sharper.py.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from functools import cache

from sharper import OUT, PAIRS, add, of_census, stage_of

from pmwpub.evaluation import TABLE_FIT, Errors, Run, Stage, errors_of
from pmwpub.mechanisms.table_fit.fit_constants import FitConstants, SupportGrowth
from pmwpub.mechanisms.table_fit.measured_tables import measured_tables
from pmwpub.mechanisms.table_fit.table_fit import table_fit
from pmwpub.mechanisms.table_fit.table_schedule import schedule
from pmwpub.queries.counts import count
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload
from pmwpub.service.inputs import bundled_sample
from pmwpub.tabular.coding.encode import encode_public
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.schema.table_schema import Schema

FIRST_SEED = 2041
EPSILONS = (0.1, 0.25, 1.0)
SAMPLE = ("state_a", "state_d")
PATH = OUT / "sharper_grown.csv"


@dataclass(frozen=True)
class Beside:
    """Errors on one set of noisy tables, without rows that may be added and with them."""

    private: str
    public: str
    epsilon: float
    seed: int
    plain_max: float
    grown_max: float
    plain_mean: float
    grown_mean: float


@cache
def of_sample(private: str, public: str) -> Stage:
    """The sample's tables: all 1,140 three-way marginals."""
    schema = Schema.from_json(bundled_sample.sample_file(bundled_sample.SCHEMA))
    rows = encode_public(read_table(bundled_sample.sample_file(f"{public}.csv")), schema).dataset
    return stage_of(Workload.all_kway(schema.domain, 3), bundled_sample.sample_truth(schema), public, rows)


def beside(stage: Stage, private: str, public: str, epsilon: float, seed: int) -> Beside:
    """Both on the same noise; where no row is added, the two are one release to the bit, and one run tells of both."""
    assert stage.rows is not None
    support, n = stage.candidates[public], stage.counts.n
    tables, budget = measured_tables(stage.workload), stage.terms(epsilon).budget
    constants = FitConstants.advised(tables, budget, n=n, delta=stage.delta)
    counts = count(tables, stage.rows)

    def errors(growth: SupportGrowth | None) -> tuple[Errors, bool]:
        plan = schedule(tables, support, budget, rows_per_person=1, complete=False, constants=constants, growth=growth)
        found = table_fit(counts, support, plan, noise=stage.noise(Run(public, TABLE_FIT, epsilon, 0, seed)))
        added = bool(found.choices.grown)
        problem = PublicProblem(stage.workload, found.distribution.support) if added else _problem(public, stage)
        return errors_of(stage.counts, problem, found.distribution), added

    grown, added = errors(SupportGrowth())
    plain = errors(None)[0] if added else grown
    largest, mean = (plain.max_error, grown.max_error), (plain.mean_error, grown.mean_error)
    return Beside(private, public, epsilon, seed, *largest, *mean)


_problems: dict[tuple[str, str], PublicProblem] = {}


def _problem(public: str, stage: Stage) -> PublicProblem:
    key = (public, stage.workload.sha256)
    return _problems.setdefault(key, PublicProblem(stage.workload, stage.candidates[public]))


def wanted(seeds: int) -> Iterator[tuple[Callable[[], Stage], str, str, float, int]]:
    """State D first, then the pairs."""
    for private, public in (SAMPLE, *PAIRS):
        make = of_sample if (private, public) == SAMPLE else of_census
        for seed in range(FIRST_SEED, FIRST_SEED + seeds):
            for epsilon in EPSILONS:
                yield lambda a=private, b=public, m=make: m(a, b), private, public, epsilon, seed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    done = set()
    if PATH.is_file():
        with PATH.open(newline="", encoding="utf-8") as stream:
            rows = csv.DictReader(stream)
            done = {(row["private"], row["public"], float(row["epsilon"]), int(row["seed"])) for row in rows}
    for stage, private, public, epsilon, seed in wanted(parser.parse_args().seeds):
        if (private, public, epsilon, seed) not in done:
            line = beside(stage(), private, public, epsilon, seed)
            add(PATH, [field.name for field in fields(Beside)], asdict(line))
            print(line, flush=True)


if __name__ == "__main__":
    main()
