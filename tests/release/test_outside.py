"""What stays outside the promise is named in the same words wherever the promise is made."""

from __future__ import annotations

import hashlib
import html
import json
from pathlib import Path

import pytest
from release.bundles import Made

from pmwpub.release.bundle import CERTIFICATE, REPORT
from pmwpub.release.certificate import Certificate
from pmwpub.release.certificates.certificate_parts import OUTSIDE, OUTSIDE_BEFORE
from pmwpub.release.checking import check

README = Path(__file__).resolve().parents[2] / "README.md"
WORDS = (
    "Outside the guarantee: timing, memory, whether a result came at all, and what a steward decides not to buy after "
    "a warning."
)


def test_readme_report_and_certificate_say_the_same_words(made: Made) -> None:
    files = made.bundle.files(50, 1)
    report = html.unescape(files[REPORT].decode())
    assert OUTSIDE == WORDS
    assert WORDS in " ".join(README.read_text(encoding="utf-8").split())
    assert report.count(WORDS) == 2, "where it says what is not promised, and under side channels"
    assert json.loads(files[CERTIFICATE])["outside_the_guarantee"] == WORDS


@pytest.mark.parametrize("words", OUTSIDE_BEFORE)
def test_a_certificate_with_earlier_words_keeps_its_bytes_and_holds(words: str, made: Made) -> None:
    files = made.bundle.files(50, 1)
    older = files[CERTIFICATE].replace(WORDS.encode(), words.encode())
    assert older != files[CERTIFICATE]
    assert hashlib.sha256(Certificate.from_bytes(older).to_bytes()).digest() == hashlib.sha256(older).digest()
    assert not [one for one in check(files | {CERTIFICATE: older}) if one.problem]
