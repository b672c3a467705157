"""Which engine is advised, and why: advice, not dogma. Public throughout; the steward may take another.

Where the engines were tried on public tables, the way of the least mean error is advised: table fit, PMW^Pub with its
best rounds, or the public table unchanged where nothing beats it. Where they cannot be tried, the advice is fixed.
Tables of three columns are advised where table fit did clearly better with them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pmwpub.errors import WorkloadError
from pmwpub.evaluation import PMW_PUB, TABLE_FIT, TABLE_FIT_THREE_WAY, UNCHANGED
from pmwpub.mechanisms.table_fit.measured_tables import measured_tables
from pmwpub.plans import MOST_CELLS
from pmwpub.privacy.budget import Number, as_fraction
from pmwpub.queries.workload import Workload
from pmwpub.service.choosing.engine_expectation import bought_numbers, expected_of_engine
from pmwpub.service.choosing.expected_error import BoughtNumbers
from pmwpub.service.choosing.simulated_pairs import key_of
from pmwpub.service.core import Service
from pmwpub.service.inputs.study_store import Study
from pmwpub.service.simulations.engine_trials import EngineTrial, trial
from pmwpub.tasks.engine_work import Way

NAMES = {
    TABLE_FIT: "table fit",
    TABLE_FIT_THREE_WAY: "table fit with tables of three columns",
    PMW_PUB: "PMW^Pub",
    UNCHANGED: "the public table unchanged",
}
"""The ways to publish, in plain words."""

DEFAULT_ROUNDS = 25
FITTED = {TABLE_FIT: False, TABLE_FIT_THREE_WAY: True}
"""Table fit without and with tables of three columns."""
PAYS = 0.95
"""Tables of three columns are advised where the mean error with them is below so much of that without."""


@dataclass(frozen=True)
class EngineAdvice:
    """The advised way to publish a candidate at an epsilon.

    engine     "table-fit", "pmw-pub" or "unchanged"
    rounds     of PMW^Pub, whichever way is advised
    reason     some sentences: what was expected of each way, or why nothing was tried
    trial      what the advice rests on; without `ways` where nothing was tried, or not yet
    three_way  whether table fit is advised with tables of three columns
    """

    engine: str
    rounds: int
    reason: str
    trial: EngineTrial
    three_way: bool = False

    @property
    def tried(self) -> bool:
        """Whether the advice rests on a trial."""
        return bool(self.trial.ways)


def advise_engine(service: Service, current: Study, candidates: Sequence[str], epsilon: Number) -> EngineAdvice:
    """The advice from a stored trial, or else the fixed one; nothing is run.

    epsilon  at the population's delta
    """
    found = trial(service, current, candidates, float(as_fraction(epsilon)))
    workload = current.workload()
    bought = bought_numbers(service, current)
    ways = _as_expected(service, current, candidates, found, bought)
    also = key_of(candidates) in bought and ways != list(found.ways)
    ways = [way for way in ways if way.engine not in FITTED or fits(workload, three_way=FITTED[way.engine])]
    if not ways:
        return EngineAdvice(TABLE_FIT if fits(workload) else PMW_PUB, DEFAULT_ROUNDS, _fixed(found, workload), found)
    taken = [way for way in ways if way.engine != TABLE_FIT_THREE_WAY or pays(found)]
    best = min(taken, key=lambda way: (way.mean, way.engine != UNCHANGED))
    rounds = next((way.rounds for way in ways if way.engine == PMW_PUB), DEFAULT_ROUNDS)
    three_way = best.engine == TABLE_FIT_THREE_WAY
    engine = TABLE_FIT if three_way else best.engine
    return EngineAdvice(engine, rounds, _found(found, best, ways, workload, bought=also), found, three_way)


def pays(found: EngineTrial) -> bool:
    """Whether table fit did clearly better with tables of three columns, where that was tried."""
    both = fitted(found)
    return both is not None and both[1].mean < PAYS * both[0].mean


def fitted(found: EngineTrial) -> tuple[Way, Way] | None:
    """What table fit reached without and with tables of three columns, where both were tried."""
    plain, three = map(found.of, FITTED)
    return None if plain is None or three is None else (plain, three)


def _as_expected(
    service: Service,
    current: Study,
    candidates: Sequence[str],
    found: EngineTrial,
    bought: Mapping[str, BoughtNumbers],
) -> list[Way]:
    """The ways of a trial, with the numbers that the price of a release is shown with, from wherever those come."""
    if not found.ways:
        return []
    expected: dict[str, float] = {}
    for way in found.ways:
        if way.engine != UNCHANGED:
            own, _ = expected_of_engine(service, current, candidates, found.epsilon, way.engine, bought)
            if own is not None:
                expected[way.engine] = own.error
                expected.setdefault(UNCHANGED, own.start)
    return [_with_mean(way, expected.get(way.engine, way.mean)) for way in found.ways]


def _with_mean(way: Way, mean: float) -> Way:
    """The way with another mean, of which no standard error is known."""
    return way if mean == way.mean else replace(way, mean=mean, standard_error=0.0)


def named(way: Way) -> str:
    """A way to publish in plain words, with the rounds of PMW^Pub."""
    return f"{NAMES[way.engine]} with T = {way.rounds}" if way.engine == PMW_PUB else NAMES[way.engine]


def expected(way: Way) -> str:
    """The largest error that is expected of a way, in percent of the rows."""
    bar = f" ± {100 * way.standard_error:.2g}" if way.standard_error else ""
    return f"{100 * way.mean:.2g}{bar} %"


def _found(found: EngineTrial, best: Way, ways: Sequence[Way], workload: Workload, *, bought: bool) -> str:
    order = sorted(ways, key=lambda way: (way is not best, way.mean))
    numbers = ", ".join(f"{named(way)} {expected(way)}" for way in order)
    part = len(workload.tables) != found.marginals
    over = f", over {found.marginals:,} of {len(workload.tables):,} marginals" if part else ""
    playing = " and ".join(found.truths)
    also = ", and by what was bought of this one" if bought else ""
    return (
        f"Advised: {named(best)}. Largest error expected at epsilon {found.epsilon:g}, by simulations in which "
        f"{playing} played the private table{over}{also}: {numbers}.{_rule(ways)}"
    )


def _rule(ways: Sequence[Way]) -> str:
    """When tables of three columns are advised, where they were tried."""
    if all(way.engine != TABLE_FIT_THREE_WAY for way in ways):
        return ""
    cut = f"{100 * (1 - PAYS):.2g} %"
    return f" Tables of three columns are advised where they cut the error of table fit by more than {cut}."


def _fixed(found: EngineTrial, workload: Workload) -> str:
    if not fits(workload):
        return "Advised: PMW^Pub. The tables of this workload are too many for table fit."
    why = found.hindered or "Nothing was tried for this choice"
    return (
        f"Advised: table fit, a fixed default. {why}; table fit had a smaller error than PMW^Pub on every pair of "
        "tables that was measured when this program was made."
    )


def fits(workload: Workload, *, three_way: bool = False) -> bool:
    """Whether table fit may be planned on a workload; with `three_way`, with tables of three columns, of which it has
    some then."""
    try:
        tables = measured_tables(workload, three_way=three_way)
    except WorkloadError:  # too many to be counted
        return False
    return tables.queries <= MOST_CELLS and (not three_way or int(max(tables.arity)) == 3)
