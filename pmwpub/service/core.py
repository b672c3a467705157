"""The service: a ledger, an engine and a cache of public things, and the one path by which a charge is spent."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Literal, Protocol, TypeVar

from pmwpub.errors import LedgerError, NoResult
from pmwpub.jobs import PAID, Engine, InlineEngine, Job
from pmwpub.ledger import Agreement, Booking, Charge, Ledger, Order, PlanKey, Population, TableHandle
from pmwpub.privacy.budget import ZCDP, ApproxDP, as_fraction, epsilon_of, zcdp_of
from pmwpub.service.getting_ready import get_ready
from pmwpub.service.grant import Price, pure_epsilon
from pmwpub.service.policy import Policy
from pmwpub.tasks.simulation_work import SweepPlace

Built = TypeVar("Built")


class SharedCache(Protocol):
    """A cache that keeps what is built from public things, by content key; sessions may share it."""

    def __call__(self, key: str, build: Callable[[], Built]) -> Built: ...


class MemoryCache:
    """A public cache for one program run."""

    def __init__(self) -> None:
        self._kept: dict[str, object] = {}

    def __call__(self, key: str, build: Callable[[], Built]) -> Built:
        if key not in self._kept:
            self._kept[key] = build()
        return self._kept[key]  # type: ignore[return-value]


@dataclass(frozen=True)
class Outcome:
    """What became of a plan that was sent.

    status  "running": its job is queued or at work, here or, without a `job`, in another program on the same store;
            "done": `result` holds the stored bytes; "no result": the charge stays and nothing is drawn again
    fresh   whether this very call made the charge
    """

    booking: Booking
    status: Literal["running", "done", "no result"]
    job: Job | None = None
    result: bytes | None = field(default=None, repr=False)

    @property
    def fresh(self) -> bool:
        """Whether this very call made the charge."""
        return self.booking.fresh


@dataclass(frozen=True)
class Spending:
    """One plan on its way to private counts.

    order   what the ledger charges
    task    the engine's name for the work
    work    makes up what the task is handed, once the charge stands
    encode  makes the bytes that are stored of what the task returned
    """

    order: Order
    task: str
    work: Callable[[], object] = field(repr=False)
    encode: Callable[[Booking, object], bytes] = field(repr=False)


@dataclass
class Service:
    """The seam between the interface and everything else.

    place   where the runs of simulations are made
    policy  whether it spends at all, and to whom comparisons of tables are answered
    asker   who asks for free work now, such as a browser session: each has a share of the line
    """

    ledger: Ledger
    engine: Engine | InlineEngine
    cache: SharedCache = field(default_factory=MemoryCache)
    on_booked: Callable[[Booking], None] | None = None
    place: SweepPlace = field(default_factory=SweepPlace)
    policy: Policy = field(default_factory=Policy)
    asker: Callable[[], str] = str

    def refuse_viewers(self, population: str | None) -> None:
        """Raise for whoever may only look, before anything is loaded, changed, bought or simulated.

        population  the one that it is about; None for what is about none yet, such as registering

        Raises ViewersOnly on a server for viewers alone; with accounts StewardNeeded for whoever has no role or
        standing for it now, and UnknownPopulation for who is no member.
        """
        self.policy.refuse_viewers()
        if population is None:
            self.ledger.require_steward()
        else:
            self.ledger.require_work(population)

    def looks_on(self, population: str | None) -> bool:
        """Whether `refuse_viewers` would refuse, as far as this run of a page knows."""
        if self.policy.viewers_only:
            return True
        return not (self.ledger.may_register() if population is None else self.ledger.works(population))

    def price(self, population: str, charges: Sequence[Charge]) -> Price:
        """Add charges up against what is left."""
        balance = self.ledger.balance(population)
        rho = sum((charge.rho for charge in charges), ZCDP(0))
        affordable = rho <= balance.remaining
        left = balance.remaining - rho if affordable else ZCDP(0)
        return Price(
            rho,
            epsilon_of(rho, balance.delta),
            balance.delta,
            left,
            affordable,
            balance.total,
        )

    def price_at(self, population: str, epsilon: str) -> Price:
        """What a release at this epsilon and the population's delta costs at most."""
        delta = self.ledger.population(population).delta
        rho = zcdp_of(ApproxDP(as_fraction(epsilon), delta))
        return self.price(population, [Charge("release", "PMW^Pub", "", "", rho)])

    def reserved(self, population: str) -> ZCDP:
        """The part of what is spent whose result is still being made."""
        running = {charge for booking in self.running(population) for charge in booking.charges}
        history = self.ledger.history(population) if running else []
        return sum((record.rho for record in history if record.id in running), ZCDP(0))

    def bought(self, population: str, *kinds: str) -> list[Booking]:
        """The bookings of some kinds of plans, oldest first."""
        return [booking for booking in self.ledger.bookings(population) if kind_of(booking) in kinds]

    def running(self, population: str) -> list[Booking]:
        """The bookings whose work is queued or under way on this engine."""
        charged = [booking for booking in self.ledger.bookings(population) if booking.status == "charged"]
        return [booking for booking in charged if self.engine.expects(job_key(population, booking.key))]

    def cost_of(self, population: str, bookings: Sequence[Booking]) -> Price:
        """What bookings cost together, as charged, and what is left now."""
        charges = {charge for booking in bookings for charge in booking.charges}
        balance = self.ledger.balance(population)
        rho = sum((record.rho for record in self.ledger.history(population) if record.id in charges), ZCDP(0))
        left = balance.remaining
        pure = pure_epsilon(bookings)
        return Price(rho, epsilon_of(rho, balance.delta), balance.delta, left, True, balance.total, pure)

    def spend(
        self,
        population: str,
        wanted: Sequence[Spending],
        *,
        table: TableHandle | None,
        terms: Population,
        agree: Sequence[Agreement] = (),
    ) -> list[Outcome]:
        """Charge, commit, draw, commit; then show. It is the one path to private counts; only `buying.buy` takes it.

        What the work needs of this machine is tried first, on made-up rows, and a place in the queue is held for each
        plan, so that neither a machine that cannot do it nor a full queue charges anything. The charges of all plans
        are committed, or none, before any work is even made up; a plan that was sent before adds nothing and runs
        nothing. The engine stores a result before it calls its job done, or else records "no result".

        Privacy: neighbours see the same charges, for a charge depends on the plan alone.
        """
        new = {one.task for one in wanted if self.ledger.booking(population, one.order.key) is None}
        if new:
            get_ready(self.engine, new)
        with ExitStack() as places:
            for one in wanted:
                if self.ledger.booking(population, one.order.key) is None:
                    places.enter_context(self.engine.reserve(job_key(population, one.order.key), PAID))
            orders = [one.order for one in wanted]
            bookings = self.ledger.book_all(
                population, orders, table=table, terms=terms, refuse_elsewhere=self.policy.answers, agree=agree
            )
            fresh = [(booking, one) for booking, one in zip(bookings, wanted, strict=True) if booking.fresh]
            self._begin(fresh)
        return [self.outcome(booking) for booking in bookings]

    def _begin(self, fresh: Sequence[tuple[Booking, Spending]]) -> None:
        """Hand the work of charged plans to the engine; the plans behind one that broke off have no result either."""
        begun = 0
        try:
            for booking, one in fresh:
                if self.on_booked is not None:
                    self.on_booked(booking)
                begun += 1
                self._submit(booking, one)
        finally:
            for booking, _ in fresh[begun:]:
                self.ledger.void(booking.id)

    def _submit(self, booking: Booking, one: Spending) -> None:
        """Privacy: the job keeps the work that is handed over, and of the loaded table nothing else."""
        submitted = False
        try:
            self.engine.submit(
                one.task,
                one.work(),
                key=job_key(booking.population, booking.key),
                on_done=partial(self._finish, booking, one.encode),
                on_failed=lambda reason: self.ledger.void(booking.id),
                claim=PAID,
            )
            submitted = True
        finally:
            if not submitted and self.engine.job(job_key(booking.population, booking.key)) is None:
                self.ledger.void(booking.id)

    def _finish(self, booking: Booking, encode: Callable[[Booking, object], bytes], found: object) -> None:
        """Store what a plan bought; what cannot be put into bytes is lost, and its charge stays."""
        try:
            result = encode(booking, found)
        except Exception as failure:
            self.ledger.void(booking.id)
            numbers = ", ".join(map(str, booking.charges))
            raise NoResult(
                f"Charge {numbers} of {booking.population!r} was made, but its result could not be written down "
                f"({type(failure).__name__}). The charge stays and nothing is drawn again."
            ) from failure
        self.ledger.finish(booking.id, result)

    def outcome(self, booking: Booking) -> Outcome:
        """What became of a booking by now; nothing is run."""
        key = job_key(booking.population, booking.key)
        if self.engine.expects(key):
            return Outcome(booking, "running", self.engine.job(key))
        at_work = self.ledger.at_work(booking.id)
        current = self.ledger.booking(booking.population, booking.key)
        if current is None:
            raise LedgerError("The booking is gone from the store; restore the store from its backup.")
        if current.status == "charged" and (at_work or not self.ledger.close_unattended(booking.id)):
            return Outcome(booking, "running")
        if current.status != "done":
            return Outcome(booking, "no result")
        return Outcome(booking, "done", result=self.ledger.result(booking.id))

    def cancel(self, booking: Booking) -> None:
        """Stop the work of a booking; its charge stays."""
        self.engine.cancel(job_key(booking.population, booking.key))


def kind_of(booking: Booking) -> str | None:
    """Which kind of plan was booked: "assessment", "best", "release", "table-fit", "error", "misfits", "acceptance",
    "weight-total", "households", "household-assessment", "household-best", "household-error"."""
    return _kind(booking.plan_json)


@lru_cache(maxsize=1024)
def _kind(plan_json: str) -> str | None:
    """The latest are kept: a page asks of the same bookings many times."""
    found: str | None = json.loads(plan_json).get("kind")
    return found


def job_key(population: str, key: PlanKey) -> str:
    """The engine's name for the work of a plan."""
    return f"plan:{key.plan_sha256}:{key.repeat}:{population}"
