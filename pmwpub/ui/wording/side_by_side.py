"""Floors and starts side by side, in words. No streamlit."""

from __future__ import annotations

from pmwpub.noisy_interval import NoisyInterval
from pmwpub.service.bought.latest_numbers import latest
from pmwpub.ui.wording.written import number

__all__ = ["interval", "latest"]


def interval(noisy: NoisyInterval | None) -> str:
    """ "0.0123 (0.0100 to 0.0150)", or a dash where it was not bought."""
    return "–" if noisy is None else f"{number(noisy.estimate)} ({number(noisy.low)} to {number(noisy.high)})"
