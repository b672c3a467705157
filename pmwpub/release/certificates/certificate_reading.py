"""A certificate file of any engine, read."""

from __future__ import annotations

import json

from pmwpub.errors import CertificateError
from pmwpub.release.certificate import Certificate
from pmwpub.release.certificates.table_certificate import TableCertificate
from pmwpub.release.strict_json import check_strict

AnyCertificate = Certificate | TableCertificate


def read_certificate(content: bytes) -> AnyCertificate:
    """The certificate of the version that the file names; CertificateError if it is none."""
    try:
        check_strict(content)
        stated = json.loads(content)
    except (ValueError, RecursionError) as failure:
        raise CertificateError("The certificate is not one that this version of pmwpub can read.") from failure
    newer = isinstance(stated, dict) and stated.get("version") == 2
    return TableCertificate.from_bytes(content) if newer else Certificate.from_bytes(content)
