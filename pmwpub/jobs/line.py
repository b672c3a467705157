"""The line in front of the workers: who may join it, and who is next.

Anybody who can open a page can ask for free work on public tables. So that this keeps nobody from what is paid for,
paid jobs go before free ones, some places in line and a worker are kept for paid ones, and the free jobs of each owner
are limited, as `Shares` says.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from pmwpub.errors import QueueFull
from pmwpub.jobs.job import Job
from pmwpub.jobs.run import QueuedJob


class Lane(StrEnum):
    """What a job is: bought, or free for everybody."""

    PAID = "paid"
    FREE = "free"


@dataclass(frozen=True)
class Claim:
    """A job's claim to a place in line.

    owner  who asked for it, such as a browser session; "" is the program itself, which has no share
    """

    lane: Lane = Lane.FREE
    owner: str = ""


@dataclass(frozen=True)
class Shares:
    """How a line is shared.

    kept          how many of the places in line only paid jobs may take
    of_one_owner  free jobs of one owner, in line or at work, at most; None is no limit
    at_work       free jobs at work at one time, at most; None is no limit
    """

    kept: int = 0
    of_one_owner: int | None = None
    at_work: int | None = None


@dataclass(frozen=True)
class JobInLine:
    """One job of a line, without whose it is.

    place  how far from the front it waits; 0 is at work
    """

    job: Job
    lane: Lane
    place: int


FREE = Claim()
PAID = Claim(Lane.PAID)

ALONE = Shares()
"""For a program with one user: first come, first served, but paid before free."""


class Line:
    """Jobs that wait or are at work, and places held for jobs to come. The engine's lock guards every call.

    places  how many jobs may wait
    """

    def __init__(self, places: int, shares: Shares = ALONE) -> None:
        self._places = places
        self._shares = shares
        self._waiting: dict[Lane, list[QueuedJob]] = {lane: [] for lane in Lane}
        self._claims: dict[QueuedJob, Claim] = {}
        self._at_work: set[QueuedJob] = set()
        self._held: Counter[tuple[str, Claim]] = Counter()

    @property
    def entries(self) -> list[QueuedJob]:
        """The jobs that wait, the next one first."""
        return [entry for lane in Lane for entry in self._waiting[lane]]

    def refuse_full(self, claim: Claim) -> None:
        """QueueFull where there is no place for one more job of this claim."""
        in_line = {entry.job.key: self._claims[entry] for entry in self.entries} | {key: one for key, one in self._held}
        free = [one for one in in_line.values() if one.lane is Lane.FREE]
        if len(in_line) >= self._places:
            raise QueueFull(f"{self._places} jobs wait already; try again when one is over.")
        if claim.lane is Lane.PAID:
            return
        if len(free) >= self._places - self._shares.kept:
            raise QueueFull(f"{len(free)} free jobs wait already; try again when one is over.")
        running = [self._claims[entry] for entry in self._at_work]
        own = sum(one.lane is Lane.FREE and one.owner == claim.owner for one in [*in_line.values(), *running])
        if claim.owner and self._shares.of_one_owner is not None and own >= self._shares.of_one_owner:
            raise QueueFull(f"{own} free jobs of this session wait or run already; try again when one is over.")

    def hold(self, key: str, claim: Claim) -> None:
        """Keep a place for a job to come."""
        self._held[key, claim] += 1

    def let_go(self, key: str, claim: Claim) -> None:
        """Free the place of one `hold` again."""
        self._held -= Counter([(key, claim)])

    def holds(self, key: str) -> bool:
        """Whether a place is held for that job."""
        return any(held == key for held, _ in self._held)

    def join(self, entry: QueuedJob, claim: Claim) -> None:
        """Put a job at the end of its lane."""
        self._claims[entry] = claim
        self._waiting[claim.lane].append(entry)

    def leave(self, entry: QueuedJob) -> bool:
        """Take a waiting job out of the line; False if it does not wait."""
        for waiting in self._waiting.values():
            if entry in waiting:
                waiting.remove(entry)
                return True
        return False

    def ready(self) -> bool:
        """Whether a waiting job may begin now."""
        return bool(self._waiting[Lane.PAID]) or (bool(self._waiting[Lane.FREE]) and self._free_may_begin())

    def begin(self) -> QueuedJob:
        """Take the next job out of the line; it is at work from now on. Call it only where the line is `ready`."""
        entry = self._waiting[Lane.PAID if self._waiting[Lane.PAID] else Lane.FREE].pop(0)
        self._at_work.add(entry)
        return entry

    def over(self, entry: QueuedJob) -> None:
        """Forget a job that neither waits nor is at work any more."""
        self._at_work.discard(entry)
        self._claims.pop(entry, None)

    @property
    def jobs(self) -> list[JobInLine]:
        """Every job at work or in line: those at work as they came, then the others, the next one first."""
        at_work = sorted(self._at_work, key=lambda entry: entry.serial)
        placed = [(entry, 0) for entry in at_work] + [(entry, place) for place, entry in enumerate(self.entries, 1)]
        return [JobInLine(entry.job, self._claims[entry].lane, place) for entry, place in placed]

    def place(self, key: str) -> int:
        """How far from the front a job waits: 1 where it is next, 0 where it does not wait."""
        return next((place for place, entry in enumerate(self.entries, 1) if entry.job.key == key), 0)

    def _free_may_begin(self) -> bool:
        most = self._shares.at_work
        return most is None or sum(self._claims[entry].lane is Lane.FREE for entry in self._at_work) < most
