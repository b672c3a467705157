"""The table of actions by role: every cell is tried over the server's own protocol, by message after message.

Whoever may do something does it on the page. Whoever may not sends what the owner's browser sent: the very messages,
on the same pages, about the same population. Then nothing in the store has changed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from fractions import Fraction

import pytest
from accounts.staff import Staff, employed, signed
from browser.plain_client import PlainClient, visiting
from jobs.waiting import until
from ledger.persons import ISSUER
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from pmwpub.accounts.people import Standing
from pmwpub.jobs import InlineEngine
from pmwpub.ledger import Ledger, Population
from pmwpub.service import Service
from pmwpub.service.inputs.bundled_sample import PRIVATE as PRIVATE_TABLE
from pmwpub.service.inputs.bundled_sample import sample_file
from pmwpub.service.inputs.demo import open_demo
from pmwpub.tabular.files.reading import read_table

OWNER, STEWARD, VIEWER, OPERATOR = "owner@x", "member@x", "viewer@x", "operator@x"
LOOKING, DEMOTED, STRANGER, ROLELESS = "looking@x", "demoted@x", "stranger@x", "roleless@x"
ROLES = {
    OWNER: ("steward",),
    STEWARD: ("something", "steward", "viewer"),
    VIEWER: ("viewer",),
    OPERATOR: ("viewer", "operator"),
    LOOKING: ("steward",),
    DEMOTED: ("viewer",),
    STRANGER: ("steward",),
    ROLELESS: ("something",),
}
"""What the claim of each says. LOOKING is a steward and yet a viewer of the population, DEMOTED the reverse."""

STANDINGS = {
    STEWARD: Standing.STEWARD,
    VIEWER: Standing.VIEWER,
    LOOKING: Standing.VIEWER,
    DEMOTED: Standing.STEWARD,
}
KINDS = ("schema", "workload", "candidate", "candidate-note")
UNIT = "one resident of the generated state A"
DEMO_ROWS = len(read_table(sample_file(PRIVATE_TABLE)))
NOBODIES = ("signed out", "expired", "for another server", "forged", "unsigned", "nobody")
EVERYBODY = (*ROLES, *NOBODIES)


@dataclass
class Stage:
    """The server, its store as the program itself reads it, and what the owner's browser sent for each action."""

    staff: Staff
    ledger: Ledger
    recorded: dict[str, tuple[str, list[BackMsg]]] = field(default_factory=dict)
    shared: dict[str, str] = field(default_factory=dict)
    documents: list[tuple[str, str, bytes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Open the demo once; the public documents of every other one are copied."""
        name, _ = open_demo(Service(self.ledger, InlineEngine()))
        for kind in KINDS:
            for key, _ in self.ledger.documents(name, kind):
                self.documents.append((kind, key, self.ledger.document(name, kind, key)))

    def visit(self, who: str) -> AbstractContextManager[PlainClient]:
        """A session of somebody in the table."""
        if who in ROLES:
            return self.staff.visit(who, *ROLES[who])
        return visiting(self.staff.server.url, account=self.nobody(who))

    def nobody(self, how: str) -> str:
        """The owner's cookies, in each way in which they are nobody's."""
        now, steward = self.staff.now, ROLES[OWNER]
        return {
            "signed out": self.staff.cookies(OWNER, *steward, nonce="signed out"),
            "expired": self.staff.cookies(OWNER, *steward, iat=now - 7200, exp=now - 1),
            "for another server": self.staff.cookies(OWNER, *steward, aud="another"),
            "forged": signed({"sub": f"sub-{OWNER}", "roles": list(steward)}, secret="f" * 40),
            "unsigned": "_streamlit_user={}",
            "nobody": "",
        }[how]

    def town(self, *, demo: bool) -> str:
        """A population of the owner's with its members."""
        name = f"town{len(self.ledger.populations())}"
        rows = DEMO_ROWS if demo else 100
        self.ledger.register(Population(name, rows, 1, UNIT, Fraction(2), Fraction(1, rows * rows)))
        if demo:
            self.ledger.mark(name, "demo")
            self.ledger.put_documents(name, self.documents)
        self.ledger.enter_member(name, self.staff.account(OWNER), Standing.OWNER)
        for who, standing in STANDINGS.items():
            self.ledger.enter_member(name, self.staff.account(who), standing)
        return name

    def state(self, name: str, *, all_of_it: bool) -> object:
        """All that the store holds of a population, or how many there are."""
        if all_of_it:
            return len(self.ledger.populations())
        listed = {kind: self.ledger.documents(name, kind) for kind in (*KINDS, "simulation-asked")}
        workload = [self.ledger.document(name, "workload", one.key) for one in listed["workload"]]
        marks, members = self.ledger.marks(name), self.ledger.members(name)
        bookings = [(one.id, one.key) for one in self.ledger.bookings(name)]
        return self.ledger.population(name), listed, workload, marks, members, bookings


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """One server for the whole table; everybody in it signed in once, and the owner signed out in one browser."""
    with employed(tmp_path_factory.mktemp("roles")) as staff:
        made = Stage(staff, Ledger.open(staff.server.store_url))
        assert until(staff.server.is_ready), staff.server.log()
        for who in EVERYBODY:
            with made.visit(who) as session:
                session.open()
        staff.sign_out(made.nobody("signed out"))
        yield made
        made.ledger.close()


def said(seen: list[ForwardMsg]) -> str:
    """All that a session was sent, as a text in which any word is found."""
    return b"".join(one.SerializeToString() for one in seen).decode("utf-8", "replace").replace("\\", "")


# What is done on a page


def register(session: PlainClient, name: str) -> None:
    session.open()
    session.type("Name", f"new{time.time_ns()}")
    session.press("Register")


def open_the_demo(session: PlainClient, name: str) -> None:
    session.open()
    session.press("Open the demo")


def load(session: PlainClient, name: str) -> None:
    session.open(f"population={name}", "prepare")
    session.press("Load the generated private table")


def buy(session: PlainClient, name: str) -> None:
    load(session, name)
    session.press("Buy this look")


def change_the_workload(session: PlainClient, name: str) -> None:
    session.open(f"population={name}", "prepare")
    seed = session.widget("number_input", "Seed")
    session.change(WidgetState(id=seed.id, double_value=7))
    session.press("Use this workload")


def delete_uploads(session: PlainClient, name: str) -> None:
    session.open(f"population={name}", "ledger")
    sure = session.widget("checkbox", "Delete all")
    session.change(WidgetState(id=sure.id, bool_value=True))
    session.press("Delete now")


def simulate(session: PlainClient, name: str) -> None:
    load(session, name)
    session.open(f"population={name}", "compare")
    session.press("Simulate")
    session.press("Cancel")


def open_private_numbers(session: PlainClient, name: str) -> None:
    buy(session, name)
    session.open(f"population={name}", "prepare")
    sure = next(one for one in session.every("checkbox") if "confirm unmapped" in one.id)
    session.change(WidgetState(id=sure.id, bool_value=True))
    session.press("Open, and record it")


def change_the_terms(session: PlainClient, name: str) -> None:
    session.open(f"population={name}")
    session.change(WidgetState(id=_field(session, "amend epsilon").id, string_value="0.5"))
    session.press("Change the terms")


def enter_a_member(session: PlainClient, name: str) -> None:
    session.open(f"population={name}")
    session.type("E-mail or name", STRANGER)
    person = session.widget("selectbox", "Person")
    (stranger,) = [one for one in person.options if one.startswith(f"{STRANGER} (sub-{STRANGER} at ")]
    session.change(WidgetState(id=person.id, string_value=stranger))
    session.press("Enter")


def _field(session: PlainClient, key: str) -> object:
    return next(one for one in session.every("text_input") if key in one.id)


@dataclass(frozen=True)
class Action:
    """What is done, by whom it may be done, and on which kind of population; the store shows that it was done.

    anew  whether it makes another population
    """

    act: Callable[[PlainClient, str], None]
    allowed: frozenset[str]
    demo: bool = True
    anew: bool = False


WORKERS = frozenset({OWNER, STEWARD})
ANY_STEWARD = frozenset({OWNER, STEWARD, OPERATOR, LOOKING, STRANGER})
ACTIONS = {
    "register": Action(register, ANY_STEWARD, anew=True),
    "open the demo": Action(open_the_demo, ANY_STEWARD, anew=True),
    "buy": Action(buy, WORKERS),
    "change the workload": Action(change_the_workload, WORKERS),
    "delete uploads": Action(delete_uploads, WORKERS),
    "simulate": Action(simulate, WORKERS),
    "open private numbers": Action(open_private_numbers, WORKERS),
    "change the terms": Action(change_the_terms, frozenset({OWNER}), demo=False),
    "enter a member": Action(enter_a_member, frozenset({OWNER}), demo=False),
}


@pytest.mark.parametrize("who", EVERYBODY)
@pytest.mark.parametrize("what", ACTIONS)
def test_an_action_is_done_by_those_who_may_and_by_nobody_elses_messages(stage: Stage, what: str, who: str) -> None:
    action = ACTIONS[what]
    if who in action.allowed:
        town = stage.town(demo=action.demo)
        before = stage.state(town, all_of_it=action.anew)
        with stage.visit(who) as session:
            action.act(session, town)
        assert stage.state(town, all_of_it=action.anew) != before
        return
    rehearsed, messages = _recorded(stage, what)
    town = stage.shared.setdefault(what, "") or stage.town(demo=action.demo)
    stage.shared[what] = town
    before = stage.state(town, all_of_it=action.anew)
    with stage.visit(who) as session:
        session.open(f"population={town}")
        for message in messages:
            session.send(_about(message, rehearsed, town))
        ends_with = said(session.open(f"population={town}", "prepare"))
    assert stage.state(town, all_of_it=action.anew) == before
    assert "Steward: private table loaded" not in ends_with


def _recorded(stage: Stage, what: str) -> tuple[str, list[BackMsg]]:
    """What the owner's browser sends for an action, on a population that is made for that; it succeeds there."""
    if what not in stage.recorded:
        action = ACTIONS[what]
        town = stage.town(demo=action.demo)
        before = stage.state(town, all_of_it=action.anew)
        with stage.visit(OWNER) as session:
            action.act(session, town)
            stage.recorded[what] = town, list(session.sent)
        assert stage.state(town, all_of_it=action.anew) != before
    return stage.recorded[what]


def _about(message: BackMsg, rehearsed: str, town: str) -> BackMsg:
    """A message about another population: its name stands in the address and in keys of widgets."""
    return BackMsg.FromString(message.SerializeToString().replace(rehearsed.encode(), town.encode()))


# What is seen

SEES = frozenset({OWNER, STEWARD, VIEWER, LOOKING, DEMOTED, OPERATOR})
PAGES = ("", "prepare", "compare", "release", "hand_over", "ledger", "what_if", "story")


@pytest.fixture(scope="module")
def bought(stage: Stage) -> str:
    """A population on which the owner bought something."""
    town = stage.town(demo=True)
    with stage.visit(OWNER) as session:
        buy(session, town)
    return town


@pytest.mark.parametrize("who", EVERYBODY)
def test_a_population_is_seen_by_its_members_and_operators_and_its_name_by_nobody_else(
    stage: Stage, bought: str, who: str
) -> None:
    with stage.visit(who) as session:
        listed = said(session.open())
        seen = "".join(said(session.open(f"population={bought}", page)) for page in PAGES)
    assert (bought in listed) is (who in SEES)
    assert ("of the grant taken" in seen) is (who in SEES)
    if who not in SEES:
        assert UNIT not in seen


@pytest.mark.parametrize("who", sorted(SEES))
def test_who_bought_is_a_name_to_those_who_work_and_to_operators_and_a_role_to_viewers(
    stage: Stage, bought: str, who: str
) -> None:
    with stage.visit(who) as session:
        seen = said(session.open(f"population={bought}", "ledger"))
    named = who in {*WORKERS, OPERATOR}
    assert ((OWNER in seen) or who == OWNER) is named
    assert ISSUER not in seen


PRIVATE = ("Private, steward only", "private table of this session", "Forget the private", "Load the generated")


@pytest.mark.parametrize("who", [OWNER, VIEWER, LOOKING, DEMOTED, OPERATOR])
def test_for_whoever_looks_on_what_is_private_is_absent(stage: Stage, bought: str, who: str) -> None:
    with stage.visit(who) as session:
        seen, files = "", 0
        for page in PAGES:
            seen += said(session.open(f"population={bought}", page))
            files += len([*session.every("file_uploader")])
    assert any(word in seen for word in PRIVATE) is (who == OWNER)
    if who != OWNER:
        assert files == 0
        assert not [name for name in (OWNER, STEWARD, STRANGER) if name in seen.replace(who, "")] or who == OPERATOR


@pytest.mark.parametrize("who", EVERYBODY)
def test_a_file_is_taken_of_stewards_alone(stage: Stage, who: str) -> None:
    with stage.visit(who) as session:
        session.open()
        assert session.upload("a.csv", b"sex\nF\n") == (204 if who in ANY_STEWARD else 403)
