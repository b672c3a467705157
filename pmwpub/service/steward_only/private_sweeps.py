"""A sweep with the private table as the truth: for the steward's own eyes, recorded first, held by the caller alone.

No epsilon covers what it shows. It draws secure noise, runs on this machine, and goes into no store, cache or export:
its parts and its result live in the object that the caller gets, and are gone with it.
"""

from __future__ import annotations

import secrets
import threading
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field

from pmwpub.errors import PlanError
from pmwpub.evaluation import Simulation, Stage, TruthWeights
from pmwpub.jobs import Claim, Reason
from pmwpub.plans.weighing import planned_counts
from pmwpub.records import Support
from pmwpub.service.core import Service
from pmwpub.service.free_work import free_claim
from pmwpub.service.inputs.study_store import Study
from pmwpub.service.private_table import PrivateTable
from pmwpub.service.simulations.sweep_range import PRIVATE_TRUTH, SweepRange, supports_of
from pmwpub.service.steward_only.recorded_numbers import record
from pmwpub.tasks.simulation_work import SimulationWork, finished


@dataclass(eq=False)
class PrivateSweep:
    """A sweep under way or done, in the memory of one session; once the session lets go of it, its work is stopped.

    parts, simulation, reason  filled in by the engine as they come; read only

    Privacy: exact errors on private rows; its repr shows nothing of them.
    """

    key: str
    terms: SweepRange
    parts: list[bytes] = field(default_factory=list, repr=False)
    simulation: Simulation | None = field(default=None, repr=False)
    reason: Reason | None = None

    @property
    def shown(self) -> Simulation:
        """What is known so far: all of it, or the parts that are finished."""
        return self.simulation or finished(tuple(self.parts), self.terms.sweep)


def sweep_private(service: Service, private: PrivateTable, current: Study, terms: SweepRange) -> PrivateSweep:
    """Record the look, then start the sweep.

    Raises PlanError where nothing was frozen yet, the table is of another schema, or rows are weighed and nobody knows
    what they weigh together; StoreUnavailable where the look
    cannot be recorded, QueueFull without a place. Nothing is computed then.

    Privacy: none. Exact numbers for the steward alone; the mark is committed before a private row is looked at.
    """
    if current.schema is None or private.schema_sha256 != current.schema.sha256:
        raise PlanError("The private table was encoded with another schema than the study's; load it again.")
    private.check(current.population.n, current.population.rows_per_person, current.population)
    sweep, supports, _ = terms.sweep, supports_of(current, terms), current.counted
    found = PrivateSweep(f"{PRIVATE_TRUTH}-simulation:{secrets.token_hex(16)}", terms)
    with service.engine.reserve(found.key, claim := free_claim(service, current.population.name, 0)):
        record(service, private, "errors of simulated releases on the private table, against epsilon")
        stage = _stage(private, current, supports)
        _submit(service, found, SimulationWork(stage, sweep, service.place.on_this_machine), claim)
    return found


def _stage(private: PrivateTable, current: Study, supports: Mapping[str, Support]) -> Stage:
    """The private table as the truth, weighed as plans weigh it now."""
    people, workload, counted = current.population, current.workload(), current.counted
    weights = None if counted.weights is None else TruthWeights(counted.weights.cap, people.n)
    counts = planned_counts(workload, private.dataset, counted)
    return Stage(
        workload, counts, supports, people.delta, people.rows_per_person, private=True, weights=weights
    )  # fmt: skip


def stop(service: Service, found: PrivateSweep) -> None:
    """Stop a sweep; what it found stays with the caller."""
    service.engine.cancel(found.key)


def _submit(service: Service, found: PrivateSweep, work: SimulationWork, claim: Claim) -> None:
    """Hand the work to the engine, which knows of the sweep only as long as its session does."""
    there = weakref.ref(found)

    def keep(result: object) -> None:
        if not isinstance(result, Simulation):
            raise PlanError("A sweep returns a simulation.")
        if (sweep := there()) is not None:
            sweep.simulation = result

    def give_up(reason: Reason) -> None:
        if (sweep := there()) is not None:
            sweep.reason = reason

    def add(part: bytes) -> None:
        if (sweep := there()) is not None:
            sweep.parts.append(part)

    service.engine.submit("simulation", work, key=found.key, on_done=keep, on_failed=give_up, on_part=add, claim=claim)
    weakref.finalize(found, _cancel, service, found.key).atexit = False


def _cancel(service: Service, key: str) -> None:
    """Cancel in a thread of its own: objects may be let go of anywhere, also where the engine holds its lock."""
    threading.Thread(target=service.engine.cancel, args=(key,), daemon=True).start()
