"""How the rows of public tables count, where the schema weighs them, in a sentence for pages."""

from __future__ import annotations

from collections.abc import Sequence

from pmwpub.service import CandidateFacts


def weighed_candidates(candidates: Sequence[CandidateFacts]) -> str:
    """Which tables' rows count with their weight, and which count once; "" where no table is weighed.

    candidates  those that fit the schema
    """
    weighed = [one for one in candidates if one.weighed_by]
    if not weighed:
        return ""
    names = ", ".join(one.name for one in weighed)
    once = ", ".join(one.name for one in candidates if not one.weighed_by)
    others = f" Rows of {once} count once each, as one unit in a pool: the column is not there." if once else ""
    return f"Rows count with their weight in {names} ({weighed[0].weighed_by}).{others}"
