"""What the noisy tables together say of each attribute alone."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule
from pmwpub.queries.workload import Workload
from pmwpub.records import Floats, Ints


@dataclass(frozen=True, eq=False)
class OneWayEstimates:
    """Estimated shares of rows, and their deviations.

    shares      float64 (cells of the 1-way tables,), in the order of the tables; may lie outside [0, 1]
    deviations  float64, as many
    lacking     positions in the domain of the attributes on which rows were taken to have no level
    """

    shares: Floats
    deviations: Floats
    lacking: tuple[int, ...] = ()


def scales(schedule: TableSchedule, n: int) -> Floats:
    """float64 (tables,): sigma of each table as a share of n rows."""
    return np.array([float(noise.scale) / n for noise in schedule.noises])


def lacking_levels(schedule: TableSchedule, noisy: Ints, n: int) -> tuple[int, ...]:
    """The attributes, by position in the domain, of which some rows evidently have no level.

    Their noisy 1-way tables sum to less than n by more than `lacking_deviations` of that sum's noise. None where the
    schema gives every cell a level. What is not evident is small beside the noise, and is left out of account.

    noisy  int64 (cells of the schedule's tables,), noisy counts of n rows
    """
    if schedule.complete:
        return ()
    found, edges = [], schedule.tables.offsets
    for i, (attribute, scale) in enumerate(zip(schedule.attributes, scales(schedule, n), strict=False)):
        table = noisy[edges[i] : edges[i + 1]] / n
        if 1.0 - table.sum() > schedule.constants.lacking_deviations * scale * math.sqrt(len(table)):
            found.append(attribute)
    return tuple(found)


def one_way_estimates(
    tables: Workload, deviations: Floats, noisy: Ints, n: int, lacking: tuple[int, ...] = ()
) -> OneWayEstimates:
    """The 1-way tables, each averaged with the sums of the 2-way tables that hold its attribute, by inverse variance.

    Sums over an attribute on which rows lack levels would miss these rows, so they are left out, and so are those of
    3-way tables, whose sums are far noisier. Estimates of an attribute on which none do are first centred to the sum 1.

    tables      that were measured, 1-way tables first
    deviations  float64 (tables,): sigma of each, as a share of n rows
    noisy       int64 (cells of the tables,), noisy counts of n rows
    lacking     as `lacking_levels` gives it, or as it is recorded
    """
    ones = [table.attributes[0] for table in tables.marginals if len(table.attributes) == 1]
    edges = tables.offsets[: len(ones) + 1]
    place = {attribute: i for i, attribute in enumerate(ones)}
    weighted, precision = np.zeros(edges[-1]), np.zeros(edges[-1])

    def add(attribute: int, estimate: Floats, variance: float) -> None:
        cells = slice(edges[place[attribute]], edges[place[attribute] + 1])
        if attribute not in lacking:
            estimate = estimate - (estimate.sum() - 1.0) / len(estimate)
        weighted[cells] += estimate / variance
        precision[cells] += 1.0 / variance

    for t, marginal in enumerate(tables.marginals):
        table, variance = noisy[tables.offsets[t] : tables.offsets[t + 1]] / n, float(deviations[t]) ** 2
        if len(marginal.attributes) == 1:
            add(marginal.attributes[0], table, variance)
            continue
        if len(marginal.attributes) > 2:
            break
        first, second = marginal.attributes
        table = table.reshape(tables.domain.shape[first], tables.domain.shape[second])
        if second not in lacking:
            add(first, table.sum(axis=1), variance * table.shape[1])
        if first not in lacking:
            add(second, table.sum(axis=0), variance * table.shape[0])
    return OneWayEstimates(weighted / precision, 1.0 / np.sqrt(precision), lacking)
