"""Rules and what is released: no row of any release breaks one, as it is written, and every byte is made again."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import buying
import pytest
from release import rule_town
from release.test_certificate_edits import paths, unseen
from support.planting import plant

from pmwpub.errors import PlanError, RuleBroken
from pmwpub.privacy.budget import ZCDP
from pmwpub.records import Distribution, Support
from pmwpub.release import checking, rebuild, synthesis
from pmwpub.release.bundle import Bundle
from pmwpub.release.certificates.certificate_parts import Cells
from pmwpub.service.bought import releases
from pmwpub.service.inputs import study_store
from pmwpub.tabular.coding import encode
from pmwpub.tabular.rules.written_rows import WrittenRows

KINDS = ("rounds", "pooled rounds", "tables", "grown", "learnt pool", "unchanged")
CELLS: tuple[Cells, ...] = ("labels", "numbers", "public-values")


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Bundle]:
    service, private = rule_town.opened(tmp_path_factory.mktemp("town"))
    try:
        return rule_town.bought(service, private)
    finally:
        service.ledger.close()


def _young(cell: str) -> bool:
    """Whether an age as it is written, a bin or a number, is below 20; one below all bins is of the first."""
    return cell == "[0, 20)" if cell.startswith("[") else float(cell) < 20


def _breaks(row: dict[str, str]) -> bool:
    """The two rules by their meaning, without a line of the code that holds rows against them."""
    gained = row["gain"].startswith(("(", "[")) or float(row["gain"]) != 0
    child = _young(row["age"]) and row["work"] not in ("none", "(missing)", "")
    return child or (row["work"] == "none" and gained)


def _rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode())))


def _counts(body: bytes) -> tuple[int, int]:
    """How many rows of a public table break either rule."""
    rows = _rows(body)
    children = sum(int(row["age"]) < 20 and row["work"] in ("part", "full") for row in rows)
    return children, sum(row["work"] == "none" and float(row["gain"]) != 0 for row in rows)


def test_the_public_and_the_private_rows_break_the_rules() -> None:
    for body in (*rule_town.PUBLIC.values(), rule_town.PRIVATE):
        rows = [row | {"age": str(max(0, int(row["age"])))} for row in _rows(body)]
        assert 0.1 < sum(map(_breaks, rows)) / len(rows) < 0.6


@pytest.mark.parametrize("kind", KINDS)
def test_no_released_row_breaks_a_rule(bundles: dict[str, Bundle], kind: str) -> None:
    bundle = bundles[kind]
    weighted = _rows(bundle.weights)
    assert len(weighted) > 20
    assert not any(map(_breaks, weighted))
    for cells in CELLS:
        rows = _rows(bundle.synthetic(1_500, 3, cells))
        assert len(rows) == 1_500
        assert not any(map(_breaks, rows))


def test_rows_are_added_where_nobody_public_is_and_none_where_a_rule_excludes_them(bundles: dict[str, Bundle]) -> None:
    grown = json.loads(bundles["grown"].parts["certificate.json"])["chosen"]["grown"]
    pairs = [dict(zip(one["columns"], one["levels"], strict=True)) for one in grown]
    assert {"age": "[60, 80]", "work": "part"} in pairs
    assert {"age": "[0, 20)", "work": "full"} not in pairs
    assert {"age": "[0, 20)", "work": "part"} not in pairs


@pytest.mark.parametrize("kind", KINDS)
def test_a_release_under_rules_is_made_again_byte_by_byte(
    bundles: dict[str, Bundle], kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    files = bundles[kind].files(300, 3, "public-values")
    for name, body in files.items():
        (folder / name).write_bytes(body)
    for name, body in rule_town.PUBLIC.items():
        (tmp_path / name).write_bytes(body)
    public = [str(tmp_path / name) for name in rule_town.PUBLIC]
    assert rebuild.main([*public, "--from", str(folder)]) == 0, capsys.readouterr()
    findings = {one.statement: one for one in checking.check(files)}
    checking.require(list(findings.values()))
    assert findings["no row of weights.csv breaks a rule"].problem == ""
    assert findings["the rules are those of the schema"].problem == ""


def test_certificate_and_report_list_the_rules_with_the_public_rows_that_were_left_out(
    bundles: dict[str, Bundle],
) -> None:
    for kind, bundle in bundles.items():
        names = [one.name for one in bundle.certificate.candidate]
        used = [rule_town.PUBLIC[name] for name in names]
        assert len(used) == (2 if "pool" in kind else 1)
        stated = json.loads(bundle.parts["certificate.json"])["rules"]
        assert [one["rule"] for one in stated] == [rule.text for rule in rule_town.RULED.rules]
        assert [one["reason"] for one in stated] == ["by law", ""]
        assert [one["public_rows_left_out"] for one in stated] == list(map(sum, zip(*map(_counts, used), strict=True)))
        assert b"Rules that hold of every row" in bundle.parts["report.html"]
        assert b"&#34;(missing)&#34;" in bundle.parts["report.html"]


def test_every_edit_of_a_stated_rule_is_seen_but_of_how_many_public_rows_it_left_out(
    bundles: dict[str, Bundle],
) -> None:
    files = bundles["tables"].files(50)
    body = json.loads(files["certificate.json"])
    where = [path for path in paths(body) if path[0] == "rules"]
    assert len(where) == 1 + 2 * 4
    assert unseen(files, body, where) == []


def test_a_row_that_breaks_a_rule_is_refused_as_it_is_written(bundles: dict[str, Bundle]) -> None:
    checked = WrittenRows(rule_town.RULED, b"age,work,gain,sex\n")
    kept = b"[0, 20),none,0,F\n".replace(b"[0, 20)", b'"[0, 20)"') + b"19.99,NA,3,F\n20,full,0,M\n"
    assert checked.kept(kept) == kept
    for broken in (b"19.99,full,0,F\n", b"-1,part,0,F\n", b'30,none,"(0, 100)",M\n'):
        with pytest.raises(RuleBroken, match="no row was written"):
            checked.kept(kept + broken)


@pytest.mark.fault("public rows that break a rule kept")
def test_public_rows_that_stay_are_seen_before_anything_is_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plant(monkeypatch, encode, "_kept_by_rules", "keep &= ~broken", "keep &= True")
    service, _ = rule_town.opened(tmp_path)
    try:
        facts = study_store.study(service, rule_town.NAME).usable[0]
        assert facts.dataset is not None
        with pytest.raises(RuleBroken):
            synthesis.synthetic_csv(
                Distribution.empirical(Support.of(facts.dataset)), rule_town.RULED, 500, seed=1, cells="numbers"
            )
    finally:
        service.ledger.close()


def test_public_rows_that_break_a_rule_are_refused_before_the_charge_whatever_is_bought(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """After the draw it would be too late: weights.csv could not be written, and the charge would be lost."""
    plant(monkeypatch, encode, "_kept_by_rules", "keep &= ~broken", "keep &= True")
    service, private = rule_town.opened(tmp_path)
    try:
        current = study_store.study(service, rule_town.NAME)
        keys = [one.sha256 for one in current.usable]
        for plan in (
            releases.release_plan(service, current, keys[:1], epsilon="2", rounds=5),
            releases.release_plan(service, current, keys, epsilon="2", rounds=5),
            releases.table_fit_plan(service, current, keys[:1], epsilon="2"),
            releases.weighted_pool_plan(service, current, keys, epsilon="2"),
        ):
            with pytest.raises(PlanError, match=r"could not be written down.*breaks a rule.*Nothing was charged"):
                buying.buy(service, private, plan)
        assert service.ledger.balance(rule_town.NAME).spent == ZCDP(0)
    finally:
        service.ledger.close()
