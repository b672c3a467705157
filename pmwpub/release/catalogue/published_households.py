"""A release of households as it is handed out: two tables that an id joins, and what is promised of them."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from typing import Self

from pmwpub.errors import CertificateError, WorkloadError
from pmwpub.release.catalogue.about_release import AboutRelease
from pmwpub.release.catalogue.published_release import (
    CSV,
    FILES,
    JSON,
    MEASURED,
    NUMBER,
    TEXT,
    WHOLE,
    FileColumn,
    Kind,
    PublishedFile,
    PublishedRelease,
    charged_day,
)
from pmwpub.release.certificates.certificate_parts import Candidate
from pmwpub.release.certificates.certificate_signature import SIGNATURE
from pmwpub.release.households.household_bundle import HouseholdBundle
from pmwpub.release.households.household_certificate import HouseholdCertificate
from pmwpub.release.households.household_files import (
    CERTIFICATE,
    HOUSEHOLDS,
    PERSONS,
    REBUILD,
    REPORT,
    SCHEMA,
    TABLES,
    WEIGHTED,
    WEIGHTS,
)
from pmwpub.release.households.reading.household_checklist import household_checklist
from pmwpub.release.households.reading.household_folder import household_bundle_of
from pmwpub.release.households.reading.household_report import FILE_WORDS

HOUSEHOLD_ORDER = (PERSONS, HOUSEHOLDS, WEIGHTED, WEIGHTS, TABLES, SCHEMA, REPORT, REBUILD, SIGNATURE, CERTIFICATE)
"""Of the files in a record."""

JOINED = {PERSONS: HOUSEHOLDS, WEIGHTED: WEIGHTS}
"""Whose lines are persons -> whose lines are the households that they live in, by the id in the first column."""


@dataclass(frozen=True)
class PublishedHouseholds:
    """A release of households that is described to others.

    files  name -> bytes, as they are handed out, certificate.json among them
    day    the day that is stated where nothing says when it was published

    Privacy: a function of the release's published files and of what its publisher says in public.
    """

    files: Mapping[str, bytes] = field(repr=False)
    about: AboutRelease
    day: date

    @classmethod
    def of(cls, files: Mapping[str, bytes], about: AboutRelease, day: date) -> Self:
        """The same, once every file is there that the certificate names, and is what it names.

        Raises CertificateError where that is not so, WorkloadError where a column is named that the release lacks.
        """
        found = cls(files, about, day)
        stated = found.certificate
        wrong = [name for name in stated.files if name not in files or not stated.states(name, files[name])]
        if wrong:
            raise CertificateError(f"{', '.join(wrong)} is not what the certificate names; no record is made of it.")
        schema = found.bundle.schema
        known = {*schema.persons.domain.names, *schema.own_domain.names}
        unknown = next((name for name in about.columns if name not in known), None)
        if unknown is not None:
            raise WorkloadError(f"The release has no column {unknown!r}; it has {', '.join(sorted(known))}.")
        return found

    @cached_property
    def certificate(self) -> HouseholdCertificate:
        """The certificate among the files."""
        return HouseholdCertificate.from_bytes(self.files[CERTIFICATE])

    @cached_property
    def bundle(self) -> HouseholdBundle:
        """The release of these files."""
        return household_bundle_of(self.files)

    @cached_property
    def answers(self) -> dict[str, str]:
        """The questions of NIST SP 800-226 with what holds for the release."""
        return dict(household_checklist(self.certificate))

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The one public table."""
        return (self.certificate.candidate,)

    @property
    def charged_at(self) -> str:
        """When it was charged, by the server's clock."""
        return self.certificate.charged_at

    @property
    def name(self) -> str:
        """What it is called: by its publisher, or by its population."""
        return self.about.name or f"Synthetic households of {self.certificate.population}"

    @property
    def published(self) -> date:
        """The day of publication as its publisher says it, else that of the charge, else the day that was given."""
        return self.about.published or charged_day(self.charged_at) or self.day

    @property
    def description(self) -> str:
        """What it is, in the publisher's words and in those of the certificate."""
        certificate = self.certificate
        own = (
            f"{certificate.households or 0:,} synthetic households and the persons in them, two tables that an id "
            f"joins, released under differential privacy from a private table of {certificate.n:,} households. "
            f"Unit of protection: {certificate.unit}. Mechanism: {certificate.mechanism}."
        )
        return f"{self.about.description} {own}".strip()

    @cached_property
    def described(self) -> tuple[PublishedFile, ...]:
        """The files in the order of `HOUSEHOLD_ORDER`, the certificate last."""
        found = []
        for name in HOUSEHOLD_ORDER:
            if name in self.files:
                media, words = FILES.get(name, (CSV, ""))
                media = JSON if name == SCHEMA else CSV if name == TABLES else media
                words = FILE_WORDS.get(name, words)
                found.append(PublishedFile(name, media, words, self.files[name], self._columns(name)))
        return tuple(found)

    def _columns(self, name: str) -> tuple[FileColumn, ...]:
        """The columns of one of the tables; none of a file whose cells are not described."""
        if not name.endswith(".csv"):
            return ()
        header = next(csv.reader(io.StringIO(self.files[name].decode(), newline="")), [])
        if name == TABLES:
            return tuple(FileColumn(one, MEASURED.get(one, TEXT), "") for one in header)
        schema = self.bundle.schema
        domain = schema.persons.domain if name in JOINED else schema.own_domain
        kinds: list[tuple[Kind, str]] = [
            (TEXT, f"One of {one.size:,} levels; schema.json has them.") for one in domain.attributes
        ]
        if name not in JOINED:
            kinds[0] = (WHOLE, f"How many persons the household has: 1 to {schema.largest}.")
        kinds += [(NUMBER, "The household's weight; all of them add up to one.")] if name == WEIGHTS else []
        if len(header) != 1 + len(kinds):
            raise CertificateError(f"{name} has other columns than its schema.")
        first = FileColumn(header[0], WHOLE, "The number of the synthetic household; it points to nobody.", key=True)
        if name in JOINED:
            first = replace(first, key=False, references=(JOINED[name], header[0]))
        return (first, *(FileColumn(own, *found) for own, found in zip(header[1:], kinds, strict=True)))


AnyPublished = PublishedRelease | PublishedHouseholds
