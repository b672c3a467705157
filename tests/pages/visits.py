"""What the tests of the pages share: small tables, the store beside the app, clicking, and reading a page."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from streamlit.testing.v1 import AppTest

from pmwpub.service import PrivateTable, Service
from pmwpub.service.inputs import study_store
from pmwpub.service.purchases import FREE_TICK, TICK
from pmwpub.ui import Session
from pmwpub.ui.app import services

ROOT = Path(__file__).resolve().parents[2]
ROWS = 400
PAGES = ("protect", "prepare", "compare", "release", "hand_over", "ledger", "what_if", "story")
WITHOUT_POPULATION = ("protect", "what_if", "story")
"""Pages that do without an open population."""

Open = Callable[..., AppTest]


def table(rows: int, seed: int, *, poor: bool = False) -> bytes:
    """A small CSV: sex, age group, work; the poor one never has anybody who is both old and at work."""
    draw = random.Random(seed)
    lines = ["sex,age,work"]
    for _ in range(rows):
        age = draw.choice(["young", "middle", "old"])
        work = "no" if poor and age == "old" else draw.choice(["yes", "no"])
        lines.append(f"{draw.choice('FM')},{age},{work}")
    return "\n".join(lines).encode()


def wide_table(rows: int, seed: int, columns: int = 9) -> bytes:
    """A CSV of many columns with two levels each."""
    draw = random.Random(seed)
    lines = [",".join(f"c{place}" for place in range(columns))]
    lines += [",".join(draw.choice("ab") for _ in range(columns)) for _ in range(rows)]
    return "\n".join(lines).encode()


PRIVATE = table(ROWS, 1)


@dataclass
class Here:
    """The store that the app opens, read from outside it."""

    service: Service
    population: str = "town"

    @property
    def spent(self) -> int:
        return self.service.ledger.balance(self.population).spent.units

    def private(self) -> PrivateTable:
        return study_store.load_private(self.service, self.population, PRIVATE)


def arrive(page: str, session: Session | None = None, **params: str) -> AppTest:
    """A new browser session at an address: AppTest starts at app.py, which forwards as it does for a deep link."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    session = Session() if session is None else session
    session.arrival.target = (f"pages/{page}.py", params)
    app.session_state["pmwpub session"] = session
    return with_a_candidate(app.run())


def with_a_candidate(app: AppTest) -> AppTest:
    """The page; on Release with the first candidate chosen where nothing is known that would choose one."""
    for box in app.selectbox:
        if box.label == "Candidate or pool" and box.value is None and box.options:
            population = app.session_state["pmwpub session"].population
            usable = study_store.study(services.service(), population).usable
            return box.set_value((next(one.sha256 for one in usable if one.attested),)).run()
    return app


def press(app: AppTest, label: str) -> AppTest:
    """Click the one button of that label and run."""
    buttons = [button for button in app.button if button.label == label]
    assert len(buttons) == 1, f"{label!r} is not among {[button.label for button in app.button]}"
    return buttons[0].click().run()


def by_pmw_pub(app: AppTest) -> AppTest:
    """The Release page with PMW^Pub chosen, which was its only engine once."""
    return app.radio(key="engine").set_value("pmw-pub").run()


def ticked(app: AppTest) -> AppTest:
    """The page with the sentence ticked that every purchase on public tables asks for; nothing is run."""
    for box in app.checkbox:
        if box.label in (TICK, FREE_TICK):
            box.check()
    return app


def buy(app: AppTest, label: str) -> AppTest:
    """Tick that sentence, click the one button of that label and run."""
    return press(ticked(app), label)


def add(app: AppTest) -> AppTest:
    """Have the chosen public files read, and store those that can be read."""
    return stored(press(app, "Add"))


def stored(app: AppTest) -> AppTest:
    """Store the public files that the session read, if there are any."""
    return press(app, "Store") if any(button.label == "Store" for button in app.button) else app


def handed_over(app: AppTest) -> AppTest:
    """The same session on Hand over: the files and the error of the release that the address names, else the latest."""
    return app.switch_page("pages/hand_over.py").run()


def drawn_lines(app: AppTest) -> list[tuple[str, float]]:
    """Every line of the figures of error against ε, point by point, as their tables have them: label and error."""
    tables = [frame.value for frame in app.dataframe if "error (%)" in frame.value and "line" in frame.value]
    return [
        (str(line), float(error) / 100)
        for table in tables
        for line, error in zip(table["line"], table["error (%)"], strict=True)
    ]


def words(app: AppTest) -> str:
    """Everything that the page and its sidebar say, without marks of emphasis and those that keep names inert."""
    parts = (app.main, app.sidebar)
    kinds = ("title", "subheader", "markdown", "caption", "info", "success", "warning", "error")
    said = [str(element.value) for part in parts for kind in kinds for element in getattr(part, kind)]
    return " ".join(said).replace("\\", "").replace("**", "")
