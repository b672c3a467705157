"""Trying, before a charge, whether the engine can do what is to be charged for."""

from __future__ import annotations

from pmwpub.errors import NotReady
from pmwpub.jobs import Engine, InlineEngine


def get_ready(engine: Engine | InlineEngine) -> None:
    """Have the engine try the work on made-up rows; NotReady, in words, unless it can do it."""
    try:
        engine.readiness.require()
    except NotReady as refused:
        raise NotReady(f"{refused} Nothing was charged.") from refused
