"""Work that is stopped at the last moment keeps nothing: whoever watches is asked before anything is stored or held."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from service.conftest import Bench, csv_of

from pmwpub.progress import Stoppable
from pmwpub.service import Policy
from pmwpub.service.inputs import schema_editing, study_store
from pmwpub.service.policy import Mode


class Stopped(Exception):
    pass


class Watch:
    """Progress that notes what it is called; `stop` has the last question answered by an error."""

    def __init__(self, *, stop: bool) -> None:
        self.stop = stop
        self.calls: list[str] = []

    def __call__(self, done: int, total: int, /) -> None:
        self.calls.append("step")

    def keep(self) -> None:
        self.calls.append("keep")
        if self.stop:
            raise Stopped


def drafting(bench: Bench, watch: Stoppable) -> None:
    study = study_store.study(bench.service, bench.name)
    schema_editing.redrafted(bench.service, study, bins=3, progress=watch)


def storing(bench: Bench, watch: Stoppable) -> None:
    new = csv_of(80, 9)
    study_store.add_candidate(bench.service, bench.name, "new.csv", new, attested=True, progress=watch)


def loading(bench: Bench, watch: Stoppable) -> None:
    shared = replace(bench.service, policy=Policy(Mode.SHARED))
    study_store.load_private(shared, bench.name, bench.private_csv, progress=watch)


def kept(bench: Bench) -> tuple[object, ...]:
    """All that such work may leave: schema, candidates, recorded loads."""
    study = study_store.study(bench.service, bench.name)
    assert study.schema is not None
    loads = len(bench.service.ledger.attempts())
    return study.schema.sha256, tuple(one.sha256 for one in study.candidates), loads


@pytest.mark.parametrize("work", [drafting, storing, loading])
def test_whoever_watches_is_asked_once_and_last_and_an_error_leaves_everything_as_it_was(
    work: Callable[[Bench, Stoppable], None], bench: Bench
) -> None:
    before = kept(bench)
    watch = Watch(stop=True)
    with pytest.raises(Stopped):
        work(bench, watch)
    assert kept(bench) == before
    assert watch.calls[-1] == "keep"
    assert watch.calls.count("keep") == 1

    watch = Watch(stop=False)
    work(bench, watch)
    assert kept(bench) != before
    assert watch.calls[-1] == "keep"
    assert watch.calls.count("keep") == 1
