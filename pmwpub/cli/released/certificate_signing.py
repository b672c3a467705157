"""The commands `certificate keygen` and `certificate sign`."""

from __future__ import annotations

import argparse
from pathlib import Path

from pmwpub.cli.inputs import Json
from pmwpub.cli.released.certificate_check import checked
from pmwpub.errors import FileRefused
from pmwpub.outputs import write_file
from pmwpub.release.certificates.certificate_signature import (
    SigningKey,
    new_key_files,
    signature_in,
    signature_place,
)


def make_key(parsed: argparse.Namespace) -> Json:
    """`certificate keygen`: a new pair of key files, never over existing ones."""
    path = Path(parsed.output)
    public = new_key_files(path)
    return {"key": str(path), "public_key": f"{path}.pub", "fingerprint": public.fingerprint}


def sign_certificate(parsed: argparse.Namespace) -> Json:
    """`certificate sign`: write certificate.sig beside a certificate that holds; the certificate stays as it is."""
    folder, key = Path(parsed.folder), SigningKey.read(Path(parsed.key))
    certificate, *_ = checked(folder)
    place = signature_place(folder)
    made, before = key.sign(certificate), signature_in(folder)
    if before not in (None, made):
        raise FileRefused(f"{place} is there and is another signature; take it away to sign anew.")
    write_file(place, made)
    return {"file": str(place), "fingerprint": key.public.fingerprint}
