"""How much there is to read on a step of the demo before anything is opened."""

from __future__ import annotations

import re

import pytest
from pages.visits import Here, Open, press
from streamlit.testing.v1.element_tree import Block, Element, Expander

MOST = {"protect": 150, "prepare": 170, "compare": 170, "release": 170, "hand_over": 150}
"""Words on the page itself; the sidebar, tables and figures are looked at, not read."""
SAID = ("title", "header", "subheader", "markdown", "caption", "info", "success", "warning", "error")
FIELDS = ("checkbox", "radio", "selectbox", "multiselect", "text_input", "number_input", "button", "toggle")


def drawn_words(part: Block) -> list[str]:
    """The words of a part of a page as it is drawn; of what is folded, its label."""
    found: list[str] = []
    for child in part.children.values():
        if isinstance(child, Expander) and not child.proto.expanded:
            found += words_in(child.label)
        elif isinstance(child, Block):
            found += drawn_words(child)
        else:
            found += words_in(_text(child))
    return found


def _text(element: Element) -> str:
    if element.type in SAID or element.type in ("alert", "heading"):
        return str(element.value)
    if element.type in FIELDS:
        options = getattr(element, "options", ()) if element.type == "radio" else ()
        return " ".join([str(getattr(element, "label", "")), *map(str, options)])
    return ""


def words_in(text: str) -> list[str]:
    """What a reader reads of a text: no marks, no icons; numbers and symbols are no words."""
    plain = re.sub(r":material/\w+:|:\w+-badge\[|[\\\]*#]", " ", text)
    return re.findall(r"[^\W\d_]{2,}(?:[-'][^\W\d_]+)*", plain)


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
