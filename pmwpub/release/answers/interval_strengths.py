"""intervals.json: the strengths that the intervals of a release by table fit rest on, kept with its files.

They follow from the noisy tables and the public rows. The latter do not travel with a release, so the strengths do.
"""

from __future__ import annotations

import json
import math

from pmwpub.domain import Domain
from pmwpub.errors import CertificateError
from pmwpub.mechanisms.table_fit.intervals.believed_drift import BelievedDrift
from pmwpub.queries.workload import Workload
from pmwpub.strict_json import read_strictly

UNREADABLE = "The file of the intervals' strengths is not the one that a release has."


def strengths_json(drift: BelievedDrift, tables: Workload) -> bytes:
    """What the intervals rest on, by column.

    tables  that were measured, 1-way tables first
    """
    strengths = dict(zip(_measured(tables), drift.ones, strict=True))
    stated = {"strengths": strengths, "pair_strength": drift.pairs, "wider": drift.wider}
    return json.dumps(stated, indent=1).encode() + b"\n"


def read_strengths(content: bytes, tables: Workload) -> BelievedDrift:
    """The strengths back; CertificateError unless there is a positive one for each column that was measured."""
    try:
        stated = read_strictly(content)
        ones = tuple(float(stated["strengths"][name]) for name in _measured(tables))
        one, other = map(float, stated.get("wider", (1.0, 1.0)))  # releases of before have none
        drift = BelievedDrift(ones, float(stated["pair_strength"]), (one, other))
    except (ValueError, LookupError, TypeError, AttributeError) as failure:
        raise CertificateError(UNREADABLE) from failure
    if not all(0 < strength < math.inf for strength in (*drift.ones, drift.pairs, *drift.wider)):
        raise CertificateError(UNREADABLE)
    return drift


def _measured(tables: Workload) -> list[str]:
    domain: Domain = tables.domain
    return [domain.attributes[one.attributes[0]].name for one in tables.marginals if len(one.attributes) == 1]
