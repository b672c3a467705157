"""The files of a release of households: persons and households with ids, weights on public households, noisy tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product

import numpy as np

from pmwpub.domain import Domain
from pmwpub.records import Codes, Floats, Ints
from pmwpub.release.households.household_certificate import HouseholdTableStated
from pmwpub.release.synthesis import drawn_atoms
from pmwpub.tabular.coding.decode import csv_cells, csv_line, csv_lines
from pmwpub.tabular.files.text.inert_cells import inert
from pmwpub.tabular.files.text.quoted_csv import csv_bytes
from pmwpub.tabular.households.grouped_persons import Households
from pmwpub.tabular.households.household_schema import HouseholdSchema

PERSONS, HOUSEHOLDS = "persons.csv", "households.csv"
WEIGHTS, WEIGHTED = "weights.csv", "weighted_persons.csv"
TABLES, CERTIFICATE, SCHEMA, REBUILD = "tables.csv", "certificate.json", "schema.json", "rebuild.py"
HOUSEHOLD_FILES = (PERSONS, HOUSEHOLDS, WEIGHTS, WEIGHTED, TABLES, CERTIFICATE, SCHEMA, REBUILD)
"""What a release of households by table fit is written as."""
REPORT = "report.html"
"""Beside these, named by certificates since there are reports; one that was made before names none."""

MEASUREMENTS = "measurements.csv"
ROUND_FILES = tuple(MEASUREMENTS if name == TABLES else name for name in HOUSEHOLD_FILES)
"""What one by PMW^Pub is written as; it has no report."""

TABLES_HEADER = ("of", "columns", "levels", "noisy_count", "sigma")


def synthetic_files(
    schema: HouseholdSchema, atoms: Households, weights: Floats, number: int, seed: int
) -> dict[str, bytes]:
    """persons.csv and households.csv: `number` copies of public households, drawn by the weights.

    Each copy has an id of its own, 1 to `number`, in the column of household ids of both files. Copies of a household
    are as many as its weight times `number`, rounded up or down by a public seed.
    """
    order = np.frombuffer(drawn_atoms(weights, number, seed=seed), dtype=np.int32).astype(np.int64)
    drawn = atoms.chosen(order)
    name = schema.rule.id
    return {
        PERSONS: _labelled_csv(name, drawn.owners + 1, drawn.persons.domain, drawn.persons.codes),
        HOUSEHOLDS: _labelled_csv(name, np.arange(number) + 1, drawn.own.domain, drawn.own.codes),
    }


def weight_files(schema: HouseholdSchema, atoms: Households, weights: Floats) -> dict[str, bytes]:
    """weights.csv and weighted_persons.csv: each different public household once, with its weight, and its persons."""
    numbers, name = np.arange(len(atoms)) + 1, schema.rule.id
    said = [repr(weight) for weight in weights.tolist()]
    return {
        WEIGHTS: _labelled_csv(name, numbers, atoms.own.domain, atoms.own.codes, weights=said),
        WEIGHTED: _labelled_csv(name, atoms.owners + 1, atoms.persons.domain, atoms.persons.codes),
    }


def _labelled_csv(name: str, ids: Ints, domain: Domain, codes: Codes, *, weights: list[str] | None = None) -> bytes:
    header = [name, *domain.names, *(["weight"] if weights is not None else [])]
    columns = [list(map(str, ids.tolist()))]
    for position, attribute in enumerate(domain.attributes):
        labels = np.array(csv_cells(attribute.levels, alone=False), dtype=object)
        columns.append(labels[codes[:, position]].tolist())
    columns += [weights] if weights is not None else []
    return csv_line([inert(one) for one in header]).encode() + csv_lines(columns)


def household_tables_csv(
    schema: HouseholdSchema, tables: Iterable[HouseholdTableStated], persons: Ints, own: Ints
) -> bytes:
    """tables.csv: every noisy cell, whole and not clamped; a count of persons or of households, as `of` says."""
    counts = iter([*persons.tolist(), *own.tolist()])
    return csv_bytes(TABLES_HEADER, _lines(schema, tables, counts))


def _lines(
    schema: HouseholdSchema, tables: Iterable[HouseholdTableStated], counts: Iterator[int]
) -> Iterator[Iterable[object]]:
    for table in tables:
        domain = schema.persons.domain if table.of == "persons" else schema.own_domain
        own = [domain.attributes[domain.index(column)].levels for column in table.columns]
        columns, sigma = inert("; ".join(table.columns)), float(Fraction(table.scale))
        for levels in product(*own):  # the last one's change first, as in cells
            yield table.of, columns, inert("; ".join(levels)), next(counts), sigma
