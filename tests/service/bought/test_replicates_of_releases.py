"""Replicate weights of stored releases: made once, free, kept, stopped, and for viewers only to be read."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

import buying
import pytest

from pmwpub.errors import JobCancelled, ViewersOnly
from pmwpub.jobs import Ending
from pmwpub.release.answers.replicate_files import replicate_files
from pmwpub.release.bundle import INTERVALS, Bundle
from pmwpub.service.bought import releases
from pmwpub.service.bought.replicates_of_releases import ReplicatesSeen, archive, can_be_made, make, replicates
from pmwpub.service.inputs import study_store
from pmwpub.service.policy import Policy
from pmwpub.tasks import replicate_work

if TYPE_CHECKING:
    from conftest import Bench


def bought(bench: Bench) -> Bundle:
    """A release by table fit of the bench's population."""
    current = study_store.study(bench.service, bench.name)
    plan = releases.table_fit_plan(bench.service, current, bench.candidates[:1], epsilon="1")
    outcome = buying.buy(bench.service, bench.private, plan, current=current)
    (found,) = releases.releases(bench.service, current)
    assert outcome.status == "done"
    assert found.bundle is not None
    return found.bundle


def test_they_are_made_once_kept_and_free(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle, current = bought(bench), study_store.study(bench.service, bench.name)
    spent = bench.service.ledger.balance(bench.name).spent
    assert can_be_made(bundle)
    assert replicates(bench.service, current, bundle) == ReplicatesSeen()
    assert make(bench.service, current, bundle).stored
    with zipfile.ZipFile(io.BytesIO(archive(bench.service, current, bundle))) as packed:
        files = {name: packed.read(name) for name in packed.namelist()}
    assert files == replicate_files(bundle)
    monkeypatch.setattr(replicate_work, "replicate_files", None)
    assert make(bench.service, current, bundle).stored, "not made again"
    assert bench.service.ledger.balance(bench.name).spent == spent


def test_they_can_be_stopped_and_made_again(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle, current = bought(bench), study_store.study(bench.service, bench.name)

    def stopped(*_: object, **__: object) -> None:
        raise JobCancelled("Stopped.")

    with monkeypatch.context() as stopping:
        stopping.setattr(replicate_work, "replicate_files", stopped)
        found = make(bench.service, current, bundle)
    assert (found.stored, found.job) == (False, None)
    assert found.reason is not None
    assert found.reason.ending == Ending.CANCELLED
    assert make(bench.service, current, bundle).stored


def test_a_server_for_viewers_makes_none(bench: Bench) -> None:
    bundle, current = bought(bench), study_store.study(bench.service, bench.name)
    bench.service.policy = Policy(viewers_only=True)
    with pytest.raises(ViewersOnly):
        make(bench.service, current, bundle)
    assert not replicates(bench.service, current, bundle).stored


def test_a_release_without_intervals_has_none(bench: Bench) -> None:
    bundle = bought(bench)
    certificate = bundle.certificate
    files = {name: sha for name, sha in certificate.files.items() if name != INTERVALS}
    older = certificate.model_copy(update={"files": files}).to_bytes()
    assert not can_be_made(Bundle({**bundle.parts, "certificate.json": older}))
