"""certificate.sig: who vouches for a certificate, and so for every file whose hash it states.

The signature is Ed25519 (RFC 8032) over the bytes of certificate.json, 64 bytes beside it, so that the certificate
stays as it is and other programs can check it too, such as OpenSSL 3:

    openssl pkeyutl -verify -pubin -inkey KEY.pub -rawin -in certificate.json -sigfile certificate.sig

Private keys are PKCS #8 in PEM, public ones SubjectPublicKeyInfo in PEM.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

from pmwpub.errors import CertificateError, FileRefused, PlanError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

SIGNATURE = "certificate.sig"
NO_CRYPTOGRAPHY = "Signatures need the extra: pip install 'pmwpub[signing]'."
ANOTHER_KIND = "{name} is a key of another kind; certificates are signed by Ed25519 keys."
MOST_BYTES = 10_000
"""The most bytes of a key file."""


class _AnotherKind(Exception):
    """A key that is no Ed25519 key."""


@contextmanager
def _the_extra() -> Iterator[None]:
    """PlanError where the extra is not installed."""
    try:
        yield
    except ModuleNotFoundError as missing:
        raise PlanError(NO_CRYPTOGRAPHY) from missing


@contextmanager
def _key_of(name: object, none: str) -> Iterator[None]:
    """The words of a key that cannot be read: FileRefused for what is none, as `none` says it, or of another kind."""
    with _the_extra():
        from cryptography.exceptions import UnsupportedAlgorithm

        try:
            yield
        except (ValueError, TypeError, LookupError) as failure:
            raise FileRefused(f"{name} is {none}") from failure
        except (UnsupportedAlgorithm, _AnotherKind) as failure:
            raise FileRefused(ANOTHER_KIND.format(name=name)) from failure


@dataclass(frozen=True)
class SigningKey:
    """A private key that certificates are signed with; it is never printed or exported but by `new_key_files`."""

    _key: Ed25519PrivateKey = field(repr=False)

    @classmethod
    def new(cls) -> Self:
        """A new key from the operating system's randomness; PlanError without the extra."""
        with _the_extra():
            from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        return cls(Ed25519PrivateKey.generate())

    @classmethod
    def read(cls, path: Path) -> Self:
        """The key of a file. FileRefused where it cannot be read, others may read it, or it is no such key."""
        content = _private_bytes(path)
        with _key_of(path, "no private key in PEM without a password."):
            from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
            from cryptography.hazmat.primitives.serialization import load_pem_private_key

            key = load_pem_private_key(content, password=None)
            if not isinstance(key, Ed25519PrivateKey):
                raise _AnotherKind
            return cls(key)

    @property
    def public(self) -> PublicKey:
        """The key that its signatures are checked with."""
        return PublicKey(self._key.public_key())

    def sign(self, certificate: bytes) -> bytes:
        """The 64 bytes of certificate.sig; the same for the same certificate and key."""
        return self._key.sign(certificate)

    def private_pem(self) -> bytes:
        """The private key as its file has it."""
        from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

        return self._key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


@dataclass(frozen=True)
class PublicKey:
    """A public key that signatures are checked with."""

    _key: Ed25519PublicKey = field(repr=False)

    @classmethod
    def from_pem(cls, content: bytes, name: str) -> Self:
        """The key of a PEM text; FileRefused for what is no public Ed25519 key, PlanError without the extra."""
        with _key_of(name, "no public key in PEM; give the one that ends in .pub."):
            from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
            from cryptography.hazmat.primitives.serialization import load_pem_public_key

            key = load_pem_public_key(content[:MOST_BYTES])
            if not isinstance(key, Ed25519PublicKey):
                raise _AnotherKind
            return cls(key)

    def pem(self) -> bytes:
        """The key as its file has it."""
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        return self._key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of the key's 32 bytes, as hexadecimal digits: what people compare over the telephone."""
        return hashlib.sha256(self._key.public_bytes_raw()).hexdigest()

    def require(self, certificate: bytes, signature: bytes | None) -> str:
        """What holds, in words; CertificateError where there is no signature, or not this key's of this certificate."""
        from cryptography.exceptions import InvalidSignature

        if signature is None:
            raise CertificateError(f"There is no {SIGNATURE} beside the certificate: nobody has signed it.")
        try:
            self._key.verify(signature, certificate)
        except InvalidSignature:
            raise CertificateError(
                f"{SIGNATURE} is not a signature of this certificate by the key {self.fingerprint}: another key signed "
                "it, or certificate or signature was changed."
            ) from None
        return f"{SIGNATURE} is a signature of the certificate by the key {self.fingerprint}"


def signature_in(folder: Path) -> bytes | None:
    """The signature that lies in a release's folder; None where there is none. FileRefused where it cannot be read."""
    place = folder / SIGNATURE
    if place.exists() and not place.is_file():
        raise FileRefused(f"{place} cannot be read: it is a folder or a device.")
    try:
        with place.open("rb") as stream:
            return stream.read(MOST_BYTES)
    except FileNotFoundError:
        return None
    except OSError as failure:
        raise FileRefused(f"{place} cannot be read: {failure.strerror}.") from failure


def signature_place(folder: Path) -> Path:
    """Where a signature is written; FileRefused where a link, a folder or anything else than a file is there."""
    place = folder / SIGNATURE
    try:
        is_file = stat.S_ISREG(place.lstat().st_mode)
    except FileNotFoundError:
        return place
    except OSError as failure:
        raise FileRefused(f"{place} cannot be read: {failure.strerror}.") from failure
    if not is_file:
        raise FileRefused(f"{place} is a link, a folder or a device: nothing is written there. Take it away to sign.")
    return place


def new_key_files(path: Path) -> PublicKey:
    """Write a new private key to a file that only its owner can read, and its public key to the same name with .pub.

    FileRefused where one of the two files is there already, or cannot be written; neither is then left behind.
    """
    if not path.name:
        raise FileRefused(f"A key is written to a new file, and '{path}' is a folder; name a file.")
    key, public = SigningKey.new(), path.with_name(f"{path.name}.pub")
    _write_new(path, key.private_pem(), 0o600)
    try:
        _write_new(public, key.public.pem(), 0o644)
    except FileRefused:
        path.unlink()
        raise
    return key.public


def _write_new(path: Path, content: bytes, mode: int) -> None:
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), mode)
    except FileExistsError as failure:
        raise FileRefused(f"{path} is there already; a key is never written over anything.") from failure
    except OSError as failure:
        raise FileRefused(f"{path} cannot be written: {failure.strerror}.") from failure
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as failure:
        path.unlink()
        raise FileRefused(f"{path} cannot be written: {failure.strerror}.") from failure


def _private_bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            others = stat.S_IMODE(os.fstat(stream.fileno()).st_mode) & 0o077
            content = stream.read(MOST_BYTES)
    except OSError as failure:
        raise FileRefused(f"The key {path} cannot be read: {failure.strerror}.") from failure
    if others and os.name == "posix":
        raise FileRefused(f"Others than its owner may read or write the key {path}; make it private: chmod 600.")
    return content
