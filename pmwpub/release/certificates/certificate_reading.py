"""A certificate file of any engine, read."""

from __future__ import annotations

from pmwpub.errors import CertificateError
from pmwpub.release.certificate import Certificate
from pmwpub.release.certificates.certificate_parts import UNREADABLE_CERTIFICATE
from pmwpub.release.certificates.table_certificate import PoolCertificate, TableCertificate
from pmwpub.release.certificates.unchanged_certificate import UnchangedCertificate
from pmwpub.strict_json import read_strictly

OF_HOUSEHOLDS = (
    "That is a release of households: `answer`, `certificate check`, `certificate sign` and `certificate export` take "
    "its folder, and its rebuild.py makes it again. There are no replicate weights or counts of few people of such a "
    "release; its weights.csv and persons.csv are there to count in."
)

ChargedCertificate = Certificate | TableCertificate
AnyCertificate = ChargedCertificate | UnchangedCertificate


def read_certificate(content: bytes) -> AnyCertificate:
    """The certificate of the version and engine that the file names; CertificateError if it is none."""
    try:
        stated = read_strictly(content)
    except ValueError as failure:
        raise CertificateError(UNREADABLE_CERTIFICATE) from failure
    if not isinstance(stated, dict) or stated.get("version") != 2:
        if isinstance(stated, dict) and stated.get("engine") in ("households", "households-pmw-pub"):
            raise CertificateError(OF_HOUSEHOLDS)
        return Certificate.of_strict(content)
    if stated.get("engine") == "unchanged":
        return UnchangedCertificate.of_strict(content)
    return (PoolCertificate if "pool_parts" in stated else TableCertificate).of_strict(content)
