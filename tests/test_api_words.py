"""The API buys what its caller handed over, in the caller's own words, or refuses in words of its own."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pmwpub
from pmwpub.errors import NoResult, PlanError
from pmwpub.service.purchases import release_purchase

RNG = np.random.default_rng(5)


def people(rows: int) -> pd.DataFrame:
    return pd.DataFrame({name: RNG.choice(list("xyz"), rows) for name in ("sex", "age", "job")})


PRIVATE, PUBLIC, OTHER = people(300), people(150), people(120)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[pmwpub.Ledger]:
    with pmwpub.Ledger.open(f"sqlite:///{tmp_path}/ledger.sqlite3") as opened:
        opened.register(pmwpub.Population("town", 300, 1, "one person", "3", "1e-5"))  # type: ignore[arg-type]
        yield opened


def project(ledger: pmwpub.Ledger, *, k: int = 2, **changed: Any) -> pmwpub.Project:
    given: dict[str, Any] = {"schema": pmwpub.draft_schema([PUBLIC, OTHER]), "public": {"B": PUBLIC, "C": OTHER}}
    return pmwpub.Project(ledger, "town", **(given | {"workload": pmwpub.WorkloadChoice(k=k)} | changed))


def test_a_project_buys_its_own_workload_and_schema_whatever_was_chosen_after_it(ledger: pmwpub.Ledger) -> None:
    schema = pmwpub.draft_schema([PUBLIC[["sex", "age"]]])
    first = project(ledger, k=1)
    project(ledger, k=2, schema=schema)
    released = first.release(PRIVATE, "B", epsilon="0.5", rounds=2)
    (booked,) = ledger.bookings("town")
    assert json.loads(booked.plan_json)["inputs"]["workload"]["k"] == 1
    assert [column.name for column in released.bundle.schema.columns] == ["sex", "age", "job"]


def test_a_workload_that_does_not_fit_leaves_the_schema_of_before(ledger: pmwpub.Ledger) -> None:
    project(ledger)
    before = ledger.document("town", "schema", "current")
    with pytest.raises(pmwpub.PmwPubError):
        project(ledger, k=5, schema=pmwpub.draft_schema([PUBLIC[["sex"]]]))
    assert ledger.document("town", "schema", "current") == before


def test_what_others_choose_between_loading_and_buying_ends_without_a_charge(
    ledger: pmwpub.Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, store = project(ledger, k=1), pmwpub.service.purchases.store

    def chosen_elsewhere(*given: Any) -> list[str]:
        project(ledger, k=2)
        return store(*given)

    monkeypatch.setattr("pmwpub.api.project.purchases.store", chosen_elsewhere)
    with pytest.raises(PlanError, match=r"meanwhile\. Nothing was charged"):
        made.release(PRIVATE, "B", epsilon="0.5", rounds=2)
    assert ledger.history("town") == []


def test_a_plan_that_is_drawn_elsewhere_is_not_said_to_have_no_result(
    ledger: pmwpub.Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, second = project(ledger), project(ledger)
    begun, go, work = threading.Event(), threading.Event(), release_purchase._work

    def waits(*given: Any) -> Any:
        begun.set()
        go.wait(60)
        return work(*given)

    monkeypatch.setattr(release_purchase, "_work", waits)
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(made.release(PRIVATE, "B", epsilon="0.5", rounds=2)))
    thread.start()
    try:
        assert begun.wait(60)
        with pytest.raises(NoResult, match="Another program works on this plan"):
            second.release(PRIVATE, "B", epsilon="0.5", rounds=2)
    finally:
        go.set()
        thread.join()
    assert second.release(PRIVATE, "B", epsilon="0.5", rounds=2).files() == found[0].files()
    assert len(ledger.history("town")) == 1


@pytest.mark.parametrize("word", [1, 0, "no", "false", np.bool_(True)])
def test_only_true_and_false_say_that_no_public_table_was_made_from_the_private_one(
    ledger: pmwpub.Ledger, word: Any
) -> None:
    made = project(ledger, public={"B": PRIVATE[:150]})
    with pytest.raises(PlanError, match="True or False"):
        made.release(PRIVATE, "B", epsilon="0.5", rounds=2, overlap_acknowledged=word)
    assert ledger.history("town") == []
    assert ledger.documents("town", "candidate") == []


@pytest.mark.parametrize("word", [1, "no", np.bool_(True)])
def test_only_true_and_false_say_that_a_release_is_bought_although_the_free_table_may_be_as_good(
    ledger: pmwpub.Ledger, word: Any
) -> None:
    with pytest.raises(PlanError, match="the free table may be as good is said by True or False"):
        project(ledger).release(PRIVATE, "B", epsilon="0.5", rounds=2, free_table_acknowledged=word)
    assert ledger.history("town") == []


@pytest.mark.parametrize("switch", ["grow", "three_way"])
def test_only_true_and_false_switch_parts_of_a_plan(ledger: pmwpub.Ledger, switch: str) -> None:
    with pytest.raises(PlanError, match=f"`{switch}` is True or False; 'no' came"):
        project(ledger).release(PRIVATE, "B", epsilon="0.5", **{switch: "no"})  # type: ignore[arg-type]
    assert ledger.history("town") == []


@pytest.mark.parametrize(
    "table", [None, PUBLIC["sex"], [1], PUBLIC.assign(sex=pd.Series(["half \ud800"] * 150, dtype=object))]
)
def test_what_is_no_table_is_refused_in_words_that_hold_nothing_of_it(ledger: pmwpub.Ledger, table: Any) -> None:
    made = project(ledger)
    with pytest.raises(pmwpub.PmwPubError) as refused:
        made.release(table, "B", epsilon="0.5", rounds=2)
    assert "half" not in str(refused.value).split("such as")[0]
    assert (refused.value.__cause__, refused.value.__context__) == (None, None)
    assert ledger.history("town") == []


def test_the_name_of_a_public_table_is_text(ledger: pmwpub.Ledger) -> None:
    with pytest.raises(PlanError, match="named by text"):
        project(ledger, public={5: PUBLIC})
    found = project(ledger, public={"x\ud800": PUBLIC}).assess(PRIVATE, epsilon="0.5")
    assert [one.name for one in found.values()] == ["x\ufffd"]


def test_numbers_of_any_kind_are_read_as_the_decimals_that_they_print_as(ledger: pmwpub.Ledger) -> None:
    made = project(ledger)
    for epsilon in ("0.1", 0.1, np.float64(0.1), Decimal("0.10"), Fraction(1, 10)):
        made.release(PRIVATE, "B", epsilon=epsilon, rounds=np.int64(2), repeat=np.int64(0))
        made.assess(PRIVATE, epsilon=epsilon, only="B")
    assert len(ledger.bookings("town")) == 2


def test_one_name_is_one_table_whatever_its_letters(ledger: pmwpub.Ledger) -> None:
    made = project(ledger, public={"B": PUBLIC, "C": OTHER, "BC": people(80)})
    assert list(made.assess(PRIVATE, epsilon="0.1", only="BC")) == ["BC"]


@pytest.mark.parametrize(
    "asked",
    [
        {"epsilon": None}, {"epsilon": True}, {"epsilon": [1]}, {"epsilon": float("nan")}, {"rounds": 0},
        {"rounds": 2.5}, {"rounds": "2"}, {"rounds": 10**6}, {"repeat": 1.0}, {"repeat": True}, {"public": None},
        {"public": 5}, {"public": []}, {"public": [None]}, {"public": [[]]}, {"public": "D"},
    ],
    ids=repr,
)  # fmt: skip
def test_what_cannot_be_asked_is_refused_in_words_and_uncharged(ledger: pmwpub.Ledger, asked: dict[str, Any]) -> None:
    given = {"public": "B", "epsilon": "0.5", "rounds": 2} | asked
    with pytest.raises(pmwpub.PmwPubError):
        project(ledger).release(PRIVATE, given.pop("public"), **given)
    assert ledger.history("town") == []


def test_rows_and_seeds_are_whole_numbers_within_their_bounds(ledger: pmwpub.Ledger) -> None:
    released = project(ledger).release(PRIVATE, "B", epsilon="0.5", rounds=2)
    assert len(released.frame(np.int64(7), seed=np.int64(3))) == 7
    for wrong in ({"rows": 1.5}, {"rows": "x"}, {"rows": True}, {"rows": 0}, {"seed": 1.5}, {"seed": -1}):
        for drawn in (released.frame, released.files):
            with pytest.raises(PlanError):
                drawn(**wrong)  # type: ignore[arg-type]


def test_public_tables_have_names(ledger: pmwpub.Ledger) -> None:
    with pytest.raises(PlanError, match="mapping"):
        project(ledger, public=[PUBLIC])


def test_a_draw_that_is_not_the_next_one_is_named_as_the_api_names_it(ledger: pmwpub.Ledger) -> None:
    with pytest.raises(PlanError, match="repeat=0 is the next") as refused:
        project(ledger).release(PRIVATE, "B", epsilon="0.5", rounds=2, repeat=3)
    assert "--" not in str(refused.value)


HALF = "\ud800"


@pytest.mark.parametrize(
    "wrong", [None, HALF, 5, b"x", [], [None], [HALF], object()], ids=lambda one: ascii(one).split(" at ")[0]
)
def test_whatever_is_given_a_program_is_refused_in_words_of_this_package(ledger: pmwpub.Ledger, wrong: Any) -> None:
    made = project(ledger)
    released = made.release(PRIVATE, "B", epsilon="0.5", rounds=2, criteria=[{"kind": "largest", "within": "0.9"}])
    cell = {"sex": "x"}
    asked = {
        "project": lambda: pmwpub.Project(
            wrong, "town", schema=released.bundle.schema, public={}, workload=pmwpub.WorkloadChoice(k=1)
        ),
        "its population": lambda: pmwpub.Project(
            ledger, wrong, schema=released.bundle.schema, public={}, workload=pmwpub.WorkloadChoice(k=1)
        ),
        "its schema": lambda: project(ledger, schema=wrong),
        "its workload": lambda: project(ledger, workload=wrong),
        "assess": lambda: made.assess(wrong, epsilon="0.1"),
        "at an epsilon": lambda: made.assess(PRIVATE, epsilon=wrong),
        "one table": lambda: made.assess(PRIVATE, epsilon="0.1", only=[wrong]),
        "misfits": lambda: made.misfits(PRIVATE, half_width=wrong),
        "of a column": lambda: made.misfits(PRIVATE, columns=[wrong]),
        "an engine": lambda: made.release(PRIVATE, "B", epsilon="0.1", engine=wrong or HALF),
        "criteria": lambda: made.release(PRIVATE, "B", epsilon="0.1", rounds=2, criteria=[wrong]),
        "of a criterion": lambda: made.release(
            PRIVATE, "B", epsilon="0.1", rounds=2, criteria=[{"kind": "largest", "within": wrong}]
        ),
        "accept": lambda: made.accept(PRIVATE, wrong),
        "at half-widths": lambda: made.accept(PRIVATE, released, half_widths=wrong),
        "answer": lambda: released.answer(wrong),
        "within": lambda: released.within(["sex", "age"], wrong),
        "difference": lambda: released.difference(wrong, wrong),
        "one cell": lambda: released.difference(cell, wrong),
        "a level": lambda: released.difference(cell, {"sex": wrong}),
        "mean": lambda: released.mean(wrong),
        "frame": lambda: released.frame(seed=wrong if wrong != 5 else HALF),
        "cells": lambda: released.files(cells=wrong),
        "weights": lambda: released.replicate_weights(wrong),
        "register": lambda: ledger.register(wrong),
        "balance": lambda: ledger.balance(wrong),
        "marginals": lambda: pmwpub.WorkloadChoice.picked(wrong),
        "draft": lambda: pmwpub.draft_schema(wrong),
        "a version": lambda: pmwpub.draft_schema([PUBLIC], version=wrong),
    }
    charges = len(ledger.history("town"))
    for what, ask in asked.items():
        with pytest.raises(pmwpub.PmwPubError):
            raise AssertionError(f"{what} took {wrong!a} and returned {ask()!r}")
    assert len(ledger.history("town")) == charges
