"""Whom the promise of a release is about, in the words of its certificate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from pmwpub.plans import RowsBeyond
from pmwpub.plans.weighing import Weighing

NEIGHBOURS = "replace-one: one person's at most rows_per_person rows are replaced by as many; n is public"
NEIGHBOURS_BY_ID = (
    "replace-one: all rows of one ID are replaced by as many of an ID that no row has; of an ID with more than "
    "rows_per_person rows so many count, chosen from that ID's own rows; n is public, and how many rows an ID has is "
    "not protected"
)
CERTIFICATE_NEIGHBOURS: Mapping[RowsBeyond, str] = {None: NEIGHBOURS, "keep": NEIGHBOURS_BY_ID}
"""What the promise of a release is about, by what becomes of further rows of one ID."""

NEIGHBOURS_WEIGHED = (
    "replace-one: one person's at most rows_per_person rows are replaced by as many, each with a survey weight of its "
    "own of at most weights.cap units; n and weights.total are public. Only if a weight is the row's own, as a design "
    "weight is: weights that were raked, post-stratified or adjusted for nonresponse move when another person is "
    "replaced, and the proof does not cover this"
)
"""The same where rows are weighed: docs/privacy.md, section 11."""


class NamedTable(Protocol):
    """What of a public table says how its rows count."""

    @property
    def name(self) -> str: ...
    @property
    def weighed_by(self) -> str | None: ...


def public_weights_in_words(tables: Sequence[NamedTable]) -> str:
    """How the rows of public tables count, where some are weighed; "" where none are."""
    words = next((one.weighed_by for one in tables if one.weighed_by), None)
    if words is None:
        return ""
    once = [one.name for one in tables if not one.weighed_by]
    others = f" Rows of {', '.join(once)}, without that column, count as one unit each." if once else ""
    weighed = ", ".join(one.name for one in tables if one.weighed_by)
    without = "those that weigh nothing are left out"
    return f"Public rows of {weighed} count with their survey weight ({words}); {without}.{others}"


class StatesNeighbours(Protocol):
    """What of a plan says whose rows are replaced, and by what."""

    @property
    def rows_beyond(self) -> RowsBeyond: ...
    @property
    def weights(self) -> Weighing | None: ...


def neighbours_of(plan: StatesNeighbours) -> str:
    """What the promise of a release by this plan is about."""
    return CERTIFICATE_NEIGHBOURS[plan.rows_beyond] if plan.weights is None else NEIGHBOURS_WEIGHED
