"""Answers of a release of households with their intervals: from its own files alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product

import numpy as np

from pmwpub.errors import WorkloadError
from pmwpub.mechanisms.table_fit.intervals.cell_errors import LARGEST_ORDER
from pmwpub.records import Dataset, Floats
from pmwpub.release.answers.marginal_answers import check_answered
from pmwpub.release.households.household_bundle import HouseholdBundle
from pmwpub.release.households.household_certificate import refuse_rounds
from pmwpub.release.households.reading.household_cells import HouseholdCell, HouseholdNumber
from pmwpub.release.households.reading.measured_households import Counted, MeasuredHouseholds
from pmwpub.release.households.reading.noisy_sums import NoisySum

COUNTED: tuple[Counted, ...] = ("persons", "households")


class HouseholdAnswers:
    """Answers of one release of households to marginals of up to three columns.

    Privacy: a function of the bundle, which is released.
    """

    def __init__(self, bundle: HouseholdBundle) -> None:
        refuse_rounds(bundle.certificate)
        self._bundle, self.measured = bundle, MeasuredHouseholds(bundle)
        self._n, self._largest = float(bundle.certificate.n), float(bundle.schema.largest)
        self._by_weights: dict[tuple[Counted, tuple[int, ...]], Floats] = {}

    def persons(self) -> HouseholdNumber:
        """How many persons count, which is private: n times the mean size."""
        return self._of_persons(1.0)

    def mean_size(self) -> HouseholdNumber:
        """The persons of a household who count, on average."""
        return self._of_persons(1.0 / self._n)

    def _of_persons(self, factor: float) -> HouseholdNumber:
        found = self.measured.persons
        low, high = found.interval(self._n, self._n * self._largest)
        released = self._n * self._size
        return HouseholdNumber.of(found.value * factor, released * factor, (low * factor, high * factor))

    def counted(self, names: Sequence[str], of: Counted | None = None) -> Counted:
        """Whether these columns are asked of persons or of households: as it is said, or as only one has them all.

        Raises WorkloadError where both have them and nothing is said, or where it cannot be.
        """
        fitting = [one for one in COUNTED if set(names) <= set(self.measured.domain(one).names)]
        if of is not None and of in fitting:
            return of
        if of is None and len(fitting) == 1:
            return fitting[0]
        if fitting and of is None:
            raise WorkloadError(
                f"Persons and households both have {', '.join(names)}: say whether persons are counted (--of persons) "
                "or households (--of households)."
            )
        have = "; ".join(f"{one} have {', '.join(self.measured.domain(one).names)}" for one in COUNTED)
        raise WorkloadError(f"There is no such table of {of or 'persons or of households'}: {have}.")

    def marginal(self, names: Sequence[str], of: Counted | None = None) -> tuple[HouseholdCell, ...]:
        """The cells of the marginal of these columns, each with its interval.

        Raises WorkloadError for none, more than three, a repeated or an unknown column, more than MOST_CELLS cells, and
        as `counted` does.
        """
        of, wanted = self._asked(names, of)
        return tuple(self._cell(of, wanted, place) for place in self._places(of, wanted))

    def within(
        self, names: Sequence[str], given: Sequence[str], of: Counted | None = None
    ) -> tuple[HouseholdCell, ...]:
        """The cells as shares of the persons, or households, that have their levels of the columns `given`.

        Raises WorkloadError as `marginal` does, and unless `given` are some of its columns, not all.
        """
        of, wanted = self._asked(names, of)
        domain = self.measured.domain(of)
        parents = tuple(sorted(domain.index(name) for name in given if name in domain.names))
        if len(parents) < len(given) or not given or not set(parents) < set(wanted):
            raise WorkloadError("Shares are within some of the marginal's columns, and not within all of them.")
        found = []
        for place in self._places(of, wanted):
            top, bottom = self._noisy(of, wanted, place), self._noisy(of, parents, _part(wanted, place, parents))
            whole = self._released(of, parents)[_part(wanted, place, parents)]
            share = float(self._released(of, wanted)[place] / whole) if whole > 0 else 0.0
            found.append(HouseholdCell(self._labels(of, wanted, place), _ratio(top, bottom, share)))
        return tuple(found)

    def difference(
        self, first: Mapping[str, str], second: Mapping[str, str], of: Counted | None = None
    ) -> HouseholdNumber:
        """The share of one cell less that of another of the same marginal.

        Raises WorkloadError for cells of different marginals, the same cell twice, or an unknown column or level.
        """
        of, wanted = self._asked(list(first), of)
        if set(first) != set(second) or dict(first) == dict(second):
            raise WorkloadError("A difference is of two different cells that have levels of the same columns.")
        places = [self._place(of, wanted, cell) for cell in (first, second)]
        table = self._released(of, wanted)
        released = float(table[places[0]] - table[places[1]]) / (self._size if of == "persons" else 1.0)
        noisy = self.measured.table(of, self._named(of, wanted))
        if noisy is None:
            return HouseholdNumber.unmeasured(released)
        factors = np.zeros_like(noisy.counts)
        factors[places[0]], factors[places[1]] = 1.0, -1.0
        return self._share(of, noisy.sum(factors), released, least=-1.0)

    def tables(self) -> Iterator[tuple[Counted, tuple[HouseholdCell, ...]]]:
        """Every table that was measured, in the order of tables.csv."""
        for of, names in self.measured.measured:
            yield of, self.marginal(names, of)

    def _asked(self, names: Sequence[str], of: Counted | None) -> tuple[Counted, tuple[int, ...]]:
        if not 1 <= len(set(names)) == len(names) <= LARGEST_ORDER:
            raise WorkloadError(f"A marginal is asked for by one to {LARGEST_ORDER} different columns.")
        of = self.counted(names, of)
        domain = self.measured.domain(of)
        wanted = tuple(sorted(map(domain.index, names)))
        check_answered([domain.shape[one] for one in wanted])
        return of, wanted

    def _cell(self, of: Counted, wanted: tuple[int, ...], place: tuple[int, ...]) -> HouseholdCell:
        labels, each = self._labels(of, wanted, place), float(self._released(of, wanted)[place])
        released = each / (self._size if of == "persons" else 1.0)
        noisy = self._noisy(of, wanted, place)
        share = HouseholdNumber.unmeasured(released) if noisy is None else self._share(of, noisy, released)
        if of == "households":
            return HouseholdCell(labels, share)
        if noisy is None:
            return HouseholdCell(labels, share, HouseholdNumber.unmeasured(each))
        low, high = noisy.interval(0.0, self._n * self._largest)
        per = HouseholdNumber.of(noisy.value / self._n, each, (low / self._n, high / self._n))
        return HouseholdCell(labels, share, per)

    def _share(self, of: Counted, noisy: NoisySum, released: float, least: float = 0.0) -> HouseholdNumber:
        """A sum of one table's cells as a share of the persons who count, or of the households."""
        if of == "persons":
            return _ratio(noisy, self.measured.persons, released, least)
        low, high = noisy.interval(least * self._n, self._n)
        return HouseholdNumber.of(noisy.value / self._n, released, (low / self._n, high / self._n))

    def _noisy(self, of: Counted, wanted: tuple[int, ...], place: tuple[int, ...]) -> NoisySum | None:
        table = self.measured.table(of, self._named(of, wanted))
        return None if table is None else table.cell(place)

    def _named(self, of: Counted, wanted: tuple[int, ...]) -> tuple[str, ...]:
        return tuple(self.measured.domain(of).names[one] for one in wanted)

    def _places(self, of: Counted, wanted: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        return product(*(range(self.measured.domain(of).shape[one]) for one in wanted))

    def _labels(self, of: Counted, wanted: tuple[int, ...], place: tuple[int, ...]) -> dict[str, str]:
        columns = [self.measured.domain(of).attributes[one] for one in wanted]
        return {column.name: column.levels[code] for column, code in zip(columns, place, strict=True)}

    def _place(self, of: Counted, wanted: tuple[int, ...], cell: Mapping[str, str]) -> tuple[int, ...]:
        columns = [self.measured.domain(of).attributes[one] for one in wanted]
        for column in columns:
            if cell[column.name] not in column.levels:
                raise WorkloadError(f"Column {column.name!r} has no level {cell[column.name]!r}.")
        return tuple(column.levels.index(cell[column.name]) for column in columns)

    @cached_property
    def _size(self) -> float:
        """Persons of a household, by the weights."""
        return float(self._bundle.weights @ np.diff(self._bundle.atoms.starts))

    def _released(self, of: Counted, wanted: tuple[int, ...]) -> Floats:
        """Persons per household, or shares of households, by the weights: one axis a column."""
        atoms, weights, asked = self._bundle.atoms, self._bundle.weights, (of, wanted)
        if asked not in self._by_weights:
            rows, each = (atoms.persons, weights[atoms.owners]) if of == "persons" else (atoms.own, weights)
            self._by_weights[asked] = _summed(rows, wanted, each)
        return self._by_weights[asked]


def _summed(rows: Dataset, wanted: tuple[int, ...], weights: Floats) -> Floats:
    """The weights of the rows in each cell; public rows have a level everywhere."""
    shape = tuple(rows.domain.shape[one] for one in wanted)
    places = np.ravel_multi_index(tuple(rows.codes[:, one].astype(np.int64) for one in wanted), shape)
    found = np.bincount(places, weights=weights, minlength=int(np.prod(shape)))
    return found.astype(np.float64).reshape(shape)


def _part(wanted: tuple[int, ...], place: tuple[int, ...], parents: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(place[wanted.index(one)] for one in parents)


def _ratio(top: NoisySum | None, bottom: NoisySum | None, released: float, least: float = 0.0) -> HouseholdNumber:
    """A share: of 0 to 1 where the lower number may be zero."""
    if top is None or bottom is None:
        return HouseholdNumber.unmeasured(released)
    ends = top.over(bottom, least, 1.0)
    if ends is None:
        return HouseholdNumber.of(released, released, (least, 1.0))
    return HouseholdNumber.of(top.value / bottom.value, released, ends)
