"""Free work: refused where it would exhaust the server, and then nothing of it is stored."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from ledger.persons import steward
from service.conftest import Bench

from pmwpub.accounts.people import Standing
from pmwpub.errors import PlanError, PmwPubError, QueueFull, StewardNeeded, ViewersOnly
from pmwpub.jobs import Claim, InlineEngine, Lane
from pmwpub.service import Policy
from pmwpub.service.inputs import study_store
from pmwpub.service.simulations import engine_trials, explorations, public_pairs
from pmwpub.service.simulations.explorations import ASKED
from pmwpub.service.simulations.sweep_range import SweepRange
from pmwpub.service.steward_only import private_sweeps


class Full(InlineEngine):
    """An engine that keeps what was claimed and has no place."""

    def __init__(self) -> None:
        super().__init__()
        self.claims: list[Claim] = []

    @contextmanager
    def reserve(self, key: str, claim: Claim | None = None) -> Iterator[None]:
        assert claim is not None
        self.claims.append(claim)
        raise QueueFull("20 jobs wait already; try again when one is over.")
        yield


def test_a_simulation_that_finds_no_place_leaves_nothing_behind_and_claims_its_sessions_share(bench: Bench) -> None:
    engine = bench.service.engine = Full()
    bench.service.asker = lambda: "a session"
    current = study_store.study(bench.service, bench.name)
    with pytest.raises(QueueFull):
        explorations.explore(bench.service, current, current.usable[0].sha256)
    assert not bench.service.ledger.documents(bench.name, ASKED)
    assert engine.claims == [Claim(Lane.FREE, "a session")]


@pytest.mark.parametrize(
    ("policy", "refusal", "words"),
    [
        (Policy(simulated_rows=299), PlanError, "299 rows, and the population has 300"),
        (Policy(viewers_only=True), ViewersOnly, "simulated"),
    ],
)
def test_a_simulation_of_too_many_rows_and_any_for_viewers_is_refused(
    bench: Bench, policy: Policy, refusal: type[PmwPubError], words: str
) -> None:
    current = study_store.study(bench.service, bench.name)
    bench.service.policy = policy
    with pytest.raises(refusal, match=words):
        explorations.explore(bench.service, current, current.usable[0].sha256)
    with pytest.raises(refusal, match=words):
        public_pairs.compare(bench.service, current)
    assert not bench.service.ledger.documents(bench.name, ASKED)


def test_a_steward_elsewhere_who_only_looks_on_here_begins_no_simulation(bench: Bench) -> None:
    """The role would do; the standing at this population does not."""
    ledger, ben = bench.service.ledger, steward("Ben")
    current = study_store.study(bench.service, bench.name)
    ledger.visited_by(lambda: ben)
    ledger.admit()
    ledger.visited_by(lambda: None)
    ledger.enter_member(bench.name, ben.sign_in.account, Standing.VIEWER)
    ledger.visited_by(lambda: ben)
    for begin in (
        lambda: explorations.explore(bench.service, current, current.usable[0].sha256),
        lambda: public_pairs.compare(bench.service, current),
        lambda: engine_trials.try_engines(bench.service, current, bench.candidates[:1], 1.0),
        lambda: private_sweeps.sweep_private(bench.service, bench.private, current, SweepRange()),
    ):
        with pytest.raises(StewardNeeded, match="look at this population"):
            begin()
    assert bench.service.engine.in_line() == []
    assert not ledger.documents(bench.name, ASKED)
    assert not ledger.marks(bench.name)


def test_a_job_that_ends_while_a_page_runs_is_shown_with_its_result(bench: Bench) -> None:
    """The page has read by then that nothing is stored; with neither job nor result it would not look again."""
    current = study_store.study(bench.service, bench.name)
    with bench.service.ledger.recalling():
        assert public_pairs.comparison(bench.service, current).pairs == ()
        elsewhere = threading.Thread(target=public_pairs.compare, args=(bench.service, current))
        elsewhere.start()
        elsewhere.join()
        assert public_pairs.comparison(bench.service, current).pairs
