"""Every charge buys fresh noise, and a plan that was charged is never drawn again: faults planted end to end."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import buying
import pytest
from guarantees.flows import NAME, prepared
from guarantees.people import neighbours
from support.fakes import SeededNoise

from pmwpub.errors import PmwPubError
from pmwpub.ledger import Booking, Ledger, Order, PlanKey
from pmwpub.privacy.noise import SECURE
from pmwpub.service import PrivateTable, Service, Study
from pmwpub.service.bought import releases
from pmwpub.service.core import Spending
from pmwpub.service.inputs import study_store
from pmwpub.service.purchases import Purchase
from pmwpub.service.purchases import buying as one_path
from pmwpub.tasks import mechanism_work

PAIR = neighbours(1)
DRAWS = 8


def bought(folder: Path, repeats: tuple[int, ...]) -> list[tuple[object, ...]]:
    """The line that a plan of one round gives, each time it is sent; what is refused leaves none."""
    folder.mkdir()
    service, private = prepared(folder, PAIR, PAIR.ours)
    current = study_store.study(service, NAME)
    plan = releases.release_plan(service, current, [current.usable[0].sha256], epsilon="0.3", rounds=1)
    found: list[tuple[object, ...]] = []
    for repeat in repeats:
        try:
            outcome = buying.buy(service, private, plan, repeat=repeat)
        except PmwPubError:
            continue
        bundle = releases.released(service, current, outcome.booking).bundle
        lines = () if bundle is None else bundle.certificate.transcript
        found.append(tuple((line.number, line.noisy_count) for line in lines))
    service.ledger.close()
    return found


def fresh_noise_for_each_draw(folder: Path) -> bool:
    """All lines of eight draws are equal with probability below 10^-10 when the noise is fresh."""
    lines = bought(folder, tuple(range(DRAWS)))
    return len(lines) == DRAWS and len(set(lines)) > 1


def one_draw_for_a_plan(folder: Path, patch: pytest.MonkeyPatch) -> bool:
    drawn: list[object] = []
    real = mechanism_work.release
    patch.setattr(
        mechanism_work, "release", lambda payload, progress: (drawn.append(payload), real(payload, progress))[1]
    )
    transcripts = bought(folder, (0, 0, 0))
    return len(drawn) == 1 and len(set(transcripts)) == 1


def test_every_draw_has_noise_of_its_own_and_a_plan_is_drawn_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert fresh_noise_for_each_draw(tmp_path / "a")
    assert one_draw_for_a_plan(tmp_path / "b", monkeypatch)


@pytest.mark.fault("seed reuse")
def test_a_seed_used_for_every_release_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = mechanism_work.pmw_pub
    monkeypatch.setattr(
        mechanism_work, "pmw_pub", lambda *inputs, **rest: real(*inputs, **rest | {"noise": SeededNoise(7)})
    )
    assert not fresh_noise_for_each_draw(tmp_path / "a")


@pytest.mark.fault("seed reuse")
def test_one_stream_of_noise_that_begins_anew_with_each_release_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeded = partial(SeededNoise, 3)
    for method in ("gaussian", "bits", "below"):
        monkeypatch.setattr(type(SECURE), method, lambda self, *a, _m=method: getattr(seeded(), _m)(*a))
    assert not fresh_noise_for_each_draw(tmp_path / "a")


@pytest.mark.fault("redraw on refresh")
def test_a_service_that_takes_every_booking_for_its_own_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each time the plan is sent it is drawn again; the ledger keeps the first bytes, but noise was drawn in vain."""
    real = Ledger.book_all

    def all_fresh(*arguments: object, **terms: object) -> list[Booking]:
        return [replace(one, fresh=True) for one in real(*arguments, **terms)]  # type: ignore[arg-type]

    def made_up(service: Service, private: PrivateTable, one: Purchase, repeat: int, current: Study) -> Spending:
        prepared = one.prepared(service, private, current, repeat)
        order = Order(PlanKey(one.plan.sha256, repeat), one.plan.canonical, one.charges(current))
        return Spending(order, one.task, prepared.work, prepared.encode)

    monkeypatch.setattr(Ledger, "book_all", all_fresh)
    monkeypatch.setattr(one_path, "_spending", made_up)
    monkeypatch.setattr("pmwpub.jobs.inline.InlineEngine.job", lambda self, key: None)
    monkeypatch.setattr("pmwpub.jobs.inline.InlineEngine.submit", _without_memory)
    assert not one_draw_for_a_plan(tmp_path / "a", monkeypatch)


def _without_memory(
    engine: object, task: str, payload: object, *, key: str, on_done: object, on_failed: object, claim: object
) -> None:
    from pmwpub.jobs.task_names import TASKS, resolve

    found = resolve(TASKS[task])(payload, lambda done, total, note="": None)
    try:
        on_done(found)  # type: ignore[operator]
    except PmwPubError as refusal:
        on_failed(refusal)  # type: ignore[operator]
