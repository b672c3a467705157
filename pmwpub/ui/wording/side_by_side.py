"""Floors and starts side by side, in words. No streamlit."""

from __future__ import annotations

from pmwpub.noisy_interval import NoisyInterval
from pmwpub.rounding import in_percent
from pmwpub.service.bought.latest_numbers import latest

__all__ = ["interval", "latest"]


def interval(noisy: NoisyInterval | None) -> str:
    """ "1.23 % (1 % to 1.5 %)", or a dash where it was not bought."""
    if noisy is None:
        return "–"
    estimate, low, high = (in_percent(value, 3) for value in (noisy.estimate, noisy.low, noisy.high))
    return f"{estimate} ({low} to {high})"
