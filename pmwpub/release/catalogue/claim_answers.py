"""The questions of NIST SP 800-226, each with what holds for a release and what its publisher says, as a file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from statistics import fmean

from pmwpub.release.answers.marginal_answers import CellAnswer
from pmwpub.release.answers.release_answers import ReleaseAnswers
from pmwpub.release.bundle import CERTIFICATE, Bundle
from pmwpub.release.catalogue.about_release import AboutRelease
from pmwpub.release.catalogue.published_households import AnyPublished, PublishedHouseholds
from pmwpub.release.catalogue.published_release import PublishedRelease
from pmwpub.release.checklist import COLLECTION, ERRORS, EVIDENCE, STORE, WHY_DELTA
from pmwpub.release.households.reading.household_answers import HouseholdAnswers
from pmwpub.release.households.reading.household_cells import OF_HOUSEHOLDS
from pmwpub.release.households.reading.measured_households import Counted

ASKED_BY = "NIST SP 800-226, Guidelines for Evaluating Differential Privacy Guarantees"
NO_PRIVATE_ROW = "No private row was read for this release, so there is nothing to answer."
EXACT_IS_PRIVATE = (
    "Exact errors by level are private and stand nowhere. These are the released shares with intervals from the noisy "
    "values alone, and half_widths_within: how far off the shares of all other columns may be among the rows of that "
    "level. Where there is none, nothing is known of that level but what is bought of it."
)

HOUSEHOLD_LEVELS = (
    "Exact errors by level are private and stand nowhere. These are noisy shares with their intervals by the noise "
    "alone."
)

STATEMENTS: Mapping[str, str] = {
    COLLECTION: "data_collection",
    STORE: "store_access",
    WHY_DELTA: "why_delta",
    EVIDENCE: "evidence",
}
"""A question -> what the publisher may say to it, beside what follows from the release."""


def answered_questions(release: AnyPublished) -> bytes:
    """Every question with its answers as JSON in UTF-8; of columns that the publisher names, each level's interval."""
    said: dict[str, object] = {
        "questions_of": ASKED_BY,
        "certificate_sha256": hashlib.sha256(release.files[CERTIFICATE]).hexdigest(),
        "plan_sha256": release.certificate.plan_sha256,
        "answers": list(_answers(release)),
    }
    if release.about.columns and isinstance(release, PublishedHouseholds):
        cells = list(_of_households(release))
        said |= {"error_by_level": cells, "of_errors": HOUSEHOLD_LEVELS, "covers": OF_HOUSEHOLDS}
    elif release.about.columns and isinstance(release, PublishedRelease):
        answers = ReleaseAnswers(Bundle(release.files))
        levels = list(_by_level(release, answers))
        said |= {"error_by_level": levels, "of_errors": EXACT_IS_PRIVATE, "covers": answers.covers}
    return (json.dumps(said, ensure_ascii=False, indent=1) + "\n").encode()


def _answers(release: AnyPublished) -> Iterator[dict[str, str]]:
    found = release.answers
    for topic in (*found, *(one for one in STATEMENTS if one not in found)):
        own = _stated(release.about, topic)
        yield {"question": topic, "answer": found.get(topic, NO_PRIVATE_ROW)} | ({"publisher": own} if own else {})


def _stated(about: AboutRelease, topic: str) -> str:
    if topic == ERRORS and about.columns:
        return f"By level of {', '.join(about.columns)}: see error_by_level."
    return getattr(about, STATEMENTS[topic]) if topic in STATEMENTS else ""


def _by_level(release: PublishedRelease, answers: ReleaseAnswers) -> Iterator[dict[str, object]]:
    domain = release.schema.domain
    for column in release.about.columns:
        cells = answers.marginal([column])
        own = domain.index(column)
        beside = [other for other in range(len(domain.names)) if other != own and not domain.related((own, other))]
        halves = _half_widths(answers, column, [domain.names[other] for other in beside])
        yield {"column": column, "levels": [_level(cell, cell.levels[column], halves) for cell in cells]}


def _of_households(release: PublishedHouseholds) -> Iterator[dict[str, object]]:
    """The levels of each column that the publisher names: of persons where they have it, else of households."""
    answers, persons = HouseholdAnswers(release.bundle), release.bundle.schema.persons.domain.names
    for column in release.about.columns:
        of: Counted = "persons" if column in persons else "households"
        lines = [cell.line() | {"levels": cell.levels[column]} for cell in answers.marginal([column], of)]
        levels = [{"level": line.pop("levels"), **line} for line in lines]
        yield {"column": column, "of": of, "levels": levels}


def _level(cell: CellAnswer, level: str, halves: Mapping[str, list[float | None]]) -> dict[str, object]:
    """The share of a level with its interval, and how wide the intervals of shares within it are."""
    line = {key: value for key, value in cell.line().items() if key != "levels"}
    every = halves.get(level, [])
    own = [half for half in every if half is not None]
    widths = {"mean": round(fmean(own), 6), "largest": round(max(own), 6)} if own else {}
    within = {"covered": len(own), "not_covered": len(every) - len(own), **widths} if own else None
    return {"level": level, **line, "half_widths_within": within}


def _half_widths(answers: ReleaseAnswers, column: str, others: list[str]) -> dict[str, list[float | None]]:
    """Of each level, how far off every other column's shares may be among the rows that have it: half the width of an
    interval, and more where the share is not in its middle. None of one that is not covered."""
    found: dict[str, list[float | None]] = {}
    for other in others:
        for cell in answers.within([column, other], [column]):
            half = None if cell.low is None or cell.high is None else max(cell.high - cell.share, cell.share - cell.low)
            found.setdefault(cell.levels[column], []).append(half)
    return found
