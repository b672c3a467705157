"""Which assessments stand side by side. No streamlit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pmwpub.noisy_interval import NoisyInterval
from pmwpub.service import Assessed, Study
from pmwpub.ui.wording.written import number

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


def _joined(before: Assessed | None, one: Assessed) -> Assessed:
    """A later purchase joined with what only an earlier one has, for floor and start may be bought apart."""
    if before is None:
        return one
    remarks = tuple(dict.fromkeys(before.remarks + one.remarks))
    return replace(one, floor=one.floor or before.floor, start=one.start or before.start, remarks=remarks)


def interval(noisy: NoisyInterval | None) -> str:
    """ "0.0123 (0.0100 to 0.0150)", or a dash where it was not bought."""
    return "–" if noisy is None else f"{number(noisy.estimate)} ({number(noisy.low)} to {number(noisy.high)})"
