"""What the noisy tables together say of each attribute alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule
from pmwpub.records import Floats, Ints


@dataclass(frozen=True, eq=False)
class OneWayEstimates:
    """Estimated shares of rows, and their deviations.

    shares      float64 (cells of the 1-way tables,), in the order of the tables; may lie outside [0, 1]
    deviations  float64, as many
    """

    shares: Floats
    deviations: Floats


def scales(schedule: TableSchedule, n: int) -> Floats:
    """float64 (tables,): sigma of each table as a share of n rows."""
    return np.array([float(noise.scale) / n for noise in schedule.noises])


def one_way_estimates(schedule: TableSchedule, noisy: Ints, n: int) -> OneWayEstimates:
    """The 1-way tables, each averaged with the sums of the 2-way tables that hold its attribute, by inverse variance.

    Where every row is in a cell, each table is first centred to the sum 1. Where rows may have no level, a 2-way table
    lacks rows that the 1-way table has: then the 1-way tables stand alone.

    noisy  int64 (cells of the schedule's tables,), noisy counts of n rows
    """
    tables, deviations = schedule.tables, scales(schedule, n)
    edges = tables.offsets[: schedule.one_way + 1]
    shares = noisy[: edges[-1]] / n
    if not schedule.complete:
        return OneWayEstimates(shares, np.repeat(deviations[: schedule.one_way], np.diff(edges)))
    place = {attribute: i for i, attribute in enumerate(schedule.attributes)}
    weighted, precision = np.zeros(len(shares)), np.zeros(len(shares))

    def add(attribute: int, estimate: Floats, variance: float) -> None:
        cells = slice(edges[place[attribute]], edges[place[attribute] + 1])
        weighted[cells] += (estimate - (estimate.sum() - 1.0) / len(estimate)) / variance
        precision[cells] += 1.0 / variance

    for t, marginal in enumerate(tables.marginals):
        table, variance = noisy[tables.offsets[t] : tables.offsets[t + 1]] / n, float(deviations[t]) ** 2
        if len(marginal.attributes) == 1:
            add(marginal.attributes[0], table, variance)
        else:
            first, second = marginal.attributes
            table = table.reshape(tables.domain.shape[first], tables.domain.shape[second])
            add(first, table.sum(axis=1), variance * table.shape[1])
            add(second, table.sum(axis=0), variance * table.shape[0])
    return OneWayEstimates(weighted / precision, 1.0 / np.sqrt(precision))
