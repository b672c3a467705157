"""What changes while somebody is at work holds at the next action: a role, a membership, signing out, the end."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from accounts.staff import Staff, employed
from browser.plain_client import PlainClient, visiting
from jobs.waiting import until
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from pmwpub.accounts.people import Standing
from pmwpub.ledger import Ledger

LOADED, LOOK = "Steward: private table loaded", "Buy this look"


@pytest.fixture(scope="module")
def staff(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Staff]:
    with employed(tmp_path_factory.mktemp("sessions")) as made:
        assert until(made.server.is_ready), made.server.log()
        yield made


@pytest.fixture
def ledger(staff: Staff) -> Iterator[Ledger]:
    with Ledger.open(staff.server.store_url) as opened:
        yield opened


def said(seen: list[ForwardMsg]) -> str:
    return b"".join(one.SerializeToString() for one in seen).decode("utf-8", "replace").replace("\\", "")


def at_work(session: PlainClient) -> str:
    """Have a steward load the demo and stand before a purchase; returns the population."""
    session.open()
    session.press("Open the demo")
    town = session.query.partition("=")[2]
    assert LOADED in said(session.open(session.query, "prepare"))
    assert session.has("button", LOOK)
    return town


def test_a_role_that_falls_stops_the_purchase_that_was_offered_and_lets_the_table_go(
    staff: Staff, ledger: Ledger
) -> None:
    with staff.visit("ada", "steward") as session:
        town = at_work(session)
        with staff.visit("ada", "viewer", iat=staff.now) as elsewhere:
            elsewhere.open()
        seen = said(session.press(LOOK))
        assert ledger.bookings(town) == []
        assert LOADED not in seen
        with staff.visit("ada", "steward", iat=staff.now + 1) as elsewhere:
            elsewhere.open()
        assert LOADED not in said(session.open(f"population={town}", "prepare"))
        session.press("Load the generated private table")
        session.press(LOOK)
        assert len(ledger.bookings(town)) == 1


def test_a_role_that_is_gone_leaves_nothing_to_be_seen(staff: Staff, ledger: Ledger) -> None:
    with staff.visit("ben", "steward") as session:
        town = at_work(session)
        with staff.visit("ben", iat=staff.now) as elsewhere:
            assert "have no role" in said(elsewhere.open())
        seen = said(session.press(LOOK))
    assert "have no role" in seen
    assert town not in seen
    assert ledger.bookings(town) == []


def test_signing_out_in_one_tab_ends_every_other_one(staff: Staff, ledger: Ledger) -> None:
    with staff.visit("cyd", "steward") as session, staff.visit("cyd", "steward", nonce="another browser") as other:
        town = at_work(session)
        other.open(f"population={town}")
        staff.sign_out(staff.cookies("cyd", "steward"))
        seen = said(session.press(LOOK))
        assert "sign in to see" in seen
        assert town not in seen
        assert session.upload("a.csv", b"sex\nF\n") == 403
        assert "of the grant taken" in said(other.open(f"population={town}"))
    assert ledger.bookings(town) == []


def test_a_sign_in_that_ends_takes_the_private_table_along(staff: Staff, ledger: Ledger) -> None:
    with staff.visit("dan", "steward", exp=int(time.time()) + 5) as session:
        town = at_work(session)
        assert until(lambda: "sign in to see" in said(session.open(f"population={town}", "prepare")))
        assert not session.has("button", LOOK)
        assert session.upload("a.csv", b"sex\nF\n") == 403
    assert ledger.bookings(town) == []


def test_a_part_of_a_page_that_runs_by_itself_shows_nothing_once_its_person_is_gone(staff: Staff) -> None:
    with staff.visit("eve", "steward") as session:
        town = at_work(session)
        session.press(LOOK)
        session.open(f"population={town}", "compare")
        session.press("Simulate")
        (fragment, *_) = session.timers
        staff.sign_out(staff.cookies("eve", "steward"))
        seen = said(session.run_fragment(fragment))
        assert "sign in to see" in seen
        with staff.visit("eve", "steward", nonce="again") as again:
            again.open(f"population={town}", "compare")
            if again.has("button", "Cancel"):
                again.press("Cancel")


def test_a_member_who_is_put_out_sees_nothing_from_then_on(staff: Staff, ledger: Ledger) -> None:
    with staff.visit("fay", "steward") as session:
        town = at_work(session)
    with staff.visit("gus", "viewer") as viewer:
        viewer.open()
        ledger.enter_member(town, staff.account("gus"), Standing.VIEWER)
        assert "of the grant taken" in said(viewer.open(f"population={town}", "compare"))
        ledger.enter_member(town, staff.account("gus"), Standing.NONE)
        seen = said(viewer.open(f"population={town}", "compare"))
    assert "of the grant taken" not in seen
    assert "is registered in this ledger" in seen


@pytest.mark.parametrize(
    ("standing", "words"),
    [(Standing.VIEWER, "You look at this population"), (Standing.NONE, "is registered in this ledger")],
)
def test_progress_that_runs_by_itself_ends_for_whoever_works_on_the_population_no_more(
    staff: Staff, ledger: Ledger, standing: Standing, words: str
) -> None:
    with staff.visit("ida", "steward") as session:
        town = at_work(session)
        session.open(f"population={town}", "compare")
        session.press("Simulate")
        (fragment, *_) = session.timers
        assert words not in said(session.run_fragment(fragment))
        with staff.visit("joy", "steward") as other:
            other.open()
        ledger.enter_member(town, staff.account("joy"), Standing.OWNER)
        ledger.enter_member(town, staff.account("ida"), standing)
        seen = said(session.run_fragment(fragment))
        assert words in seen
        assert not session.has("button", "Cancel")
        ledger.enter_member(town, staff.account("ida"), Standing.STEWARD)
        session.open(f"population={town}", "compare")
        if session.has("button", "Cancel"):
            session.press("Cancel")


def test_a_session_is_not_resumed_by_somebody_else_with_the_same_browser(staff: Staff) -> None:
    with visiting(staff.server.url, cookie="shared", account=staff.cookies("ann", "steward")) as session:
        at_work(session)
    account = staff.cookies("hal", "steward")
    with visiting(staff.server.url, cookie="shared", resume=session.session, account=account) as other:
        seen = said(other.open())
        assert other.session != session.session
    assert LOADED not in seen
