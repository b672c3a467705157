"""What is downloaded is signed where the operator named a key: certificate.sig beside certificate.json."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from pmwpub.errors import FileRefused, SettingRefused
from pmwpub.release.bundle import CERTIFICATE
from pmwpub.release.certificates.certificate_signature import SIGNATURE, SigningKey
from pmwpub.settings import SIGNING_KEY, signing_key

__all__ = ["SIGNATURE", "declared_key", "signed"]


def declared_key() -> SigningKey | None:
    """The key that PMWPUB_SIGNING_KEY names; None where it names none. SettingRefused where that is no usable key."""
    path = signing_key()
    return None if path is None else _read(path)


@lru_cache(maxsize=8)
def _read(path: Path) -> SigningKey:
    """The key of a file, read once for as long as the program runs."""
    try:
        return SigningKey.read(path)
    except FileRefused as refusal:
        raise SettingRefused(f"{SIGNING_KEY} names no key that can be used. {refusal}") from refusal


def signed(files: Mapping[str, bytes], key: SigningKey | None) -> dict[str, bytes]:
    """The files of a release, with the signature of their certificate where there is a key."""
    return dict(files) if key is None else {**files, SIGNATURE: key.sign(files[CERTIFICATE])}
