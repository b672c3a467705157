"""The queue says how a job ended, as a value; it knows nothing of what work costs."""

from __future__ import annotations

from pathlib import Path

import pytest

from pmwpub import errors, jobs
from pmwpub.jobs import Ending, Reason


def test_no_module_of_the_queue_knows_the_word_charge() -> None:
    sources = sorted(Path(jobs.__file__).parent.rglob("*.py"))
    assert {"engine", "inline", "job", "process", "run", "worker"} <= {path.stem for path in sources}
    assert not [path.name for path in sources if "charge" in path.read_text(encoding="utf-8").lower()]


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (errors.JobCancelled("stopped"), Reason(Ending.CANCELLED)),
        (errors.JobUnresolved("no end"), Reason(Ending.UNRESOLVED)),
        (errors.JobFailed("no worker answers"), Reason(Ending.REFUSED, errors.JobFailed, "no worker answers")),
        (errors.FileRefused("A quote.", line=7), Reason(Ending.REFUSED, errors.FileRefused, "Line 7: A quote.")),
    ],
)
def test_what_a_task_raised_is_a_reason_of_its_own(error: errors.PmwPubError, reason: Reason) -> None:
    assert Reason.of(error) == reason
    assert reason.words not in repr(reason) or not reason.words


def test_a_reason_keeps_no_frame_of_the_task_alive() -> None:
    def refuse() -> None:
        raise errors.PlanError("canary")

    with pytest.raises(errors.PlanError) as caught:
        refuse()
    found = Reason.of(caught.value)
    assert not any(isinstance(kept, BaseException) for kept in vars(found).values())
