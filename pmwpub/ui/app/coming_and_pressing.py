"""How a browser session came in, what was pressed in it, and what is to be said of that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple


class Notice(NamedTuple):
    """Words to be shown on the next run, once."""

    kind: Literal["success", "info", "warning", "error"]
    words: str


class Press(NamedTuple):
    """A press on a button that spends: its form among those of the page, what it offered, and what was said of it."""

    place: str
    key: str
    notice: Notice | None = None


@dataclass
class Arrival:
    """How a browser session came in.

    started  whether app.py ran; on a cold deep link Streamlit runs the page alone first
    target   the page and the parameters of such a link, until app.py leads there
    """

    started: bool = False
    target: tuple[str, dict[str, str]] | None = None
