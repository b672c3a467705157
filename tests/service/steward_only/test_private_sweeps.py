"""Simulated releases on the private table: after a frozen plan, recorded first, secure, and nowhere but in the hand."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import buying
import pytest
from jobs.waiting import until

from pmwpub.errors import PlanError, StoreUnavailable
from pmwpub.evaluation import PMW_PUB
from pmwpub.jobs import Engine
from pmwpub.service import Service
from pmwpub.service.bought import releases
from pmwpub.service.inputs import study_store
from pmwpub.service.purchases.caveats import PRIVATE_NUMBERS_SEEN, SEEN
from pmwpub.service.simulations.sweep_range import SweepRange
from pmwpub.service.steward_only.private_sweeps import PrivateSweep, stop, sweep_private
from pmwpub.tasks import simulation_work
from pmwpub.tasks.simulation_work import SimulationWork, SweepPlace

if TYPE_CHECKING:
    from conftest import Bench

TERMS = SweepRange(epsilons=(0.5, 2.0), rounds=(3,), runs=2)


def frozen(bench: Bench, epsilon: str = "0.5") -> None:
    current = study_store.study(bench.service, bench.name)
    plan = releases.release_plan(bench.service, current, bench.candidates[:1], epsilon=epsilon, rounds=3)
    buying.buy(bench.service, bench.private, plan, current=current)


def swept(bench: Bench, terms: SweepRange = TERMS) -> PrivateSweep:
    return sweep_private(bench.service, bench.private, study_store.study(bench.service, bench.name), terms)


def marks(bench: Bench) -> list[str]:
    return [mark.note for mark in bench.service.ledger.marks(bench.name) if mark.kind == PRIVATE_NUMBERS_SEEN]


def test_nothing_is_computed_before_a_plan_is_frozen(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation_work, "simulate", lambda *_, **__: pytest.fail("it ran"))
    with pytest.raises(PlanError, match="frozen"):
        swept(bench)
    assert marks(bench) == []


def test_a_look_is_recorded_before_anything_is_computed(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    frozen(bench)

    def refuse(*_: object) -> None:
        raise StoreUnavailable("The disk is full.")

    monkeypatch.setattr(simulation_work, "simulate", lambda *_, **__: pytest.fail("it ran"))
    monkeypatch.setattr(bench.service.ledger, "mark", refuse)
    with pytest.raises(StoreUnavailable):
        swept(bench)


def test_it_has_every_run_and_floor_and_later_plans_carry_the_mark(bench: Bench) -> None:
    frozen(bench)
    found = swept(bench)
    assert found.simulation is not None
    assert len(found.simulation.errors) == 3 * 2 * (2 + 1)
    assert len(found.simulation.floors) == 3
    (note,) = marks(bench)
    assert "simulated releases on the private table" in note
    frozen(bench, "0.4")
    current = study_store.study(bench.service, bench.name)
    last = releases.releases(bench.service, current)[-1].bundle
    assert last is not None
    assert any(SEEN in remark for remark in last.certificate.remarks)


def test_the_store_holds_nothing_of_it(bench: Bench) -> None:
    frozen(bench)
    kinds = ("simulation", "simulation-part", "simulation-asked")
    found = swept(bench)
    assert [bench.service.ledger.documents(bench.name, kind) for kind in kinds] == [[], [], []]
    bench.service.ledger.close()
    folder = Path(bench.url.removeprefix("sqlite:///")).parent
    stored = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert b"simulated releases on the private table" in stored
    assert found.simulation is not None
    for one in found.simulation.errors:
        assert repr(one.mean_error).encode() not in stored
    assert not any(repr(one.max_error) in repr(found) for one in found.simulation.errors)


def test_it_draws_secure_noise_on_this_machine(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    frozen(bench)
    seen: list[SimulationWork] = []
    real = simulation_work.simulation
    monkeypatch.setattr(simulation_work, "simulation", lambda work, progress: seen.append(work) or real(work, progress))
    bench.service.place = SweepPlace("dask", address="tcp://127.0.0.1:9")
    terms = replace(TERMS, methods=(PMW_PUB,), runs=4)
    first, second = swept(bench, terms).simulation, swept(bench, terms).simulation
    assert all(work.stage.private and work.place == SweepPlace("processes") for work in seen)
    assert first is not None
    assert second is not None
    assert first.errors != second.errors


@pytest.fixture
def working(service: Service) -> Iterator[Engine]:
    service.engine = Engine(1)
    yield service.engine
    service.engine.shutdown()


LONG = SweepRange(epsilons=tuple(0.1 * place for place in range(1, 40)), rounds=(300,), runs=50)


@pytest.mark.parametrize("how", ["stopped", "let go of"])
def test_it_ends_when_it_is_stopped_or_let_go_of(bench: Bench, working: Engine, how: str) -> None:
    frozen(bench)
    assert until(lambda: not bench.service.running(bench.name), 60)
    found = swept(bench, LONG)
    key = found.key
    job = working.job(key)
    assert job is not None
    assert until(lambda: found.parts, 60)
    if how == "stopped":
        stop(bench.service, found)
    else:
        del found
        gc.collect()
    assert job.wait(5)
    assert job.state == "cancelled"
