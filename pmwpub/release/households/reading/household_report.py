"""report.html of a release of households: one page that loads nothing and runs nothing.

Every text from outside (names, levels, remarks) is escaped by the template engine and set apart by <bdi>, and the page
forbids itself scripts and requests by its content security policy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from pmwpub.errors import tried
from pmwpub.release.certificates.certificate_parts import PUBLIC_PEOPLE
from pmwpub.release.households.household_bundle import HouseholdBundle
from pmwpub.release.households.household_files import (
    HOUSEHOLDS,
    PERSONS,
    REBUILD,
    SCHEMA,
    TABLES,
    WEIGHTED,
    WEIGHTS,
)
from pmwpub.release.households.reading.household_answers import HouseholdAnswers
from pmwpub.release.households.reading.household_cells import OF_HOUSEHOLDS, HouseholdCell, HouseholdNumber
from pmwpub.release.households.reading.household_checklist import household_checklist
from pmwpub.release.households.reading.household_summary import household_summary
from pmwpub.release.households.reading.measured_households import Counted
from pmwpub.release.report import template

MOST_LEVELS = 40
"""Of one column that the report draws; `pmwpub answer` has all."""

FILE_WORDS = {
    PERSONS: "The synthetic persons: a row each, with the id of the household.",
    HOUSEHOLDS: "The synthetic households: a row each, with its id, its size and what it has of its own.",
    WEIGHTS: "The release itself: every different public household with its weight.",
    WEIGHTED: "The persons of these households.",
    TABLES: "The noisy tables, cell by cell: whole counts of persons or households with the deviation of their noise, "
    "not clamped.",
    SCHEMA: "The columns, levels and bins, and how rows make households.",
    REBUILD: "Makes weights and households again from the certificate and the public table, and compares every byte.",
}
"""What each file is, but for the certificate and the report."""


@dataclass(frozen=True)
class DrawnLevel:
    """A level with its interval, in percent of the width of its bar.

    share  as it is printed beside the bar
    each   persons per household; None of a level of households
    """

    level: str
    share: HouseholdNumber
    each: HouseholdNumber | None
    at: float
    low: float
    high: float
    released: float


@dataclass(frozen=True)
class DrawnColumn:
    """One column: what is counted, its first levels, and how many are not drawn."""

    of: Counted
    name: str
    levels: tuple[DrawnLevel, ...]
    left_out: int


def with_report(bundle: HouseholdBundle) -> HouseholdBundle:
    """The bundle with its report, unless that cannot be made: nothing that was bought is lost for that."""
    made, _ = tried(lambda: household_report(bundle))
    return bundle if made is None else replace(bundle, report=made)


def household_report(bundle: HouseholdBundle) -> str:
    """The page; the same release gives the same text.

    Privacy: a function of the bundle, which is released.
    """
    answers, certificate = HouseholdAnswers(bundle), bundle.certificate
    sigmas = {
        of: sorted(float(Fraction(one.scale)) for one in certificate.tables if one.of == of)
        for of in ("persons", "households")
    }
    return template("report_of_households.html.jinja").render(
        certificate=certificate,
        found=household_summary(bundle),
        columns=_drawn(answers),
        persons=answers.persons(),
        mean=answers.mean_size(),
        covers=OF_HOUSEHOLDS,
        hidden=answers.measured.hides_persons,
        sigmas=sigmas,
        atoms=len(bundle.atoms),
        files=FILE_WORDS,
        answers=household_checklist(certificate),
        public_people=PUBLIC_PEOPLE,
    )


def _drawn(answers: HouseholdAnswers) -> list[DrawnColumn]:
    """Every single column that was measured, those of households first."""
    asked = [(of, names) for of, names in answers.measured.measured if len(names) == 1]
    ordered = sorted(asked, key=lambda one: one[0] == "persons")
    return [_column(of, names[0], answers.marginal(names, of)) for of, names in ordered]


def _column(of: Counted, name: str, cells: Sequence[HouseholdCell]) -> DrawnColumn:
    drawn = cells[:MOST_LEVELS]
    reach = max(max(one.share.high or 0.0, one.share.released) for one in drawn) or 1.0
    levels = []
    for one in drawn:
        ends = (one.share.value, one.share.low or 0.0, one.share.high or 0.0, one.share.released)
        at, low, high, released = (100 * end / reach for end in ends)
        levels.append(DrawnLevel(one.levels[name], one.share, one.per_household, at, low, high, released))
    return DrawnColumn(of, name, tuple(levels), len(cells) - len(drawn))
