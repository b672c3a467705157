"""The public rows that a finished release began with, and what each public table of a pool contributed to them."""

from __future__ import annotations

from pmwpub.mechanisms.table_fit.pool_weights import PARTS, mixed
from pmwpub.records import Support
from pmwpub.release.bundle import Bundle
from pmwpub.release.certificates.table_certificate import PoolCertificate
from pmwpub.service.inputs.study import Study


def prior_support(current: Study, bundle: Bundle, candidates: tuple[str, ...]) -> Support:
    """One public table, several merged into one, or the mixture that the noisy tables of a pool chose.

    candidates  of the release's plan, in its order; LedgerError where one was deleted
    """
    certificate = bundle.certificate
    if isinstance(certificate, PoolCertificate) and certificate.pool_parts is not None:
        return mixed([current.support([one]) for one in candidates], certificate.pool_parts)
    return current.support(candidates)


def contributions(bundle: Bundle) -> tuple[tuple[str, float], ...]:
    """Each public table of a pool with learnt weights and its share of the prior, the largest first; else nothing."""
    certificate = bundle.certificate
    if not isinstance(certificate, PoolCertificate):
        return ()
    return tuple((name, part / PARTS) for name, part in certificate.contributions)
