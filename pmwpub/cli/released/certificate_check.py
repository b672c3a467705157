"""The command `certificate check`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pmwpub.cli.inputs import Json, read
from pmwpub.release import checking
from pmwpub.release.bundle import CERTIFICATE
from pmwpub.release.certificates.certificate_signature import SIGNATURE, PublicKey, signature_in
from pmwpub.release.households.household_certificate import HouseholdCertificate
from pmwpub.release.households.household_checks import (
    NOT_CHECKED,
    checked_households,
    household_files_in,
    is_of_households,
)
from pmwpub.release.notebooks.analyst_notebook import without_notebook
from pmwpub.release.notebooks.household_notebook import without_household_notebook

NOBODY_ASKED = f"who signed the certificate: {SIGNATURE} is there, and --public-key says whose it should be"


def check_certificate(parsed: argparse.Namespace) -> Json:
    """`certificate check`: recompute what can be recomputed from a release's own files; with a key, who signed it."""
    folder = Path(parsed.folder)
    certificate, statements, left, others = checked(folder)
    signature = signature_in(folder)
    if parsed.public_key is not None:
        key = PublicKey.from_pem(read(parsed.public_key), parsed.public_key)
        statements.append(key.require(certificate, signature))
    elif signature is not None:
        left.append(NOBODY_ASKED)
    unlisted = [name for name in others if name != SIGNATURE]
    if unlisted:
        print(f"pmwpub: {len(unlisted)} more in that folder, of which nothing is stated.", file=sys.stderr)
    return {"holds": statements, "not_checked": left, "unlisted": unlisted}


def checked(folder: Path) -> tuple[bytes, list[str], list[str], list[str]]:
    """A release's certificate, what was recomputed and holds, what was not checked, and what else lies in its folder.

    Of every kind of release. Raises CertificateError, which says what does not hold.
    """
    if is_of_households(folder):
        parts = household_files_in(folder)
        holds = list(checked_households(parts))
        named = {CERTIFICATE, *HouseholdCertificate.from_bytes(parts[CERTIFICATE]).files}
        others = sorted(one.name for one in folder.iterdir() if one.name not in named)
        others = without_household_notebook(others, folder, parts)
        return parts[CERTIFICATE], holds, list(NOT_CHECKED), others
    files = checking.read_folder(folder)
    found = checking.check(files)
    others = without_notebook(checking.unlisted(folder, files), folder, files)
    return files[CERTIFICATE], checking.require(found), checking.not_checked(found), others
