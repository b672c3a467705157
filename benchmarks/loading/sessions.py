"""Sessions that speak Streamlit's own protocol: those who walk over the pages, and those who keep the workers busy."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

from browser.plain_client import PlainClient
from streamlit.proto.WidgetStates_pb2 import WidgetState

from loading.server_costs import PAGES
from loading.tally import Pace, Tally

LEFT_ALONE = ("Stakeholder view", "Delete")
"""Boxes that change what all the rest of a visit shows, or that are there to delete."""

HOLD_SECONDS = (10.0, 25.0)
"""So long a long job is let work before it is cancelled."""


class Visit:
    """One session: each step of it is one run of a page, timed; error boxes are counted, exceptions end it."""

    def __init__(self, client: PlainClient, tally: Tally, draw: random.Random) -> None:
        self.client, self.tally, self.draw = client, tally, draw
        self.page = ""

    def step(self, run: Callable[[], object]) -> None:
        """Run a page; RuntimeError if it shows an exception."""
        with self.tally.timed(self.tally.reruns[self.page]):
            run()
        self._look()

    def go(self, page: str) -> None:
        """Follow a link to a page, as the sidebar has them: only the population stays in the address."""
        self.page = page
        parts = [part for part in self.client.query.split("&") if part.startswith("population=")]
        self.step(lambda: self.client.open("&".join(parts), page))

    def tend(self) -> None:
        """Run the parts of the page that run by the clock, once."""
        for fragment in list(self.client.timers):
            if fragment in self.client.timers:  # one of them may have run the page anew
                with self.tally.timed(self.tally.fragments):
                    self.client.run_fragment(fragment)
                self._look()

    def idle(self, seconds: float) -> None:
        """Look at the page for so long."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            time.sleep(min([left, *self.client.timers.values()]))
            self.tend()

    def _look(self) -> None:
        if any(self.client.every("exception")):
            raise RuntimeError(f"the page {self.page or 'home'!r} shows an exception")
        for alert in self.client.every("alert"):
            if alert.format == alert.ERROR:
                self.tally.count(self.tally.refused, f"{self.page or 'home'}: {alert.body}")


def walk(visit: Visit, pace: Pace, population: str | None) -> None:
    """Walk over the pages and change widgets; a walker without a population opens a demo of its own.

    Each turn is one run of a page, the first one's opening apart.
    """
    client = visit.client
    client.open("" if population is None else f"population={population}")
    if population is None:
        client.press("Open the demo")
    for turn in pace.turns(visit.draw, visit.idle):
        widgets = [] if turn % 3 == 0 else changeable(client)
        if widgets:
            state = other_value(*visit.draw.choice(widgets))
            visit.step(lambda state=state: client.change(state))  # type: ignore[misc]
        else:
            visit.go(visit.draw.choice(PAGES))


def changeable(client: PlainClient) -> list[tuple[str, Any]]:
    """The widgets of a page that can be changed by themselves, each with its kind."""
    kinds = ("text_input", "number_input", "checkbox", "selectbox")
    found = [(kind, one) for kind in kinds for one in client.every(kind) if not one.form_id and not one.disabled]
    return [
        (kind, one)
        for kind, one in found
        if not one.label.startswith(LEFT_ALONE) and (kind != "text_input" or _is_number(one.default))
        and (kind != "selectbox" or one.options)
    ]  # fmt: skip


def other_value(kind: str, widget: Any) -> WidgetState:
    """Another value of a widget, near the one that it had first."""
    state = WidgetState(id=widget.id)
    match kind:
        case "text_input":
            given = widget.default
            state.string_value = str(int(given) + 1) if given.isdecimal() else f"{0.9 * float(given):.4g}"
        case "number_input":
            state.double_value = min(widget.max, max(widget.min, widget.default + widget.step))
        case "checkbox":
            state.bool_value = not widget.default
        case _:
            state.string_value = widget.options[-1]
    return state


def _is_number(text: str) -> bool:
    try:
        return float(text) > 0
    except ValueError:
        return False


class Buyer:
    """Buys releases of a demo of its own: long ones to cancel, short ones to their end."""

    page = "release"

    def __init__(self, visit: Visit) -> None:
        self.visit, self.bought = visit, 0
        visit.client.open()
        visit.client.press("Open the demo")
        visit.go(self.page)
        table = visit.client.widget("selectbox", "Candidate or pool")
        visit.step(lambda: visit.client.change(WidgetState(id=table.id, string_value=table.options[0])))
        engine = visit.client.widget("radio", "Engine")
        visit.step(lambda: visit.client.change(WidgetState(id=engine.id, string_value="PMW^Pub")))
        box = visit.client.widget("checkbox", "Use the advised")
        visit.step(lambda: visit.client.change(WidgetState(id=box.id, bool_value=False)))

    @property
    def made(self) -> str:
        """What the page shows of the releases: each new one changes it."""
        return self.visit.client.query

    def begin(self, *, long: bool) -> None:
        """A release that was never bought: each has an ε of its own, and a price of next to nothing."""
        client = self.visit.client
        self.bought += 1
        self.visit.step(lambda: client.type("Rounds", "10000" if long else "20"))
        self.visit.step(lambda: client.type("ε of this release", f"{1000 + self.bought}e-6"))
        self.visit.step(lambda: client.press("Buy this release"))


class Simulator:
    """Begins simulations on a demo of its own: long ones to cancel, short ones to their end."""

    page = "compare"

    def __init__(self, visit: Visit) -> None:
        self.visit, self.begun = visit, 0
        visit.client.open()
        visit.client.press("Open the demo")
        visit.go(self.page)

    @property
    def made(self) -> str:
        """What the page shows of the simulations: each new one changes it."""
        client = self.visit.client
        return (
            " ".join(client.widget("selectbox", "Simulation").options) if client.has("selectbox", "Simulation") else ""
        )

    def begin(self, *, long: bool) -> None:
        """A simulation that was never begun: each has an ε of its own."""
        client = self.visit.client
        self.begun += 1
        if client.has("selectbox", "Simulation"):
            other = WidgetState(id=client.widget("selectbox", "Simulation").id, string_value="A new one…")
            self.visit.step(lambda: client.change(other))
        epsilons = [f"{one + self.begun / 1000:.3f}" for one in range(1, 30 if long else 2)]
        runs = WidgetState(id=client.widget("number_input", "Runs of each kind").id, double_value=50 if long else 1)
        self.visit.step(lambda: client.change(runs))
        self.visit.step(lambda: client.type("Rounds, separated", "300" if long else "5"))
        self.visit.step(lambda: client.type("ε, separated", ", ".join(epsilons)))
        self.visit.step(lambda: client.press("Simulate"))


class JobKeeper:
    """Keeps one job in the line or at work, always: of three, two are cancelled and one comes to its end."""

    def __init__(self, kind: type[Buyer] | type[Simulator], visit: Visit) -> None:
        self.visit, self.source = visit, kind(visit)

    @property
    def state(self) -> str:
        """ "waits", "works" or "" as the page shows it."""
        if not self.at_work:
            return ""
        said = " ".join(one.text for one in self.visit.client.every("progress"))
        return "waits" if "waits in line" in said or "about to start" in said else "works"

    @property
    def at_work(self) -> bool:
        return self.visit.client.has("button", "Cancel")

    def keep(self, pace: Pace) -> None:
        """One job after another; in a run of steps, one that is cancelled and one to its end."""
        for turn in Pace(pace.seconds, None if pace.steps is None else 2, (0, 0)).turns(self.visit.draw):
            long = turn % 3 != 2 if pace.steps is None else turn == 0
            self._begin(long=long)
            self.visit.tally.count(self.visit.tally.jobs, "begun")
            hold = 0.0 if pace.steps is not None else self.visit.draw.uniform(*HOLD_SECONDS)
            self._see_to_its_end(time.monotonic() + hold if long else None)

    def _begin(self, *, long: bool) -> None:
        """Begin a job; RuntimeError where the page shows neither it at work nor what it made.

        A short one is often over before the page that began it is drawn.
        """
        before = self.source.made
        self.source.begin(long=long)
        if not self.at_work and self.source.made == before:
            said = " / ".join(one.body for one in self.visit.client.every("alert"))
            raise RuntimeError(f"nothing was begun; the page says: {said}")

    def _see_to_its_end(self, cancel_at: float | None) -> None:
        """Watch the job until the page shows that it is over; cancel it at a moment, if one is given."""
        visit = self.visit
        while self.at_work and (cancel_at is None or time.monotonic() < cancel_at):
            visit.idle(1)
        if not self.at_work:
            visit.tally.count(visit.tally.jobs, "came to an end")
            return
        with visit.tally.timed(visit.tally.cancels):
            visit.client.press("Cancel")
            while self.at_work:
                time.sleep(0.1)
                visit.tend()
        visit.tally.count(visit.tally.jobs, "cancelled")
