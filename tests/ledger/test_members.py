"""Who sees a population and who changes it, asked of the store itself: no path leads past it."""

from __future__ import annotations

import inspect
import io
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from ledger.persons import ISSUER, Guest, guest, operator, steward, viewer
from ledger.terms import charge, key, people
from sqlalchemy import event

from pmwpub.accounts.people import Account, Role, SignIn, Standing, Visitor
from pmwpub.errors import LedgerError, PopulationExists, StewardNeeded, UnknownPopulation
from pmwpub.ledger import Ledger, populations, reconcile
from pmwpub.ledger.members import access, membership
from pmwpub.ledger.members.membership import Member

ADA, BEN, VIC, ANN, OPS = steward("Ada"), steward("Ben"), viewer("Vic"), steward("Ann"), operator("Ops")
NOBODY = Visitor()


class Stage:
    """A ledger, and who acts on it now."""

    def __init__(self, url: str) -> None:
        self.ledger = Ledger.open(url)
        self.now: Visitor | None = None
        self.ledger.visited_by(lambda: self.now)

    def as_(self, visitor: Visitor | None) -> Ledger:
        self.now = visitor
        self.ledger.admit()
        return self.ledger


@pytest.fixture
def stage(url: str) -> Iterator[Stage]:
    """Ada owns "A"; Ann is a steward of it, Vic a viewer; Ben owns "B"."""
    made = Stage(url)
    for one in (ANN, VIC, OPS):
        made.as_(one)
    made.as_(ADA).register(people("A"))
    made.ledger.enter_member("A", ANN.sign_in.account, Standing.STEWARD)
    made.ledger.enter_member("A", VIC.sign_in.account, Standing.VIEWER)
    made.ledger.put_document("A", "note", "k", b"public")
    made.ledger.book("A", key(), "{}", [charge(1)])
    made.as_(BEN).register(people("B"))
    yield made
    made.ledger.close()


READING: dict[str, Callable[[Ledger], object]] = {
    "population": lambda ledger: ledger.population("A"),
    "balance": lambda ledger: ledger.balance("A"),
    "marks": lambda ledger: ledger.marks("A"),
    "bookings": lambda ledger: ledger.bookings("A"),
    "booking": lambda ledger: ledger.booking("A", key()),
    "history": lambda ledger: ledger.history("A"),
    "export": lambda ledger: ledger.export("A"),
    "next_repeat": lambda ledger: ledger.next_repeat("A", key().plan_sha256),
    "document": lambda ledger: ledger.document("A", "note", "k"),
    "documents": lambda ledger: ledger.documents("A", "note"),
    "document_versions": lambda ledger: ledger.document_versions("A", "note", "k"),
    "times_in_order": lambda ledger: ledger.times_in_order("A"),
    "handle": lambda ledger: ledger.handle("A", b"rows"),
    "recognise": lambda ledger: ledger.recognise("A", b"rows"),
    "acknowledgements": lambda ledger: ledger.acknowledgements("A"),
    "owns": lambda ledger: ledger.owns("A"),
    "closing": lambda ledger: ledger.closing("A"),
}
WRITING: dict[str, Callable[[Ledger], object]] = {
    "put_document": lambda ledger: ledger.put_document("A", "note", "k", b"other"),
    "put_documents": lambda ledger: ledger.put_documents("A", [("note", "k", b"other")]),
    "delete_documents": lambda ledger: ledger.delete_documents("A", "none"),
    "mark": lambda ledger: ledger.mark("A", "opened"),
    "loaded": lambda ledger: ledger.loaded("A", b"rows"),
    "acknowledge": lambda ledger: ledger.acknowledge("A", b"rows"),
    "book": lambda ledger: ledger.book("A", key("more"), "{}", [charge(1)]),
}
OWNING: dict[str, Callable[[Ledger], object]] = {
    "amend": lambda ledger: ledger.amend("A", epsilon="0.9"),
    "enter_member": lambda ledger: ledger.enter_member("A", ANN.sign_in.account, Standing.VIEWER),
    "retire": lambda ledger: ledger.retire("A"),
}
BESIDE: dict[str, Callable[[Ledger], object]] = {
    "address": lambda ledger: ledger.address("C"),
    "depart": lambda ledger: ledger.depart("A", "0" * 40),
    "write_export": lambda ledger: ledger.write_export("A", io.BytesIO()),
    "confirm_arrival": lambda ledger: ledger.confirm_arrival("A", "receipt"),
}


def test_every_method_that_takes_a_population_is_in_these_tables() -> None:
    public = [name for name in dir(Ledger) if not name.startswith("_")]
    named = {name for name in public if "name" in inspect.signature(getattr(Ledger, name)).parameters}
    assert named == {
        *READING,
        *WRITING,
        *OWNING,
        *BESIDE,
        "works",
        "book_all",
        "members",
        "find_people",
        "require_work",
    }


@pytest.mark.parametrize("what", READING)
def test_members_and_operators_read_and_to_all_others_the_population_is_not_there(stage: Stage, what: str) -> None:
    for one in (ADA, ANN, VIC, OPS, None):
        READING[what](stage.as_(one))
    for other in (BEN, NOBODY, guest("Nil", None), viewer("Zoe")):
        with pytest.raises(UnknownPopulation, match="No population 'A' is registered"):
            READING[what](stage.as_(other))


@pytest.mark.parametrize("what", WRITING)
def test_owner_and_stewards_write_and_who_looks_on_changes_nothing(stage: Stage, what: str) -> None:
    for other in (VIC, OPS):
        with pytest.raises(StewardNeeded, match="change nothing"):
            WRITING[what](stage.as_(other))
    for other in (BEN, NOBODY, viewer("Zoe")):
        with pytest.raises(UnknownPopulation):
            WRITING[what](stage.as_(other))
    for one in (ADA, ANN, None):
        WRITING[what](stage.as_(one))


@pytest.mark.parametrize("what", OWNING)
def test_the_owner_alone_changes_terms_and_members(stage: Stage, what: str) -> None:
    for other in (ANN, VIC, OPS, BEN, NOBODY):
        with pytest.raises((StewardNeeded, UnknownPopulation)):
            OWNING[what](stage.as_(other))
    OWNING[what](stage.as_(ADA))


@pytest.mark.parametrize("what", BESIDE)
def test_populations_are_moved_beside_the_store_and_by_no_session(stage: Stage, what: str) -> None:
    for visitor in (ADA, ANN, VIC, OPS, BEN, NOBODY):
        with pytest.raises((StewardNeeded, UnknownPopulation)):
            BESIDE[what](stage.as_(visitor))


def test_an_export_says_no_more_of_people_than_a_viewer_could_see(tmp_path: Path) -> None:
    here, there = (Stage(f"sqlite:///{tmp_path}/{name}.sqlite3") for name in ("here", "there"))
    here.as_(ADA).register(people("A"))
    here.ledger.finish(here.ledger.book("A", key(), "{}", [charge(1)]).id, b"released")
    here.ledger.mark("A", "opened")
    with (tmp_path / "export").open("wb") as stream:
        here.as_(None).depart("A", there.ledger.address("A"))
        here.ledger.write_export("A", stream)
    there.ledger.take_in(tmp_path / "export", lambda note, _: note)
    here.ledger.close()
    made = [there.ledger.bookings("A")[0].by, there.ledger.marks("A")[0].by]
    there.ledger.close()
    assert made == [None, None]
    with zipfile.ZipFile(tmp_path / "export") as export:
        lines = export.read("ledger.jsonl")
    assert b'"mark":"opened"' in lines
    assert (ISSUER.encode() in lines, b"sub-Ada" in lines, b'"by"' in lines) == (False, False, False)


def test_names_of_populations_are_listed_to_their_members_alone(stage: Stage) -> None:
    seen = {one: [each.name for each in stage.as_(one).populations()] for one in (ADA, BEN, VIC, OPS, NOBODY)}
    assert list(seen.values()) == [["A"], ["B"], ["A"], ["A", "B"], []]
    with pytest.raises(PopulationExists) as taken:
        stage.as_(BEN).register(people("а"))  # a Cyrillic letter
    assert "'A'" not in str(taken.value)


def test_who_registers_is_the_owner_and_a_viewer_registers_nothing(stage: Stage) -> None:
    assert stage.as_(ADA).members("A") == [
        Member(ADA.sign_in.account, Standing.OWNER),
        Member(ANN.sign_in.account, Standing.STEWARD),
        Member(VIC.sign_in.account, Standing.VIEWER),
    ]
    for other in (VIC, NOBODY, guest("Nil", None)):
        with pytest.raises(StewardNeeded, match="role of a steward"):
            stage.as_(other).register(people("C"))
    with pytest.raises(StewardNeeded):
        stage.as_(VIC).members("A")


def test_a_member_who_is_put_out_sees_nothing_at_the_next_action(stage: Stage) -> None:
    stage.as_(ADA).enter_member("A", VIC.sign_in.account, Standing.NONE)
    with pytest.raises(UnknownPopulation):
        stage.as_(VIC).population("A")
    assert stage.ledger.populations() == []


def test_a_person_who_never_signed_in_or_leaves_without_being_in_is_refused(stage: Stage) -> None:
    ledger = stage.as_(ADA)
    for nobody in (Account(ISSUER, "sub-Zed", "Vic"), Account("https://other.example", "sub-Vic", "Vic")):
        with pytest.raises(LedgerError, match="never signed in"):
            ledger.enter_member("A", nobody, Standing.VIEWER)
    with pytest.raises(LedgerError, match="is no member"):
        ledger.enter_member("A", BEN.sign_in.account, Standing.NONE)
    assert [one.account for one in ledger.members("A")] == [one.sign_in.account for one in (ADA, ANN, VIC)]


def shown_as(person: Guest, shown: str, issued: int) -> Guest:
    """The next sign-in of a person, who goes by another name."""
    before = person.sign_in
    account = Account(before.account.issuer, before.account.subject, shown)
    return Guest(SignIn(account, f"{shown}-{issued}", before.role, issued, before.ends))


def test_who_goes_by_a_name_first_does_not_become_the_member_who_was_meant(stage: Stage) -> None:
    mallory = steward("Mallory")
    stage.as_(shown_as(mallory, "Alice", 1001))
    alice = steward("Alice")
    stage.as_(alice)
    found = [one.account for one in stage.as_(ADA).find_people("A", " alice ")]
    assert [(one.subject, one.shown) for one in found] == [("sub-Mallory", "Alice"), ("sub-Alice", "Alice")]
    stage.ledger.enter_member("A", alice.sign_in.account, Standing.STEWARD)
    assert stage.as_(alice).works("A")
    with pytest.raises(UnknownPopulation):
        stage.as_(shown_as(mallory, "Alice", 1001)).book("A", key("more"), "{}", [charge(1)])


def test_a_member_who_takes_the_owners_name_is_removed_like_any_other(stage: Stage) -> None:
    stage.as_(shown_as(ANN, "Ada", 1001))
    listed = {one.account.subject: one for one in stage.as_(ADA).members("A")}
    assert listed["sub-Ann"].account.shown == "Ada"
    stage.ledger.enter_member("A", listed["sub-Ann"].account, Standing.NONE)
    assert [one.account.subject for one in stage.ledger.members("A")] == ["sub-Ada", "sub-Vic"]
    assert stage.ledger.owns("A")


def test_people_are_found_by_name_for_the_owner_and_operators_alone(stage: Stage) -> None:
    for one in (ADA, OPS, None):
        (found,) = stage.as_(one).find_people("A", "VIC")
        assert (found.account, found.role) == (VIC.sign_in.account, VIC.sign_in.role)
        for nobody in ("Zed", "", " ", "An"):
            assert stage.ledger.find_people("A", nobody) == []
    for other in (ANN, VIC, BEN, NOBODY, guest("Nil", None)):
        with pytest.raises((StewardNeeded, UnknownPopulation)):
            stage.as_(other).find_people("A", "Vic")


def test_a_population_keeps_an_owner_whom_an_operator_may_appoint(stage: Stage) -> None:
    with pytest.raises(LedgerError, match="keeps an owner"):
        stage.as_(ADA).enter_member("A", ADA.sign_in.account, Standing.NONE)
    stage.as_(None).register(people("from the command line"))
    with pytest.raises(UnknownPopulation):
        stage.as_(ADA).population("from the command line")
    with pytest.raises(StewardNeeded):
        stage.as_(OPS).enter_member("from the command line", ADA.sign_in.account, Standing.VIEWER)
    stage.as_(OPS).enter_member("from the command line", ADA.sign_in.account, Standing.OWNER)
    assert stage.as_(ADA).owns("from the command line")


def test_the_latest_sign_in_says_the_role_of_earlier_ones_too(stage: Stage) -> None:
    assert stage.as_(ADA).works("A")
    stage.as_(guest("Ada", Role.VIEWER, issued=1001))
    assert not stage.as_(ADA).works("A")
    with pytest.raises(StewardNeeded):
        stage.ledger.mark("A", "opened")
    stage.as_(guest("Ada", None, issued=1002))
    with pytest.raises(UnknownPopulation):
        stage.as_(ADA).population("A")
    stage.as_(guest("Ada", Role.STEWARD, issued=1003))
    assert stage.as_(ADA).works("A")


def test_a_token_that_was_kept_back_does_not_bring_an_earlier_role_again(stage: Stage) -> None:
    stage.as_(guest("Ada", Role.VIEWER, issued=1002))
    stage.as_(guest("Ada", Role.OPERATOR, issued=1001, token="kept back"))
    actor = stage.ledger.actor()
    assert actor is not None
    assert actor.role is Role.VIEWER


@pytest.mark.parametrize(
    ("first_seen", "by_the_rules_of_now", "held"),
    [
        (Role.OPERATOR, Role.STEWARD, Role.STEWARD),
        (Role.STEWARD, Role.VIEWER, Role.VIEWER),
        (Role.STEWARD, None, None),
        (Role.VIEWER, Role.STEWARD, Role.VIEWER),
        (None, Role.OPERATOR, None),
        (Role.STEWARD, Role.STEWARD, Role.STEWARD),
    ],
)
def test_rules_that_became_narrower_hold_for_a_token_that_was_seen_before(
    stage: Stage, first_seen: Role | None, by_the_rules_of_now: Role | None, held: Role | None
) -> None:
    stage.as_(guest("Ada", first_seen, issued=1001, token="kept"))
    ledger = stage.as_(guest("Ada", by_the_rules_of_now, issued=1001, token="kept"))
    actor = ledger.actor()
    assert (actor and actor.role) == held
    if held is None or not held.works:
        with pytest.raises((StewardNeeded, UnknownPopulation)):
            ledger.book("A", key("more"), "{}", [charge(1)])


def test_after_signing_out_the_token_is_nobodys_and_another_one_still_holds(stage: Stage) -> None:
    other = guest("Ada", Role.STEWARD, issued=1000, token="another browser")
    stage.as_(other)
    stage.as_(ADA).sign_out(ADA.sign_in)
    stage.ledger.sign_out(ADA.sign_in)
    assert stage.ledger.admit() is None
    with pytest.raises(UnknownPopulation):
        stage.ledger.population("A")
    assert stage.as_(other).works("A")


def test_bookings_and_marks_say_who_made_them_and_to_a_viewer_the_role_alone(stage: Stage) -> None:
    stage.as_(ANN).mark("A", "opened")
    by_name = [[stage.as_(one).bookings("A")[0].by, stage.ledger.marks("A")[-1].by] for one in (ADA, OPS, None)]
    for found in by_name:
        assert [one and one.words for one in found] == ["Ada", "Ann"]
    told = stage.as_(VIC)
    assert [one.by and one.by.words for one in told.bookings("A")] == ["steward"]
    said = repr([told.bookings("A"), told.marks("A"), told.history("A"), told.export("A")])
    assert not [word for word in ("Ada", "Ann", "sub-", ISSUER) if word in said]
    assert told.export("A")[0]["by"] == "steward"
    assert stage.as_(ADA).export("A")[0]["by"] == "Ada"


def test_without_accounts_no_row_says_who_and_exports_have_the_columns_of_before(url: str) -> None:
    with Ledger.open(url) as ledger:
        ledger.register(people("A"))
        ledger.book("A", key(), "{}", [charge(1)])
        assert ledger.bookings("A")[0].by is None
        assert list(ledger.export("A")[0]) == [
            "id", "time", "purpose", "mechanism", "sensitivity", "scale", "rho", "status",
        ]  # fmt: skip


def test_a_stored_result_is_nobodys_who_does_not_see_the_population(stage: Stage) -> None:
    booking = stage.as_(ADA).bookings("A")[0]
    stage.ledger.finish(booking.id, b"released")
    assert stage.as_(VIC).result(booking.id) == b"released"
    for other in (BEN, NOBODY):
        with pytest.raises(Exception, match="no result is stored"):
            stage.as_(other).result(booking.id)


def test_one_table_under_two_populations_is_told_to_the_owner_of_both_and_to_operators(stage: Stage) -> None:
    for one, name in ((ADA, "A"), (BEN, "B")):
        ledger = stage.as_(one)
        ledger.book(name, key("of rows"), "{}", [charge(1)], table=ledger.loaded(name, b"rows"), refuse_elsewhere=False)
    told = {
        one: [load.charged_under for load in stage.as_(one).attempts()] for one in (ADA, BEN, ANN, VIC, OPS, NOBODY)
    }
    assert list(told.values()) == [[("A",)], [("B",)], [], [], [("A", "B"), ("A", "B")], []]
    assert [load.loaded_under for load in stage.as_(ADA).attempts()] == [()]
    assert [stage.as_(one).shared_tables() for one in (ADA, BEN, OPS)] == [[], [], [("A", "B")]]
    stage.as_(OPS).enter_member("B", ADA.sign_in.account, Standing.OWNER)
    assert stage.as_(ADA).shared_tables() == [("A", "B")]
    assert [load.charged_under for load in stage.as_(BEN).attempts()] == [("B",)]


def test_people_are_listed_to_operators_alone(stage: Stage) -> None:
    assert [(one.account.shown, one.role) for one in stage.as_(OPS).people()] == [
        ("Ann", Role.STEWARD),
        ("Vic", Role.VIEWER),
        ("Ops", Role.OPERATOR),
        ("Ada", Role.STEWARD),
        ("Ben", Role.STEWARD),
    ]
    for other in (ADA, VIC, NOBODY):
        with pytest.raises(StewardNeeded, match="operator"):
            stage.as_(other).people()


def test_the_witness_says_who_by_what_never_changes_and_a_store_that_is_put_back_says_it_too(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/ledger.sqlite3"
    stage = Stage(url)
    stage.as_(None).register(people("plain"))
    stage.ledger.book("plain", key(), "{}", [charge(1)])
    stage.as_(ADA).register(people("A"))
    stage.ledger.book("A", key(), "{}", [charge(1)])
    stage.ledger.mark("A", "opened")
    stage.ledger.close()
    lines = (tmp_path / "ledger.sqlite3.witness").read_text().splitlines()
    told = [f'"by":{{"issuer":"{ISSUER}","role":"steward","subject":"sub-Ada"}}' in line for line in lines]
    assert sum(told) == 2
    assert not [line for line in lines if '"plain"' in line and '"by"' in line]
    assert '"Ada"' not in "".join(lines)
    for file in tmp_path.glob("ledger.sqlite3*"):
        if file.is_file() and not file.name.endswith(".witness"):
            file.unlink()
    with suppress(LedgerError):
        Ledger.open(url)
    reconcile(url)
    with Ledger.open(url) as again:
        made = [again.bookings("A")[0].by, next(mark for mark in again.marks("A") if mark.kind == "opened").by]
        assert [one and (one.account.subject, one.role) for one in made] == [("sub-Ada", Role.STEWARD)] * 2
        assert again.bookings("plain")[0].by is None


def test_what_may_be_done_about_an_unknown_population_is_said_by_role(stage: Stage) -> None:
    """In the same words of one that there is, and of one that there is not."""
    for name in ("A", "none"):
        for who, words in ((BEN, "Register one, or have its owner"), (OPS, "Register one")):
            if who is OPS and name == "A":
                continue
            with pytest.raises(UnknownPopulation, match=words):
                stage.as_(who).balance(name)
        for outsider in (viewer("Out"), guest("Nil", None), NOBODY):
            with pytest.raises(UnknownPopulation, match="Its owner enters members") as refused:
                stage.as_(outsider).balance(name)
            assert "register" not in str(refused.value).partition("ledger")[2].casefold()
    with pytest.raises(UnknownPopulation, match="register it first"):
        stage.as_(None).balance("none")


def heard(ledger: Ledger, ask: Callable[[], object]) -> list[str]:
    """The statements of a call that read who acts ("person"), and what to a population ("standing")."""
    told: list[str] = []

    def hear(_connection: object, _cursor: object, statement: str, *_more: object) -> None:
        text = " ".join(statement.split())
        if "FROM sign_ins LEFT OUTER JOIN sign_outs" in text:
            told.append("person")
        elif text.startswith("SELECT members."):
            told.append("standing")

    event.listen(ledger._database._engine, "before_cursor_execute", hear)
    try:
        ask()
    finally:
        event.remove(ledger._database._engine, "before_cursor_execute", hear)
    return told


@pytest.mark.parametrize(
    ("ask", "standings"),
    [
        (lambda ledger: ledger.owns("A"), 1),
        (lambda ledger: ledger.works("A"), 1),
        (lambda ledger: ledger.require_work("A"), 1),
        (lambda ledger: ledger.retire("A"), 1),
        (lambda ledger: ledger.amend("A", epsilon=1), 1),
        (lambda ledger: ledger.find_people("A", "Vic"), 1),
        (lambda ledger: ledger.populations(), 1),
        (lambda ledger: ledger.shared_tables(), 1),
        (lambda ledger: ledger.actor(), 0),
    ],
)
def test_who_acts_and_what_to_a_population_is_read_once_in_a_transaction(
    stage: Stage, ask: Callable[[Ledger], object], standings: int
) -> None:
    ledger = stage.as_(ADA)
    assert heard(ledger, lambda: ask(ledger)) == ["person"] + ["standing"] * standings


def test_a_run_of_a_page_asks_once_who_comes_in_and_the_next_one_asks_anew(stage: Stage) -> None:
    ledger = stage.as_(ADA)
    for _ in range(2):
        with ledger.recalling():
            assert heard(ledger, ledger.admit) == ["person"]
            assert heard(ledger, ledger.admit) == []
    with ledger.recalling():
        ledger.admit()
        ledger.sign_out(ADA.sign_in)
        assert ledger.admit() is None


def test_what_a_transaction_changes_of_roles_and_standings_it_reads_anew(stage: Stage) -> None:
    ledger = stage.as_(ADA)
    ledger.enter_member("A", ANN.sign_in.account, Standing.OWNER)
    with ledger._database.writing() as connection:
        population_id = populations.identify(connection, "A", lock=True)
        assert access.owns(connection, population_id)
        membership.enter(connection, population_id, ADA.sign_in.account, Standing.VIEWER)
        assert not access.works(connection, population_id)
        membership.sign_out(connection, ADA.sign_in)
        assert access.present(connection) is None
