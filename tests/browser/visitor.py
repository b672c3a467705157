"""One tab, as the tests move it."""

from __future__ import annotations

import hashlib
import re
from contextlib import suppress
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from pmwpub.ledger import Ledger

SOON = 30_000
LONG = 120_000
QUIET_MILLISECONDS = 300

ASKED, BEGUN, ENDED, WILL_RUN_AGAIN = (
    BackMsg.DESCRIPTOR.fields_by_name["rerun_script"].number,
    ForwardMsg.DESCRIPTOR.fields_by_name["new_session"].number,
    ForwardMsg.DESCRIPTOR.fields_by_name["script_finished"].number,
    ForwardMsg.FINISHED_EARLY_FOR_RERUN,
)

RUNS = f"""(() => {{
    const runs = window.runs = {{asked: false, running: false}};
    function* fields(bytes) {{  // of a message: the number of each, and its value where that is a number
        let at = 0;
        const number = () => {{
            for (let value = 0, unit = 1; ; unit *= 128) {{
                const byte = bytes[at++];
                value += (byte % 128) * unit;
                if (byte < 128) return value;
            }}
        }};
        while (at < bytes.length) {{
            const tag = number(), field = Math.floor(tag / 8), value = number();
            if (tag % 8 === 2) at += value; else if (tag % 8 !== 0) return;
            yield [field, value];
        }}
    }}
    window.WebSocket = class extends WebSocket {{
        constructor(...given) {{
            super(...given);
            this.addEventListener("close", () => {{ runs.asked = runs.running = false; }});
            this.addEventListener("message", event => {{
                for (const [field, value] of fields(new Uint8Array(event.data))) {{
                    if (field === {BEGUN}) {{ runs.asked = false; runs.running = true; }}
                    if (field === {ENDED}) runs.running = value === {WILL_RUN_AGAIN};
                }}
            }});
        }}
        send(message) {{
            for (const [field] of fields(new Uint8Array(message))) if (field === {ASKED}) runs.asked = true;
            super.send(message);
        }}
    }};
}})()"""
"""Notes in a page, from the messages between it and the server, whether a run was asked for, goes on, or will follow.

The page itself calls the script at rest between two runs of which the first asked for the second, however long it is
until that begins.
"""

AT_REST = """quiet => {
    const app = document.querySelector('[data-testid="stApp"]');
    const resting = app !== null && app.getAttribute("data-test-script-state") === "notRunning"
        && !window.runs.asked && !window.runs.running;
    window.restingSince = resting ? (window.restingSince ?? performance.now()) : undefined;
    return resting && performance.now() - window.restingSince >= quiet;
}"""
"""Whether the script has rested for so many milliseconds; asked at every animation frame."""


class Visitor:
    """A browser context of its own with one tab; notes what the page asks of other hosts."""

    def __init__(self, browser: Browser, url: str) -> None:
        self.url = url
        self.context = browser.new_context(viewport={"width": 1280, "height": 1000}, accept_downloads=True)
        self.context.add_init_script(RUNS)
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(SOON)
        self.strangers: list[str] = []
        self.page.on("request", self._note)

    def close(self) -> None:
        self.context.close()

    def _note(self, request: object) -> None:
        address = request.url  # type: ignore[attr-defined]
        if not address.startswith((self.url, self.url.replace("http", "ws"), "data:", "blob:")):
            self.strangers.append(address)

    def open(self, path: str = "/") -> None:
        self.page.goto(self.url + path)

    def go(self, name: str) -> None:
        """Follow a link of the sidebar."""
        self.page.get_by_test_id("stSidebar").get_by_role("link", name=name, exact=True).click()
        expect(self.page.get_by_role("heading", name=name, level=1)).to_be_visible(timeout=SOON)
        self.settle()

    def unfold(self, label: str) -> None:
        """Open a part of the page that is folded, if it still is."""
        self.settle()
        part = self.page.get_by_test_id("stExpander").filter(has=self.page.get_by_text(label, exact=True)).last
        if part.locator("details").first.get_attribute("open") is None:
            part.locator("summary").first.click()
        self.settle()

    def pick(self, box: str, option: str) -> None:
        """Choose an option of a select box, or add one to a choice of several."""
        self.settle()
        wanted = self.page.get_by_role("option", name=re.compile(f"^{re.escape(option)}")).first
        for _ in range(10):  # a page that is drawn anew closes the list again
            self.page.get_by_role("combobox", name=box).last.click()
            with suppress(PlaywrightTimeout):
                wanted.wait_for(state="visible", timeout=3_000)
                break
        wanted.click()
        if self.page.get_by_role("option").count():  # a choice of several stays open; Escape empties a closed one
            self.page.keyboard.press("Escape")
        self.settle()

    def hand_over(self) -> None:
        """From a release that was bought, once it is done, to its files."""
        self.page.get_by_role("link", name=re.compile("Next: hand over")).click(timeout=LONG)
        expect(self.page.get_by_role("heading", name="Hand over", level=1)).to_be_visible(timeout=SOON)
        self.settle()

    def press(self, name: str) -> None:
        if name.startswith("Buy "):
            self.await_workers()
        self.page.get_by_role("button", name=name, exact=True).click()

    def await_workers(self) -> None:
        """Wait until each worker stood its try: before that a purchase waits, and is refused after a while."""
        for _ in range(LONG // 500):
            if self.context.request.get(f"{self.url}/ready").ok:
                return
            self.page.wait_for_timeout(500)
        raise AssertionError("The server's workers never became ready.")

    def choose(self, group: str, option: str) -> None:
        """Turn a radio of this label; by its label, for while a page is drawn another group may hold the same words."""
        self.page.get_by_role("radiogroup", name=group, exact=True).get_by_text(option, exact=True).click()

    def field(self, name: str) -> Locator:
        """A text field, once there is one of that name: a page that is half drawn still shows the one of before too."""
        box = self.page.get_by_role("textbox", name=name, exact=True)
        expect(box).to_have_count(1, timeout=SOON)
        return box

    def see(self, text: str | re.Pattern[str], timeout: int = SOON) -> None:
        expect(self.page.get_by_text(text).first).to_be_visible(timeout=timeout)

    def settle(self) -> None:
        """Wait until the page's script has run to its end.

        It must have been at rest for a while: what was just clicked or typed takes a moment to ask for a run.
        """
        self.page.evaluate("() => { window.restingSince = undefined }")
        self.page.wait_for_function(AT_REST, arg=QUIET_MILLISECONDS, timeout=SOON)

    def bring(self, element: Locator) -> None:
        """Scroll to an element; again if the page draws it anew meanwhile."""
        element.hover(timeout=SOON)

    def price(self) -> str:
        """rho as the small print of the last form's price shows it."""
        words = self.page.get_by_text(re.compile(r"By itself that is ε = ")).last.inner_text()
        return words.split("ρ = ")[1].split(")")[0]

    def download(self, name: str) -> bytes:
        """Click a download button and read the file."""
        button = self.page.get_by_role("button", name=name)
        with self.page.expect_download(timeout=SOON) as waiting:
            button.click()
        return Path(waiting.value.path()).read_bytes()

    def take_pmw_pub(self) -> None:
        """On the Release page: PMW^Pub in place of the engine that stands chosen."""
        self.unfold("Engine, rounds and variants")
        self.page.get_by_text("PMW^Pub", exact=True).first.click()
        self.page.get_by_text("Use the advised number of rounds").first.wait_for(state="visible", timeout=SOON)
        self.settle()

    def choose_rounds(self, rounds: int) -> None:
        """On the Release page: PMW^Pub with a number of rounds of one's own; waits until the plan is another one."""
        self.take_pmw_pub()
        plan = self.page.get_by_text(re.compile("Plan [0-9a-f]{16}"))
        before = plan.inner_text()
        self.page.get_by_text("Use the advised number of rounds").first.click()
        box = self.field("Rounds")
        box.fill(str(rounds))
        box.press("Enter")
        expect(plan).not_to_have_text(before, timeout=SOON)
        self.settle()


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def spent(store_url: str, population: str) -> int:
    """Units of rho that the ledger holds as spent."""
    with Ledger.open(store_url) as ledger:
        return ledger.balance(population).spent.units


def charges(store_url: str, population: str) -> int:
    """How many charges the ledger holds."""
    with Ledger.open(store_url) as ledger:
        return len(ledger.history(population))
