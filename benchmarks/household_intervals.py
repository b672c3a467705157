"""How wide the intervals of a release of households are, and what part of them covers, on made-up homes of census rows.

    python benchmarks/household_intervals.py [--seeds 5] [--epsilons 0.5,1,2,4]

Homes, schema and sizes are those of benchmarks/households.py: Ohio 2018 is private, Ohio 2012 public. Prints for each
epsilon, over cells of at least 1 % of the persons or homes: the median of half an interval's width, the part of the
intervals that hold the true share, and the median of how far the released share is off. The truth is looked at: a
simulation, and not private.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from fractions import Fraction
from statistics import fmean, median
from typing import NamedTuple

import numpy as np
import pandas as pd
from households import DATA, H, homes_of, rho_of, schema_of

from pmwpub.mechanisms.households.household_atoms import HouseholdAtoms
from pmwpub.mechanisms.households.household_counts import count_households
from pmwpub.mechanisms.households.household_fit import household_fit
from pmwpub.mechanisms.households.household_schedule import household_schedule, household_tables
from pmwpub.mechanisms.table_fit.fit_constants import FitConstants
from pmwpub.privacy.seeded_noise import SimulationNoise
from pmwpub.queries.workload import Workload
from pmwpub.release.households.household_bundle import HouseholdBundle
from pmwpub.release.households.household_certificate import HouseholdCertificate, stated_tables
from pmwpub.release.households.reading.household_answers import HouseholdAnswers
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.households.grouped_persons import Households
from pmwpub.tabular.households.household_schema import HouseholdSchema
from pmwpub.tabular.households.reading_households import private_households, public_households

LARGE = 0.01


class SeenCell(NamedTuple):
    """A cell of one release: what is counted, of how many columns, half its interval, whether it covers, its error."""

    of: str
    order: int
    half: float
    covers: bool
    error: float


def bundle_of(
    epsilon: float, seed: int, private: Households, public: Households, schema: HouseholdSchema
) -> HouseholdBundle:
    """A simulated release."""
    n, budget = len(private), rho_of(epsilon, len(private))
    own = Workload.all_kway(schema.own_domain, 2)
    tables = household_tables(Workload.all_kway(schema.persons.domain, 2), own)
    advised = FitConstants.advised(tables.persons, budget, n=n, delta=Fraction(1, n**2), rows_per_person=H)
    plan = household_schedule(tables, public, budget, n=n, constants=advised, own_constants=FitConstants())
    atoms = HouseholdAtoms.of(public)
    found = household_fit(count_households(tables, private), atoms, plan, noise=SimulationNoise(f"{epsilon} {seed}"))
    certificate = HouseholdCertificate.model_construct(n=n, largest_household=H, tables=stated_tables(plan))
    return HouseholdBundle(certificate, schema, atoms.households, found.weights, found.persons, found.own)


def seen(bundle: HouseholdBundle, private: Households) -> Iterator[SeenCell]:
    """The cells of at least `LARGE` of the persons, or homes, beside their true shares."""
    whole = {"persons": private.persons, "households": private.own}
    for of, cells in HouseholdAnswers(bundle).tables():
        rows, names = whole[of], list(cells[0].levels)
        places = tuple(rows.codes[:, rows.domain.index(name)].astype(np.int64) for name in names)
        shape = tuple(rows.domain.shape[rows.domain.index(name)] for name in names)
        inside = np.all([place < size for place, size in zip(places, shape, strict=True)], axis=0)
        counts = np.bincount(np.ravel_multi_index(tuple(p[inside] for p in places), shape), minlength=np.prod(shape))
        for cell, count in zip(cells, counts, strict=True):
            true, low, high = count / len(rows), cell.share.low or 0.0, cell.share.high or 0.0
            if true >= LARGE:
                yield SeenCell(of, len(names), (high - low) / 2, low <= true <= high, abs(cell.share.released - true))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--epsilons", default="0.5,1,2,4")
    given = parser.parse_args()
    frames = {name: homes_of(pd.read_csv(DATA / f"{name}.csv.gz"), 1) for name in ("oh_2018", "oh_2012")}
    texts = {name: read_table(frame.to_csv(index=False).encode()) for name, frame in frames.items()}
    schema = schema_of(households=True)
    private = private_households(texts["oh_2018"], schema)
    public = public_households(texts["oh_2012"], schema).households
    for epsilon in map(float, given.epsilons.split(",")):
        bundles = [bundle_of(epsilon, seed, private, public, schema) for seed in range(given.seeds)]
        found = [cell for bundle in bundles for cell in seen(bundle, private)]
        for of, order in (("persons", 1), ("persons", 2), ("households", 1), ("households", 2)):
            own = [cell for cell in found if (cell.of, cell.order) == (of, order)]
            halves, errors = median(cell.half for cell in own), median(cell.error for cell in own)
            part = fmean(cell.covers for cell in own)
            widths = f"± {100 * halves:.2f} covers {part:.3f}"
            print(f"{epsilon:g} {of} {order}: {widths} released off by {100 * errors:.2f}")
        sizes = [HouseholdAnswers(bundle).persons() for bundle in bundles]
        held = sum((one.low or 0) <= len(private.persons) <= (one.high or 0) for one in sizes)
        print(f"{epsilon:g} number of persons: ± {((sizes[0].high or 0) - (sizes[0].low or 0)) / 2:.0f}, held {held}")


if __name__ == "__main__":
    main()
