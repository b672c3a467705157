"""Answers of a stored release with their intervals, for people: a table beside the public rows, and files."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pmwpub import figures
from pmwpub.mechanisms.table_fit.intervals.cell_intervals import LARGEST_ORDER
from pmwpub.mechanisms.table_fit.intervals.released_tables import marginal_of
from pmwpub.records import Distribution
from pmwpub.release.answers.few_records import MERGING, FewRecords, few_records
from pmwpub.release.answers.main_intervals import MISFITTING, MISSES
from pmwpub.release.answers.marginal_answers import RESTS_ON, CellAnswer, answers_csv, long_csv
from pmwpub.release.answers.number_answers import OF_A_MEAN, OF_A_RANGE, WITHIN, NumberAnswer
from pmwpub.release.answers.quantile_answers import OF_A_QUANTILE, QuantileAnswer
from pmwpub.release.answers.release_answers import ReleaseAnswers
from pmwpub.release.bundle import WEIGHTS, Bundle
from pmwpub.release.certificates.certificate_parts import PUBLIC_PEOPLE
from pmwpub.release.rebuilding import workload_of
from pmwpub.service.bought.release_priors import prior_support
from pmwpub.service.bought.releases import Released
from pmwpub.service.core import Service
from pmwpub.service.inputs.study_store import Study

__all__ = [
    "LARGEST_ORDER",
    "MERGING",
    "MISFITTING",
    "MISSES",
    "OF_A_MEAN",
    "OF_A_QUANTILE",
    "OF_A_RANGE",
    "PUBLIC",
    "PUBLIC_PEOPLE",
    "RESTS_ON",
    "WITHIN",
    "CellAnswer",
    "FewRecords",
    "NumberAnswer",
    "QuantileAnswer",
    "ReleaseAnswers",
    "answer_table",
    "answers_csv",
    "answers_of",
    "few_records_in",
    "misfitting",
    "share_of",
    "workload_csv",
]

PUBLIC = "public table"
"""A header of the table of answers."""


def answers_of(service: Service, bundle: Bundle) -> ReleaseAnswers:
    """What a release answers, kept by its content in the shared cache, for all of it is public.

    Raises CertificateError for files that are not those of its certificate.
    """
    certificate = bundle.certificate
    key = f"answers:{certificate.files[WEIGHTS]}:{certificate.plan_sha256}"
    return service.cache(key, lambda: ReleaseAnswers(bundle))


def share_of(found: Released) -> str:
    """What a release answers of a cell: its share of the rows, or of what they weigh."""
    return f"share of {'rows' if found.plan.weights is None else 'total weight'}"


def answer_table(
    current: Study | None, found: Released, names: Sequence[str], answers: Sequence[CellAnswer], share: str
) -> figures.Table:
    """A row a cell: its levels, the answer with its interval, and the public table's share where that is still here.

    current  None where the shares are not of all rows, so that the public table's own are not theirs
    share    what the answers are shares of, as the header says it
    """
    header = (*answers[0].levels, share, "from", "to", "rests on", "remark")
    lines = [(*one.levels.values(), one.share, one.low, one.high, one.basis, one.remark) for one in answers]
    public = None if current is None else _public(current, found)
    if public is None:
        return figures.Table(header, tuple(lines))
    domain = public.support.domain
    shares = marginal_of(public, tuple(sorted(domain.index(name) for name in names))).ravel().tolist()
    return figures.Table(
        (*header[:-2], PUBLIC, *header[-2:]),
        tuple((*line[:-2], own, *line[-2:]) for line, own in zip(lines, shares, strict=True)),
    )


def workload_csv(answers: ReleaseAnswers) -> bytes:
    """The marginals of the release's workload with their intervals, as one file."""
    return long_csv(answers.workload())


def misfitting(answers: ReleaseAnswers) -> bool:
    """Whether the public rows evidently cannot answer the release's own tables."""
    found = answers.misfit
    return found is not None and max(found.ratios) > MISFITTING


def few_records_in(
    service: Service, current: Study, found: Released, names: Sequence[str], least: int
) -> FewRecords | None:
    """Coded rows of a release that few public records carry, kept in the shared cache, for all of it is public.

    names  of columns, those that matter most first

    None where its public tables are not here, or stand under another schema.
    """
    bundle = _coded_alike(current, found)
    if bundle is None:
        return None
    certificate = bundle.certificate
    candidates = found.plan.inputs.candidates
    public, workload = current.records(candidates), workload_of(certificate, bundle.schema)
    read = f"{certificate.plan_sha256}:{current.readings(candidates)}"  # its files may be read otherwise by now
    key = f"few records:{certificate.files[WEIGHTS]}:{read}:{least}:{json.dumps(list(names))}"
    return service.cache(key, lambda: few_records(bundle.distribution(), public, names, least, workload))


def _public(current: Study, found: Released) -> Distribution | None:
    bundle = _coded_alike(current, found)
    if bundle is None:
        return None
    return Distribution.empirical(prior_support(current, bundle, found.plan.inputs.candidates))


def _coded_alike(current: Study, found: Released) -> Bundle | None:
    """The release's bundle, where its public tables are still here under its own schema."""
    bundle, usable = found.bundle, {facts.sha256 for facts in current.usable}
    if bundle is None or current.schema is None or current.schema.sha256 != bundle.schema.sha256:
        return None
    return bundle if set(found.plan.inputs.candidates) <= usable else None
