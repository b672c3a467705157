"""Figures of public values that are drawn once: plotly takes longer over one than all else on a page together."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import ParamSpec, Protocol

from pmwpub.figures.style import Plot

Values = ParamSpec("Values")

KEPT = 64
"""So many figures are kept, the latest ones."""


class Drawing(Protocol):
    """How a figure comes from a function and values: `drawn_anew`, or `drawn_once` where all of them are public."""

    def __call__(self, draw: Callable[Values, Plot], *values: Values.args, **named: Values.kwargs) -> Plot:
        """Draw it, or hand it out."""


@dataclass(frozen=True)
class _Asked:
    """A figure that is asked for; two are the same where the same function would draw the same values."""

    digest: bytes
    draw: Callable[..., Plot] = field(compare=False, repr=False)
    values: tuple[object, ...] = field(compare=False, repr=False)
    named: Mapping[str, object] = field(compare=False, repr=False)


def drawn_anew(draw: Callable[Values, Plot], *values: Values.args, **named: Values.kwargs) -> Plot:
    """What `draw(*values, **named)` returns; nothing of it is kept."""
    return draw(*values, **named)


def drawn_once(draw: Callable[Values, Plot], *values: Values.args, **named: Values.kwargs) -> Plot:
    """What `draw(*values, **named)` returns, or what it returned before for the very same values, to whomever.

    draw    a function of this package, which nothing but its values has a say in
    values  picklable; two calls whose values are equal and yet pickle unlike each draw a figure of their own

    The figure is shared by all sessions of the process: nobody may change it.

    Privacy: the values stay in memory after the session that asked. They must be for everybody: no exact private
    number, nothing that the steward alone may see.
    """
    digest = hashlib.sha256(pickle.dumps((draw.__module__, draw.__qualname__, values, sorted(named.items())))).digest()
    return _drawn(_Asked(digest, draw, values, named))


@lru_cache(maxsize=KEPT)
def _drawn(asked: _Asked) -> Plot:
    return replace(asked.draw(*asked.values, **asked.named), kept=True)
