"""The steward's private numbers as canaries: open every panel that shows some, and spell what was seen."""

from __future__ import annotations

import dataclasses
import math
import struct
from collections.abc import Iterator, Mapping

import numpy as np
from pages.visits import PAGES, arrive
from streamlit.testing.v1 import AppTest

from pmwpub.service.steward_only.true_marginals import TrueMarginals
from pmwpub.ui import Session

DIGITS = 10
"""Decimals of a number by which it is recognised: two unrelated ones agree in so many by chance alone never."""


def open_all(session: Session, population: str, **params: str) -> list[str]:
    """Open every private panel of every page as its steward does; the keys of those opened."""
    opened: list[str] = []
    for page in PAGES:
        app = arrive(page, session, population=population, **params)
        while (key := _closed(app)) is not None:
            app = _open(app, key)
            opened.append(f"{page}: {key}")
    return opened


def _closed(app: AppTest) -> str | None:
    """The key of the first private panel that is still closed."""
    assert not app.exception, app.exception
    return next((str(box.key) for box in app.checkbox if str(box.key).startswith("confirm ")), None)


def _open(app: AppTest, key: str) -> AppTest:
    """Confirm, and press the panel's own button: the one that stands enabled only then."""
    before = [button.disabled for button in app.button]
    app = app.checkbox(key=key).check().run()
    ready = [button for button, was in zip(app.button, before, strict=True) if was and not button.disabled]
    assert len(ready) == 1
    return ready[0].click().run()


def numbers(seen: object) -> Iterator[float]:
    """Every private number in what a session has seen, however deep, that has enough digits to be recognised."""
    if isinstance(seen, TrueMarginals):
        yield from numbers([seen.private, seen.public_distance, seen.released_distance])
    elif isinstance(seen, Mapping):
        for value in seen.values():
            yield from numbers(value)
    elif isinstance(seen, list | tuple):
        for value in seen:
            yield from numbers(value)
    elif isinstance(seen, np.ndarray) and seen.dtype == np.float64:
        yield from filter(_telling, seen.ravel().tolist())
    elif isinstance(seen, float) and _telling(seen):
        yield seen
    elif dataclasses.is_dataclass(seen):
        for field in dataclasses.fields(seen):
            yield from numbers(getattr(seen, field.name))


def _telling(value: float) -> bool:
    """Whether it has more digits than chance or a round share explains."""
    return math.isfinite(value) and 1e-3 < abs(value) < 1 and len(repr(abs(value))) > DIGITS + 4


def hits(places: Mapping[str, bytes], values: set[float]) -> set[str]:
    """The places in which one of the numbers stands, written out or as eight bytes."""
    spelt = [spelling for value in values for spelling in _spellings(value)]
    return {place for place, body in places.items() if any(spelling in body for spelling in spelt)}


def _spellings(value: float) -> Iterator[bytes]:
    yield repr(abs(value))[: DIGITS + 2].encode()
    yield repr(100 * abs(value))[: DIGITS + 2].encode()
    yield struct.pack("<d", value)
