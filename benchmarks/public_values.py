"""Numbers of synthetic cells: uniform in the bins against the public tables' own, by how many records an atom needs.

    python benchmarks/public_values.py [--seeds 3] [--epsilon 1] [--least 0 2 5 10 20] [--pairs adult census invented]

Three pairs of tables: ADULT (private: 90 % of the rows; public: the other 10 %, of one sex every other row left out),
Ohio 2018 with Ohio 2012 (coded income and poverty as numbers), and an invented table in the manner of a census file:
wages with many zeros and round thousands, pay an hour with two decimals, ages. Each is released by PMW^Pub (all 2-way
marginals, T = 25, delta = 1/n^2), drawn n rows of, and held against the private column: mean, standard deviation, the
mean distance of nine deciles, and the share of zeros; 0 records stand for the whole bin alone. It is a simulation, and
not private.
"""

from __future__ import annotations

import argparse
import gzip
import io
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from pmwpub.mechanisms.pmw_pub.algorithm import Schedule, pmw_pub
from pmwpub.privacy.budget import ApproxDP, as_fraction, zcdp_of
from pmwpub.privacy.round_share import split
from pmwpub.queries.counts import count
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload
from pmwpub.records import Distribution, Support
from pmwpub.release.synthesis import synthetic_csv
from pmwpub.tabular.coding.encode import encode_public
from pmwpub.tabular.coding.public_values import PublicValues, StoredValues
from pmwpub.tabular.files.reading import TextTable, from_frame
from pmwpub.tabular.schema.column_types import NumericColumn
from pmwpub.tabular.schema.drafting import draft
from pmwpub.tabular.schema.table_schema import Schema

DATA = Path(os.environ.get("PMWPUB_DATA", Path(__file__).parents[1].parent / "shared" / "data"))
NEVER = 1 << 40
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pair:
    """A private and a public table of text, and their schema."""

    name: str
    private: pd.DataFrame
    public: pd.DataFrame
    schema: Schema


@dataclass(frozen=True)
class Likeness:
    """A column of drawn rows against the private one: in its units, the deciles' distance in deviations."""

    mean: float
    deviation: float
    deciles: float
    zeros: float


def adult(seed: int) -> Pair:
    """ADULT, cut in two: the public part has half as many women."""
    frame = _text(DATA / "adult" / "adult.csv.gz").sample(frac=1, random_state=seed)
    cut = len(frame) // 10
    public = frame.iloc[:cut]
    women = public["sex"] == public["sex"].unique()[0]
    public = pd.concat([public[~women], public[women].iloc[::2]])
    return Pair("ADULT", frame.iloc[cut:], public, Schema.from_json((DATA / "adult" / "schema.json").read_bytes()))


def census(_: int) -> Pair:
    """Ohio 2018 and 2012: codes of income, age and poverty taken as numbers."""
    private, public = (_text(DATA / "acs_il_oh" / f"oh_{year}.csv.gz") for year in (2018, 2012))
    names = ["AGE", "INCTOT", "INCWAGE", "INCEARN", "POVERTY", "SEX", "MARST", "EDUC", "EMPSTAT", "RACE"]
    numbers = draft([from_frame(public[names[:5]])], bins=6, max_levels=1)
    labels = draft([from_frame(public[names[5:]])])
    schema = Schema.of([*numbers.columns, *labels.columns], numbers.missing_tokens, 2)
    return Pair("Ohio", private[names], public[names], schema)


def invented(seed: int) -> Pair:
    """Wages that are zero or often round, pay with two decimals, ages; private people earn and age a little more."""

    def people(rows: int, generator: np.random.Generator, more: float) -> pd.DataFrame:
        age = np.clip(generator.normal(44 + 20 * (more - 1), 17, rows).round(), 16, 95)
        works = generator.random(rows) < np.where(age < 67, 0.68, 0.12)
        wage = np.exp(generator.normal(10.4 + np.log(more), 0.8, rows))
        wage = np.where(generator.random(rows) < 0.6, wage.round(-3), wage.round(-1)) * works
        pay = np.round(np.where(works, np.maximum(7.25, wage / 1900), 0), 2)
        degree = np.where(generator.random(rows) < 0.2 + 0.3 * (wage > 40_000), "degree", "none")
        cells = {"AGEP": age.astype(int), "WAGP": wage.astype(int), "PAY": [f"{one:.2f}" for one in pay]}
        return pd.DataFrame(cells | {"SCHL": degree, "ESR": np.where(works, "1", "6")}).astype(str)

    generator = np.random.default_rng(seed)
    private, public = people(30_000, generator, 1.1), people(6_000, generator, 1.0)
    return Pair("invented", private, public, draft([from_frame(public)], bins=10, max_levels=20))


PAIRS: dict[str, Callable[[int], Pair]] = {"adult": adult, "census": census, "invented": invented}


def released(pair: Pair, epsilon: str) -> tuple[Distribution, TextTable]:
    """A release by PMW^Pub, and the public table."""
    public, private = from_frame(pair.public), from_frame(pair.private)
    support = Support.of(encode_public(public, pair.schema).dataset)
    workload = Workload.all_kway(pair.schema.domain, 2)
    counts = count(workload, encode_public(private, pair.schema).dataset)
    budget = zcdp_of(ApproxDP(as_fraction(epsilon), Fraction(1, counts.n**2)))
    schedule = Schedule(25, split(budget, 25, rows_per_person=1), sensitivity=1)
    return pmw_pub(counts, PublicProblem(workload, support), schedule).distribution, public


def drawn(pair: Pair, distribution: Distribution, public: TextTable, least: int | None, seed: int) -> pd.DataFrame:
    """As many rows as the private table has; uniform inside the bins where `least` is None."""
    values = None
    if least is not None:
        found = PublicValues.of([public], pair.schema, least=least or NEVER)
        values = StoredValues.from_csv(found.to_csv(pair.schema, distribution.support), pair.schema)
    cells = "numbers" if values is None else "public-values"
    body = synthetic_csv(distribution, pair.schema, len(pair.private), seed=seed, cells=cells, values=values)
    return pd.read_csv(io.BytesIO(body), dtype=str, keep_default_na=False)


def likeness(made: pd.DataFrame, pair: Pair, name: str) -> Likeness:
    """How a column of drawn rows differs from the private one."""
    ours, theirs = _numbers(made[name]), _numbers(pair.private[name])
    at = np.linspace(0.1, 0.9, 9)
    away = np.abs(np.quantile(ours, at) - np.quantile(theirs, at)).mean() / theirs.std()
    return Likeness(float(ours.mean()), float(ours.std()), float(away), float((ours == 0).mean()))


def _numbers(column: pd.Series) -> Numbers:
    return pd.to_numeric(column, errors="coerce").dropna().to_numpy(dtype=np.float64)


def _text(path: Path) -> pd.DataFrame:
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        return pd.read_csv(stream, dtype=str, keep_default_na=False)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line a column and way of drawing, averaged over the seeds."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epsilon", default="1")
    parser.add_argument("--least", type=int, nargs="+", default=[0, 2, 5, 10, 20])
    parser.add_argument(
        "--pairs", nargs="+", choices=("adult", "census", "invented"), default=["adult", "census", "invented"]
    )
    parsed = parser.parse_args(arguments)
    print("table,column,drawn,mean,private mean,deviation,private deviation,deciles,zeros,private zeros")
    for make in (PAIRS[name] for name in parsed.pairs):
        runs = [_run(make(seed), parsed, seed) for seed in range(parsed.seeds)]
        for key, lines in {key: [run[key] for run in runs] for key in runs[0]}.items():
            print(",".join([*key, *(f"{np.mean(line):.6g}" for line in zip(*lines, strict=True))]), flush=True)


def _run(pair: Pair, parsed: argparse.Namespace, seed: int) -> dict[tuple[str, str, str], tuple[float, ...]]:
    """(table, column, way of drawing) -> ours and the private figures, side by side."""
    distribution, public = released(pair, parsed.epsilon)
    numeric = [column.name for column in pair.schema.encoded if isinstance(column, NumericColumn)]
    found = {}
    for least in (None, *parsed.least):
        made = drawn(pair, distribution, public, least, seed)
        words = "uniform" if least is None else f"atom of {least}" if least else "bin"
        for name in numeric:
            one, own = likeness(made, pair, name), _numbers(pair.private[name])
            zeros = float((own == 0).mean())
            found[pair.name, name, words] = (
                *(one.mean, own.mean(), one.deviation, own.std()),
                *(one.deciles, one.zeros, zeros),
            )
    return found


if __name__ == "__main__":
    main()
