"""What `release` says of public tables under a schema that weighs their rows: before a charge, and in a dry run."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from pmwpub.cli.inputs import Json
from pmwpub.service import Study


def public_weights_json(current: Study, candidates: Sequence[str]) -> Json:
    """`public_weights`: by what each table's rows are weighed, and how many are left out; {} where no schema weighs.

    candidates  SHA-256 of the tables that are named
    """
    if not current.weighs_public:
        return {}
    tables = [current.candidate(sha256) for sha256 in candidates]
    lines = [
        {"candidate": one.name, "weighed_by": one.weighed_by or None, "without_weight": one.weightless}
        for one in tables
    ]
    return {"public_weights": lines}


def say_public_weights(current: Study, candidates: Sequence[str]) -> None:
    """Say on stderr which public rows are left out because they weigh nothing, and which files count each row once."""
    for line in public_weights_json(current, candidates).get("public_weights", []):
        if words := _words(**line):
            print(f"pmwpub: {words}", file=sys.stderr)


def _words(candidate: str, weighed_by: str | None, without_weight: int) -> str:
    if weighed_by is None:
        return f"{candidate} has no column of weights: each of its rows counts once."
    if without_weight:
        return f"of {candidate} rows that weigh nothing are left out: {without_weight:,}."
    return ""
