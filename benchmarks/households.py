"""A release of households beside a flat one at the same epsilon for the same unit: made-up homes of real census rows.

    python benchmarks/households.py [--seeds 3] [--epsilons 0.5,1,2,4] [--rounds-only]

Writes docs/results/households.csv, a line a run; with --rounds-only it makes the runs of PMW^Pub alone, and keeps the
others' lines. `benchmarks/paper/households_report.py` makes the table of it.

The rows are Ohio 2018 (private) and Ohio 2012 (public) of the American Community Survey; which of them lived together
is not known, so `homes_of` makes homes by a rule and a seed (all rows are of people above 15):

1. Who is in group quarters lives alone there.
2. Married men and women are each sorted by POVERTY (of the family), then AGE, then a seeded number; the i-th of both
   are a couple where their AGE codes differ by at most 2. Who finds nobody goes on as the unmarried do.
3. Nine in ten of those of AGE code 3 or less who never married are children of a couple, or of a single person of AGE
   code 7 or more (half of these may be one): of the one whose POVERTY is nearest and who has fewer than three, one who
   has some first.
4. Of the others three in ten pair up as partners, by POVERTY; the rest live alone.

A person gets RELATE (head, spouse, child, partner, alone, in quarters), and each person of a home HPOV, a fifth of the
scale of its head's POVERTY. H = 5. The truth is looked at: a simulation, and not private.

The flat release protects one person's k = H rows, replaced by as many, with the number of persons public: a weaker
promise, for homes of another size are no neighbours of it. It has the home's size and whether it has a child as two
further columns of each person; shares of homes are those of its persons, each weighed by 1/size.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path
from statistics import fmean

import numpy as np
import pandas as pd

from pmwpub.mechanisms.households.household_atoms import HouseholdAtoms, cells_of
from pmwpub.mechanisms.households.household_counts import HouseholdTables, count_households
from pmwpub.mechanisms.households.household_fit import household_fit
from pmwpub.mechanisms.households.household_pmw_pub import household_pmw_pub
from pmwpub.mechanisms.households.household_rounds import household_rounds
from pmwpub.mechanisms.households.household_schedule import household_schedule, household_tables
from pmwpub.mechanisms.households.household_scores import HouseholdProblem
from pmwpub.mechanisms.table_fit.fit_constants import FitConstants
from pmwpub.mechanisms.table_fit.measured_tables import measured_tables
from pmwpub.mechanisms.table_fit.table_fit import table_fit
from pmwpub.mechanisms.table_fit.table_schedule import schedule as table_schedule
from pmwpub.privacy.budget import ZCDP, ApproxDP, zcdp_of
from pmwpub.privacy.seeded_noise import SimulationNoise
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Floats, Support
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.households.grouped_persons import Households
from pmwpub.tabular.households.household_schema import HouseholdSchema
from pmwpub.tabular.households.reading_households import private_households, public_households

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("PMWPUB_DATA", ROOT.parent / "shared" / "data")) / "acs_il_oh"
OUT = ROOT / "docs" / "results" / "households.csv"
H = 5
COLUMNS = ("SEX", "AGE", "MARST", "RACE", "EDUC", "EMPSTAT", "HCOVANY")
"""Of the persons, beside RELATE and HPOV."""

ROUNDS, OF_ROUNDS = (25, 100), "households, PMW^Pub, T = "
"""Of PMW^Pub over households, and how its lines are named."""

MEASURES = ("persons_mean", "persons_max", "homes_mean", "homes_max", "structure")
"""Errors in shares. persons: of all persons, over the cells of 2-way tables; homes: of all homes, over the cells of
2-way tables of size, HPOV and "has a child"; structure: total variation of the AGE of both of a couple."""


def homes_of(rows: pd.DataFrame, seed: int) -> pd.DataFrame:
    """The rows with their home and what follows from it; see above."""
    rng = np.random.default_rng(seed)
    people = rows.assign(order=rng.random(len(rows)), luck=rng.random(len(rows)), home=-1, RELATE="alone")
    people.loc[people.GQ != 1, "RELATE"] = "quarters"
    heads: list[int] = list(people.index[people.GQ != 1])
    for man, woman in _couples(people):
        people.loc[woman, "home"] = len(heads)
        people.loc[[man, woman], "RELATE"] = ["head", "spouse"]
        heads.append(man)
    heads = _children(people, heads)
    for first, second in _partners(people, heads):
        people.loc[second, ["home", "RELATE"]] = [len(heads), "partner"]
        people.loc[first, "RELATE"] = "head"
        heads.append(first)
    heads += list(people.index[(people.home < 0) & ~people.index.isin(heads)])
    people.loc[heads, "home"] = np.arange(len(heads))
    poverty = people.loc[heads, "POVERTY"].to_numpy()[people.home]
    sizes = people.groupby("home").RELATE.transform("size")
    kids = people.groupby("home").RELATE.transform(lambda own: "yes" if (own == "child").any() else "no")
    return people.assign(HPOV=np.minimum(poverty // 6, 4), SIZE=sizes, KIDS=kids)


def _couples(people: pd.DataFrame) -> Iterator[tuple[int, int]]:
    free = people[(people.GQ == 1) & (people.MARST == 0)].sort_values(["POVERTY", "AGE", "order"])
    for man, woman in zip(free[free.SEX == 0].index, free[free.SEX == 1].index, strict=False):
        if abs(people.AGE[man] - people.AGE[woman]) <= 2:
            yield man, woman


def _children(people: pd.DataFrame, heads: list[int]) -> list[int]:
    """Put children into homes; single parents become heads of theirs."""
    young = people[(people.GQ == 1) & (people.AGE <= 3) & (people.MARST == 5) & (people.luck < 0.9)].index
    taken = (people.home >= 0) | people.index.isin([*heads, *young])
    couples = [head for head in heads if people.RELATE[head] == "head"]
    parents = [*couples, *people.index[~taken & (people.AGE >= 7) & (people.luck < 0.5)]]
    poverty, left = people.POVERTY[parents].to_numpy().astype(float), np.full(len(parents), 3)
    place = {head: number for number, head in enumerate(heads)}
    for child in young:
        nearest = int(np.argmin(np.abs(poverty - people.POVERTY[child]) + 1e6 * (left < 1) - 0.01 * (3 - left)))
        left[nearest] -= 1
        parent = parents[nearest]
        if parent not in place:
            place[parent] = len(heads)
            heads.append(parent)
            people.loc[parent, "RELATE"] = "head"
        people.loc[child, ["home", "RELATE"]] = [place[parent], "child"]
    return heads


def _partners(people: pd.DataFrame, heads: list[int]) -> Iterator[tuple[int, int]]:
    free = people[(people.home < 0) & ~people.index.isin(heads) & (people.luck > 0.7)].sort_values(["POVERTY", "order"])
    yield from zip(free.index[::2], free.index[1::2], strict=False)


def schema_of(households: bool) -> HouseholdSchema:
    """Of the homes; of the flat release the persons' part, with the home's facts as columns."""
    own = {str(column["name"]): column for column in json.loads((DATA / "schema.json").read_text())["columns"]}
    columns = [own[name] for name in COLUMNS]
    columns.append(_labels("RELATE", ("head", "spouse", "child", "partner", "alone", "quarters")))
    columns.append(_labels("HPOV", tuple("01234")))
    if not households:
        columns += [_labels("SIZE", tuple(map(str, range(1, H + 1)))), _labels("KIDS", ("no", "yes"))]
    child = {"name": "has a child", "column": "RELATE", "levels": ["child"]}
    rule = {"id": "home", "largest": H, "columns": ["HPOV"], "any": [child]}
    kept = [{key: value for key, value in one.items() if key not in ("strip", "casefold")} for one in columns]
    for one in kept:
        one["same"] = []
    return HouseholdSchema.from_json(
        json.dumps({"version": 2, "missing_tokens": [""], "household": rule, "columns": kept})
    )


def _labels(name: str, levels: tuple[str, ...]) -> dict[str, object]:
    return {"name": name, "kind": "categorical", "levels": levels}


@dataclass(frozen=True, eq=False)
class Truth:
    """Exact shares of the private table, and how those of weighted public rows compare with them."""

    homes: Households
    couples: Floats
    persons: Floats
    own: Floats

    @classmethod
    def of(cls, homes: Households, schema: HouseholdSchema) -> Truth:
        weights = np.full(len(homes), 1 / len(homes))
        return cls(homes, couples(homes, weights), *shares(homes, schema, weights))


def shares(homes: Households, schema: HouseholdSchema, weights: Floats) -> tuple[Floats, Floats]:
    """Of all persons in the cells of their 2-way tables, and of all homes in theirs."""
    own, of_person = schema.own_domain, weights[homes.owners]
    tables = Workload.all_kway(schema.persons.domain, 2), Workload.all_kway(own, 2)
    return (
        spread(tables[0], homes.persons.codes, of_person / of_person.sum()),
        spread(tables[1], homes.own.codes, weights / weights.sum()),
    )


def spread(workload: Workload, codes: np.ndarray, weights: Floats) -> Floats:
    """The weight of each cell."""
    cells = cells_of(workload, codes)
    return np.bincount(cells.ravel(), np.repeat(weights, cells.shape[1]), minlength=workload.queries)


def couples(homes: Households, weights: Floats) -> Floats:
    """The share of couples by the AGE of head and spouse."""
    domain, codes, owners = homes.persons.domain, homes.persons.codes, homes.owners
    age, relate = domain.index("AGE"), domain.index("RELATE")
    size = domain.shape[age]
    first, second = (np.full(len(homes), -1) for _ in range(2))
    for which, relation in ((first, 0), (second, 1)):
        mine = codes[:, relate] == relation
        which[owners[mine]] = codes[mine, age]
    both = (first >= 0) & (second >= 0)
    table = np.bincount(first[both] * size + second[both], weights[both], minlength=size * size)
    return table / table.sum()


def errors(truth: Truth, persons: Floats, own: Floats, found: Floats | None) -> dict[str, float]:
    """By MEASURES; of what a release does not say, nan."""
    one, other = np.abs(persons - truth.persons), np.abs(own - truth.own)
    structure = float("nan") if found is None else float(np.abs(found - truth.couples).sum() / 2)
    return dict(zip(MEASURES, (one.mean(), one.max(), other.mean(), other.max(), structure), strict=True))


def released(epsilon: float, seed: int, truth: Truth, public: Households, schema: HouseholdSchema) -> dict[str, float]:
    """Of a release of households."""
    n, budget = len(truth.homes), rho_of(epsilon, len(truth.homes))
    own = Workload.all_kway(schema.own_domain, 2)
    tables = household_tables(Workload.all_kway(schema.persons.domain, 2), own)
    advised = FitConstants.advised(tables.persons, budget, n=n, delta=Fraction(1, n**2), rows_per_person=H)
    plan = household_schedule(tables, public, budget, n=n, constants=advised, own_constants=FitConstants())
    atoms, counts = HouseholdAtoms.of(public), count_households(tables, truth.homes)
    found = household_fit(counts, atoms, plan, noise=SimulationNoise(f"{epsilon} {seed}"))
    return errors(truth, *shares(atoms.households, schema, found.weights), couples(atoms.households, found.weights))


def by_rounds(
    epsilon: float, rounds: int, seed: int, truth: Truth, public: Households, schema: HouseholdSchema
) -> dict[str, float]:
    """Of a release of households by PMW^Pub, asked for the same tables of two columns."""
    n = len(truth.homes)
    persons, own = Workload.all_kway(schema.persons.domain, 2), Workload.all_kway(schema.own_domain, 2)
    queries = HouseholdTables(persons, household_tables(persons, own).own)
    problem = HouseholdProblem(queries, HouseholdAtoms.of(public))
    plan = household_rounds(rho_of(epsilon, n), rounds, n=n, largest=H)
    counts, noise = count_households(queries, truth.homes), SimulationNoise(f"{epsilon} {rounds} {seed}")
    homes, weights = problem.atoms.households, household_pmw_pub(counts, problem, plan, noise=noise).weights
    return errors(truth, *shares(homes, schema, weights), couples(homes, weights))


def flat(
    epsilon: float, seed: int, truth: Truth, rows: tuple[Dataset, Dataset], schema: HouseholdSchema, homes: int
) -> dict[str, float]:
    """Of a release of persons, k = H, at the same epsilon and delta."""
    domain, budget = rows[0].domain, rho_of(epsilon, homes)
    tables = measured_tables(Workload.all_kway(domain, 2))
    n, support = len(rows[0]), Support.of(rows[1])
    advised = FitConstants.advised(tables, budget, n=n, delta=Fraction(1, homes**2), rows_per_person=H)
    plan = table_schedule(tables, support, budget, rows_per_person=H, complete=True, constants=advised)
    found = table_fit(count(tables, rows[0]), support, plan, noise=SimulationNoise(f"{epsilon} {seed}")).distribution
    return errors(truth, *flat_shares(found.support.codes, found.weights, schema), None)


def flat_shares(codes: np.ndarray, weights: Floats, schema: HouseholdSchema) -> tuple[Floats, Floats]:
    """The same shares from weighted persons who carry their home's facts: a home of s persons is s times 1/s."""
    width = len(schema.persons.domain.attributes)
    size, kids, hpov = codes[:, width].astype(int), codes[:, width + 1], codes[:, schema.persons.domain.index("HPOV")]
    own = weights / (size + 1)
    tables = Workload.all_kway(schema.persons.domain, 2), Workload.all_kway(schema.own_domain, 2)
    return (
        spread(tables[0], codes[:, :width], weights),
        spread(tables[1], np.stack([size, hpov, kids], axis=1), own / own.sum()),
    )


def rho_of(epsilon: float, homes: int) -> ZCDP:
    return zcdp_of(ApproxDP(Fraction(str(epsilon)), Fraction(1, homes**2)))


def unchanged(truth: Truth, public: Households, schema: HouseholdSchema) -> dict[str, float]:
    weights = np.full(len(public), 1 / len(public))
    return errors(truth, *shares(public, schema, weights), couples(public, weights))


def runs(epsilons: list[float], seeds: int, *, rounds_only: bool) -> Iterator[dict[str, object]]:
    """A line a run, as the file has it; those of PMW^Pub last."""
    made = {name: homes_of(pd.read_csv(DATA / f"{name}.csv.gz"), 1) for name in ("oh_2018", "oh_2012")}
    texts = {name: read_table(frame.to_csv(index=False).encode()) for name, frame in made.items()}
    schema, wide = schema_of(households=True), schema_of(households=False)
    truth = Truth.of(private_households(texts["oh_2018"], schema), schema)
    public = public_households(texts["oh_2012"], schema).households
    rows = tuple(private_households(texts[name], wide).persons for name in ("oh_2018", "oh_2012"))
    sizes = {"homes": len(truth.homes), "persons": len(truth.homes.persons), "public_homes": len(public)}
    print(sizes, np.bincount(np.diff(truth.homes.starts))[1:].tolist())
    if not rounds_only:
        yield {"method": "public unchanged", "epsilon": 0, "seed": 0, **sizes, **unchanged(truth, public, schema)}
    for epsilon in () if rounds_only else epsilons:
        for seed in range(seeds):
            own = released(epsilon, seed, truth, public, schema)
            yield {"method": "households", "epsilon": epsilon, "seed": seed, **sizes, **own}
            other = flat(epsilon, seed, truth, rows, schema, len(truth.homes))  # type: ignore[arg-type]
            yield {"method": "flat, k = H", "epsilon": epsilon, "seed": seed, **sizes, **other}
    for rounds, epsilon, seed in product(ROUNDS, epsilons, range(seeds)):
        own = by_rounds(epsilon, rounds, seed, truth, public, schema)
        yield {"method": f"{OF_ROUNDS}{rounds}", "epsilon": epsilon, "seed": seed, **sizes, **own}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epsilons", default="0.5,1,2,4")
    parser.add_argument("--rounds-only", action="store_true")
    given = parser.parse_args()
    kept = []
    if given.rounds_only:
        with OUT.open(newline="", encoding="utf-8") as stream:
            kept = [row for row in csv.DictReader(stream) if not row["method"].startswith(OF_ROUNDS)]
    epsilons = [float(one) for one in given.epsilons.split(",")]
    found = list(runs(epsilons, given.seeds, rounds_only=given.rounds_only))
    with OUT.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(found[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows([*kept, *found])
    for method, epsilon in dict.fromkeys((row["method"], row["epsilon"]) for row in found):
        own = [row for row in found if (row["method"], row["epsilon"]) == (method, epsilon)]
        print(method, epsilon, *(f"{name} {fmean(row[name] for row in own):.5f}" for name in MEASURES))  # type: ignore[misc]


if __name__ == "__main__":
    main()
