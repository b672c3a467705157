"""Who acts in a block where no page runs: the program, where that is declared, or the visitor for whom it goes on.

On a server with accounts a thread that declares nothing is nobody. A declaration holds in its own thread and block.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from pmwpub.accounts.people import Visitor

_DECLARED: ContextVar[tuple[Visitor | None, ...]] = ContextVar("who acts", default=())


@contextmanager
def acting_as(visitor: Visitor | None) -> Iterator[None]:
    """Have a visitor act in this block; with None the program itself does."""
    before = _DECLARED.set((visitor,))
    try:
        yield
    finally:
        _DECLARED.reset(before)


def declared_acting() -> tuple[Visitor | None, ...]:
    """Who was declared to act here, as the one entry of a tuple; nothing where nobody declared anything."""
    return _DECLARED.get()
