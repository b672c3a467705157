"""The one reader of each kind of plan that may be booked, and of what it bought: asked before an export is taken in.

They are those that pages and purchases read the same bytes by later.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable
from typing import Any

from pmwpub.ledger import Booking
from pmwpub.plans import release_plan_of
from pmwpub.release.bundle import Bundle
from pmwpub.service.accepting.acceptances import read_acceptance
from pmwpub.service.bought.assessments import read_assessment
from pmwpub.service.bought.best_candidate import read_choice
from pmwpub.service.bought.misfit_shares import read_look
from pmwpub.service.bought.release_errors import read_error
from pmwpub.service.core import Outcome
from pmwpub.service.grant import pure_epsilon
from pmwpub.service.households.household_questions import (
    read_household_assessment,
    read_household_choice,
    read_household_error,
)
from pmwpub.service.households.household_releases import read_households
from pmwpub.service.weighing.total_purchase import read_total

MOST_UNPACKED = 2**29
"""The most bytes that one result or table may unpack to."""
_NAME = re.compile(r"\w[\w.-]*", re.ASCII)
_READ_OF_EVERY_PLAN = ("criteria", "epsilon", "kept_ids", "part", "setting")
"""What some purchase reads of all plans of a population, whatever they are."""


def parts_of(body: bytes) -> Bundle:
    """The files of a release; ValueError, or what unpacking raises, where they are none."""
    with zipfile.ZipFile(io.BytesIO(body)) as file:
        if sum(member.file_size for member in file.infolist()) > MOST_UNPACKED:
            raise ValueError("unpacks to too much")
        if not all(_NAME.fullmatch(name) for name in file.namelist()):
            raise ValueError("names that are no files of a release")
    return Bundle.from_bytes(body)


def check_bundle(body: bytes) -> None:
    """Raise ValueError, or what reading raises, for what is no release."""
    found = parts_of(body)
    if not found.schema.sha256 or not found.certificate.n or not found.weights:
        raise ValueError("no release")


def _release(outcome: Outcome) -> None:
    release_plan_of(outcome.booking.plan_json)
    if outcome.result is not None:
        check_bundle(outcome.result)


def _households(outcome: Outcome) -> None:
    _, bundle = read_households(outcome)
    if bundle is not None:
        bundle.files(households=1)


def _acceptance(outcome: Outcome) -> None:
    if not all(read_acceptance(outcome).words):
        raise ValueError("no verdicts")


def _look(outcome: Outcome) -> None:
    if not all(read_look(outcome).words):
        raise ValueError("no shares")


READERS: dict[str, Callable[[Outcome], object]] = {
    "acceptance": _acceptance,
    "assessment": read_assessment,
    "best": read_choice,
    "error": read_error,
    "household-assessment": read_household_assessment,
    "household-best": read_household_choice,
    "household-error": read_household_error,
    "households": _households,
    "households-pmw-pub": _households,
    "misfits": _look,
    "release": _release,
    "table-fit": _release,
    "table-fit-pool": _release,
    "weight-total": read_total,
}
"""By the kind of its plan: raises, whatever it is, for a plan or a result that nothing could read later."""


def check_result(booking: Booking, body: bytes | None) -> None:
    """Raise for a booking whose plan, or whose stored result, this program could not read again.

    A kind that this program does not know is read by nothing, so long as it says nothing that is read of every plan.
    """
    plan: dict[str, Any] = json.loads(booking.plan_json)
    reader = READERS.get(plan.get("kind", ""))
    if reader is None:
        if any(key in plan for key in _READ_OF_EVERY_PLAN):
            raise ValueError("no plan of a kind that is known")
        return
    pure_epsilon([booking])
    _check_kept_ids(plan.get("kept_ids"))
    reader(Outcome(booking, "no result" if body is None else "done", None, body))


def _check_kept_ids(said: object) -> None:
    if said is not None and not (isinstance(said, str) and isinstance(json.loads(said)["name"], str)):
        raise ValueError("no rule of IDs")
