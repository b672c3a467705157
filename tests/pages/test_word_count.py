"""How much there is to read on a step of the demo before anything is opened."""

from __future__ import annotations

import pytest
from pages.drawn_words import drawn_words
from pages.visits import Here, Open, press

MOST = {"protect": 150, "prepare": 150, "compare": 150, "release": 150, "hand_over": 150}
"""Words on the page itself; the sidebar, tables and figures are looked at, not read."""


@pytest.mark.parametrize("view", ["steward", "stakeholder"])
def test_a_step_says_little_before_anything_is_opened(view: str, empty: Here, visit: Open) -> None:
    demo = press(visit("protect"), "Open the demo")
    session, address = demo.session_state["pmwpub session"], {"population": demo.query_params["population"]}
    shown = {"session": session} if view == "steward" else {"view": "stakeholder"}
    found = {}
    for page in MOST:
        app = visit(page, **address, **shown)
        assert not app.exception
        found[page] = len(drawn_words(app.main))
    print(view, found)
    assert {page: count for page, count in found.items() if count > MOST[page]} == {}
