"""intervals.json: what it holds comes back, what is no strength is refused, and files of before are read."""

from __future__ import annotations

import json

import pytest
from support.tables import domain

from pmwpub.errors import CertificateError
from pmwpub.mechanisms.table_fit.intervals.believed_drift import BelievedDrift
from pmwpub.queries.workload import Workload
from pmwpub.release.answers.interval_strengths import read_strengths, strengths_json
from pmwpub.release.rebuilding import near_strengths

TABLES = Workload.of(domain(2, 3), [["a0"], ["a1"], ["a0", "a1"]])
DRIFT = BelievedDrift((120.0, 250.5), 800.0, (1.25, 1.0))


def changed(**others: object) -> bytes:
    return json.dumps(json.loads(strengths_json(DRIFT, TABLES)) | others).encode()


def of_before(**others: object) -> bytes:
    stated = json.loads(changed(**others))
    del stated["wider"]
    return json.dumps(stated).encode()


def test_strengths_come_back() -> None:
    assert read_strengths(strengths_json(DRIFT, TABLES), TABLES) == DRIFT


def test_nothing_widens_the_intervals_of_releases_of_before() -> None:
    assert read_strengths(of_before(), TABLES) == BelievedDrift(DRIFT.ones, DRIFT.pairs)


@pytest.mark.parametrize(
    "others",
    [
        {"wider": [1.25]},
        {"wider": [1.25, -1.0]},
        {"wider": [1.25, "nan"]},
        {"wider": 2.0},
        {"pair_strength": 0.0},
        {"strengths": {"a0": 120.0}},
    ],
)
def test_what_is_no_strength_is_refused(others: dict[str, object]) -> None:
    with pytest.raises(CertificateError):
        read_strengths(changed(**others), TABLES)


def test_strengths_that_are_made_again_agree_with_what_was_stored() -> None:
    made = strengths_json(DRIFT, TABLES)
    assert near_strengths(made, changed())
    assert near_strengths(made, of_before())
    assert not near_strengths(made, changed(wider=[1.5, 1.0]))
    assert not near_strengths(made, of_before(pair_strength=900.0))
