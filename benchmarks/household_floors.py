"""What a start, a floor and a release's error are worth on the made-up homes of `benchmarks/households.py`.

    python benchmarks/household_floors.py [--three-way]

Prints what docs/privacy.md says of them: of public homes of another year and of another state the exact error as they
are and of their best mixture, as shares of households, with the steps and the seconds that this took; the error of
releases; and half of the 95 % interval of a start. The truth is looked at: a simulation, and not private.
"""

from __future__ import annotations

import argparse
import time
from fractions import Fraction

import pandas as pd
from households import DATA, H, homes_of, rho_of, schema_of

from pmwpub.mechanisms.households.household_atoms import HouseholdAtoms
from pmwpub.mechanisms.households.household_counts import HouseholdCounts, HouseholdTables, count_households
from pmwpub.mechanisms.households.household_errors import whole_released
from pmwpub.mechanisms.households.household_fit import household_fit
from pmwpub.mechanisms.households.household_mixture import HouseholdMixture, unchanged_error
from pmwpub.mechanisms.households.household_schedule import household_schedule, household_tables
from pmwpub.mechanisms.households.household_scores import HouseholdProblem
from pmwpub.mechanisms.table_fit.fit_constants import FitConstants
from pmwpub.privacy.lattice_noise import LatticeLaplace
from pmwpub.privacy.seeded_noise import SimulationNoise
from pmwpub.queries.workload import Workload
from pmwpub.tabular.files.reading import TextTable, read_table
from pmwpub.tabular.households.grouped_persons import Households
from pmwpub.tabular.households.household_schema import HouseholdSchema
from pmwpub.tabular.households.reading_households import private_households, public_households


def made(name: str) -> TextTable:
    return read_table(homes_of(pd.read_csv(DATA / f"{name}.csv.gz"), 1).to_csv(index=False).encode())


def assessed(name: str, counts: HouseholdCounts, problem: HouseholdProblem) -> None:
    """Print the error of public homes as they are and of their best mixture."""
    begun, steps = time.process_time(), 0
    state = HouseholdMixture(counts, problem)
    while not state.exhausted:
        state.refine()
        steps += 1
    start = float(unchanged_error(counts, problem, problem.atoms.multiplicity))
    floor, seconds = state.interval, time.process_time() - begun
    print(f"{name}: {len(problem.atoms):,} different homes, {problem.tables.cells:,} queries; start {start:.4f}, floor")
    print(f"    between {float(floor.lower):.8f} and {float(floor.upper):.8f} after {steps} steps, {seconds:.1f} s")


def released(
    schema: HouseholdSchema, counts: HouseholdCounts, problem: HouseholdProblem, own: Households, public: Households
) -> None:
    """Print the error of two releases at each epsilon."""
    n = len(own)
    tables = household_tables(problem.tables.persons, Workload.all_kway(schema.own_domain, 2))
    for epsilon in (0.5, 1, 2):
        budget = rho_of(epsilon, n)
        advised = FitConstants.advised(tables.persons, budget, n=n, delta=Fraction(1, n**2), rows_per_person=H)
        plan = household_schedule(tables, public, budget, n=n, constants=advised, own_constants=FitConstants())
        for seed in range(2):
            noise = SimulationNoise(f"{epsilon} {seed}")
            found = household_fit(count_households(tables, own), problem.atoms, plan, noise=noise)
            error = float(unchanged_error(counts, problem, whole_released(found.weights)))
            print(f"    release at epsilon {epsilon}, seed {seed}: {error:.4f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--three-way", action="store_true")
    ways = 3 if parser.parse_args().three_way else 2
    schema = schema_of(households=True)
    own = private_households(made("oh_2018"), schema)
    asked = Workload.all_kway(schema.own_domain, 1).marginals + Workload.all_kway(schema.own_domain, 2).marginals
    tables = HouseholdTables(Workload.all_kway(schema.persons.domain, ways), Workload(schema.own_domain, asked))
    counts = count_households(tables, own)
    for name in ("oh_2012", "il_2018"):
        public = public_households(made(name), schema).households
        problem = HouseholdProblem(tables, HouseholdAtoms.of(public))
        assessed(name, counts, problem)
        if name == "oh_2012" and ways == 2:
            released(schema, counts, problem, own, public)
    for epsilon in ("0.1", "0.5"):
        law = LatticeLaplace(Fraction(epsilon), H)
        half = law.reach(Fraction(95, 100)) / (len(own) * H * law.steps_per_row)
        print(f"half of a start's interval at epsilon {epsilon}: {half:.4f}")


if __name__ == "__main__":
    main()
