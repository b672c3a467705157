"""What one steward's private table holds turns up in no other person's session, in no export and in no log."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import pytest
from accounts.staff import Staff, employed
from browser.plain_client import PlainClient
from guarantees.canaries import ROWS, Canaries
from guarantees.people import SCHEMA, public
from streamlit.proto.Common_pb2 import FileUploaderState, FileURLs, UploadedFileInfo
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from pmwpub.accounts.people import Standing
from pmwpub.jobs import InlineEngine
from pmwpub.ledger import Ledger, Population
from pmwpub.plans import WorkloadChoice
from pmwpub.service import Service
from pmwpub.service.inputs import study_store
from pmwpub.tabular.schema.table_schema import Schema

PAGES = ("", "prepare", "compare", "release", "hand_over", "ledger", "what_if")
PEOPLE = {"north@x": "steward", "south@x": "steward", "eye@x": "viewer", "second@x": "steward"}
TOWNS = {"northtown": "north@x", "southtown": "south@x"}


@pytest.fixture(scope="module")
def staff(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Staff]:
    with employed(tmp_path_factory.mktemp("canaries")) as made:
        yield made


@pytest.fixture(scope="module")
def ledger(staff: Staff) -> Iterator[Ledger]:
    """The store with a population of each steward's; a viewer and a second steward are members of the first."""
    with Ledger.open(staff.server.store_url) as opened:
        service = Service(opened, InlineEngine())
        for person, role in PEOPLE.items():
            with staff.visit(person, role) as session:
                session.open()
        for seed, (town, owner) in enumerate(TOWNS.items()):
            opened.register(Population(town, ROWS, 1, "one resident", Fraction(6), Fraction(1, ROWS * ROWS)))
            for name in ("b.csv", "c.csv"):
                body = public(80, 10 * seed + ord(name[0]))
                study_store.add_candidate(service, town, name, body, attested=True)
            study_store.save_schema(service, town, Schema.from_json(SCHEMA))
            study_store.choose_workload(service, town, WorkloadChoice(k=2))
            opened.enter_member(town, staff.account(owner), Standing.OWNER)
        opened.enter_member("northtown", staff.account("eye@x"), Standing.VIEWER)
        opened.enter_member("northtown", staff.account("second@x"), Standing.STEWARD)
        yield opened


def said(seen: list[ForwardMsg]) -> str:
    return b"".join(one.SerializeToString() for one in seen).decode("utf-8", "replace").replace("\\", "")


def load(session: PlainClient, town: str, content: bytes) -> str:
    """Upload a private table into a session and load it there; all that the session was sent."""
    session.open(f"population={town}", "prepare")
    assert session.upload("private.csv", content) == 204
    field = session.widget("file_uploader", "Private table")
    info = UploadedFileInfo(
        file_id="a-file", name="private.csv", size=len(content), file_urls=FileURLs(file_id="a-file")
    )
    state = FileUploaderState(uploaded_file_info=[info])
    seen = session.change(WidgetState(id=field.id, file_uploader_state_value=state))
    return said([*seen, *session.press("Load into this session")])


def test_a_stewards_canaries_are_in_no_other_session_export_or_log(staff: Staff, ledger: Ledger) -> None:
    canaries = {town: Canaries.new() for town in TOWNS}
    with staff.visit("north@x", "steward") as north, staff.visit("south@x", "steward") as south:
        shown = load(north, "northtown", canaries["northtown"].table(0))
        load(south, "southtown", canaries["southtown"].table(1))
        assert canaries["northtown"].column in shown + said(north.open("population=northtown", "prepare"))
        for session, town in ((north, "northtown"), (south, "southtown")):
            session.open(f"population={town}", "compare")
            tick = session.widget("checkbox", "None of these public tables")
            session.change(WidgetState(id=tick.id, bool_value=True))
            session.press("Buy these assessments")
            assert len(ledger.bookings(town)) == 2  # one for each candidate
        others = "".join(said(south.open(f"population={town}", page)) for page in PAGES for town in TOWNS)
        for person, role in (("eye@x", "viewer"), ("second@x", "steward"), ("ops@x", "operator")):
            with staff.visit(person, role) as other:
                others += "".join(said(other.open(f"population={town}", page)) for page in PAGES for town in TOWNS)
    kept = repr([ledger.export(town) for town in TOWNS]) + repr([ledger.marks(town) for town in TOWNS])
    for token in canaries["northtown"].tokens:
        assert token not in others
        assert token not in kept + staff.server.log()
    assert not [token for token in canaries["southtown"].cells if token in others]
    assert "Traceback" not in staff.server.log()
