"""The report of a stored release that lacks one, made from what was kept of it."""

from __future__ import annotations

import numpy as np

from pmwpub.errors import tried
from pmwpub.records import Distribution, Support
from pmwpub.release.answers.release_answers import ReleaseAnswers
from pmwpub.release.bundle import CERTIFICATE, REPORT, TABLES, VALUES, Bundle
from pmwpub.release.rebuilding import workload_of
from pmwpub.release.report import report_html
from pmwpub.release.reporting.pending_report import PENDING, PendingReport


def lacking(bundle: Bundle) -> str:
    """Why a release has no report, in words; "" where it has one, or is of before there were reports."""
    kept = bundle.parts.get(PENDING)
    return "" if kept is None else PendingReport.from_bytes(kept).words


def with_report(bundle: Bundle) -> Bundle:
    """A bundle with its report, made now where it was still to come; as it is where that fails again.

    The report is a function of what is stored, so it has the same bytes whenever it is made.
    """
    if PENDING not in bundle.parts:
        return bundle
    html, _ = tried(lambda: _made(bundle))
    if html is None:
        return bundle
    parts = {name: body for name, body in bundle.parts.items() if name not in (PENDING, CERTIFICATE, VALUES)}
    parts |= {REPORT: html, CERTIFICATE: bundle.certificate.with_files({REPORT: html}).to_bytes()}
    return Bundle(parts | {name: body for name, body in bundle.parts.items() if name == VALUES})


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
