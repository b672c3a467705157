"""What a release of households says, table by table, in the units that people read: nothing here is charged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np

from pmwpub.domain import Domain
from pmwpub.records import Codes, Floats, Ints
from pmwpub.release.households.household_bundle import HouseholdBundle
from pmwpub.release.households.household_certificate import HouseholdTableStated

PER_HOUSEHOLD, SHARE = "persons per household", "share of households (%)"
"""The unit of a table of persons, and of one of households."""


@dataclass(frozen=True)
class CellsOfTable:
    """One table of a release: of persons or of households, its columns, and where its cells begin.

    first  the place of its first cell among the noisy cells of its level
    """

    stated: HouseholdTableStated
    first: int

    @property
    def label(self) -> str:
        """As people choose it."""
        return f"{self.stated.of}: {' × '.join(self.stated.columns)}"

    @property
    def unit(self) -> str:
        """What its numbers are."""
        return PER_HOUSEHOLD if self.stated.of == "persons" else SHARE


def measured_tables_of(bundle: HouseholdBundle) -> list[CellsOfTable]:
    """Every table, those of households first."""
    found, first = [], {"persons": 0, "households": 0}
    for stated in bundle.certificate.tables:
        found.append(CellsOfTable(stated, first[stated.of]))
        first[stated.of] += len(_levels(_domain(bundle, stated), stated))
    return sorted(found, key=lambda one: one.stated.of != "households")


def cells(bundle: HouseholdBundle, table: CellsOfTable) -> Mapping[str, list[str] | list[float]]:
    """The table's cells as columns: its levels, what was released, what was measured, and the noise of that.

    Numbers are in the table's unit: persons per household, or percent of the households.
    """
    stated, domain = table.stated, _domain(bundle, table.stated)
    levels = _levels(domain, stated)
    scale = (1 if stated.of == "persons" else 100) / bundle.certificate.n
    noisy = bundle.persons if stated.of == "persons" else bundle.own
    measured = noisy[table.first : table.first + len(levels)] * scale
    released = _released(bundle, stated, domain, len(levels)) * (scale * bundle.certificate.n)
    noise = float(Fraction(stated.scale)) * scale
    columns = {name: [one[place] for one in levels] for place, name in enumerate(stated.columns)}
    numbers = {
        f"released, {table.unit}": released.tolist(),
        "as measured, with noise": measured.tolist(),
        "standard deviation of the noise": [noise] * len(levels),
    }
    return {**columns, **numbers}


def rounds_of(bundle: HouseholdBundle) -> Mapping[str, list[str] | list[float]]:
    """The rounds of a release by PMW^Pub as columns; none of one by table fit."""
    rounds = bundle.certificate.rounds
    lines = () if rounds is None else rounds.transcript
    scales = {} if rounds is None else {"persons": rounds.scale_of_persons, "households": rounds.scale_of_households}
    return {
        "counted": [str(line.of) for line in lines],
        "query": ["; ".join(f"{name}={level}" for name, level in line.query.items()) for line in lines],
        "noisy count": [float(line.noisy_count) for line in lines],
        "standard deviation of the noise": [float(Fraction(scales[line.of])) for line in lines],
    }


def mean_size(bundle: HouseholdBundle) -> float:
    """Persons per household, as released."""
    return float(np.diff(bundle.atoms.starts) @ bundle.weights)


def _domain(bundle: HouseholdBundle, stated: HouseholdTableStated) -> Domain:
    return bundle.schema.persons.domain if stated.of == "persons" else bundle.schema.own_domain


def _levels(domain: Domain, stated: HouseholdTableStated) -> list[tuple[str, ...]]:
    """The cells by their levels, the last column's change first."""
    return list(product(*(domain.attributes[domain.index(column)].levels for column in stated.columns)))


def _released(bundle: HouseholdBundle, stated: HouseholdTableStated, domain: Domain, number: int) -> Floats:
    """float64 (cells,): persons per household, or the share of households, by the released weights."""
    atoms = bundle.atoms
    if stated.of == "persons":
        return _summed(domain, stated, atoms.persons.codes, bundle.weights[atoms.owners], number)
    return _summed(domain, stated, atoms.own.codes, bundle.weights, number)


def _summed(domain: Domain, stated: HouseholdTableStated, codes: Codes, weights: Floats, number: int) -> Floats:
    cell: Ints = np.zeros(len(codes), dtype=np.int64)
    for place in map(domain.index, stated.columns):
        cell = cell * domain.shape[place] + codes[:, place].astype(np.int64)
    found: Floats = np.bincount(cell, weights, minlength=number).astype(np.float64)
    return found
