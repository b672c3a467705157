"""What a browser session sees of every page, element by element, down to the bytes that go to the browser."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from google.protobuf.message import Message
from pages.visits import PAGES, arrive
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block, Element

from pmwpub.ui import Session

Screen = list[tuple[str, bytes]]


def screen(app: AppTest) -> Screen:
    """Every element of a page and its sidebar, in order: its kind, and what is sent for it."""
    assert not app.exception, app.exception
    return [found for part in (app.main, app.sidebar) for found in _elements(part)]


def screens(
    population: str, session: Session | None = None, pages: Sequence[str] = PAGES, **params: str
) -> dict[str, Screen]:
    """Every page as a new session of its own sees it: a viewer's, unless a session is given."""
    return {page: screen(arrive(page, session, population=population, **params)) for page in pages}


def _elements(node: Block | Element) -> Iterator[tuple[str, bytes]]:
    yield node.type, b"" if node.proto is None else _sent(node.proto)
    if isinstance(node, Block):
        for child in node.children.values():
            yield from _elements(child)


def _sent(proto: Message) -> bytes:
    """What is sent for an element, less the placeholder of a download, which Streamlit draws at random in each run."""
    if "deferred_file_id" not in proto.DESCRIPTOR.fields_by_name:
        return proto.SerializeToString(deterministic=True)
    copy = type(proto)()
    copy.CopyFrom(proto)
    copy.ClearField("deferred_file_id")
    return copy.SerializeToString(deterministic=True)
