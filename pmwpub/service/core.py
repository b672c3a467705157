"""The service: a ledger, an engine and a cache of public things, and the one path by which a charge is spent."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Literal, Protocol, TypeVar

from pmwpub.errors import LedgerError, NotReady, PlanError
from pmwpub.jobs import PAID, Engine, InlineEngine, Job
from pmwpub.jobs.simulating import Place
from pmwpub.ledger import Booking, Charge, Ledger, Order, PlanKey, Population, TableHandle, TableVerdict
from pmwpub.privacy.budget import ZCDP, ApproxDP, as_fraction, epsilon_of, zcdp_of
from pmwpub.queries.counts import Rows
from pmwpub.service.policy import Policy
from pmwpub.service.shared import Overlap
from pmwpub.tabular.options import ReadOptions
from pmwpub.tabular.sameness import Words

Built = TypeVar("Built")


class PublicCache(Protocol):
    """Keeps what is built from public things, by content key; sessions may share it."""

    def __call__(self, key: str, build: Callable[[], Built]) -> Built: ...


class MemoryCache:
    """A public cache for one program run."""

    def __init__(self) -> None:
        self._kept: dict[str, object] = {}

    def __call__(self, key: str, build: Callable[[], Built]) -> Built:
        if key not in self._kept:
            self._kept[key] = build()
        return self._kept[key]  # type: ignore[return-value]


@dataclass(frozen=True, eq=False)
class PrivateTable:
    """A loaded private table, encoded. It lives in the steward's own session only.

    n, rows_per_person  the terms that it was checked against
    dataset      its codes, or where they are read again each time they are counted
    source       the bytes that were uploaded, or the path
    rows         equal for tables of the same cells, whatever their order: what tables are compared by
    views        each equal for tables of the same rows in one view of them: what tables are compared by, too
    numbers      of the rows, in file order, by which shared runs are found; None of very many rows
    table        what the ledger keeps of it once a charge is made; None in a demo, whose table is generated and serves
                 every demo
    verdict      how it relates to tables that charges were made for; None where nobody is answered that
    options      how its text was read, where somebody confirmed that
    overlaps     public tables that have rows of it, more than chance explains: a warning to the steward only
    compared     the candidates that were compared with it for that: SHA-256, and how they are read

    Privacy: private rows; its repr shows nothing.
    """

    population: str
    schema_sha256: str
    n: int
    rows_per_person: int
    dataset: Rows = field(repr=False)
    source: bytes | Path = field(repr=False)
    rows: bytes = field(repr=False)
    views: tuple[bytes, ...] = field(repr=False)
    numbers: Words | None = field(repr=False)
    table: TableHandle | None = field(repr=False)
    verdict: TableVerdict | None = field(repr=False)
    ignored: tuple[str, ...] = field(repr=False)
    unplaced_cells: int = field(repr=False)
    demo: bool = False
    options: ReadOptions | None = None
    overlaps: tuple[Overlap, ...] = field(default=(), repr=False)
    compared: frozenset[tuple[str, ReadOptions | None]] = field(default=frozenset(), repr=False)

    @property
    def read_as(self) -> str | None:
        """How the file was read, as a plan says it: None for UTF-8 with commas, and for Parquet."""
        return None if self.options is None or self.options == ReadOptions() else self.options.spelt

    def check(self, n: int, rows_per_person: int, terms: Population) -> None:
        """PlanError unless a plan's n and k, this table's, and the population's are the same."""
        in_force = (terms.n, terms.rows_per_person)
        if self.population != terms.name or (n, rows_per_person) != in_force:
            raise PlanError("The plan and the private table belong to other terms than this population's; plan again.")
        if (self.n, self.rows_per_person) != in_force or len(self.dataset) != terms.n:
            raise PlanError("The population's terms changed since the private table was checked; load it again.")


@dataclass(frozen=True)
class Price:
    """What a plan costs, and what would be left.

    rho                exact; the sum of the charges
    epsilon            of this rho alone, at the population's delta
    """

    rho: ZCDP
    epsilon: float
    delta: Fraction
    remaining: ZCDP
    affordable: bool


@dataclass(frozen=True)
class Outcome:
    """What became of a plan that was sent.

    status  "running": its job is queued or at work, here or, without a `job`, in another program on the same store;
            "done": `result` holds the stored bytes; "no result": the charge stays and nothing is drawn again
    fresh   this very call made the charge
    """

    booking: Booking
    status: Literal["running", "done", "no result"]
    job: Job | None = None
    result: bytes | None = field(default=None, repr=False)

    @property
    def fresh(self) -> bool:
        return self.booking.fresh


@dataclass(frozen=True)
class Spending:
    """One plan on its way to private counts.

    order   what the ledger charges
    task    the engine's name for the work
    work    makes up what the task is handed, once the charge stands
    encode  the bytes that are stored of what the task returned
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
    cache: PublicCache = field(default_factory=MemoryCache)
    on_booked: Callable[[Booking], None] | None = None
    place: Place = field(default_factory=Place)
    policy: Policy = field(default_factory=Policy)
    asker: Callable[[], str] = str

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

    def bought(self, population: str, kind: str) -> list[Booking]:
        """The bookings of one kind of plan, oldest first."""
        return [booking for booking in self.ledger.bookings(population) if kind_of(booking) == kind]

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
        return Price(rho, epsilon_of(rho, balance.delta), balance.delta, left, True)

    def spend(
        self,
        population: str,
        wanted: Sequence[Spending],
        *,
        table: TableHandle | None,
        terms: Population,
    ) -> list[Outcome]:
        """Charge, commit, draw, commit; then it may be shown. The one path to private counts: `purchases.buy` takes it.

        What the work needs of this machine is tried first, on made-up rows, and a place in the queue is held for each
        plan, so that neither a machine that cannot do it nor a full queue charges anything. The charges of all plans
        are committed, or none, before any work is even made up; a plan that was sent before adds nothing and runs
        nothing. The engine stores a result before it calls its job done, or else records "no result".

        Privacy: neighbours see the same charges, for a charge depends on the plan alone.
        """
        if any(self.ledger.booking(population, one.order.key) is None for one in wanted):
            self._get_ready()
        with ExitStack() as places:
            for one in wanted:
                if self.ledger.booking(population, one.order.key) is None:
                    places.enter_context(self.engine.reserve(job_key(population, one.order.key), PAID))
            orders = [one.order for one in wanted]
            bookings = self.ledger.book_all(
                population, orders, table=table, terms=terms, refuse_elsewhere=self.policy.answers
            )
            fresh = [(booking, one) for booking, one in zip(bookings, wanted, strict=True) if booking.fresh]
            self._begin(fresh)
        return [self.outcome(booking) for booking in bookings]

    def _get_ready(self) -> None:
        """NotReady unless the engine can do what is to be charged for."""
        try:
            self.engine.readiness.require()
        except NotReady as refused:
            raise NotReady(f"{refused} Nothing was charged.") from refused

    def _begin(self, fresh: Sequence[tuple[Booking, Spending]]) -> None:
        """Hand the work of charged plans to the engine; those behind one that broke off have no result either."""
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
        submitted = False
        try:
            self.engine.submit(
                one.task,
                one.work(),
                key=job_key(booking.population, booking.key),
                on_done=lambda found: self.ledger.finish(booking.id, one.encode(booking, found)),
                on_failed=lambda reason: self.ledger.void(booking.id),
                claim=PAID,
            )
            submitted = True
        finally:
            if not submitted and self.engine.job(job_key(booking.population, booking.key)) is None:
                self.ledger.void(booking.id)

    def outcome(self, booking: Booking) -> Outcome:
        """What became of a booking by now; reads, never runs."""
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
    """Which kind of plan was booked: "assessment", "best", "release" or "error"."""
    found: str | None = json.loads(booking.plan_json).get("kind")
    return found


def job_key(population: str, key: PlanKey) -> str:
    """The engine's name for the work of a plan."""
    return f"plan:{key.plan_sha256}:{key.repeat}:{population}"
