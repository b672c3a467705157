"""Records of a release by the name of their format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from pmwpub.release.catalogue.claim_answers import answered_questions
from pmwpub.release.catalogue.croissant_record import croissant
from pmwpub.release.catalogue.household_entry import household_entry
from pmwpub.release.catalogue.published_households import AnyPublished, PublishedHouseholds
from pmwpub.release.catalogue.registry_entry import RegistryEntry
from pmwpub.release.catalogue.research_crate import crate_files

RecordFormat = Literal["registry", "croissant", "ro-crate", "nist-800-226"]
FORMATS: tuple[RecordFormat, ...] = get_args(RecordFormat)


@dataclass(frozen=True)
class Record:
    """A record: its files by name, one unless it is a folder; what a person has still to fill in."""

    files: Mapping[str, bytes] = field(repr=False)
    lacking: tuple[str, ...] = ()


def record_of(release: AnyPublished, wanted: RecordFormat) -> Record:
    """The record of a release in a format.

    Raises CertificateError where its files contradict each other, PlanError without an extra that the format needs.

    Privacy: post-processing of published files; nothing is charged.
    """
    return _MAKERS[wanted](release)


def _registry(release: AnyPublished) -> Record:
    entry = household_entry(release) if isinstance(release, PublishedHouseholds) else RegistryEntry.of(release)
    return Record({"registry-entry.yaml": entry.to_yaml()}, entry.lacking())


_MAKERS: Mapping[RecordFormat, Callable[[AnyPublished], Record]] = {
    "registry": _registry,
    "croissant": lambda release: Record(
        {"croissant.json": croissant(release)}, release.about.unsaid("curator", "license", "url")
    ),
    "ro-crate": lambda release: Record(crate_files(release), release.about.unsaid("curator", "license")),
    "nist-800-226": lambda release: Record({"nist-800-226.json": answered_questions(release)}),
}
