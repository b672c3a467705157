"""The operator's page over the server's own protocol: it is there for operators, and for nobody else's messages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from fractions import Fraction

import pytest
from accounts.staff import Staff, employed
from browser.plain_client import PlainClient, visiting
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from pmwpub.accounts.people import Standing
from pmwpub.ledger import Ledger, Population

OWNER, OTHER, VIEWER, OPERATOR = "owner@x", "other@x", "viewer@x", "operator@x"
ROLES = {OWNER: "steward", OTHER: "steward", VIEWER: "viewer", OPERATOR: "operator", "roleless@x": "something"}
CANARY = "pmwpub-canary"
TABLE = f"name,sex\n{CANARY},F\n{CANARY},M\n".encode()
SAYS = ("Operators only", "ledger.sqlite", "Loads of private tables", "PMWPUB_QUEUE", "Everybody who signed in")
"""Words of the page that stand on no other."""


@dataclass
class Office:
    """The server, and its store as the program itself has it."""

    staff: Staff
    ledger: Ledger

    def visit(self, who: str) -> AbstractContextManager[PlainClient]:
        return self.staff.visit(who, ROLES[who])


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    """ "harbour" and "hill" are the owner's, "heath" another's; one table stands under all three."""
    with employed(tmp_path_factory.mktemp("office")) as staff, Ledger.open(staff.server.store_url) as ledger:
        office = Office(staff, ledger)
        for who in ROLES:
            with office.visit(who) as session:
                session.open()
        for name, owner in (("harbour", OWNER), ("hill", OWNER), ("heath", OTHER)):
            ledger.register(Population(name, 2, 1, "one resident", Fraction(1), Fraction(1, 1000)))
            ledger.enter_member(name, staff.account(owner), Standing.OWNER)
            ledger.loaded(name, TABLE)
        yield office


def said(seen: list[ForwardMsg]) -> str:
    """All that a session was sent, as a text in which any word is found."""
    return b"".join(one.SerializeToString() for one in seen).decode("utf-8", "replace").replace("\\", "")


def titles(session: PlainClient) -> list[str]:
    return [one.body for one in session.every("heading") if one.tag == "h1"]


def preset(session: PlainClient, who: str) -> str:
    """What the owner's form of members stands at once a person is chosen in it."""
    session.type("E-mail or name", who)
    person = session.widget("selectbox", "Person")
    (told,) = [one for one in person.options if one.startswith(f"{who} (")]
    session.change(WidgetState(id=person.id, string_value=told))
    box = session.widget("selectbox", "is")
    return str(box.options[box.default]).partition(":")[0]


def test_the_form_of_members_stands_at_what_a_person_is_and_of_no_member_at_what_the_role_is_good_for(
    office: Office,
) -> None:
    with office.visit(OWNER) as session:
        session.open("population=hill")
        assert [preset(session, who) for who in (VIEWER, OTHER, OPERATOR, "roleless@x", OWNER)] == [
            "a viewer",
            "a steward",
            "a steward",
            "a viewer",
            "an owner",
        ]
        office.ledger.enter_member("hill", office.staff.account(OTHER), Standing.VIEWER)
        session.open("population=hill")
        assert preset(session, OTHER) == "a viewer"
        office.ledger.enter_member("hill", office.staff.account(OTHER), Standing.NONE)


def test_an_operator_is_shown_people_populations_loads_jobs_health_and_limits(office: Office) -> None:
    with office.visit(OPERATOR) as session:
        seen = said(session.open(page="operators"))
        assert titles(session) == ["Operator"]
        assert list(session.every("exception")) == []
    for words in (*SAYS, *ROLES, "harbour", "hill", "heath", "Nothing is at work", "warm-up"):
        assert words in seen, words
    assert CANARY not in seen


def test_a_link_leads_there_for_operators_alone(office: Office) -> None:
    for who in ROLES:
        with office.visit(who) as session:
            session.open()
            linked = any(link.page == "operators" for link in session.every("page_link"))
            assert linked is (who == OPERATOR), who


@pytest.fixture(scope="module")
def messages(office: Office) -> list[BackMsg]:
    """What an operator's browser sends: the page by its name, by its hash, and a press on it."""
    with office.visit(OPERATOR) as session:
        session.open(page="operators")
        session.press("Look again")
        session.open(page="operators")
        return list(session.sent)


@pytest.mark.parametrize("who", [OWNER, OTHER, VIEWER, "roleless@x", "nobody"])
@pytest.mark.parametrize("first", ["", "operators"])
def test_an_operators_own_messages_show_nobody_else_a_word_of_it(
    office: Office, messages: list[BackMsg], who: str, first: str
) -> None:
    coming = visiting(office.staff.server.url) if who == "nobody" else office.visit(who)
    with coming as session:
        seen = said(session.open(page=first))
        for message in messages:
            seen += said(session.send(message))
        assert "Operator" not in titles(session)
    for words in SAYS:
        assert words not in seen, words
    if who != OTHER:
        assert "heath" not in seen
    assert "Traceback" not in office.staff.server.log()


def test_a_role_that_is_taken_away_ends_the_page_that_stands_open(office: Office) -> None:
    with office.staff.visit("fleeting@x", "operator") as session:
        session.open(page="operators")
        assert titles(session) == ["Operator"]
        with office.staff.visit("fleeting@x", "steward", iat=office.staff.now - 30) as elsewhere:
            elsewhere.open()
        seen = said(session.press("Look again"))
        assert titles(session) != ["Operator"]
    assert not any(words in seen for words in SAYS)


def test_an_owner_is_told_on_ledger_of_loads_under_what_he_owns_and_of_nothing_else(office: Office) -> None:
    told = {}
    for who, name in ((OWNER, "harbour"), (OTHER, "heath")):
        with office.visit(who) as session:
            told[who] = said(session.open(f"population={name}", "ledger"))
            assert "Loads of the private table" in told[who]
    assert "hill" in told[OWNER]
    assert "heath" not in told[OWNER]
    assert "adds up over all populations" in told[OWNER]
    assert "adds up over all populations" not in told[OTHER]
    assert not any(name in told[OTHER] for name in ("harbour", "hill"))


def test_the_stakeholder_view_shows_nothing_of_the_server(office: Office) -> None:
    with office.visit(OPERATOR) as session:
        seen = said(session.open("view=stakeholder", "operators"))
        assert "shows nothing of the server" in seen
    assert not any(words in seen for words in SAYS)
