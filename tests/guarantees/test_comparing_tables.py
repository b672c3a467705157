"""Comparing tables is a question about private rows: in a shared service nobody is answered it but the acting session.

Two neighbours straddle each decision that rests on such a comparison; the same acts on both leave the same bytes.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from guarantees.comparing import SCHEMA, SHARED, Straddle, begun, commanded, straddles, traced
from guarantees.flows import NAME
from guarantees.people import public
from guarantees.traces import differences
from sqlalchemy import event

from pmwpub.errors import OverlapUndecided, PlanError, TableBlocked
from pmwpub.ledger import Ledger, Population
from pmwpub.plans import WorkloadChoice
from pmwpub.service import Alike, Overlap, Policy, PrivateTable, Service, purchases
from pmwpub.service.bought import assessments
from pmwpub.service.core import Service as Core
from pmwpub.service.inputs import study_store
from pmwpub.service.purchases import AssessmentPurchase, buying
from pmwpub.tabular.schema.table_schema import Schema

CASES = straddles()
GUESSES = 60 * int(os.environ.get("PMWPUB_AUDIT", "1"))


def both(tmp_path: Path, case: Straddle, policy: Policy = SHARED) -> tuple[set[str], tuple[PrivateTable, PrivateTable]]:
    """The kinds in which the traces of two neighbours differ, and what the acting session holds of each."""
    found = []
    for name, private in (("ours", case.pair.ours), ("theirs", case.pair.theirs)):
        folder = tmp_path / name
        folder.mkdir()
        found.append(traced(folder, case, private, policy))
    (ours, held), (theirs, other) = found
    assert len(ours.pages) > 10
    assert ours.exports
    return differences(ours, theirs), (held, other)


@pytest.mark.parametrize("name", CASES)
def test_neighbours_that_straddle_a_comparison_leave_the_same_bytes_in_a_shared_service(
    name: str, tmp_path: Path
) -> None:
    found, (ours, theirs) = both(tmp_path, CASES[name])
    assert found == set()
    assert (ours.verdict, theirs.verdict) == (None, None)
    if CASES[name].before is None:
        assert ours.overlaps != theirs.overlaps, "the acting session's own memory tells them apart"


@pytest.mark.parametrize("name", CASES)
def test_neighbours_that_straddle_a_comparison_leave_the_same_bytes_by_commands(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    found = []
    for which, private in (("ours", CASES[name].pair.ours), ("theirs", CASES[name].pair.theirs)):
        folder = tmp_path / which
        folder.mkdir()
        found.append(commanded(folder, CASES[name], private, capfd))
    ours, theirs = found
    assert all(said.startswith("0\n") for said in ours.output.values()), "each command goes through"
    assert differences(ours, theirs) == set()
    assert len(ours.exports) > 15


def test_in_a_single_users_service_the_same_acts_are_answered(tmp_path: Path) -> None:
    """The other arm: each case is one that a service which answers comparisons tells apart."""
    verdicts = {}
    for name, before in (("charged here before", "same"), ("charged elsewhere before", "elsewhere")):
        folder = tmp_path / before
        folder.mkdir()
        service = begun(folder, CASES[name], Policy())
        for which, private in (("ours", CASES[name].pair.ours), ("theirs", CASES[name].pair.theirs)):
            loaded = study_store.load_private(service, NAME, private)
            assert loaded.verdict is not None
            verdicts[name, which] = loaded.verdict.kind
        service.ledger.close()
    assert verdicts == {
        ("charged here before", "ours"): "same",
        ("charged here before", "theirs"): "changed",
        ("charged elsewhere before", "ours"): "elsewhere",
        ("charged elsewhere before", "theirs"): "new",
    }


@contextmanager
def statements(ledger: Ledger) -> Iterator[list[str]]:
    """The SQL that the store is asked meanwhile."""
    seen: list[str] = []

    def listen(connection: object, cursor: object, statement: str, *rest: object) -> None:
        seen.append(statement)

    engine = ledger._database._engine
    event.listen(engine, "before_cursor_execute", listen)
    try:
        yield seen
    finally:
        event.remove(engine, "before_cursor_execute", listen)


@pytest.fixture
def victim(tmp_path: Path) -> Iterator[Service]:
    """A shared service in which one population's table was charged; a guesser has registered another one."""
    service = begun(tmp_path, CASES["charged here before"], SHARED)
    n = CASES["charged here before"].pair.n
    service.ledger.register(Population("guesser", n, 1, "nobody", Fraction(6), Fraction(1, n * n)))
    study_store.save_schema(service, "guesser", Schema.from_json(SCHEMA))
    study_store.choose_workload(service, "guesser", WorkloadChoice(k=2))
    yield service
    service.ledger.close()


def guesses(count: int) -> Iterator[tuple[bool, bytes]]:
    """The charged table itself and all of it but one row, again and again, among tables that are nothing like it."""
    pair = CASES["charged here before"].pair
    for number in range(count):
        if number % 3 == 2:
            yield False, public(pair.n, 100 + number)
        else:
            yield number % 3 == 0, pair.ours if number % 3 == 0 else pair.theirs


def test_a_guesser_in_another_session_is_answered_alike_whatever_is_guessed(victim: Service) -> None:
    answers, asked = set(), set()
    for _, guess in guesses(GUESSES):
        with statements(victim.ledger) as seen:
            loaded = study_store.load_private(victim, "guesser", guess)
        answers.add((loaded.verdict, loaded.overlaps, loaded.n, loaded.ignored))
        asked.add(tuple(seen))
    assert len(answers) == 1
    assert len(asked) == 1, "the store is asked the same for every guess"
    told = " ".join(next(iter(asked)))
    assert "INSERT INTO loads" in told
    assert not any(f"FROM {table}" in told for table in ("fingerprints", "views", "acknowledgements", "loads"))
    assert len(victim.ledger.attempts()) == GUESSES + 1, "each load is in the operator's record, and the first one"


def test_the_operators_record_has_what_no_session_is_told(victim: Service) -> None:
    pair = CASES["charged here before"].pair
    loaded = study_store.load_private(victim, "guesser", pair.ours)
    study_store.load_private(victim, "guesser", pair.theirs)
    *_, right, wrong = victim.ledger.attempts()
    assert (right.charged_under, wrong.charged_under) == ((NAME,), ())
    assert victim.ledger.shared_tables() == []
    study_store.add_candidate(victim, "guesser", "b.csv", public(90, 1), attested=True)
    current = study_store.study(victim, "guesser")
    plan = assessments.assessment_plan(current, [current.usable[0].sha256], epsilon="0.5")
    (outcome,) = purchases.buy(victim, loaded, [AssessmentPurchase(plan)], tick=True)
    assert outcome.status == "done", "one table under two populations is not refused here"
    assert victim.ledger.shared_tables() == [(NAME, "guesser")], "it is found afterwards"


def test_in_a_shared_service_no_decision_between_populations_is_offered(victim: Service) -> None:
    loaded = study_store.load_private(victim, "guesser", CASES["charged here before"].pair.ours)
    with pytest.raises(PlanError, match="answers no comparison"):
        study_store.acknowledge(victim, loaded)


def test_every_purchase_in_a_shared_service_needs_the_same_word_whatever_was_found(tmp_path: Path) -> None:
    words = set()
    for name in ("a run of lines", "the same rows"):
        for private in (CASES[name].pair.ours, CASES[name].pair.theirs):
            folder = tmp_path / str(len(list(tmp_path.iterdir())))
            folder.mkdir()
            service = begun(folder, CASES[name], SHARED)
            for file, body in CASES[name].offered.items():
                study_store.add_candidate(service, NAME, file, body, attested=True)
            loaded = study_store.load_private(service, NAME, private)
            current = study_store.study(service, NAME)
            plan = AssessmentPurchase(assessments.assessment_plan(current, [current.usable[0].sha256], epsilon="0.5"))
            for tick in (None, False):
                with pytest.raises(OverlapUndecided) as refusal:
                    purchases.buy(service, loaded, [plan], tick=tick)
                words.add(str(refusal.value))
            assert service.ledger.history(NAME) == []
            service.ledger.close()
    assert words == {purchases.UNDECIDED}


def test_nothing_of_a_refused_or_compared_table_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("numba").setLevel(logging.WARNING)
    with caplog.at_level(logging.DEBUG):
        both(tmp_path, CASES["a run of lines"])
    assert [record for record in caplog.records if record.name.startswith("pmwpub")] == []


@pytest.mark.fault("comparisons decide a purchase in a shared service")
def test_a_shared_service_that_refuses_a_table_charged_elsewhere_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Ledger.book_all
    monkeypatch.setattr(Ledger, "book_all", lambda *inputs, **rest: real(*inputs, **rest | {"refuse_elsewhere": True}))
    with pytest.raises(TableBlocked):
        both(tmp_path, CASES["charged elsewhere before"])


def _with_overlap(private: PrivateTable) -> PrivateTable:
    return replace(private, overlaps=(Overlap("0" * 64, "piece.csv", Alike.LINES),))


@pytest.mark.fault("a candidate is stored or refused by private rows")
def test_a_shared_service_that_refuses_a_private_tables_rows_as_a_candidate_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = study_store.add_candidate

    def choosy(service: Core, population: str, filename: str, content: object, **rest: object) -> str:
        private = rest.get("private")
        if isinstance(private, PrivateTable) and private.overlaps and filename == "piece.csv":
            return ""
        return real(service, population, filename, content, **rest)  # type: ignore[arg-type]

    loading = study_store.load_private

    def compared(service: Core, population: str, content: object, **rest: object) -> PrivateTable:
        found = loading(service, population, content, **rest)  # type: ignore[arg-type]
        case = CASES["a run of lines"]
        return found if content != case.pair.ours else _with_overlap(found)

    monkeypatch.setattr(study_store, "add_candidate", choosy)
    monkeypatch.setattr(study_store, "load_private", compared)
    found, _ = both(tmp_path, CASES["a run of lines"])
    assert "exports" in found


@pytest.mark.fault("the verdict of a comparison is recorded")
def test_a_purchase_that_records_what_was_found_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = purchases.buy

    def buy(service: Core, private: PrivateTable, wanted: object, **rest: object) -> object:
        if any(
            "piece" in one.name
            for one in buying.warnings_before(
                service,
                private,
                frozenset().union(*(one.public_tables for one in wanted)),  # type: ignore[attr-defined]
                study_store.study(service, private.population),
            )
        ):
            service.ledger.mark(private.population, "overlap", "a public table shares lines with the private one")
        return real(service, private, wanted, **rest)  # type: ignore[arg-type]

    monkeypatch.setattr(purchases, "buy", buy)
    found, _ = both(tmp_path, CASES["a run of lines"])
    assert "ledger" in found
