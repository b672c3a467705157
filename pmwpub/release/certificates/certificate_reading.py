"""A certificate file of any engine, read."""

from __future__ import annotations

import json

from pmwpub.errors import CertificateError
from pmwpub.release.certificate import Certificate
from pmwpub.release.certificates.table_certificate import PoolCertificate, TableCertificate
from pmwpub.release.certificates.unchanged_certificate import UnchangedCertificate
from pmwpub.release.strict_json import check_strict

ChargedCertificate = Certificate | TableCertificate
AnyCertificate = ChargedCertificate | UnchangedCertificate


def read_certificate(content: bytes) -> AnyCertificate:
    """The certificate of the version and engine that the file names; CertificateError if it is none."""
    try:
        check_strict(content)
        stated = json.loads(content)
    except (ValueError, RecursionError) as failure:
        raise CertificateError("The certificate is not one that this version of pmwpub can read.") from failure
    if not isinstance(stated, dict) or stated.get("version") != 2:
        return Certificate.from_bytes(content)
    if stated.get("engine") == "unchanged":
        return UnchangedCertificate.from_bytes(content)
    return (PoolCertificate if "pool_parts" in stated else TableCertificate).from_bytes(content)
