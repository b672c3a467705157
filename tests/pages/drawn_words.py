"""The words of a page as it is drawn, before anything is opened."""

from __future__ import annotations

import re

from streamlit.testing.v1.element_tree import Block, Element, Expander

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
    """What a reader reads of a text: no marks, no icons; numbers, symbols and a demo's number are no words."""
    plain = re.sub(r":material/\w+:|:\w+-badge\[|[\\\]*#]", " ", text)
    plain = re.sub(r"\bdemo\W+[0-9a-f]{6,}", "demo", plain)
    return re.findall(r"[^\W\d_]{2,}(?:[-'][^\W\d_]+)*", plain)
