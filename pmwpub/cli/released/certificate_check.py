"""The command `certificate check`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pmwpub.cli.inputs import Json, read
from pmwpub.release import checking
from pmwpub.release.bundle import CERTIFICATE
from pmwpub.release.certificates.certificate_signature import SIGNATURE, PublicKey, signature_in
from pmwpub.release.notebooks.analyst_notebook import without_notebook

NOBODY_ASKED = f"who signed the certificate: {SIGNATURE} is there, and --public-key says whose it should be"


def check_certificate(parsed: argparse.Namespace) -> Json:
    """`certificate check`: recompute what can be recomputed from a release's own files; with a key, who signed it."""
    folder = Path(parsed.folder)
    files, signature = checking.read_folder(folder), signature_in(folder)
    found = checking.check(files)
    statements, left = checking.require(found), checking.not_checked(found)
    if parsed.public_key is not None:
        key = PublicKey.from_pem(read(parsed.public_key), parsed.public_key)
        statements.append(key.require(files[CERTIFICATE], signature))
    elif signature is not None:
        left.append(NOBODY_ASKED)
    others = [name for name in checking.unlisted(folder, files) if name != SIGNATURE]
    unlisted = without_notebook(others, folder, files)
    if unlisted:
        print(f"pmwpub: {len(unlisted)} more in that folder, of which nothing is stated.", file=sys.stderr)
    return {"holds": statements, "not_checked": left, "unlisted": unlisted}
