"""What is kept of a release whose report failed: a release that is charged and drawn is never lost for its report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Self

from pydantic import TypeAdapter

from pmwpub.errors import CertificateError, tried
from pmwpub.records import Distribution, Support
from pmwpub.release.report import Choices

PENDING = "report-to-come.json"
"""A part of a stored bundle that is never handed out; there until a report takes its place."""

LACKING = (
    "report.html could not be made ({failure}), so it is not among the files. The result is stored: run the same "
    "command again, or open the release again, and the report is tried anew. Nothing more is charged."
)

NO_REPORT = (
    "neither it nor its hash is; either it could not be made when the release was, and the release's own command makes "
    "it, or both were taken out since: which of the two, no file tells"
)
"""What is said of files without a report, by whoever has nothing but them."""

LOST = ".lost"
"""Ends the name of a part that holds the kind of the error for which a file is not there; it is never handed out."""


@dataclass(frozen=True)
class PublicRows:
    """The atoms of a public table, by their codes, and how often each occurs."""

    codes: tuple[tuple[int, ...], ...]
    multiplicity: tuple[int, ...]

    @classmethod
    def of(cls, support: Support) -> Self:
        """Of a support."""
        return cls(tuple(map(tuple, support.codes.tolist())), tuple(support.multiplicity.tolist()))


@dataclass(frozen=True)
class PendingReport:
    """What a report says beyond the other files of its release. Public, like these.

    failure       the kind of the error that stopped it
    choices       how candidate and settings were chosen
    multiplicity  of the release's atoms, in the order of weights.csv
    public        the public table, where rows were added to it
    """

    failure: str
    choices: Choices
    multiplicity: tuple[int, ...]
    public: PublicRows | None = None

    @classmethod
    def of(cls, failure: str, choices: Choices, released: Distribution, public: Support | None) -> Self:
        """What must be kept of a report's values."""
        often = tuple(released.support.multiplicity.tolist())
        return cls(failure, choices, often, None if public is None else PublicRows.of(public))

    @property
    def words(self) -> str:
        """Why there is no report, and how there will be one."""
        return LACKING.format(failure=self.failure)

    def to_bytes(self) -> bytes:
        """As JSON."""
        return _adapter().dump_json(self)

    @classmethod
    def from_bytes(cls, kept: bytes) -> PendingReport:
        """Back from `to_bytes`; CertificateError for anything else."""
        try:
            return _adapter().validate_json(kept)
        except ValueError as failure:
            raise CertificateError(f"{PENDING} is not what a release keeps of its report.") from failure


@cache
def _adapter() -> TypeAdapter[PendingReport]:
    return TypeAdapter(PendingReport)


def report_or_pending(
    name: str, make: Callable[[], bytes], choices: Choices, released: Distribution, public: Support | None
) -> dict[str, bytes]:
    """The report under its name; or under `PENDING`, where it cannot be made, what must be kept for it."""
    html, failure = tried(make)
    if html is not None:
        return {name: html}
    return kept_or_lost(PENDING, lambda: PendingReport.of(failure, choices, released, public).to_bytes())


def kept_or_lost(name: str, make: Callable[[], bytes]) -> dict[str, bytes]:
    """What is made under its name; or, where that fails, why it is lost."""
    body, failure = tried(make)
    return {name + LOST: failure.encode()} if body is None else {name: body}
