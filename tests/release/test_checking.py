"""The check of a folder: it passes as released, and every change to certificate or files is named."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from release.bundles import Made

from pmwpub.errors import CertificateError, FileRefused
from pmwpub.release.bundle import CERTIFICATE, MEASUREMENTS, REPORT, SCHEMA, SYNTHETIC, WEIGHTS
from pmwpub.release.checking import check, not_checked, read_folder, require

Change = Callable[[dict[str, Any]], object]


def problems(files: dict[str, bytes]) -> str:
    """What the check says against some files; "" if nothing."""
    return " ".join(f"{one.statement}: {one.problem}" for one in check(files) if one.problem)


def changed(made: Made, change: Change, **replaced: bytes) -> dict[str, bytes]:
    """The files with a changed certificate."""
    files = made.bundle.files(50, 1)
    body = json.loads(files[CERTIFICATE])
    change(body)
    return files | {CERTIFICATE: json.dumps(body).encode()} | replaced


def test_a_release_as_written_holds_and_each_statement_is_listed(made: Made, tmp_path: Path) -> None:
    files = read_folder(made.write(tmp_path, rows=50))
    statements = require(check(files))
    assert len(statements) == len(made.bundle.files()) - 1 + 11
    assert any(WEIGHTS in words and "hash" in words for words in statements)


@pytest.mark.parametrize("name", [SYNTHETIC, WEIGHTS, SCHEMA, MEASUREMENTS, REPORT, "rebuild.py"])
def test_a_changed_or_missing_file_is_named(made: Made, name: str) -> None:
    files = made.bundle.files(50, 1)
    assert f"{name} has the hash that the certificate states: another hash" in problems(
        files | {name: files[name] + b" "}
    )
    lacking = {other: body for other, body in files.items() if other != name}
    assert f"{name} has the hash that the certificate states: the file is missing" in problems(lacking)


def test_a_report_that_was_taken_out_with_its_hash_is_said_not_to_be_told_from_one_that_never_was(made: Made) -> None:
    files = made.bundle.files(50, 1)
    body = json.loads(files[CERTIFICATE])
    del body["files"][REPORT], files[REPORT]
    files[CERTIFICATE] = json.dumps(body).encode()
    assert problems(files) == ""
    (words,) = [one for one in not_checked(check(files)) if one.startswith(REPORT)]
    assert "it could not be made" in words
    assert "or both were taken out since: which of the two, no file tells" in words


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda body: body.update(epsilon=body["epsilon"] * 0.999), "epsilon of this release"),
        (lambda body: body.update(delta="0.00001"), "epsilon of this release"),
        (lambda body: body.update(rho="0.090000000000000"), "the plan costs another rho"),
        (lambda body: body.update(rho="0.0000000000000001"), "more than 15 decimals"),
        (lambda body: body["ledger_total"].update(epsilon=0.1), "epsilon of the ledger's total"),
        (lambda body: body["ledger_total"].update(rho="0.000000000000001"), "less than this release"),
        (lambda body: body.update(n=201), "other terms than the plan"),
        (lambda body: body.update(start="uniform"), "other terms than the plan"),
        (lambda body: body.update(replay="off"), "other terms than the plan"),
        (lambda body: body.update(epsilon0="1/2"), "another epsilon0"),
        (lambda body: body.update(neighbours="replace-all"), "other words stand there"),
        (lambda body: body.update(mechanism="no noise at all"), "other words stand there"),
        (lambda body: body.update(outside_the_guarantee=""), "other words stand there"),
        (
            lambda body: body.update(budget={"rho": "0.000000000000001", "epsilon": 9.0}),
            "more is spent than was granted",
        ),
        (lambda body: body.update(budget={"rho": "9.000000000000000", "epsilon": 0.1}), "gives 27.1"),
        (lambda body: body.update(selection="permute-and-flip"), "other terms than the plan"),
        (lambda body: body["plan"].update(rho_units=1), "not the one that its hash names"),
        (lambda body: body.update(measurement_scale="1"), "another scale"),
        (lambda body: body["transcript"].pop(), "other terms than the plan"),
        (lambda body: body["transcript"][0].update(noisy_answer=0.5), "an answer is another one"),
        (lambda body: body["transcript"][0].update(number=body["transcript"][0]["number"] - 1), "number and labels"),
        (lambda body: body.update(queries=1), "number and labels"),
        (lambda body: body.update(workload_sha256="0" * 64), "workload is not the one"),
        (lambda body: body.update(schema_sha256="0" * 64), "schema.json is not the schema"),
        (lambda body: body.update(row_seed=2), "it is another table"),
        (lambda body: body.update(rows=51), "it is another table"),
        (lambda body: body["files"].pop("weights.csv"), "states the hash of weights.csv"),
        (lambda body: body["candidate"].pop(), "other terms than the plan"),
    ],
)
def test_a_changed_certificate_is_seen_through(made: Made, change: Change, words: str) -> None:
    files = changed(made, change)
    assert words in problems(files)
    with pytest.raises(CertificateError, match="does not hold"):
        require(check(files))


def test_measurements_that_differ_from_the_transcript_are_seen_through_although_their_hash_fits(made: Made) -> None:
    forged = made.bundle.parts[MEASUREMENTS].replace(b'"round"', b'"rounds"')
    digest = hashlib.sha256(forged).hexdigest()
    files = changed(made, lambda body: body["files"].update({MEASUREMENTS: digest})) | {MEASUREMENTS: forged}
    assert "it lists others" in problems(files)


def test_an_older_certificate_is_told_from_a_wrong_one(made: Made) -> None:
    assert "earlier version" in problems(changed(made, lambda body: body.pop("plan")))


def test_a_folder_without_a_certificate_or_with_a_name_outside_it_is_refused(made: Made, tmp_path: Path) -> None:
    with pytest.raises(FileRefused):
        read_folder(tmp_path)
    folder = made.write(tmp_path)
    path = folder / CERTIFICATE
    body = json.loads(path.read_text())
    body["files"]["../public0.csv"] = "0" * 64
    path.write_text(json.dumps(body))
    with pytest.raises(CertificateError, match="outside"):
        read_folder(folder)
    path.write_text("[]")
    with pytest.raises(CertificateError, match="read"):
        read_folder(folder)
