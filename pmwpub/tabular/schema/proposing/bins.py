"""Where bins of public numbers begin and end, by a stated rule."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from pmwpub.records import Floats

Binning = Literal["rounded", "quantiles", "width"]


def edges_of(values: Floats, bins: int, binning: Binning) -> tuple[float, ...]:
    """Strictly rising edges of at most `bins` bins that hold all values; at least one is given."""
    if binning == "rounded":
        return _rounded(values, bins)
    return _quantiles(values, bins) if binning == "quantiles" else _width(values, bins)


def with_spikes(values: Floats, spikes: Sequence[float], bins: int, binning: Binning) -> tuple[float, ...]:
    """Edges of at most `bins` bins, of which each spike takes one: its edge stands twice.

    The bin beside a spike at the end of the range reaches up to it, so that no bin between is empty, unless the spike
    lies further from the other values than these from each other: then their bins end where they do.
    """
    rest = values[~np.isin(values, spikes)]
    if not len(rest):
        return edges_of(values, bins, binning)
    edges = list(edges_of(rest, max(1, bins - len(spikes)), binning))
    low, high = edges[0], edges[-1]
    below, above = [v for v in spikes if v <= low], [v for v in spikes if v >= high]
    if below:
        edges = edges[1:]
    if above and above[0] - high < high - low and len(edges) > len(below[:1]):
        edges = edges[:-1]
    inner = {edge for edge in edges if edge not in set(spikes)}
    return tuple(sorted([*inner, *spikes, *spikes]))


def _quantiles(values: Floats, bins: int) -> tuple[float, ...]:
    """The smallest value, the quantiles as values that occur, the largest; fewer bins where they tie."""
    found = sorted({float(x) for x in np.quantile(values, np.arange(bins + 1) / bins, method="inverted_cdf")})
    return tuple(found) if len(found) > 1 else (found[0], _above(found[0]))


def _width(values: Floats, bins: int) -> tuple[float, ...]:
    """Equal steps from the smallest to the largest value."""
    low, high = float(values.min()), float(values.max())
    if low == high:
        return (low, _above(low))
    inner = {short(low + (high - low) * step / bins) for step in range(1, bins)}
    return (low, *sorted(edge for edge in inner if low < edge < high), high)


def _above(value: float) -> float:
    """The next edge of a bin that holds one value only."""
    return value + max(1.0, abs(value) * 1e-9)


def _rounded(values: Floats, bins: int) -> tuple[float, ...]:
    """Rounded, strictly rising edges around quantiles of `values`; the outer two cover all of them."""
    step = step_of(values, bins)
    low = short(math.floor(float(values.min()) / step) * step)
    high = short(max(math.ceil(float(values.max()) / step), math.floor(low / step) + 1) * step)
    inner = np.quantile(values, np.arange(1, bins) / bins, method="inverted_cdf")
    edges = {short(round(float(edge) / step) * step) for edge in inner}
    return (low, *sorted(edge for edge in edges if low < edge < high), high)


def short(value: float) -> float:
    """The number in twelve digits."""
    return float(f"{value:.12g}")


def step_of(values: Floats, bins: int) -> float:
    """1, 2 or 5 times a power of ten, a few steps to a bin of the middle of the data."""
    spread = float(np.quantile(values, 0.9) - np.quantile(values, 0.1)) or float(np.ptp(values))
    rough = max(spread / bins / 2, 1e-9 * max(1.0, float(np.abs(values).max())))
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (5, 2, 1) if factor * power <= rough * (1 + 1e-9))
