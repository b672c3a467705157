"""Numbers and foreign text as the pages write them. No streamlit."""

from __future__ import annotations

import re
from fractions import Fraction

from pmwpub.rounding import amount, up
from pmwpub.service import Job

_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
_ADDRESS = re.compile(r"https?://|www\.|[-.\w+]@[-\w]", re.IGNORECASE)
_BACKTICKS = re.compile("`+")
_ACTIVE = re.compile(r"[\[\]<>`*_~$:\\#!|&]|^\s*(?:[-+=]|\d+[.)])\s")
"""What a Markdown slot would obey: signs of markup anywhere, and those of a list or a heading at the beginning."""


def plain(text: str) -> str:
    """Foreign text for a Markdown slot: one line, every sign of markup escaped, so that it is shown and not obeyed.

    Addresses would become links even so: a word with one is a code span, from which it is copied as it is.
    """
    return " ".join(
        _verbatim(word) if _ADDRESS.search(word) else _PUNCTUATION.sub(r"\\\1", word) for word in text.split()
    )


def shown_inert(text: str) -> str:
    """Text for a slot that may be Markdown, such as a cell of a table: as it is where nothing in it would be obeyed."""
    return plain(text) if _ACTIVE.search(text) or _ADDRESS.search(text) else text


def _verbatim(word: str) -> str:
    """A code span: its fence is longer than any run of backticks in the word, so nothing in it ends it."""
    fence = "`" * (1 + max(map(len, _BACKTICKS.findall(word)), default=0))
    pad = " " if word.startswith("`") or word.endswith("`") else ""
    return f"{fence}{pad}{word}{pad}{fence}"


def number(value: float | Fraction) -> str:
    """A number that is no loss of privacy, to three significant digits, its thousands written out."""
    return amount(value)


def exact(value: Fraction) -> str:
    """A fraction as the decimal that was typed, where it is one of up to 12 digits; else rounded up to those."""
    return up(value, 12)


def loss(value: float | Fraction | str) -> str:
    """A loss of privacy, ε or δ, to three digits, rounded up."""
    return up(value, 3)


def seconds(value: float) -> str:
    """A duration in words."""
    if value < 1:
        return "under a second"
    if value < 100:
        return f"{value:.0f} s"
    return f"{value / 60:.0f} min"


def progress(job: Job, unit: str, place: int) -> str:
    """Where a job stands: "round 12 of 50 · 3 s so far · about 9 s left"."""
    if job.state == "queued":
        return f"waits in line, place {place}" if place else "about to start"
    steps = f"{unit} {job.done} of {job.total}" if job.total else "starting"
    left = "" if job.eta is None else f" · {'about ' if job.eta >= 1 else ''}{seconds(job.eta)} left"
    return f"{steps} · {seconds(job.elapsed)} so far{left}"


def counted(number: int, noun: str) -> str:
    """So many of something: "1 column", "2,000 columns"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def size(count: int) -> str:
    """A number of bytes as people read it: "0.3 kB", "1.2 MB"."""
    return f"{count / 1e6:.1f} MB" if count >= 100_000 else f"{count / 1e3:.1f} kB"
