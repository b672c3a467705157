"""Every page, light and dark, wide and narrow: nothing serious for axe, no sideways scroll, the keyboard is enough.

Issues inside Streamlit's own widgets that stay are listed in `OWN_CHROME`, by rule and selector, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from browser.conftest import Server
from browser.stage import ADDRESSES, become_steward, choose, drafted_village, furnished_demo
from browser.visitor import SOON, Visitor
from playwright.sync_api import Browser, Page, expect

pytestmark = pytest.mark.browser
axe_module = pytest.importorskip("axe_playwright_python.sync_playwright")

WIDTHS = (1280, 400)
GROUND = {"light": "rgb(255, 255, 255)", "dark": "rgb(18, 24, 31)"}
"""What a page stands on in each theme."""
GRAVE = ("serious", "critical")
OWN_CHROME: dict[str, tuple[tuple[str, str], ...]] = {}
"""Rule -> (a selector that the element matches or lies in, why it stays)."""
COLOURS = ["color-contrast", "link-in-text-block"]
"""The rules that look at colours."""
MARKS = ".main-svg :is(.trace, .heatmaplayer *)"
VILLAGE = "village"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, str]]:
    """One server for the module, on a store where everything was bought already; and the demo's population."""
    server = Server(tmp_path_factory.mktemp("accessible"))
    town = furnished_demo(server.store_url)
    drafted_village(server.store_url, VILLAGE)
    server.start()
    yield server, town
    server.stop()


def _grave(page: Page, rules: Sequence[str] = ()) -> list[str]:
    """What axe finds serious or critical on the page as it stands, by all rules or some, less `OWN_CHROME`."""
    if page.evaluate("() => window.axe === undefined"):
        page.evaluate(axe_module.Axe().axe_script)
    options = {"resultTypes": ["violations"]} | ({"runOnly": {"type": "rule", "values": list(rules)}} if rules else {})
    found = page.evaluate("options => axe.run(document, options)", options)["violations"]
    return [
        f"{one['id']}: {node['target']} {node['html'][:120]}"
        for one in found
        if one["impact"] in GRAVE
        for node in one["nodes"]
        if not _known(page, one["id"], node["target"][0])
    ]


def _known(page: Page, rule: str, target: str) -> bool:
    return any(page.evaluate("([t, s]) => !!document.querySelector(t)?.closest(s)", [target, selector])
               for selector, _ in OWN_CHROME.get(rule, ()))  # fmt: skip


def _overflow(page: Page) -> list[str]:
    """What sticks out sideways: the page or its main part."""
    script = """() => [document.documentElement, document.querySelector('[data-testid=stMain]')]
        .filter(e => e.scrollWidth > e.clientWidth + 1).map(e => `${e.tagName} ${e.scrollWidth} > ${e.clientWidth}`)"""
    return page.evaluate(script)


def _undrawn(page: Page) -> list[str]:
    """Figures in sight that have no axes, or none of their marks."""
    script = """marks => [...document.querySelectorAll('[data-testid=stPlotlyChart]')]
        .filter(e => e.checkVisibility() && !e.querySelector(marks)).map(e => e.innerText.slice(0, 80))"""
    return [f"not drawn: {words}" for words in page.evaluate(script, MARKS)]


def faults_of(visitor: Visitor, name: str, *schemes: str) -> list[str]:
    """What is wrong with the page at each width in each theme, both unless some are named; it is left wide.

    Turning the theme draws nothing anew, so in the second one only colours are looked at.
    """
    faults = []
    for width in WIDTHS:
        visitor.page.set_viewport_size({"width": width, "height": 1000})
        visitor.page.wait_for_timeout(400)
        for place, scheme in enumerate(schemes or GROUND):
            _turn(visitor.page, scheme)
            found = _grave(visitor.page, COLOURS if place else ()) + _undrawn(visitor.page)
            faults += [f"{name} at {width}, {scheme}: {one}" for one in found]
        faults += [f"{name} at {width}: {fault}" for fault in _overflow(visitor.page)]
    visitor.page.set_viewport_size({"width": WIDTHS[0], "height": 1000})
    visitor.settle()
    return faults


def _turn(page: Page, scheme: str) -> None:
    """Turn the browser to a theme, and wait until the page has taken it up."""
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.wait_for_function(
        "ground => getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor === ground",
        arg=GROUND[scheme],
    )
    page.wait_for_timeout(200)


def _cut(page: Page, *, tables: bool = True) -> list[str]:
    """Labels of fields and buttons that end in an ellipsis, and tables that have to be moved sideways to be read."""
    script = """tables => [...document.querySelectorAll('[data-testid=stMain] *')].filter(e => {
        const style = getComputedStyle(e), beyond = e.scrollWidth - e.clientWidth;
        return e.checkVisibility() && e.clientWidth > 0 && (style.textOverflow === 'ellipsis' && beyond > 0
            || tables && ['auto', 'scroll'].includes(style.overflowX) && beyond > 1);
    }).map(e => `${e.innerText.slice(0, 60)} ${e.scrollWidth} > ${e.clientWidth}`)"""
    return page.evaluate(script, tables)


@pytest.mark.parametrize("width", [400, 800])
def test_no_button_of_the_public_tables_is_cut_and_no_table_of_the_ledger_is_moved_sideways(
    demo: tuple[Server, str], chromium: Browser, width: int
) -> None:
    server, town = demo
    visitor = Visitor(chromium, server.url)
    visitor.page.set_viewport_size({"width": width, "height": 1000})
    visitor.open(f"/ledger?population={town}")
    visitor.see("Recorded decisions")
    visitor.settle()
    expect(visitor.page.locator(".st-key-wide-table-history")).to_be_hidden(timeout=SOON)
    expect(visitor.page.locator(".st-key-narrow-table-history")).to_be_visible(timeout=SOON)
    assert _cut(visitor.page) == []
    visitor.open(f"/prepare?population={VILLAGE}")
    visitor.unfold("Take a word back, or remove a table")
    visitor.press("Edit the schema")
    visitor.see("A round, at most about")
    visitor.settle()
    assert _cut(visitor.page, tables=False) == []
    visitor.close()


def test_axe_finds_nothing_serious_on_any_page_of_the_steward(demo: tuple[Server, str], chromium: Browser) -> None:
    server, town = demo
    visitor = Visitor(chromium, server.url)
    become_steward(visitor, town)
    faults = faults_of(visitor, "Prepare")
    for name in [*ADDRESSES][2:]:
        visitor.go(name)
        if name == "Hand over":
            _open_the_release(visitor)
        faults += faults_of(visitor, name)
    visitor.open()
    expect(visitor.page.get_by_role("button", name="Open the demo")).to_be_visible(timeout=SOON)
    visitor.settle()
    faults += faults_of(visitor, "Protect")
    visitor.close()
    assert faults == []


def _open_the_release(visitor: Visitor) -> None:
    """The one release with its quality report, on two columns, and the private table beside it."""
    visitor.page.get_by_text("Answers with intervals, and what the release changed").click()
    visitor.settle()
    visitor.see("What the release changed, and why")
    visitor.settle()
    visitor.page.get_by_text("2 columns", exact=True).first.click()
    visitor.see(re.compile("Measurements that touch it|No measurement is about"))
    visitor.settle()
    for shows in ("steward only, not covered by ε", "RMS error", "-way, mean distance"):
        _open_private_numbers(visitor, shows)


def _open_private_numbers(visitor: Visitor, shows: str) -> None:
    """The last panel of that kind that is closed, opened."""
    button = visitor.page.get_by_role("button", name="Open, and record it").last
    panel = visitor.page.get_by_test_id("stVerticalBlock").filter(has=button).last
    panel.get_by_text(re.compile("I know that no ε covers these numbers")).click()
    visitor.settle()
    button.click()
    visitor.see(re.compile(shows))
    visitor.settle()


def test_axe_finds_nothing_serious_in_the_stakeholder_view(demo: tuple[Server, str], chromium: Browser) -> None:
    server, town = demo
    visitor = Visitor(chromium, server.url)
    visitor.page.emulate_media(color_scheme="dark")
    visitor.open(f"/?population={town}&view=stakeholder")
    faults = []
    for name in ADDRESSES:
        if name != "Protect":
            visitor.go(name)
        faults += _faults_for_stakeholders(visitor, name)
    for at in range(2, 6):
        visitor.page.get_by_role("button", name="Next").click()
        visitor.see(f"{at} of 5:")
        faults += _faults_for_stakeholders(visitor, f"Story {at}")
    visitor.close()
    assert faults == []


def _faults_for_stakeholders(visitor: Visitor, name: str) -> list[str]:
    visitor.see("Public and DP results only")
    visitor.settle()
    assert visitor.page.get_by_text("Private, steward only").count() == 0
    return faults_of(visitor, name, "dark")


@pytest.mark.parametrize("scheme", GROUND)
def test_what_is_handed_over_prints_in_black_on_one_page_and_nothing_is_cut(
    scheme: str, demo: tuple[Server, str], chromium: Browser
) -> None:
    server, town = demo
    visitor = Visitor(chromium, server.url)
    visitor.open(f"/hand_over?population={town}&release=4")
    visitor.see("What not to use it for")
    visitor.settle()
    page = visitor.page
    page.emulate_media(media="print", color_scheme=scheme)  # type: ignore[arg-type]
    printed = page.locator(".st-key-handed-over")
    # Whoever prints sees the page first: it is whole, drawn for paper, and its figure is there.
    visitor.settle()
    expect(printed.get_by_text("What is promised")).to_be_visible()
    expect(printed.get_by_text("What not to use it for")).to_be_visible()
    expect(page.get_by_role("button", name="synthetic.csv")).to_be_hidden()
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    page.wait_for_function("e => e.complete && e.naturalWidth > 0", arg=printed.locator("img").element_handle())
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True))) == 1
    page.set_viewport_size({"width": 703, "height": 1032})  # A4 less 12 mm on each side
    assert printed.evaluate("e => getComputedStyle(e.querySelector('li')).color") == "rgb(0, 0, 0)"
    ground = page.get_by_test_id("stApp").evaluate("e => getComputedStyle(e).backgroundColor")
    assert ground == GROUND["light"]
    assert printed.evaluate("e => [e, ...e.querySelectorAll('*')].filter(x => x.scrollWidth > x.clientWidth + 1 "
                            "&& getComputedStyle(x).overflowX !== 'visible').length") == 0  # fmt: skip
    visitor.close()


def test_a_population_of_ones_own_is_accessible_too_with_uploads_pickers_and_the_schema_editor(
    demo: tuple[Server, str], chromium: Browser, tmp_path: Path
) -> None:
    """A refused file, the editor opened, and a name changed in its grid by keyboard."""
    server, _ = demo
    visitor = Visitor(chromium, server.url)
    visitor.open(f"/prepare?population={VILLAGE}")
    choose(visitor, "Add public tables", tmp_path, "semicolons.csv", "sex;age\n" + "F;1\nM;2\n" * 20)
    visitor.press("Add")
    visitor.see(re.compile("semicolons.csv was not read"))
    visitor.settle()
    visitor.press("Edit the schema")
    expect(visitor.page.get_by_role("button", name="Save this schema")).to_be_visible(timeout=SOON)
    _edit_a_name(visitor)
    visitor.page.get_by_text("Levels or bins of one column").click()
    visitor.settle()
    faults = faults_of(visitor, "Prepare, editing")
    visitor.press("Save this schema")
    visitor.see("The schema is saved.")
    visitor.settle()
    assert b'"gender"' in visitor.download("Download schema.json")
    visitor.close()
    assert faults == []


def _edit_a_name(visitor: Visitor) -> None:
    """Change the first column's name in the grid of the schema editor with keys alone."""
    visitor.see("No change so far.")
    visitor.settle()
    visitor.page.get_by_test_id("stDataFrame").last.click(position={"x": 100, "y": 55})
    cell = visitor.page.locator("textarea.gdg-input")
    visitor.page.keyboard.press("Enter")
    expect(cell).to_have_value("sex")
    visitor.page.keyboard.press("Control+A")
    visitor.page.keyboard.type("gender")
    expect(cell).to_have_value("gender")
    visitor.page.wait_for_timeout(500)
    visitor.page.keyboard.press("Enter")
    expect(visitor.page.get_by_test_id("glide-cell-1-0").last).to_have_text("gender")
    expect(visitor.page.get_by_text("No change so far.")).to_have_count(0, timeout=SOON)
    visitor.settle()


def test_a_population_is_registered_by_keyboard_alone(demo: tuple[Server, str], chromium: Browser) -> None:
    """Tab from the first field to the button, typing on the way; each stop can be seen."""
    server, _ = demo
    visitor = Visitor(chromium, server.url)
    visitor.open()
    page = visitor.page
    page.get_by_label("Name").focus()
    page.keyboard.type("hamlet")
    stops = []
    for _ in range(20):
        page.keyboard.press("Tab")
        stop = page.evaluate(
            "() => document.activeElement.getAttribute('aria-label') || document.activeElement.innerText"
        )
        assert page.evaluate(_FOCUS_IS_SEEN), f"no outline, shadow or border marks {stop!r}"
        stops.append(stop)
        if stop == "Register":
            break
    assert stops[-1] == "Register", stops
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Prepare", level=1)).to_be_visible(timeout=SOON)
    page.wait_for_url("**/prepare?population=hamlet")
    visitor.close()


def test_the_story_is_told_by_keyboard_alone(demo: tuple[Server, str], chromium: Browser) -> None:
    """Arrow keys turn the screens; Tab reaches the buttons, which can be seen to have the focus."""
    server, _ = demo
    visitor = Visitor(chromium, server.url)
    visitor.open("/story")
    page = visitor.page
    for number in range(1, 6):
        visitor.see(f"{number} of 5:")
        expect(page.get_by_role("button", name="Next")).to_be_visible(timeout=SOON)
        visitor.settle()
        page.wait_for_timeout(1000)
        page.keyboard.press("ArrowRight" if number < 5 else "ArrowLeft")
    visitor.see("4 of 5:")
    page.wait_for_url("**/story?screen=4")
    visitor.settle()
    page.get_by_role("button", name="Back").focus()
    assert page.evaluate(_FOCUS_IS_SEEN)
    page.keyboard.press("Enter")
    visitor.see("3 of 5:")
    visitor.close()


_FOCUS_IS_SEEN = """() => {
    for (let e = document.activeElement, up = 0; e && up < 4; e = e.parentElement, up++) {
        const s = getComputedStyle(e);
        if (s.outlineStyle !== 'none' && s.outlineWidth !== '0px') return true;
        if (s.boxShadow !== 'none') return true;
        if (s.borderTopWidth !== '0px' && s.borderTopColor !== 'rgba(0, 0, 0, 0)') return true;
    }
    return false;
}"""
