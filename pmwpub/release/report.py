"""The report of a release for people: one HTML file that loads nothing and runs nothing.

Every text from outside (names, levels, notes) is escaped by the template engine and set apart by <bdi>, and the page
forbids itself scripts and requests by its content security policy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from pmwpub.noisy_interval import NoisyInterval
from pmwpub.queries.workload import Workload
from pmwpub.records import Distribution, Support
from pmwpub.release import quality, report_views
from pmwpub.release.answers.main_intervals import MISSES, MainIntervals, points
from pmwpub.release.certificates.certificate_parts import PUBLIC_PEOPLE
from pmwpub.release.certificates.certificate_reading import AnyCertificate
from pmwpub.release.certificates.neighbour_words import public_weights_in_words
from pmwpub.release.certificates.table_certificate import TableCertificate
from pmwpub.release.certificates.unchanged_certificate import UnchangedCertificate
from pmwpub.release.checklist import checklist
from pmwpub.release.measured.causes import causes_of
from pmwpub.release.measured.measurements import sigma_rows
from pmwpub.release.report_numbers import percent, rows, up
from pmwpub.release.summary import BoughtError, Expectation, ReleaseSummary, summary_of
from pmwpub.rounding import moment
from pmwpub.tabular.schema.column_types import MISSING
from pmwpub.tabular.schema.table_schema import Schema

if TYPE_CHECKING:
    from jinja2 import Template

TEMPLATES = {1: "report.html.jinja", 2: "report_of_tables.html.jinja"}
"""Of the releases that are charged, by the version of the certificate."""
UNCHANGED_TEMPLATE = "report_of_public_table.html.jinja"
HEAVIEST = 5
"""How many rows of the largest weights the report lists."""


@dataclass(frozen=True)
class AssessedPrior:
    """A candidate that was assessed before the release: its noisy floor and start where bought and stored.

    note  what else must be known of the two numbers
    """

    name: str
    chosen: bool
    note: str = ""
    floor: NoisyInterval | None = None
    start: NoisyInterval | None = None


@dataclass(frozen=True)
class Choices:
    """How the candidate and the settings were chosen, as far as the store knows.

    assessed  every assessment of the population that was stored before the release was charged
    rounds    a sentence on T, or on the engine where it has no rounds
    others    the purposes of all other charges before this one: each was a look that may have guided a choice
    expectation  the error that was to be expected when the release was charged, where simulations said so
    """

    assessed: tuple[AssessedPrior, ...] = ()
    rounds: str = ""
    others: tuple[str, ...] = ()
    expectation: Expectation | None = None

    @property
    def of_the_chosen(self) -> tuple[BoughtError, ...]:
        """The floors and starts that were bought of the public table that was taken."""
        found = [(part, getattr(one, part)) for one in self.assessed if one.chosen for part in ("floor", "start")]
        return tuple(BoughtError(part, number) for part, number in found if number is not None)

    @property
    def reach(self) -> float:
        """The largest upper end of all intervals: the common scale of their bars."""
        bars = [bar for one in self.assessed for bar in (one.floor, one.start) if bar is not None]
        return max((bar.high for bar in bars), default=1.0) or 1.0


def report_html(
    certificate: AnyCertificate,
    schema: Schema,
    released: Distribution,
    workload: Workload,
    choices: Choices,
    noisy_tables: bytes = b"",
    public: Support | None = None,
    intervals: MainIntervals | None = None,
) -> bytes:
    """The report in UTF-8; the same values give the same bytes.

    certificate  with the files that it names so far; the report's own hash is added to it afterwards
    released     on its public support, whose multiplicities are the public table's
    noisy_tables tables.csv of a release by table fit
    public       the public table, where rows were added to it, so that the release is on more rows
    intervals    how far off the cells of a release by table fit may be

    Privacy: post-processing of the release, of stored assessments and of public data.
    """
    rows = None if public is None else quality.public_rows(released.support, public)
    public = public or released.support
    causes = causes_of(certificate, released, workload, noisy_tables, rows)
    by_id = schema.rows_beyond is not None
    unchanged = isinstance(certificate, UnchangedCertificate)
    text = template(UNCHANGED_TEMPLATE if unchanged else TEMPLATES[certificate.version]).render(
        certificate=certificate,
        by_id=by_id,
        in_short=_in_short(certificate, choices, intervals, by_id=by_id),
        intervals=intervals,
        misses=MISSES,
        public_people=PUBLIC_PEOPLE,
        candidates=[candidate.name for candidate in certificate.candidate],
        sigmas=_sigmas(certificate),
        atoms=len(public),
        public_rows=public.rows,
        public_weighing=public_weights_in_words(certificate.candidate),
        choices=choices,
        one_way=report_views.one_way_shares(released, rows),
        moved=report_views.moved_most(causes, released, rows),
        weights=quality.concentration(released),
        public_weights=quality.concentration(Distribution.empirical(public)),
        heaviest=quality.heaviest(released, HEAVIEST, rows),
        columns=released.support.domain.names,
        missing={column.name: set(column.missing_levels) - {MISSING} for column in schema.attributes},
        measured=report_views.measured_queries(causes),
        answers=checklist(certificate, schema),
        files=_described(certificate.files),
    )
    return text.encode()


def _in_short(
    certificate: AnyCertificate, choices: Choices, intervals: MainIntervals | None, *, by_id: bool
) -> ReleaseSummary | None:
    """The summary of what was charged; a public table as it came has none."""
    if isinstance(certificate, UnchangedCertificate):
        return None
    bought = choices.of_the_chosen
    return summary_of(certificate, by_id=by_id, expectation=choices.expectation, bought=bought, intervals=intervals)


def _sigmas(certificate: AnyCertificate) -> tuple[float, ...]:
    """The standard deviations of the noise, in rows: of each table, or of every round alike."""
    if isinstance(certificate, TableCertificate):
        return certificate.sigmas
    return () if isinstance(certificate, UnchangedCertificate) else (sigma_rows(certificate),)


@lru_cache(maxsize=4)
def template(name: str) -> Template:
    """A compiled page, such as one of `TEMPLATES`; a name that the page uses and nobody gives is an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from pmwpub.release.compiled_pages import CompiledPages

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        bytecode_cache=CompiledPages.beside(Path(__file__)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(up=up, moment=moment, percent=percent, rows=rows, points=points)
    return environment.get_template(name)


_WORDS = {
    "weights.csv": "The release itself: every combination that occurs in the public table, or was added, with its "
    "weight.",
    "measurements.csv": "The noisy answers, round by round.",
    "tables.csv": "The noisy tables, cell by cell: whole counts with the deviation of their noise, not clamped.",
    "intervals.json": "How far the private table is believed to lie from the public one: what intervals rest on.",
    "schema.json": "The columns, levels and bins.",
    "rebuild.py": "Makes weights and rows again from the certificate and the public table, and compares every byte.",
}


def _described(files: Mapping[str, str]) -> list[tuple[str, str, str]]:
    return [(name, _WORDS.get(name, ""), digest) for name, digest in files.items()]
