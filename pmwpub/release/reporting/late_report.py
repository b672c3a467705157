"""The report of a stored release that lacks one, made from what was kept of it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pmwpub.errors import tried
from pmwpub.records import Distribution, Support
from pmwpub.release.answers.interval_strengths import worked_out
from pmwpub.release.answers.release_answers import ReleaseAnswers
from pmwpub.release.bundle import CERTIFICATE, INTERVALS, REPORT, TABLES, VALUES, Bundle
from pmwpub.release.rebuilding import workload_of
from pmwpub.release.report import report_html
from pmwpub.release.reporting.pending_report import LOST, PENDING, PendingReport

LAST = (VALUES, VALUES + LOST)
"""What stands behind the certificate in a bundle."""

LOST_WORDS = {
    PENDING + LOST: "report.html could not be made, nor what it needs be kept ({failure}), so this release has none.",
    VALUES + LOST: "values.csv could not be made ({failure}), so synthetic cells cannot be drawn from public values.",
}

LEAST_STRENGTHS = (
    "What the intervals rest on could not be worked out: the strengths in intervals.json are the least ones, which "
    "make the widest intervals, and it says so."
)


def lacking(bundle: Bundle) -> str:
    """What a release lacks because it failed after the draw, in words: a report, public values, strengths of intervals;
    "" where nothing did."""
    said, parts = list[str](), bundle.parts
    if PENDING in parts:
        said.append(PendingReport.from_bytes(parts[PENDING]).words)
    for name, words in LOST_WORDS.items():
        if name in parts:
            said.append(words.format(failure=parts[name].decode()))
    if INTERVALS in parts and not worked_out(parts[INTERVALS]):
        said.append(LEAST_STRENGTHS)
    return " ".join(said)


def late_files(bundle: Bundle) -> dict[str, bytes] | None:
    """The report that was still to come, made now, and the certificate that names it; None where that fails again.

    Both are functions of what is stored and of the version that makes them, so whoever hands them out keeps them.
    """
    made, _ = tried(lambda: _files(bundle))
    return made


def completed(bundle: Bundle, files: Mapping[str, bytes]) -> Bundle:
    """A bundle whose report was still to come, with what `late_files` made."""
    parts = {name: body for name, body in bundle.parts.items() if name not in (PENDING, CERTIFICATE, *LAST)}
    parts |= {name: files[name] for name in (REPORT, CERTIFICATE)}
    return Bundle(parts | {name: body for name, body in bundle.parts.items() if name in LAST})


def _files(bundle: Bundle) -> dict[str, bytes]:
    html = _made(bundle)
    return {REPORT: html, CERTIFICATE: bundle.certificate.with_files({REPORT: html}).to_bytes()}


def _made(bundle: Bundle) -> bytes:
    pending, stored = PendingReport.from_bytes(bundle.parts[PENDING]), bundle.distribution()
    domain, certificate = bundle.schema.domain, bundle.certificate
    often = np.array(pending.multiplicity, dtype=np.int64)
    public = None
    if pending.public is not None:
        codes = np.array(pending.public.codes, dtype=stored.support.codes.dtype)
        public = Support(domain, codes, np.array(pending.public.multiplicity, dtype=np.int64))
    return report_html(
        certificate,
        bundle.schema,
        Distribution(Support(domain, stored.support.codes, often), stored.weights),
        workload_of(certificate, bundle.schema),
        pending.choices,
        bundle.parts.get(TABLES, b""),
        public,
        ReleaseAnswers(bundle).main,
    )
