"""What a planned release will be worth, before it is bought: its noise in rows, and the error to expect of it.

A function of the plan, of public tables and of what was released: nothing private takes part, and nothing is charged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist, median

from pmwpub.errors import SchemaError
from pmwpub.evaluation import PMW_PUB, TABLE_FIT, TABLE_FIT_THREE_WAY
from pmwpub.evaluation.verdicts import WORTH
from pmwpub.mechanisms.table_fit.pool_fit import equal_mixture
from pmwpub.plans import AnyReleasePlan, AnyTablePlan, ReleasePlan, TableFitPlan, WeightedPoolPlan
from pmwpub.plans.weighing import counted_in, mass_of
from pmwpub.privacy.budget import epsilon_of
from pmwpub.records import Support
from pmwpub.rounding import amount, in_percent, near
from pmwpub.service.choosing.engine_expectation import bought_numbers, expected_of_engine
from pmwpub.service.choosing.expected_error import BoughtNumbers, ExpectedError, expected_errors
from pmwpub.service.choosing.expected_pool import played_pool
from pmwpub.service.choosing.simulated_pairs import SimulatedPairs, key_of, pairs_at
from pmwpub.service.core import Service
from pmwpub.service.inputs.study_store import Study

CONFIDENCE = 0.95

GROWN = "The expected error is that of the release without added rows; what adding them gains is not known beforehand."

WITHOUT_COARSE = (
    "The expected error is that of table fit without coarse tables, which were not simulated: with them ranges are "
    "sharper, and all other tables noisier."
)

QUERY, CELL = "query of a round", "cell of a table"
"""What a measurement is of."""

AVERAGED = "; the fit averages the noise of many such cells out, so a released number is mostly nearer"
"""Said where an error is expected, which would else seem to be less than the noise allows."""


@dataclass(frozen=True)
class Outlook:
    """What a plan of a release promises.

    measured     what a measurement is of: `QUERY` or `CELL`
    noise_rows   half-width of 95 % of the noise of a typical measurement, in rows; or in what `counted_in` says
    noise_share  the same as a share of the rows, or of the total weight
    expected     the largest error to expect, None where no simulation is stored
    start        the error of the public table unchanged, as far as it is known: what is free
    gains        whether the release is expected to be better than the free table by a tenth; None where nothing tells
    simulated    where the expectation comes from
    remark       what the expectation is of, where that is not the very plan; a sentence, or ""
    """

    measured: str
    noise_rows: float
    noise_share: float
    expected: ExpectedError | None
    start: float | None
    gains: bool | None
    simulated: SimulatedPairs
    remark: str = ""
    counted_in: str = "rows"

    @property
    def _whole(self) -> str:
        return "rows" if self.counted_in == "rows" else "total weight"

    @property
    def noise_words(self) -> str:
        """The noise in a sentence; beside an expected error also that one cell's noise is not that of the release."""
        averaged = AVERAGED if self.measured == CELL and self.expected is not None else ""
        return (
            f"The noise of a typical {self.measured} is ± {amount(self.noise_rows)} {self.counted_in} (95 %), "
            f"{near(100 * self.noise_share)} % of the {self._whole}{averaged}."
        )

    @property
    def drowned_words(self) -> str:
        """A warning where the noise of one measurement exceeds the whole; else ""."""
        if self.noise_share <= 1:
            return ""
        why = ", and see whether the total of the weights tells anything" if self.counted_in != "rows" else ""
        what = f"The noise of one {self.measured} exceeds the whole: this release would tell nothing."
        return f"{what} Take a larger ε{why}."

    @property
    def error_words(self) -> str:
        """The error to expect beside what is free, in a sentence or two."""
        free = (
            "" if self.start is None else f" The public table unchanged, which is free: about {in_percent(self.start)}."
        )
        if self.expected is None:
            return f"What error to expect is not known: no simulation of this choice is stored.{free}"
        low, high = in_percent(self.expected.low), in_percent(self.expected.high)
        where = f", with {self.simulated.source} as the private table" if self.simulated.truths else ""
        where += "" if self.simulated.reached else ", at the simulated ε nearest to this one"
        where += f", over {self.simulated.part} of the workload's marginals" if self.simulated.part else ""
        said = (
            f"Expected largest error: {in_percent(self.expected.error)} of the {self._whole} ({low} to {high}){where}."
        )
        return f"{said}{free}{' ' if self.remark else ''}{self.remark}"

    @property
    def gain_words(self) -> str:
        """Whether it is worth its price; "" where nothing tells."""
        if self.gains is None:
            return ""
        if self.gains:
            return "It is expected to be better than the public table unchanged."
        return "It is not expected to be better than the public table unchanged, which is free."


def outlook(service: Service, current: Study, plan: AnyReleasePlan) -> Outlook:
    """What a planned release is worth by all that is stored now; nothing is run.

    Where rows may be added only the noise is known: what is stored is of tables' own rows. Of coarse tables nothing is
    stored either: the error is that of the plan without them, and it is said so.
    """
    return _outlook(service, current, plan, _worth(service, current, plan))


@dataclass(frozen=True)
class _Worth:
    """What is expected of a plan, what is free, and whether the one is better than the other; as in `Outlook`."""

    expected: ExpectedError | None
    start: float | None
    gains: bool | None
    simulated: SimulatedPairs


def _outlook(service: Service, current: Study, plan: AnyReleasePlan, worth: _Worth) -> Outlook:
    measured, rows = _noise_rows_kept(service, current, plan)
    remark = WITHOUT_COARSE if isinstance(plan, TableFitPlan) and plan.ranges is not None else ""
    share, words = rows / mass_of(plan), counted_in(plan)
    return Outlook(measured, rows, share, worth.expected, worth.start, worth.gains, worth.simulated, remark, words)


def _worth(service: Service, current: Study, plan: AnyReleasePlan) -> _Worth:
    """All but the noise of a table fit, whose schedule takes a moment on large workloads."""
    if isinstance(plan, TableFitPlan) and plan.growth is not None:
        return _Worth(None, None, None, SimulatedPairs())
    bought = bought_numbers(service, current)
    with service.ledger.view():
        expected, simulated = _expected(service, current, plan, bought)
    known = bought.get(key_of(plan.inputs.candidates))
    start, most = _start(expected, known), 1.0 if known is None or known.start is None else known.start.high
    # Table fit keeps to the public table where its noise is large, so noise alone says nothing against it.
    noise = noise_rows(current, plan)[1] / mass_of(plan) if isinstance(plan, ReleasePlan) else 0.0
    return _Worth(expected, start, _gains(expected, start, most, noise), simulated)


def _expected(
    service: Service, current: Study, plan: AnyReleasePlan, bought: Mapping[str, BoughtNumbers]
) -> tuple[ExpectedError | None, SimulatedPairs]:
    """The error of the plan's own engine: by simulated pairs and what was bought, else by a trial of the engines."""
    pool = plan.inputs.candidates
    epsilon = epsilon_of(plan.budget, current.population.delta)
    engine = PMW_PUB if isinstance(plan, ReleasePlan) else TABLE_FIT
    if isinstance(plan, TableFitPlan) and plan.three_way_share is not None:
        engine = TABLE_FIT_THREE_WAY
    if isinstance(plan, WeightedPoolPlan):
        pairs = pairs_at(service, current, epsilon, engine)
        together = played_pool(service, current, pool, epsilon)
        singles = expected_errors(pairs.pairs, bought, list(pool), engine=engine)
        if together is None or not singles:
            return None, pairs
        return together.error(singles[0]), replace(pairs, truths=together.truths)
    return expected_of_engine(service, current, pool, epsilon, engine, bought)


def bought_start(service: Service, current: Study, pool: Sequence[str]) -> float | None:
    """The error of a public table unchanged, or of several merged, as it was bought; None where none was."""
    return _start(None, bought_numbers(service, current).get(key_of(pool)))


def _noise_rows_kept(service: Service, current: Study, plan: AnyReleasePlan) -> tuple[str, float]:
    """As `noise_rows`, once for all sessions: a schedule of hundreds of tables takes longer than the page beside it."""
    schema = "" if current.schema is None else current.schema.sha256
    read = ",".join(how for _, how in current.readings(plan.inputs.candidates))
    key = f"noise:{plan.sha256}:{schema}:{'' if isinstance(plan, ReleasePlan) else current.workload().sha256}:{read}"
    return service.cache(key, lambda: noise_rows(current, plan))


def noise_rows(current: Study, plan: AnyReleasePlan) -> tuple[str, float]:
    """What a typical measurement of a plan is of, and the half-width of 95 % of its noise in rows.

    Of table fit it is that of the median table. Raises SchemaError without a schema.
    """
    if isinstance(plan, ReleasePlan):
        return QUERY, _half_width(float(plan.schedule().share.measurement.scale))
    if current.schema is None:
        raise SchemaError("A release needs a schema.")
    support = _shared_by(current, plan)
    schedule = plan.schedule(current.workload(), support, complete=current.schema.complete)
    return CELL, _half_width(median(float(noise.scale) for noise in schedule.noises))


def _shared_by(current: Study, plan: AnyTablePlan) -> Support:
    """The public rows by which a plan shares its budget among the tables."""
    if isinstance(plan, WeightedPoolPlan):
        return equal_mixture([current.support([one]) for one in plan.inputs.candidates])
    return current.support(plan.inputs.candidates)


def not_worth(service: Service, current: Study, plan: AnyReleasePlan) -> str:
    """Why a release wants a tick before it is bought, in words; "" where it wants none.

    It wants one where all that is known says that it will hardly be better than the public table unchanged. Of rows
    that may be added nothing is known beforehand, so a plan with them is judged without them.
    """
    if isinstance(plan, TableFitPlan) and plan.growth is not None:
        found = not_worth(service, current, plan.model_copy(update={"growth": None}))
        return f"{found} {GROWN}" if found else ""
    worth = _worth(service, current, plan)
    if worth.gains is not False:
        return ""
    known = _outlook(service, current, plan, worth)
    return f"{known.gain_words} {known.error_words} {known.noise_words}"


def _half_width(sigma: float) -> float:
    return NormalDist().inv_cdf((1 + CONFIDENCE) / 2) * sigma


def _start(expected: ExpectedError | None, bought: BoughtNumbers | None) -> float | None:
    if expected is not None:
        return expected.start
    return bought.start.estimate if bought is not None and bought.start is not None else None


def _gains(expected: ExpectedError | None, start: float | None, most: float, noise_share: float) -> bool | None:
    """By the expected error; else only noise tells, where it is larger than a bought start can be.

    most  the upper end of that start's interval: its estimate alone may be all noise
    """
    if start is None:
        return None
    if expected is None:
        return False if noise_share >= most else None
    return expected.error <= (1 - WORTH) * start
