"""The ways to answer a workload that a simulation compares, by name.

"unchanged" publishes the public table as it is. "pmw-pub" is a release as this program makes it by default; behind a
plus sign stands what is different about a variant, such as "pmw-pub+permute-and-flip+average". "table-fit" is a release
of the other engine, "table-fit-grown" one that may add rows, "table-fit-three-way" one that measures tables of three
columns too, "table-fit-ranges" one that measures coarse tables of the columns whose prefixes are asked,
"table-fit-pool" one with all public tables of a sweep and learnt weights. The paper's baselines have their names in
`baseline_registry`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from pmwpub.errors import PlanError
from pmwpub.evaluation.baseline_registry import (
    BASELINES,
    TABLE_FIT,
    TABLE_FIT_GROWN,
    TABLE_FIT_POOL,
    TABLE_FIT_RANGES,
    TABLE_FIT_THREE_WAY,
    canonical_baseline,
    is_baseline,
    without_flag_values,
)
from pmwpub.mechanisms.pmw_pub.algorithm import Output, Replay, Start

PMW_PUB = "pmw-pub"
UNCHANGED = "unchanged"

SelectionName = Literal["exponential", "permute-and-flip"]


@dataclass(frozen=True)
class Variant:
    """How PMW^Pub is run; the defaults are those of a release."""

    selection: SelectionName = "exponential"
    output: Output = Output.LAST
    start: Start = Start.PUBLIC
    replay: Replay = Replay.HALF

    @property
    def method(self) -> str:
        """The name of the variant: "pmw-pub", and what differs from a release's defaults."""
        parts = [part for part, change in CHANGES.items() if self == change(self)]
        return "+".join([PMW_PUB, *parts])


CHANGES: Mapping[str, Callable[[Variant], Variant]] = MappingProxyType(
    {
        "permute-and-flip": lambda variant: replace(variant, selection="permute-and-flip"),
        "average": lambda variant: replace(variant, output=Output.AVERAGE),
        "uniform": lambda variant: replace(variant, start=Start.UNIFORM),
        "no-replay": lambda variant: replace(variant, replay=Replay.OFF),
    }
)
"""What may be different about a variant, in the order of its name."""

METHODS = (PMW_PUB, *(f"{PMW_PUB}+{change}" for change in CHANGES), UNCHANGED)
"""Each variant that differs in one thing, and the table unchanged; changes may be combined beyond these."""

SIMPLEST = (PMW_PUB, UNCHANGED)


def variant_of(method: str) -> Variant:
    """The variant of a name; PlanError for another one."""
    head, *changes = method.split("+")
    if head != PMW_PUB or not set(changes) <= set(CHANGES):
        raise PlanError(
            f"The methods are {UNCHANGED}, {TABLE_FIT}, {TABLE_FIT_GROWN}, {TABLE_FIT_THREE_WAY}, {TABLE_FIT_RANGES}, "
            f"{TABLE_FIT_POOL}, "
            f"{', '.join(BASELINES)} and {PMW_PUB}, the latter also with +{', +'.join(CHANGES)}; {method!r} came."
        )
    found = Variant()
    for change in changes:
        found = CHANGES[change](found)
    return found


def canonical(methods: Iterable[str]) -> tuple[str, ...]:
    """Each method once, under its one name; PlanError for an unknown one, or parameters out of range."""
    return tuple(dict.fromkeys(map(_canonical, methods)))


def respelt(stored: str) -> str:
    """The canonical name of a method as it was stored, under an older spelling perhaps; itself where it has none."""
    try:
        return _canonical(without_flag_values(stored))
    except PlanError:
        return stored


def _canonical(method: str) -> str:
    if is_baseline(method):
        return canonical_baseline(method)
    return method if method == UNCHANGED else variant_of(method).method
