"""Each way in which work ends without a result has words, for work that was charged and for work that was free."""

from __future__ import annotations

import pytest

from pmwpub.errors import PlanError
from pmwpub.jobs import Ending, Reason
from pmwpub.service.endings import WHY, in_words


@pytest.mark.parametrize("ending", Ending)
def test_every_ending_has_words_for_charged_and_for_free_work(ending: Ending) -> None:
    charged, free = (in_words(Reason(ending), charged=charged) for charged in (True, False))
    assert len(WHY[ending]) > 10
    assert charged == f"{WHY[ending]} Its charge stays, and nothing is drawn again."
    assert free == f"{WHY[ending]} Nothing was charged."


def test_endings_are_told_apart() -> None:
    assert len({in_words(Reason(ending), charged=True) for ending in Ending}) == len(Ending)


def test_a_refusal_speaks_for_itself() -> None:
    reason = Reason(Ending.REFUSED, PlanError, "Rounds must be at least 1.")
    assert in_words(reason, charged=False) == "Rounds must be at least 1. Nothing was charged."
