"""Trying, before a charge, whether the engine can do what is to be charged for."""

from __future__ import annotations

from collections.abc import Collection

from pmwpub.errors import NotReady
from pmwpub.jobs import Engine, InlineEngine


def get_ready(engine: Engine | InlineEngine, tasks: Collection[str]) -> None:
    """Have the engine try tasks of these names on made-up rows; NotReady, in words, unless it can do them."""
    try:
        engine.readiness.require(tasks)
    except NotReady as refused:
        raise NotReady(f"{refused} Nothing was charged.") from refused
