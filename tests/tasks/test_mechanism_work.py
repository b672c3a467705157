"""What workers do with private counts: an unresolved floor is no result."""

from __future__ import annotations

from fractions import Fraction

import pytest
from support import tables

from pmwpub.errors import JobUnresolved
from pmwpub.mechanisms.noisy_error.assessment import Unresolved
from pmwpub.privacy.budget import ZCDP
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.tasks import mechanism_work
from pmwpub.tasks.mechanism_work import AssessmentWork, PublicInput

SHAPE = tables.domain(2, 3)
WORKLOAD = Workload.all_kway(SHAPE, 2)


def test_an_unresolved_floor_is_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mechanism_work, "floor_release", lambda *_, **__: Unresolved(ZCDP(1)))
    source = PublicInput("k", WORKLOAD, tables.support(SHAPE, 9, 1))
    counts = count(WORKLOAD, tables.table(SHAPE, 50, 2))
    with pytest.raises(JobUnresolved, match="floor"):
        mechanism_work.assess(AssessmentWork(1, (source, counts, Fraction(1)), None), lambda done, total: None)
