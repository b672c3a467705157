"""Every class of the input corpus as a real browser sends it: one page, one session, a verdict on each file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fractions import Fraction

import buying
import pytest
from browser.conftest import Server
from browser.stage import service_on
from browser.visitor import LONG, SOON, Visitor, charges
from playwright.sync_api import Browser, Locator, expect
from support.corpus import CANARY, CONTAINER, HEAD, HEADER, SCHEMA, SYNTAX, Case

from pmwpub.ledger import Population
from pmwpub.plans import WorkloadChoice
from pmwpub.service.bought import assessments
from pmwpub.service.inputs import study_store
from pmwpub.tabular.schema.table_schema import Schema

pytestmark = pytest.mark.browser

FILES = [case for case in CONTAINER + SYNTAX + HEADER if case.name != "a million rows"]
TOWN = "town"
RAW = ("byte order mark", "cp1252", "NUL", "empty", "xlsx named csv", "a 1 MB line", "CR", "damaged Parquet", "HTML")
"""Classes whose bytes something between browser and page might take amiss; AppTest sends every class as private."""
VERDICT = re.compile(r"^(Loaded: |The private table was (refused|not read))")
GOOD = (HEAD + "F,21,clerk\nM,46,cook\nF,71,cook\nM,34,\n").encode()
KEPT = (HEAD + "F,22,clerk\nF,47,cook\nF,72,cook\nF,35,\n").encode()


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on a store with a population of four rows, a candidate, and a charge."""
    server = Server(tmp_path_factory.mktemp("corpus"))
    with service_on(server.store_url) as service:
        service.ledger.register(Population(TOWN, 4, 1, "one person", Fraction(9), Fraction(1, 16)))
        sha256 = study_store.add_candidate(service, TOWN, "good.csv", GOOD, attested=True)
        study_store.save_schema(service, TOWN, Schema.from_json(json.dumps(SCHEMA)))
        study_store.choose_workload(service, TOWN, WorkloadChoice(k=1))
        private, current = study_store.load_private(service, TOWN, KEPT), study_store.study(service, TOWN)
        buying.buy(service, private, assessments.assessment_plan(current, [sha256], epsilon="0.1", floor=False))
    server.start()
    yield server
    server.stop()


def _send(visitor: Visitor, field: str, button: str, files: list[tuple[str, bytes]]) -> None:
    place = visitor.page.get_by_test_id("stFileUploader").filter(has_text=field)
    place.locator("input[type=file]").set_input_files(
        [{"name": name, "mimeType": "text/csv", "buffer": body} for name, body in files]  # type: ignore[list-item]
    )
    expect(place.get_by_role("button", name=re.compile("^Remove"))).to_have_count(len(files), timeout=SOON)
    expect(place.get_by_role("progressbar")).to_have_count(0, timeout=SOON)
    visitor.settle()
    visitor.press(button)


def _load(visitor: Visitor, body: bytes) -> str:
    """Offer a private table; what the page says of it."""
    _send(visitor, "Private table", "Load into this session", [("case.csv", body)])
    verdict = _verdicts(visitor, VERDICT)
    expect(verdict).to_be_visible(timeout=SOON)
    visitor.settle()
    return verdict.inner_text()


def _let_go(visitor: Visitor, said: str) -> None:
    """Back to a page that holds no private table and says nothing of one."""
    if said.startswith("Loaded"):
        visitor.press("Forget the private table")
    elif "was not read" in said:
        visitor.press("Give this file up")
    else:
        visitor.page.keyboard.press("r")  # runs the page again: a notice is shown once
    expect(_verdicts(visitor, VERDICT)).to_have_count(0, timeout=SOON)
    visitor.settle()


def _verdicts(visitor: Visitor, words: re.Pattern[str]) -> Locator:
    return visitor.page.get_by_test_id("stMarkdownContainer").get_by_text(words)


def test_a_private_file_of_each_container_gets_its_verdict_and_none_is_charged(town: Server, chromium: Browser) -> None:
    visitor = Visitor(chromium, town.url)
    visitor.open(f"/prepare?population={TOWN}")
    for case in [case for case in FILES if case.name in RAW]:
        said = _load(visitor, case.content)
        _check(case, said, taken="Loaded: 4 rows")
        assert CANARY not in visitor.page.content(), case.name
        _let_go(visitor, said)
    assert charges(town.store_url, TOWN) == 1
    assert "Traceback" not in town.log()
    visitor.close()


def _check(case: Case, said: str, *, taken: str) -> None:
    if case.verdict == "accept":
        assert taken in said, case.name
        return
    assert case.words in said, case.name
    assert case.line is None or f"Line {case.line}:" in said, case.name
    assert "Nothing was charged" in said


def _said(visitor: Visitor, words: str, count: int) -> dict[str, str]:
    """The verdicts of those words by file name, once there are so many."""
    verdicts = _verdicts(visitor, re.compile(words))
    expect(verdicts).to_have_count(count, timeout=LONG)
    visitor.settle()
    return {one.split()[0]: one for one in verdicts.all_inner_texts()}


def test_all_public_files_at_once_get_a_verdict_each_and_earlier_work_stays(town: Server, chromium: Browser) -> None:
    visitor = Visitor(chromium, town.url)
    visitor.open(f"/prepare?population={TOWN}")
    assert "Loaded: 4 rows" in _load(visitor, KEPT)
    named = [(f"c{i:02}{case.ending}", case) for i, case in enumerate(FILES)]
    _send(visitor, "Add public tables", "Add", [(name, case.content) for name, case in named])
    taken = [name for name, case in named if case.verdict == "accept" or not case.fits]
    said = _said(visitor, r"^c\d\d\S+ was (refused|not read)", len(named) - len(taken))
    visitor.press("Store")
    said |= _said(visitor, r"^c\d\d\S+ was read and stored", len(taken))
    for name, case in named:
        if case.fits:
            _check(case, said[name], taken="was read and stored as a public candidate")
    assert CANARY not in " ".join(said.values())
    expect(visitor.page.get_by_role("button", name="Forget the private table")).to_be_visible()
    with service_on(town.store_url) as service:
        stored = {one.name: one for one in study_store.study(service, TOWN).candidates}
        assert stored["good.csv"].support is not None
        for name, case in named:
            assert (name in stored) == (case.verdict == "accept" or not case.fits), case.name
            assert name not in stored or (stored[name].support is not None) == case.fits, case.name
    assert charges(town.store_url, TOWN) == 1
    assert "Traceback" not in town.log()
    visitor.close()
