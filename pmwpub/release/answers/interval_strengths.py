"""intervals.json: the strengths that the intervals of a release by table fit rest on, kept with its files.

They follow from the noisy tables and the public rows. The latter do not travel with a release, so the strengths do.
"""

from __future__ import annotations

import json
import math

import numpy as np

from pmwpub.domain import Domain
from pmwpub.errors import CertificateError
from pmwpub.mechanisms.table_fit.intervals.believed_drift import BelievedDrift
from pmwpub.queries.workload import Workload
from pmwpub.strict_json import read_strictly, read_unrepeated

INTERVALS = "intervals.json"

UNREADABLE = "The file of the intervals' strengths is not the one that a release has."

WITHIN = "agrees within rounding"
NOT_THERE = "not compared, for its strengths could not be worked out when it was made; they are the least ones"
NOT_HERE = "not compared, for its strengths could not be worked out here"

STRENGTH_TOLERANCE = 2e-3
"""Within such a part strengths are made again, which have four digits, by other versions and on other machines."""


def strengths_json(drift: BelievedDrift, tables: Workload) -> bytes:
    """What the intervals rest on, by column; where they could not be worked out, that stands there too.

    tables  that were measured, 1-way tables first
    """
    strengths = dict(zip(_measured(tables), drift.ones, strict=True))
    stated: dict[str, object] = {"strengths": strengths, "pair_strength": drift.pairs, "wider": drift.wider}
    if not drift.believed:
        stated["believed"] = False
    return json.dumps(stated, indent=1).encode() + b"\n"


def read_strengths(content: bytes, tables: Workload) -> BelievedDrift:
    """The strengths back; CertificateError unless there is a positive one for each column that was measured."""
    try:
        stated = read_strictly(content)
        ones = tuple(float(stated["strengths"][name]) for name in _measured(tables))
        one, other = map(float, stated.get("wider", (1.0, 1.0)))  # releases of before have none
        drift = BelievedDrift(ones, float(stated["pair_strength"]), (one, other), "believed" not in stated)
        told = stated.get("believed", False)
    except (ValueError, LookupError, TypeError, AttributeError) as failure:
        raise CertificateError(UNREADABLE) from failure
    if told is not False or not all(0 < strength < math.inf for strength in (*drift.ones, drift.pairs, *drift.wider)):
        raise CertificateError(UNREADABLE)
    return drift


def are_least(drift: BelievedDrift, least: float) -> bool:
    """Whether strengths are those of a release of which none could be worked out."""
    return {*drift.ones, drift.pairs} == {least} and drift.wider == (1.0, 1.0)


def worked_out(content: bytes) -> bool:
    """Whether the strengths of a file were worked out; where they were not, the file says so."""
    try:
        return "believed" not in read_strictly(content)
    except (ValueError, TypeError):
        return True


def near_strengths(made: bytes, stored: bytes) -> bool:
    """Whether the strengths of intervals that were made again are the stored ones but for rounding.

    Releases of before do not say what widens them, and need not.
    """
    try:
        both = tuple(map(read_unrepeated, (made, stored)))
        widened = all("wider" in one for one in both)
        ours, theirs = (
            [*one["strengths"].values(), one["pair_strength"], *(one["wider"] if widened else ())] for one in both
        )
        return len(ours) == len(theirs) and bool(np.allclose(ours, theirs, rtol=STRENGTH_TOLERANCE, atol=0.0))
    except (ValueError, LookupError, TypeError, AttributeError):
        return False


def compared_strengths(made: bytes, stored: bytes) -> str:
    """What is said of stored strengths that are those made again but for rounding, or that have nothing to be compared
    with, because either could not be worked out; "" where they differ."""
    if near_strengths(made, stored):
        return WITHIN
    if not worked_out(stored):
        return NOT_THERE if _all_alike(stored) else ""
    return "" if worked_out(made) else NOT_HERE


def _all_alike(stored: bytes) -> bool:
    try:
        stated = read_strictly(stored)
        found = {*stated["strengths"].values(), stated["pair_strength"]}
        return len(found) == 1 and stated["believed"] is False and stated["wider"] == [1.0, 1.0]
    except (ValueError, LookupError, TypeError, AttributeError):
        return False


def _measured(tables: Workload) -> list[str]:
    domain: Domain = tables.domain
    return [domain.attributes[one.attributes[0]].name for one in tables.marginals if len(one.attributes) == 1]
