"""certificate.sig: made by one key, refused for any other, for a changed byte and where it is lacking."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from pmwpub.cli import main
from pmwpub.errors import FileRefused, PlanError, SettingRefused
from pmwpub.release import checking
from pmwpub.release.bundle import CERTIFICATE, WEIGHTS, Bundle
from pmwpub.release.certificates.certificate_signature import SIGNATURE, PublicKey, SigningKey, new_key_files
from pmwpub.service.bought.release_files import release_files
from pmwpub.service.policy import Policy
from pmwpub.service.records.signed_files import declared_key
from pmwpub.service.server_parts import open_service
from pmwpub.settings import Settings

BEFORE = Path(__file__).parents[1] / "before"

# RFC 8032, section 7.1, test 2: the secret key, the public key, the one byte that is signed, and its signature.
SECRET = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"
PUBLIC = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
SIGNED = (
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
    "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
)

CURVE = bytes.fromhex("06082a8648ce3d030107")
UNKNOWN_CURVE = bytes.fromhex("06082a811ccf5501822d")
"""The object identifiers of the curves P-256 and SM2."""

Command = Callable[..., Any]


@pytest.fixture
def pmwpub(capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command; JSON, or the words of its refusal."""

    def run(*arguments: object, status: int = 0) -> Any:
        found = main([str(one) for one in arguments])
        said = capsys.readouterr()
        assert found == status, said.err
        return said.err if status else json.loads(said.out)

    return run


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A copy of a release of before signatures were."""
    return Path(shutil.copytree(BEFORE / "out", tmp_path / "out"))


@pytest.fixture
def key(tmp_path: Path) -> Path:
    new_key_files(tmp_path / "key.pem")
    return tmp_path / "key.pem"


@pytest.fixture
def other(tmp_path: Path) -> Path:
    new_key_files(tmp_path / "other.pem")
    return tmp_path / "other.pem"


def public(key: Path) -> Path:
    return key.with_name(f"{key.name}.pub")


def test_a_key_signs_as_the_standard_says(tmp_path: Path) -> None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    known = SigningKey(Ed25519PrivateKey.from_private_bytes(bytes.fromhex(SECRET)))
    assert known.sign(bytes.fromhex("72")).hex() == SIGNED
    assert known.public.fingerprint == hashlib.sha256(bytes.fromhex(PUBLIC)).hexdigest()
    (tmp_path / "k").write_bytes(known.private_pem())
    (tmp_path / "k").chmod(0o600)
    assert SigningKey.read(tmp_path / "k").sign(bytes.fromhex("72")).hex() == SIGNED


def test_signing_leaves_the_release_as_it_was_and_the_check_says_who_signed(
    pmwpub: Command, out: Path, key: Path
) -> None:
    before = {one.name: one.read_bytes() for one in out.iterdir()}
    said = pmwpub("certificate", "sign", out, "--key", key)
    assert {one.name: one.read_bytes() for one in out.iterdir() if one.name != SIGNATURE} == before
    assert len((out / SIGNATURE).read_bytes()) == 64
    found = pmwpub("certificate", "check", out, "--public-key", public(key))
    fingerprint = PublicKey.from_pem(public(key).read_bytes(), "").fingerprint
    assert said["fingerprint"] == fingerprint
    assert found["holds"][-1] == f"{SIGNATURE} is a signature of the certificate by the key {fingerprint}"
    assert found["unlisted"] == []
    assert pmwpub("certificate", "sign", out, "--key", key) == said  # the same again


def test_without_a_key_the_check_says_that_nobody_looked_and_of_an_unsigned_release_nothing_more(
    pmwpub: Command, out: Path, key: Path
) -> None:
    unsigned = pmwpub("certificate", "check", out)
    pmwpub("certificate", "sign", out, "--key", key)
    looked = pmwpub("certificate", "check", out)
    assert looked["holds"] == unsigned["holds"]
    assert looked["not_checked"] == [*unsigned["not_checked"], looked["not_checked"][-1]]
    assert looked["not_checked"][-1].startswith("who signed the certificate")


@pytest.mark.fault("a certificate that another key signed")
def test_another_key_is_refused(pmwpub: Command, out: Path, key: Path, other: Path) -> None:
    pmwpub("certificate", "sign", out, "--key", other)
    assert "is not a signature of this certificate by the key" in pmwpub(
        "certificate", "check", out, "--public-key", public(key), status=2
    )
    assert "is another signature" in pmwpub("certificate", "sign", out, "--key", key, status=2)


@pytest.mark.fault("a byte of a signed certificate that was changed")
def test_a_byte_of_the_certificate_that_no_other_check_looks_at_breaks_the_signature(
    pmwpub: Command, out: Path, key: Path
) -> None:
    """The population's name is the ledger's alone: everything else still holds with another."""
    pmwpub("certificate", "sign", out, "--key", key)
    changed = (out / CERTIFICATE).read_bytes().replace(b'"population": "people"', b'"population": "peoplf"')
    (out / CERTIFICATE).write_bytes(changed)
    pmwpub("certificate", "check", out)
    assert "is not a signature" in pmwpub("certificate", "check", out, "--public-key", public(key), status=2)


@pytest.mark.parametrize("position", [0, 31, 32, 63])
def test_a_byte_of_the_signature_breaks_it(pmwpub: Command, out: Path, key: Path, position: int) -> None:
    pmwpub("certificate", "sign", out, "--key", key)
    body = bytearray((out / SIGNATURE).read_bytes())
    body[position] ^= 1
    (out / SIGNATURE).write_bytes(body)
    assert "is not a signature" in pmwpub("certificate", "check", out, "--public-key", public(key), status=2)


@pytest.mark.parametrize("content", [b"", b"\x00" * 63, b"\x00" * 65, b"x" * 20_000])
def test_what_is_no_signature_is_none(pmwpub: Command, out: Path, key: Path, content: bytes) -> None:
    (out / SIGNATURE).write_bytes(content)
    assert "is not a signature" in pmwpub("certificate", "check", out, "--public-key", public(key), status=2)


def test_a_release_that_nobody_signed_is_refused_where_a_key_is_asked_for(
    pmwpub: Command, out: Path, key: Path
) -> None:
    assert "nobody has signed it" in pmwpub("certificate", "check", out, "--public-key", public(key), status=2)


@pytest.mark.fault("a sum that was changed under a signature")
def test_a_changed_file_is_refused_whatever_the_signature_says(pmwpub: Command, out: Path, key: Path) -> None:
    pmwpub("certificate", "sign", out, "--key", key)
    (out / WEIGHTS).write_bytes((out / WEIGHTS).read_bytes().replace(b"0.0339", b"0.0338", 1))
    said = pmwpub("certificate", "check", out, "--public-key", public(key), status=2)
    assert "weights.csv has the hash that the certificate states: another hash." in said


def test_a_release_that_does_not_hold_is_not_signed(pmwpub: Command, out: Path, key: Path) -> None:
    (out / WEIGHTS).write_bytes((out / WEIGHTS).read_bytes().replace(b"0.0339", b"0.0338", 1))
    assert "another hash" in pmwpub("certificate", "sign", out, "--key", key, status=2)
    assert not (out / SIGNATURE).exists()


def test_a_key_is_made_for_its_owner_alone_and_over_nothing(pmwpub: Command, tmp_path: Path) -> None:
    mask = os.umask(0)
    try:
        said = pmwpub("certificate", "keygen", "-o", tmp_path / "k")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "k").stat().st_mode) == 0o600
    assert said["public_key"] == str(tmp_path / "k.pub")
    before = (tmp_path / "k").read_bytes(), (tmp_path / "k.pub").read_bytes()
    assert b"PRIVATE" in before[0]
    assert b"PRIVATE" not in before[1]
    assert "is there already" in pmwpub("certificate", "keygen", "-o", tmp_path / "k", status=2)
    assert ((tmp_path / "k").read_bytes(), (tmp_path / "k.pub").read_bytes()) == before


def test_a_public_key_that_is_there_stops_the_pair(pmwpub: Command, tmp_path: Path) -> None:
    (tmp_path / "k.pub").write_text("mine")
    assert "is there already" in pmwpub("certificate", "keygen", "-o", tmp_path / "k", status=2)
    assert not (tmp_path / "k").exists()
    assert (tmp_path / "k.pub").read_text() == "mine"


def test_a_link_is_not_followed(pmwpub: Command, tmp_path: Path) -> None:
    (tmp_path / "k").symlink_to(tmp_path / "elsewhere")
    pmwpub("certificate", "keygen", "-o", tmp_path / "k", status=2)
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("place", ["", ".", "/", "./"])
def test_a_key_without_a_name_is_refused_in_words(
    pmwpub: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "is a folder; name a file" in pmwpub("certificate", "keygen", "-o", place, status=2)
    assert list(tmp_path.iterdir()) == []


def _dangling(place: Path, away: Path) -> None:
    place.symlink_to(away)


def _linked(place: Path, away: Path) -> None:
    away.write_bytes(b"mine")
    place.symlink_to(away)


def _folder(place: Path, away: Path) -> None:
    place.mkdir()


def _pipe(place: Path, away: Path) -> None:
    os.mkfifo(place)


@pytest.mark.skipif(os.name != "posix", reason="links and pipes")
@pytest.mark.parametrize("put", [_dangling, _linked, _folder, _pipe])
def test_a_signature_is_written_over_no_link_folder_or_pipe(
    pmwpub: Command, out: Path, key: Path, tmp_path: Path, put: Callable[[Path, Path], None]
) -> None:
    away = tmp_path / "away"
    put(out / SIGNATURE, away)
    before = away.read_bytes() if away.exists() else None
    said = pmwpub("certificate", "sign", out, "--key", key, status=2)
    assert f"{out / SIGNATURE} is a link, a folder or a device" in said
    assert (away.read_bytes() if away.exists() else None) == before
    if put in (_folder, _pipe):  # and nobody waits for what a pipe might say
        assert "cannot be read" in pmwpub("certificate", "check", out, status=2)


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620])
def test_a_key_that_others_can_read_or_write_is_not_used(key: Path, mode: int) -> None:
    key.chmod(mode)
    with pytest.raises(FileRefused, match="chmod 600"):
        SigningKey.read(key)


def _written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    path.chmod(0o600)
    return path


def test_keys_of_another_kind_are_refused_in_words(tmp_path: Path, key: Path) -> None:
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import (
        BestAvailableEncryption,
        Encoding,
        NoEncryption,
        PrivateFormat,
        PublicFormat,
        load_pem_private_key,
    )

    curve = ec.generate_private_key(ec.SECP256R1())
    pem = curve.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    with pytest.raises(FileRefused, match="another kind"):
        SigningKey.read(_written(tmp_path / "curve", pem))
    with pytest.raises(FileRefused, match="another kind"):
        PublicKey.from_pem(curve.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo), "it")
    mine = load_pem_private_key(key.read_bytes(), None)
    locked = mine.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"word"))
    for content in (locked, b"", b"\xff", public(key).read_bytes()):
        with pytest.raises(FileRefused, match="is no private key"):
            SigningKey.read(_written(tmp_path / "none", content))
    with pytest.raises(FileRefused, match="is no public key"):
        PublicKey.from_pem(key.read_bytes(), "it")
    with pytest.raises(FileRefused, match="cannot be read"):
        SigningKey.read(tmp_path / "nowhere")


@pytest.fixture
def unknown(tmp_path: Path) -> Path:
    """A pair of keys on a curve that the library does not know (SM2's), as OpenSSL writes them."""
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

    known = ec.generate_private_key(ec.SECP256R1())
    private = known.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    asked = known.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    for name, kind, content in (("odd", "PRIVATE", private), ("odd.pub", "PUBLIC", asked)):
        assert content.count(CURVE) == 1
        lines = base64.encodebytes(content.replace(CURVE, UNKNOWN_CURVE)).decode()
        _written(tmp_path / name, f"-----BEGIN {kind} KEY-----\n{lines}-----END {kind} KEY-----\n".encode())
    return tmp_path / "odd"


def test_keys_on_a_curve_that_nobody_knows_are_refused_in_words(
    pmwpub: Command, out: Path, unknown: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert f"{unknown} is a key of another kind" in pmwpub("certificate", "sign", out, "--key", unknown, status=2)
    assert not (out / SIGNATURE).exists()
    said = pmwpub("certificate", "check", out, "--public-key", public(unknown), status=2)
    assert f"{public(unknown)} is a key of another kind" in said
    monkeypatch.setenv("PMWPUB_SIGNING_KEY", str(unknown))
    with pytest.raises(SettingRefused, match="is a key of another kind"):  # release and server alike
        declared_key()


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no OpenSSL here")
def test_openssl_takes_the_signature_too(pmwpub: Command, out: Path, key: Path, other: Path) -> None:
    pmwpub("certificate", "sign", out, "--key", key)
    command = ["openssl", "pkeyutl", "-verify", "-pubin", "-rawin", "-in", CERTIFICATE, "-sigfile", SIGNATURE, "-inkey"]
    for one, agrees in ((key, True), (other, False)):
        found = subprocess.run([*command, str(public(one))], cwd=out, capture_output=True, text=True)
        if "rawin" in found.stderr:
            pytest.skip("an OpenSSL before version 3")
        assert (found.returncode == 0) is agrees


def test_what_is_downloaded_is_signed_where_a_key_is_declared(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, key: Path
) -> None:
    bundle = Bundle(
        {name: body for name, body in checking.read_folder(BEFORE / "out").items() if name != "synthetic.csv"}
    )

    def offered() -> dict[str, bytes]:
        return {one.name: one.content() for one in release_files(bundle, "all.zip", rows=40, seed=3, cells="labels")}

    unsigned = offered()
    assert SIGNATURE not in unsigned
    monkeypatch.setenv("PMWPUB_SIGNING_KEY", str(key))
    files = offered()
    assert set(files) == {*unsigned, SIGNATURE}
    assert {name: body for name, body in files.items() if name not in (SIGNATURE, "all.zip")} == {
        name: body for name, body in unsigned.items() if name != "all.zip"
    }
    asked = PublicKey.from_pem(public(key).read_bytes(), "")
    asked.require(files[CERTIFICATE], files[SIGNATURE])
    with zipfile.ZipFile(BytesIO(files["all.zip"])) as archive:
        asked.require(archive.read(CERTIFICATE), archive.read(SIGNATURE))
        assert archive.read(CERTIFICATE) == files[CERTIFICATE]


def test_a_server_does_not_start_with_a_key_that_is_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, key: Path
) -> None:
    def begun() -> None:
        pytest.fail("workers were started")

    key.chmod(0o644)
    monkeypatch.setenv("PMWPUB_STORE", f"sqlite:///{tmp_path / 'ledger.sqlite3'}")
    monkeypatch.setenv("PMWPUB_SIGNING_KEY", str(key))
    with pytest.raises(SettingRefused, match="PMWPUB_SIGNING_KEY names no key that can be used"):
        open_service(begun, lambda key, make: make(), Policy(), str, lambda: None)  # type: ignore[arg-type, return-value]
    assert not (tmp_path / "ledger.sqlite3").exists()
    key.chmod(0o600)
    assert declared_key() is not None


def test_the_key_is_named_by_its_whole_path() -> None:
    with pytest.raises(SettingRefused, match="PMWPUB_SIGNING_KEY is the whole path"):
        Settings.declared({"PMWPUB_SIGNING_KEY": "key.pem"})


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, key: Path) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric.ed25519", None)
    with pytest.raises(PlanError, match=r"pip install 'pmwpub\[signing\]'"):
        SigningKey.read(key)


def test_the_key_is_in_no_text_of_the_program(key: Path) -> None:
    secret = key.read_text().splitlines()[1]
    assert secret not in repr(SigningKey.read(key)) + str(SigningKey.read(key))


def test_a_signature_goes_into_a_crate(pmwpub: Command, out: Path, key: Path, tmp_path: Path) -> None:
    pmwpub("certificate", "sign", out, "--key", key)
    pmwpub("certificate", "export", "--format", "ro-crate", "--release", out, "-o", tmp_path / "crate")
    assert (tmp_path / "crate" / SIGNATURE).read_bytes() == (out / SIGNATURE).read_bytes()
    assert (
        SIGNATURE
        in json.loads((tmp_path / "crate" / "ro-crate-metadata.json").read_text())["@graph"][0]["hasPart"][-2].values()
    )
