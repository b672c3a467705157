"""A public table published unchanged: it costs nothing, owes nothing to the private table, and its files hold."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pmwpub.errors import CertificateError, OverlapUndecided, PlanError
from pmwpub.release import rebuilding
from pmwpub.release.bundle import CERTIFICATE, MEASUREMENTS, TABLES, WEIGHTS, Bundle
from pmwpub.release.certificates.certificate_reading import read_certificate
from pmwpub.release.checking import check, require
from pmwpub.service.bought import releases
from pmwpub.service.inputs import stored_tables, study_store
from pmwpub.service.unchanged_release import BY_HAND, is_published, publish_unchanged

if TYPE_CHECKING:
    from conftest import Bench

Files = dict[str, bytes]


def rows_of(rows: int, line: bytes) -> bytes:
    """A table of one row, many times."""
    return b"sex,age,job\n" + (line + b"\n") * rows


def publish(bench: Bench, pool: int = 1, **asked: Any) -> Bundle:
    current = study_store.study(bench.service, bench.name)
    plan = releases.unchanged_plan(current, bench.candidates[:pool])
    return publish_unchanged(bench.service, current, plan, private=bench.private, **asked).bundle


def publics(bench: Bench, pool: int) -> list[bytes]:
    return [stored_tables.content(bench.service, bench.name, sha256) for sha256 in bench.candidates[:pool]]


@pytest.mark.parametrize("pool", [1, 2])
def test_it_costs_nothing_passes_its_check_and_is_rebuilt_byte_for_byte(bench: Bench, pool: int) -> None:
    bundle = publish(bench, pool)
    assert bench.service.ledger.history(bench.name) == []
    files = bundle.files(rows=30)
    assert not {MEASUREMENTS, TABLES} & set(files)
    stated = json.loads(files[CERTIFICATE])
    assert (stated["epsilon"], stated["delta"], stated["rho"]) == (0, "0", "0.000000000000000")
    assert not {"charge_id", "charged_at", "repeat", "ledger_total", "budget"} & set(stated)
    assert "no private row was read" in stated["mechanism"]
    require(check(files))
    again = rebuilding.rebuilt(bundle.stated(files, rows=30), files["schema.json"], publics(bench, pool))
    assert again == {name: files[name] for name in again}
    assert set(again) == {WEIGHTS, "synthetic.csv"}


def test_the_weights_are_the_shares_of_the_public_rows(bench: Bench) -> None:
    bundle = publish(bench)
    current = study_store.study(bench.service, bench.name)
    support = current.support(bench.candidates[:1])
    lines = list(csv.DictReader(io.StringIO(bundle.weights.decode())))
    assert [float(line["weight"]) for line in lines] == pytest.approx(list(support.multiplicity / support.rows))


def test_the_files_are_the_same_whatever_stands_in_the_private_table(bench: Bench) -> None:
    first = publish(bench)
    bench.service.ledger.delete_documents(bench.name, "unchanged-release")
    other = study_store.load_private(bench.service, bench.name, rows_of(300, b"F,3,cook"))
    assert publish(replace(bench, private=other)).parts == first.parts


def test_it_is_stored_and_found_again(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    plan = releases.unchanged_plan(current, bench.candidates[:1])
    assert not is_published(bench.service, current, plan)
    first = publish(bench, why="Advised: the public table unchanged.")
    assert is_published(bench.service, current, plan)
    assert publish(bench).parts == first.parts
    assert first.certificate.settings_from == "Advised: the public table unchanged."
    assert BY_HAND in publish(bench, 2).parts["report.html"].decode()


def test_a_public_table_with_private_rows_is_not_published_without_the_stewards_word(bench: Bench) -> None:
    """A copy of private rows under another name would leave the house."""
    half = b"\n".join(bench.private_csv.splitlines()[:200]) + b"\n"
    key = study_store.add_candidate(bench.service, bench.name, "half.csv", half, attested=True)
    current = study_store.study(bench.service, bench.name)
    plan = releases.unchanged_plan(current, [key])
    for tick in (None, False):
        with pytest.raises(OverlapUndecided):
            publish_unchanged(bench.service, current, plan, private=bench.private, tick=tick)
    assert not is_published(bench.service, current, plan)
    with pytest.raises(PlanError, match="True or False"):
        publish_unchanged(bench.service, current, plan, private=bench.private, tick="yes")  # type: ignore[arg-type]


def edited(handed: Files, **changes: object) -> Files:
    body = json.loads(handed[CERTIFICATE])
    return handed | {CERTIFICATE: json.dumps(body | changes, indent=1).encode()}


@pytest.mark.parametrize(
    "changes",
    [
        {"epsilon": 0.1}, {"delta": "1e-6"}, {"rho": "0.100000000000000"}, {"charge_id": 3}, {"repeat": 0},
        {"mechanism": "PMW^Pub"}, {"n": 299}, {"statement": "Trust us."}, {"engine": "table-fit"}, {"version": 1},
        {"ledger_total": {"rho": "0.000000000000000", "epsilon": 0.0}}, {"plan_sha256": "0" * 64}, {"queries": 1},
    ],
)  # fmt: skip
def test_a_forged_certificate_is_refused(bench: Bench, changes: dict[str, object]) -> None:
    files = publish(bench).files(rows=30)
    with pytest.raises(CertificateError):
        require(check(edited(files, **changes)))


def test_changed_weights_are_seen_by_their_hash_or_by_whoever_has_the_public_table(bench: Bench) -> None:
    """Other weights under their own hash pass what files alone can show; whoever has the public table sees it."""
    files = publish(bench).files(rows=30)
    lines = files[WEIGHTS].decode().splitlines()
    swapped = lines[1].rpartition(",")[2], lines[2].rpartition(",")[2]
    moved = [f"{line.rpartition(',')[0]},{weight}" for line, weight in zip(lines[1:3], swapped[::-1], strict=True)]
    forged = "\n".join([lines[0], *moved, *lines[3:]]).encode() + b"\n"
    assert forged != files[WEIGHTS]
    with pytest.raises(CertificateError, match=WEIGHTS):
        require(check(files | {WEIGHTS: forged}))
    stated = json.loads(files[CERTIFICATE])["files"] | {WEIGHTS: hashlib.sha256(forged).hexdigest()}
    certificate = read_certificate(edited(files, files=stated)[CERTIFICATE])
    again = rebuilding.rebuilt(certificate, files["schema.json"], publics(bench, 1))
    assert rebuilding.differing(certificate, again) == [WEIGHTS]
