"""A release of households whose noise is taken away again, so that every number is known by hand."""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from support.commands import Commands
from support.households import csv_of, homes, schema_text

from pmwpub.release.households.household_bundle import HouseholdBundle
from pmwpub.release.households.reading.household_folder import household_bundle_in

N = 60
PRIVATE = homes(N, 1, owning=0.8)


@pytest.fixture(scope="session")
def town(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a release in out/."""
    folder = tmp_path_factory.mktemp("town")
    (folder / "p.csv").write_text(csv_of(PRIVATE))
    (folder / "b.csv").write_text(csv_of(homes(50, 2, owning=0.3), 1_000))
    (folder / "schema.json").write_text(schema_text())
    run = Commands(folder).run
    own = ("--unit", "household", "--largest-household", "4")
    run("ledger", "register", "homes", "--n", str(N), "--epsilon", "3", *own)
    spend = ("release", "--population", "homes", "--schema", "schema.json", "--private", "p.csv", "--public", "b.csv")
    run(*spend, "-k", "2", "--epsilon", "1", "--rows", "25", "-o", "out")
    return folder


@pytest.fixture(scope="session")
def bundle(town: Path) -> HouseholdBundle:
    """The release as its folder has it."""
    return household_bundle_in(town / "out")


@pytest.fixture(scope="session")
def without_noise(bundle: HouseholdBundle) -> HouseholdBundle:
    """The same with true counts in the place of noisy ones, counted here from the private file's text.

    A noise of 2 is stated of each cell: that of the release hides how many persons 60 households have.
    """
    people = [dict(row) for row in csv.DictReader(io.StringIO(csv_of(PRIVATE)))]
    own = []
    for home in PRIVATE:
        members = [one.split(",") for one in home]
        child = "yes" if any(age == "child" for _, age, _ in members) else "no"
        own.append({"household size": str(len(home)), "tenure": members[0][0], "has a child": child})
    schema = bundle.schema
    persons = _counts(people, {one.name: one.levels for one in schema.persons.domain.attributes})
    homes_own = _counts(own, {one.name: one.levels for one in schema.own_domain.attributes})
    assert (len(persons), len(homes_own)) == (len(bundle.persons), len(bundle.own))
    stated = tuple(one.model_copy(update={"scale": "2"}) for one in bundle.certificate.tables)
    quiet = bundle.certificate.model_copy(update={"tables": stated})
    return replace(bundle, certificate=quiet, persons=np.array(persons), own=np.array(homes_own))


def _counts(rows: list[dict[str, str]], levels: dict[str, tuple[str, ...]]) -> list[int]:
    found = []
    for columns in [*((one,) for one in levels), *combinations(levels, 2)]:
        seen = Counter(tuple(row[name] for name in columns) for row in rows)
        found += [seen[cell] for cell in product(*(levels[name] for name in columns))]
    return found
