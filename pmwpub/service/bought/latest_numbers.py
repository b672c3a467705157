"""The newest floor and start of each candidate, out of everything that was bought."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pmwpub.service.bought.assessments import Assessed
from pmwpub.service.inputs.study_store import Study

SETTINGS = ("fast", "part", "full")
"""What a floor may be taken over, the least first."""
Latest = Mapping[tuple[str, ...], Assessed]


def latest(bought: Sequence[Assessed], study: Study, setting: str | None = None) -> Latest:
    """The newest finished floor and start of each candidate under the schema and workload of today.

    setting  the one setting that counts; None for whichever was bought last
    """
    if study.schema is None or study.choice is None:
        return {}
    today = (study.schema.sha256, study.workload().sha256)
    found: dict[tuple[str, ...], Assessed] = {}
    for one in bought:
        bought_today = (one.plan.inputs.schema_sha256, one.plan.inputs.workload_sha256) == today
        if one.outcome.status == "done" and bought_today and setting in (None, one.plan.setting):
            found[one.candidates] = _joined(found.get(one.candidates), one)
    return found


def latest_of_all(bought: Sequence[Assessed], study: Study) -> Latest:
    """The newest numbers of each candidate; a floor over more of the workload goes before one over less."""
    found: dict[tuple[str, ...], Assessed] = {}
    for setting in SETTINGS:
        for pool, one in latest(bought, study, setting).items():
            before = found.get(pool)
            if before is None or one.floor is not None:
                found[pool] = replace(one, start=one.start or (before.start if before else None))
    return found


def _joined(before: Assessed | None, one: Assessed) -> Assessed:
    """A later purchase joined with what only an earlier one has, for floor and start may be bought apart."""
    if before is None:
        return one
    remarks = tuple(dict.fromkeys(before.remarks + one.remarks))
    return replace(one, floor=one.floor or before.floor, start=one.start or before.start, remarks=remarks)
