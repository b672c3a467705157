"""Decisions about single columns: kept when a schema is drafted anew, taken back one by one, named where they end."""

from __future__ import annotations

import random

import pytest
from service.conftest import Bench
from sqlalchemy import Connection

from pmwpub.errors import SchemaError, StoreUnavailable
from pmwpub.ledger import documents
from pmwpub.service import Study
from pmwpub.service.inputs import decisions, schema_editing, study_store
from pmwpub.tabular.schema.column_types import Column, IdColumn, IgnoredColumn, NumericColumn, WeightColumn
from pmwpub.tabular.schema.draft_record import Remedy
from pmwpub.tabular.schema.table_schema import Schema


def survey(seed: int) -> bytes:
    """Person, sex and town; an income with a full stop and a dash among its numbers."""
    draw = random.Random(seed)
    lines = [",".join(["person", "sex", "income", "town"])]
    for row in range(80):
        income = "." if row % 20 == 0 else "-" if row % 27 == 0 else str(draw.randint(1_000, 90_000))
        lines.append(",".join([str(1000 + row), draw.choice("fmM"), income, draw.choice("ab")]))
    return "\n".join(lines).encode()


@pytest.fixture
def surveyed(bench: Bench) -> Bench:
    """The bench with two surveys as its candidates, and their drafted schema."""
    for one in study_store.study(bench.service, bench.name).candidates:
        study_store.remove_candidate(bench.service, bench.name, one.sha256)
    for seed in (1, 2):
        study_store.add_candidate(bench.service, bench.name, f"{seed}.csv", survey(seed), attested=True)
    schema_editing.redrafted(bench.service, now(bench))
    return bench


def now(bench: Bench) -> Study:
    return study_store.study(bench.service, bench.name)


def schema(bench: Bench) -> Schema:
    found = now(bench).schema
    assert found is not None
    return found


def column(bench: Bench, name: str) -> Column:
    return next(one for one in schema(bench).columns if one.name == name)


def decide(bench: Bench, *flags: tuple[str, str, str]) -> None:
    for flag in flags:
        decisions.decide(bench.service, now(bench), Remedy(*flag))  # type: ignore[arg-type]


SEX, STOP, DASH = ("sex", "same", "none"), ("income", "missing", "."), ("income", "missing", "-")


def test_a_schema_drafted_anew_follows_what_was_decided(surveyed: Bench) -> None:
    decide(surveyed, SEX, ("person", "kind", "id"))
    assert schema(surveyed).domain.attributes[0].levels == ("M", "f", "m")
    decided = schema(surveyed)
    _, kept, dropped = schema_editing.redrafted(surveyed.service, now(surveyed))
    assert schema(surveyed).domain.attributes[0].levels == ("M", "f", "m")
    assert isinstance(column(surveyed, "person"), IdColumn)
    assert [one.rule for one in kept.remedies] == ["same", "kind"]
    assert dropped == ()
    assert schema(surveyed).domain == decided.domain


def test_a_schema_and_its_decisions_are_stored_together_or_not_at_all(
    surveyed: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the program ends between the two, the schema would have a column that no decision accounts for."""
    decide(surveyed, SEX)
    before, put = schema(surveyed), documents.put
    without_sex = Schema.of([one for one in before.columns if one.name != "sex"], before.missing_tokens, 2)

    def breaking(connection: Connection, population_id: int, kind: str, key: str, body: bytes) -> None:
        if kind == decisions.DECISIONS:
            raise StoreUnavailable("the disk is full")
        put(connection, population_id, kind, key, body)

    with monkeypatch.context() as patch:
        patch.setattr(documents, "put", breaking)
        for change in (
            lambda: decide(surveyed, ("person", "kind", "id")),
            lambda: decisions.undo(surveyed.service, now(surveyed), Remedy(*SEX)),  # type: ignore[arg-type]
            lambda: schema_editing.save(surveyed.service, now(surveyed), without_sex),
        ):
            with pytest.raises(StoreUnavailable):
                change()
    assert schema(surveyed) == before
    assert [one.rule for one in decisions.decisions(surveyed.service, surveyed.name).remedies] == ["same"]


def test_decisions_about_one_column_add_up_and_are_taken_back_one_by_one(surveyed: Bench) -> None:
    """One missing code after another: the second click once threw away the first."""
    assert isinstance(column(surveyed, "income"), IgnoredColumn)
    decide(surveyed, ("income", "kind", "numeric"), STOP, DASH)
    found = column(surveyed, "income")
    assert isinstance(found, NumericColumn)
    assert found.missing_levels == (".", "-")
    decisions.undo(surveyed.service, now(surveyed), Remedy(*STOP))  # type: ignore[arg-type]
    found = column(surveyed, "income")
    assert isinstance(found, NumericColumn)
    assert found.missing_levels == ("-",)
    for flag in (DASH, ("income", "kind", "numeric")):
        decisions.undo(surveyed.service, now(surveyed), Remedy(*flag))  # type: ignore[arg-type]
    assert isinstance(column(surveyed, "income"), IgnoredColumn)
    assert decisions.decisions(surveyed.service, surveyed.name) == decisions.Decisions()


def test_undo_gives_back_what_stood_before_though_the_schema_was_no_draft(surveyed: Bench) -> None:
    edited = schema(surveyed).with_column(column(surveyed, "sex").changed(same=("trim",), levels=("f", "m", "M", "x")))
    schema_editing.save(surveyed.service, now(surveyed), edited)
    decide(surveyed, ("sex", "kind", "ignore"), ("sex", "kind", "categorical"))
    assert schema(surveyed).domain.attributes[0].levels == ("M", "f")
    decisions.undo(surveyed.service, now(surveyed), Remedy("sex", "kind", "categorical"))
    assert schema(surveyed) == edited


def test_undo_after_a_draft_gives_what_the_draft_makes_of_the_column_suspicion_included(surveyed: Bench) -> None:
    plain = schema(surveyed)
    decide(surveyed, ("person", "kind", "numeric"), SEX)
    assert "person" in schema(surveyed).domain.names
    schema_editing.redrafted(surveyed.service, now(surveyed))
    decisions.undo(surveyed.service, now(surveyed), Remedy("person", "kind", "numeric"))
    decisions.undo(surveyed.service, now(surveyed), Remedy(*SEX))  # type: ignore[arg-type]
    assert schema(surveyed) == plain


def test_a_later_decision_of_one_rule_takes_the_place_of_the_earlier_one(surveyed: Bench) -> None:
    decide(surveyed, ("sex", "kind", "ignore"), ("sex", "kind", "ordered"), ("sex", "same", "trim"))
    assert [(one.rule, one.value) for one in decisions.decisions(surveyed.service, surveyed.name).remedies] == [
        ("kind", "ordered"),
        ("same", "trim"),
    ]
    assert column(surveyed, "sex").kind == "ordered"


def test_what_no_longer_applies_is_named_with_its_reason_and_the_rest_holds(surveyed: Bench) -> None:
    decide(surveyed, SEX, ("income", "kind", "numeric"))
    for one in now(surveyed).candidates:
        study_store.remove_candidate(surveyed.service, surveyed.name, one.sha256)
    body = survey(3).replace(b"income", b"wage")
    study_store.add_candidate(surveyed.service, surveyed.name, "3.csv", body, attested=True)
    _, kept, dropped = schema_editing.redrafted(surveyed.service, now(surveyed))
    assert [one.column for one in kept.remedies] == ["sex"]
    assert [(one.remedy.column, one.why) for one in dropped] == [
        ("income", "the public tables do not share that column")
    ]
    assert schema(surveyed).domain.attributes[0].levels == ("M", "f", "m")


def test_a_decision_that_cells_do_not_allow_any_more_is_dropped_with_the_reason(surveyed: Bench) -> None:
    decide(surveyed, ("income", "kind", "numeric"))
    for one in now(surveyed).candidates:
        study_store.remove_candidate(surveyed.service, surveyed.name, one.sha256)
    body = b"sex,income\n" + b"f,much\nm,little\n" * 30
    study_store.add_candidate(surveyed.service, surveyed.name, "4.csv", body, attested=True)
    _, _, dropped = schema_editing.redrafted(surveyed.service, now(surveyed))
    assert "has no number in the public tables" in dropped[0].why
    assert column(surveyed, "income").kind == "categorical"


def test_a_schema_from_a_file_ends_decisions_about_the_columns_that_it_has_otherwise(surveyed: Bench) -> None:
    decide(surveyed, SEX, ("person", "kind", "id"))
    other = schema(surveyed).with_column(IgnoredColumn(name="person", kind="ignore"))
    schema_editing.save(surveyed.service, now(surveyed), other)
    assert [one.column for one in decisions.decisions(surveyed.service, surveyed.name).remedies] == ["sex"]


def test_a_decision_that_makes_no_sense_changes_neither_schema_nor_decisions(surveyed: Bench) -> None:
    before = schema(surveyed)
    with pytest.raises(SchemaError, match="no column of dates"):
        decide(surveyed, ("sex", "kind", "date"))
    assert schema(surveyed) == before
    assert decisions.decisions(surveyed.service, surveyed.name) == decisions.Decisions()


def test_rows_are_weighed_by_a_decision_that_drafts_follow_and_that_is_taken_back(surveyed: Bench) -> None:
    weigh = ("income", "weight", "90000:100")
    before = column(surveyed, "income")
    decide(surveyed, weigh)
    weighed = WeightColumn(name="income", kind="weight", cap="90000", unit="100")
    assert schema(surveyed).weight_column == weighed
    schema_editing.redrafted(surveyed.service, now(surveyed))
    assert schema(surveyed).weight_column == weighed
    decide(surveyed, ("income", "weight", "50000:100"))
    assert decisions.decisions(surveyed.service, surveyed.name).of("income")[-1].value == "50000:100"
    decide(surveyed, ("income", "kind", "ignore"))
    assert schema(surveyed).weight_column is None
    assert isinstance(column(surveyed, "income"), IgnoredColumn)
    decide(surveyed, weigh)
    assert schema(surveyed).weight_column == weighed
    for remedy in decisions.decisions(surveyed.service, surveyed.name).of("income"):
        decisions.undo(surveyed.service, now(surveyed), remedy)
    assert column(surveyed, "income") == before


def test_a_weight_that_means_nothing_is_not_stored(surveyed: Bench) -> None:
    before = schema(surveyed)
    with pytest.raises(SchemaError, match="CAP:UNIT"):
        decide(surveyed, ("income", "weight", "90000"))
    assert schema(surveyed) == before
    assert decisions.decisions(surveyed.service, surveyed.name).remedies == ()
