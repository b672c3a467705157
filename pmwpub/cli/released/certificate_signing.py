"""The commands `certificate keygen` and `certificate sign`."""

from __future__ import annotations

import argparse
from pathlib import Path

from pmwpub.cli.inputs import Json
from pmwpub.cli.released.certificate_check import checked
from pmwpub.errors import FileRefused
from pmwpub.outputs import write_file
from pmwpub.release.certificates.certificate_signature import SIGNATURE, SigningKey, new_key_files, signature_in


def make_key(parsed: argparse.Namespace) -> Json:
    """`certificate keygen`: a new pair of key files, never over existing ones."""
    path = Path(parsed.output)
    public = new_key_files(path)
    return {"key": str(path), "public_key": f"{path}.pub", "fingerprint": public.fingerprint}


def sign_certificate(parsed: argparse.Namespace) -> Json:
    """`certificate sign`: write certificate.sig beside a certificate that holds; the certificate stays as it is."""
    folder, key = Path(parsed.folder), SigningKey.read(Path(parsed.key))
    certificate, *_ = checked(folder)
    made, before = key.sign(certificate), signature_in(folder)
    if before not in (None, made):
        raise FileRefused(f"{folder / SIGNATURE} is there and is another signature; take it away to sign anew.")
    write_file(folder / SIGNATURE, made)
    return {"file": str(folder / SIGNATURE), "fingerprint": key.public.fingerprint}
