"""Names and cells full of markup, script and formulas: on every page they are text, and nothing runs."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from fractions import Fraction
from urllib.parse import urlencode

import buying
import pytest
from browser.conftest import Server
from browser.stage import ADDRESSES, service_on
from browser.visitor import SOON, Visitor
from playwright.sync_api import Browser, Page, expect

from pmwpub.errors import PmwPubError
from pmwpub.ledger import Population
from pmwpub.plans import WorkloadChoice
from pmwpub.service import Service
from pmwpub.service.bought import assessments, releases
from pmwpub.service.inputs import study_store
from pmwpub.service.simulations import explorations
from pmwpub.service.steward_only import recorded_numbers

pytestmark = pytest.mark.browser

HTML = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script><b id=injected>bold</b>'
LINK = (
    "[click](javascript:window.pwned=1) ![i](https://evil.example/p.png) "
    "<a href='https://evil.example' id=injected>a</a>"
)
MATHS = "$\\href{javascript:window.pwned=1}{x}$ :material/home: :red[red] `code` **bold** # title"
FORMULA = '=HYPERLINK("https://evil.example","x")'
SVG = "<svg onload=window.pwned=1><animate id=injected onbegin=window.pwned=1></svg> {{7*7}} ${7*7} %{x}"
PAYLOADS = (HTML, LINK, MATHS, FORMULA, SVG)
INJECTED = (
    '#injected, [onerror], [onload], [onbegin], [src*="evil"], [href^="https://evil"], [href^="javascript"], animate'
)
ROWS = 60
NAMES = tuple(f"{payload} {i}" for i, payload in enumerate(PAYLOADS))


def _table(shift: int) -> bytes:
    """Columns named by payloads, and payloads as their levels: all of them in each column of each table."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(NAMES)
    for row in range(ROWS):
        writer.writerow(
            [(PAYLOADS + ("plain",))[(row + row // 6 * (i + 1) + shift * i) % 6] for i in range(len(NAMES))]
        )
    return text.getvalue().encode()


def _town(service: Service) -> str:
    """A population with a hostile name whose plans and results hold hostile names; returns its name."""
    name = f"{HTML} {LINK} {MATHS}"[:190].strip()
    service.ledger.register(Population(name, ROWS, 1, SVG, Fraction(20), Fraction(1, ROWS * ROWS)))
    for i, file in enumerate((f"{HTML}.csv".replace("/", "∕"), f"{LINK}{MATHS}.csv".replace("/", "∕"))):
        study_store.add_candidate(service, name, file, _table(i + 1), attested=True)
    study_store.save_schema(service, name, study_store.draft_schema(service, name))
    study_store.choose_workload(service, name, WorkloadChoice(k=2))
    current = study_store.study(service, name)
    private = study_store.load_private(service, name, _table(3))
    for facts in current.usable:
        buying.buy(service, private, assessments.assessment_plan(current, [facts.sha256], epsilon="2"))
    explorations.explore(service, current, next(iter(explorations.truths(current))))
    plan = releases.release_plan(service, current, [current.usable[0].sha256], epsilon="5", rounds=5)
    outcome = buying.buy(service, private, plan)
    assert outcome.status == "done"
    recorded_numbers.true_errors(service, private, outcome.booking.key)
    service.ledger.mark(name, HTML, LINK)
    return name


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, str]]:
    """A server on such a store, and the population."""
    server = Server(tmp_path_factory.mktemp("payloads"))
    with service_on(server.store_url) as service:
        town = _town(service)
    server.start()
    yield server, town
    server.stop()


def _open(visitor: Visitor, population: str) -> None:
    visitor.open(f"/data?{urlencode({'population': population})}")
    expect(visitor.page.get_by_role("heading", name="Prepare", level=1)).to_be_visible(timeout=SOON)
    visitor.see("Public candidates")
    visitor.settle()


def _assert_inert(page: Page, where: str) -> None:
    """No payload ran, and none became an element, a link or a picture."""
    assert page.evaluate("window.pwned") is None, where
    found = page.evaluate(
        "selector => [...document.querySelectorAll(selector)].map(e => e.outerHTML.slice(0, 200))", INJECTED
    )
    assert found == [], f"{where}: {found}"
    assert re.findall("[\u200b-\u200f\u2060\ufeff]", page.inner_text("body")) == [], where


def test_payloads_in_names_levels_and_cells_are_inert_on_every_page(
    hostile: tuple[Server, str], chromium: Browser
) -> None:
    server, town = hostile
    visitor = Visitor(chromium, server.url)
    dialogs: list[str] = []
    visitor.page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    _open(visitor, town)
    _load_private(visitor)
    for name in [*ADDRESSES][1:]:
        visitor.go(name)
        for _ in range(2):  # parts that are folded may have folded parts
            visitor.page.evaluate("document.querySelectorAll('details:not([open]) > summary').forEach(e => e.click())")
            visitor.settle()
        visitor.page.wait_for_timeout(500)
        _hover_everything(visitor)
        _assert_inert(visitor.page, name)
    assert dialogs == []
    assert visitor.strangers == []
    assert "Traceback" not in server.log()
    visitor.close()


def _load_private(visitor: Visitor) -> None:
    place = visitor.page.get_by_test_id("stFileUploader").filter(has_text="Private table")
    file = {"name": f"{HTML}.csv".replace("/", "∕"), "mimeType": "text/csv", "buffer": _table(3)}
    place.locator("input[type=file]").set_input_files([file])  # type: ignore[list-item]
    expect(place.get_by_role("button", name=re.compile("^Remove"))).to_have_count(1, timeout=SOON)
    visitor.settle()
    visitor.press("Load into this session")
    visitor.see("Loaded:")
    visitor.settle()
    _assert_inert(visitor.page, "private upload")


def _hover_everything(visitor: Visitor) -> None:
    """Pass over each figure, for hover labels are drawn from names too."""
    page = visitor.page
    for figure in page.get_by_test_id("stPlotlyChart").all():
        visitor.bring(figure)
        box = figure.bounding_box()
        if box is None:
            continue
        for share in (0.2, 0.35, 0.5, 0.65, 0.8):
            page.mouse.move(box["x"] + share * box["width"], box["y"] + 0.6 * box["height"])
            page.wait_for_timeout(60)


def test_payloads_in_refusals_and_in_files_that_wait_are_inert(hostile: tuple[Server, str], chromium: Browser) -> None:
    server, _ = hostile
    visitor = Visitor(chromium, server.url)
    visitor.open()
    visitor.page.get_by_label("Name").fill("fresh")
    visitor.page.get_by_role("button", name="Register").click()
    expect(visitor.page.get_by_role("heading", name="Prepare", level=1)).to_be_visible(timeout=SOON)
    visitor.settle()
    waiting = _table(5).replace(b",", b";")
    files = [("ragged", b"a,b\n1\n"), ("waits", waiting), ("taken", _table(7))]
    place = visitor.page.get_by_test_id("stFileUploader").filter(has_text="Add public tables")
    place.locator("input[type=file]").set_input_files(
        [{"name": f"{HTML}{LINK} {name}.csv".replace("/", "∕"), "mimeType": "text/csv", "buffer": body}
         for name, body in files]  # type: ignore[list-item]
    )  # fmt: skip
    expect(place.get_by_role("button", name=re.compile("^Remove"))).to_have_count(3, timeout=SOON)
    visitor.settle()
    visitor.press("Add")
    visitor.see(re.compile("was refused"))
    visitor.see(re.compile("Read, not stored yet"))
    visitor.see(re.compile("was not read"))
    visitor.settle()
    _assert_inert(visitor.page, "refused candidate")
    visitor.press("Store")
    visitor.see(re.compile("was read and stored"))
    visitor.settle()
    _assert_inert(visitor.page, "stored candidate")
    visitor.press("Draft a schema")
    visitor.see("The schema has")
    visitor.settle()
    visitor.press("Edit the schema")
    visitor.page.get_by_text("Levels or bins of one column").click()
    visitor.settle()
    _assert_inert(visitor.page, "schema editor")
    visitor.open(f"/ledger?{urlencode({'population': HTML})}")
    visitor.see("No population")
    visitor.settle()
    _assert_inert(visitor.page, "an unknown population in the address")
    visitor.close()


def test_downloads_of_the_ledger_hold_no_live_formula(hostile: tuple[Server, str], chromium: Browser) -> None:
    server, town = hostile
    visitor = Visitor(chromium, server.url)
    _open(visitor, town)
    visitor.go("Ledger")
    lines = list(csv.reader(io.StringIO(visitor.download("Download CSV").decode())))
    assert len(lines) > 3
    assert not any(cell.startswith(("=", "+", "@", "\t", "\r")) for line in lines for cell in line)
    assert json.loads(visitor.download("Download JSON"))
    visitor.close()


def test_the_store_of_this_test_is_as_hostile_as_it_says(hostile: tuple[Server, str]) -> None:
    server, town = hostile
    with service_on(server.store_url) as service:
        current = study_store.study(service, town)
        assert current.schema is not None
        assert {column.name for column in current.schema.encoded} == set(NAMES)
        assert all(HTML in attribute.levels for attribute in current.schema.domain.attributes[:1])
        assert any("onerror" in one.name for one in current.candidates)
        with pytest.raises(PmwPubError):
            study_store.study(service, "none")
