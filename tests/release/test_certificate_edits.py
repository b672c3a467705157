"""Every field of a certificate edited or deleted: each change is seen, or the check says that it leaves it out."""

from __future__ import annotations

import contextlib
import copy
import hashlib
import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from release.bundles import DELTA, Made, make, public_csv

from pmwpub.cli import main
from pmwpub.errors import CertificateError
from pmwpub.privacy.budget import ZCDP, epsilon_of
from pmwpub.release.bundle import CERTIFICATE, SYNTHETIC, WEIGHTS
from pmwpub.release.certificate import Certificate
from pmwpub.release.certificates.certificate_parts import OUTSIDE_BEFORE
from pmwpub.release.certificates.certificate_reading import read_certificate
from pmwpub.release.checking import check, not_checked, require

Path_ = tuple[str | int, ...]
Files = dict[str, bytes]
DELETED = object()
LEFT_OUT = {
    ("population",): "the population's name",
    ("unit",): "unit",
    ("charge_id",): "the charge's number",
    ("charged_at",): "time",
    ("remarks",): "the remarks",
    ("settings_from",): "where settings came from",
    ("versions",): "the versions of programs",
    ("attempts_with_criteria",): "with criteria by then",
}
"""Fields that no file beside the certificate can vouch for -> the words of `not_checked` that say so."""

MAY_BE_ABSENT = ("settings_from", "read_as", "python", "pmwpub", "opendp", "numpy", "numba", "gmpy2")
"""Fields that a certificate has or not: later than others, only of some tables, and what stands under `versions`."""


@pytest.fixture(scope="module")
def files(made: Made) -> Files:
    """A release as a steward hands it out: every optional field is filled in."""
    files = made.bundle.files(50, 1)
    body = json.loads(files[CERTIFICATE])
    units = 2 * 10**14
    body["budget"] = {"rho": "0.200000000000000", "epsilon": epsilon_of(ZCDP(units), DELTA)}
    body["settings_from"] = "a sweep on public tables"
    body["candidate"][0]["read_as"] = "utf-8,comma"
    return files | {CERTIFICATE: json.dumps(body, indent=1).encode()}


def paths(value: Any, path: Path_ = ()) -> Iterator[Path_]:
    """Every place in a JSON value; of the rounds, the first and the last."""
    items: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = [(place, value[place]) for place in dict.fromkeys((0, len(value) - 1)) if value]
    for key, below in items:
        yield (*path, key)
        yield from paths(below, (*path, key))


def at(body: Any, path: Path_) -> Any:
    for key in path:
        body = body[key]
    return body


def edits(value: Any) -> Iterator[Any]:
    """Other values for one: of other types, near it, spelled otherwise, and far too large."""
    yield from (DELETED, None, {}, [], True, "", -1, 10**400, 10**90, float("nan"), float("inf"), 1e300)
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int | float):
        yield from (value + 1, value - 1, -value, str(value), value + 0.5, value * 2, value * (1 - 1e-8), 0)
    elif isinstance(value, str):
        yield from (value + "x", value + " ", " " + value, "+" + value, value + "\n", value.swapcase())
        yield from (
            "nan",
            "inf",
            "1e309",
            "1e999999999",
            "1e-999999999",
            "1e-999",
            "0.000000000000000",
            "9" * 5000,
            "1/0",
            "٣",
            "../x",
            "\ud800",
        )
        yield from ("0" + value, value + "0", "1_0")
        with contextlib.suppress(ValueError, ZeroDivisionError):
            yield from (str(Fraction(value) * 2), str(Fraction(value) / 2))
    elif isinstance(value, list):
        yield from (value + value[:1], value[:-1])
        if value != value[::-1]:
            yield value[::-1]
    elif isinstance(value, dict):
        yield from (value | {"more": 1}, value | {"more": "0" * 64})


def edited(body: dict[str, Any], path: Path_, value: Any) -> bytes:
    changed = copy.deepcopy(body)
    above = at(changed, path[:-1])
    if value is DELETED:
        del above[path[-1]]
    else:
        above[path[-1]] = value
    return json.dumps(changed).encode()


def explained(path: Path_, value: Any, original: Any, said: str, *, planned: bool = False) -> bool:
    """Whether the check says that it leaves this out, or the change means the same.

    planned  the plan says how the public tables are read
    """
    if isinstance(original, float) and type(value) is int and value == original:  # 0 for 0.0, as JSON has one kind
        return True
    if path[:1] in LEFT_OUT:
        named = value is not DELETED or path[-1] in MAY_BE_ABSENT or isinstance(path[-1], int)
        return named and LEFT_OUT[path[:1]] in said
    if path[:1] == ("candidate",) and path[-1] in ("name", "read_as"):
        named = value is not DELETED or path[-1] in MAY_BE_ABSENT
        if path[-1] == "read_as" and planned:
            return False
        return named and "the names of the public files, how they are read" in said
    if path[:1] == ("rules",) and path[-1] == "public_rows_left_out":
        return value is not DELETED and "how many public rows were left out" in said
    if path == ("budget",):
        return value is None and "no budget is stated" in said
    if path == ("delta",):  # the same number with one more digit
        return isinstance(value, str) and Fraction(value) == Fraction(original)
    if path == ("row_seed",):  # random.Random takes a seed and its negative for the same: so does the statement
        return bool(value == -original)
    return False


def verdict(files: Files, certificate: bytes) -> str | None:
    """None where the check refuses or something does not hold, else what it says it did not check."""
    try:
        found = check(files | {CERTIFICATE: certificate})
        require(found)
        return " ".join(not_checked(found))
    except CertificateError:
        return None


def test_every_edit_of_every_field_is_seen_or_is_about_what_the_check_leaves_out(files: Files) -> None:
    body = json.loads(files[CERTIFICATE])
    assert verdict(files, json.dumps(body).encode()) is not None
    # `rules` are stated of a schema that has some: test_rules_released.py edits them; `weights` of rows that are
    # weighed: cli/test_weighed_releases.py.
    assert {path[0] for path in paths(body)} == set(Certificate.model_fields) - {"rules", "weights"}
    assert not unseen(files, body, list(paths(body)))


def unseen(files: Files, body: dict[str, Any], where: list[Path_], *, planned: bool = False) -> list[tuple[Path_, str]]:
    """The edits at some places that the check neither sees nor leaves out in words."""
    found = []
    for path in where:
        original = at(body, path)
        for value in edits(original):
            if value is not DELETED and type(value) is type(original) and value == original:
                continue
            said = verdict(files, edited(body, path, value))
            if said is not None and not explained(path, value, original, said, planned=planned):
                found.append((path, "deleted" if value is DELETED else repr(value)[:60]))
    return found


def test_every_edit_of_how_a_table_is_read_is_seen_where_the_plan_says_it() -> None:
    files = make([public_csv(60, 1)], read_as="cp1252,comma").bundle.files(50, 1)
    body = json.loads(files[CERTIFICATE])
    assert verdict(files, json.dumps(body).encode()) is not None
    where = [path for path in paths(body) if "read_as" in path or path[0] in ("candidate", "plan", "plan_sha256")]
    assert ("candidate", 0, "read_as") in where
    assert any(path[:3] == ("plan", "inputs", "read_as") and len(path) == 4 for path in where)
    assert not unseen(files, body, where, planned=True)
    for other in ("latin-1,comma", "utf-8,comma", "cp1252,semicolon"):
        assert verdict(files, edited(body, ("candidate", 0, "read_as"), other)) is None


def test_a_certificate_of_before_plans_said_how_tables_are_read_still_checks_and_says_what_it_left_out() -> None:
    files = make([public_csv(60, 1)], read_as="cp1252,comma", plan_says_so=False).bundle.files(50, 1)
    body = json.loads(files[CERTIFICATE])
    assert body["candidate"][0]["read_as"] == "cp1252,comma"
    assert "read_as" not in body["plan"]["inputs"]
    said = verdict(files, files[CERTIFICATE])
    assert said is not None
    assert "how they are read where the plan does not say it" in said


def test_the_private_table_cannot_pass_as_the_synthetic_one(files: Files) -> None:
    """Whatever is taken out of the certificate: the table is drawn from the weights, or the check fails."""
    private = b"sex,age\n" + b"F,30\n" * 50
    body = json.loads(files[CERTIFICATE])
    for hashed in ({SYNTHETIC: hashlib.sha256(private).hexdigest()}, {}):
        for rows in ({}, {"rows": None, "row_seed": None}, {"rows": None}, {"row_seed": None}, {"rows": 0}):
            for without in ([], ["report.html"], ["rebuild.py", "schema.json", "measurements.csv"]):
                kept = {name: body["files"][name] for name in body["files"] if name not in [*without, SYNTHETIC]}
                forged = json.dumps(body | rows | {"files": kept | hashed}).encode()
                assert verdict(files | {SYNTHETIC: private}, forged) is None


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(b'"rho": "0.0', b'"rho": "0.01", "rho": "0.0', 1),
        lambda text: text.replace(b'"version": 1,', b'"version": 1, "version": 1,'),
        lambda text: b"\xef\xbb\xbf" + text,
        lambda text: text.decode().encode("utf-16"),
        lambda text: text[:-5],
        lambda text: text + b"{}",
        lambda text: b'{"a":' + b"[" * 200_000,
        lambda text: b'{"a":' * 200_000,
        lambda text: b"",
        lambda text: b"null",
        lambda text: b"\xff",
        lambda text: text.replace(b'"n": 200', b'"n": 1' + b"0" * 5000),
        lambda text: text.replace(b'"n": 200', b'"n": 2e2'),
        lambda text: text.replace(b'"epsilon": ', b'"epsilon": 1e999, "x": ', 1),
    ],
)
def test_a_certificate_that_can_be_read_in_two_ways_or_in_none_is_refused(
    files: Files, change: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = change(files[CERTIFICATE])
    assert changed != files[CERTIFICATE]
    for name, body in (files | {CERTIFICATE: changed}).items():
        (tmp_path / name).write_bytes(body)
    assert main(["certificate", "check", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith("pmwpub: The certificate is not one")


def test_weights_and_schema_that_are_none_do_not_hold_although_their_hash_fits(files: Files) -> None:
    body = json.loads(files[CERTIFICATE])
    for name in (WEIGHTS, "schema.json"):
        for forged in (b"", b"\xff\xfe", b"weight\nnan\n", b"{}", b"[" * 100_000, files[name].replace(b"0.", b"9.")):
            hashes = body["files"] | {name: hashlib.sha256(forged).hexdigest()}
            if forged != files[name]:
                assert verdict(files | {name: forged}, json.dumps(body | {"files": hashes}).encode()) is None


def test_a_certificate_of_before_settings_were_named_still_checks(files: Files) -> None:
    body = json.loads(files[CERTIFICATE])
    del body["settings_from"], body["candidate"][0]["read_as"], body["statement"]
    assert verdict(files, json.dumps(body).encode()) is None, "the words of today stand beside that statement"
    body["outside_the_guarantee"] = OUTSIDE_BEFORE[0]
    assert verdict(files, json.dumps(body).encode()) is not None


def test_what_else_lies_in_the_folder_is_listed(
    files: Files, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, body in files.items():
        (tmp_path / name).write_bytes(body)
    assert main(["certificate", "check", str(tmp_path)]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["unlisted"] == []
    assert not any("budget: " in words for words in said["not_checked"])
    (tmp_path / "private.csv").write_text("sex\nF\n")
    (tmp_path / "more").mkdir()
    assert main(["certificate", "check", str(tmp_path)]) == 0
    streams = capsys.readouterr()
    assert json.loads(streams.out)["unlisted"] == ["more", "private.csv"]
    assert "2 more" in streams.err


def test_a_certificate_is_parsed_once_strictly_and_once_as_what_it_is(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The transcript of many rounds is megabytes."""
    parse, validate, parsed = json.loads, Certificate.model_validate_json, []

    def loads(text: Any, **hooks: Any) -> Any:
        parsed.append("strictly" if "object_pairs_hook" in hooks else "loosely")
        return parse(text, **hooks)

    def validated(text: Any, **how: Any) -> Certificate:
        parsed.append("as a certificate")
        return validate(text, **how)

    with monkeypatch.context() as patch:
        patch.setattr(json, "loads", loads)
        patch.setattr(Certificate, "model_validate_json", validated)
        found = read_certificate(files[CERTIFICATE])
    assert parsed == ["strictly", "as a certificate"]
    assert found == Certificate.from_bytes(files[CERTIFICATE])
