"""From data frames to a synthetic one, charged to a population."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pmwpub
from pmwpub.errors import PlanError, PmwPubError


def people(rows: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {"sex": rng.choice(["F", "M"], rows), "age": rng.integers(0, 90, rows), "job": rng.choice(["x", "y"], rows)}
    )


@pytest.fixture
def project(tmp_path: Path) -> Iterator[tuple[pmwpub.Ledger, pmwpub.Project]]:
    with pmwpub.Ledger.open(f"sqlite:///{tmp_path}/ledger.sqlite3") as ledger:
        ledger.register(pmwpub.Population("people", 300, 1, "one person", "3", "1e-5"))  # type: ignore[arg-type]
        public = {"b": people(150, 1), "c": people(120, 2)}
        schema = pmwpub.draft_schema(list(public.values()))
        made = pmwpub.Project(ledger, "people", schema=schema, public=public, workload=pmwpub.WorkloadChoice(k=2))
        yield ledger, made


def test_every_public_name_is_there() -> None:
    assert all(getattr(pmwpub, name) is not None for name in pmwpub.__all__)
    with pytest.raises(AttributeError, match="nothing_like_it"):
        _ = pmwpub.nothing_like_it


def test_frames_become_a_synthetic_frame_and_the_ledger_knows(project: tuple[pmwpub.Ledger, pmwpub.Project]) -> None:
    ledger, made = project
    private = people(300, 3)
    assessed = made.assess(private, epsilon="0.5")
    assert set(assessed) == {"b", "c"}
    assert all(found.floor is not None and found.start is not None for found in assessed.values())
    release = made.release(private, "b", epsilon="1", rounds=5, free_table_acknowledged=True)
    frame = release.frame(40)
    assert (len(frame), list(frame.columns)) == (40, ["sex", "age", "job"])
    assert {"synthetic.csv", "weights.csv", "schema.json", "certificate.json"} <= set(release.files())
    assert len(ledger.history("people")) == 5
    again = made.release(private, "b", epsilon="1", rounds=5)
    assert again.files() == release.files()
    assert len(ledger.history("people")) == 5
    assert len(made.release(private, ["b", "c"], epsilon="0.5", rounds=3).frame()) == 300


def test_a_look_at_the_fit_says_what_the_schema_does_not_know(project: tuple[pmwpub.Ledger, pmwpub.Project]) -> None:
    ledger, made = project
    private = people(300, 3).replace({"job": {"x": "ex"}})
    seen = made.misfits(private, columns="job", half_width="0.1")
    assert seen.overall is not None
    assert [one.column for one in seen.columns] == ["job"]
    assert seen.words[0].startswith("About ")
    assert 0.1 < seen.columns[0].value < 0.9
    assert len(ledger.history("people")) == 1
    assert made.misfits(private, columns=["job"], half_width=0.1).columns == seen.columns
    assert {one.column for one in made.misfits(private, half_width="0.2").columns} == {"sex", "job", "age"}
    assert len(ledger.history("people")) == 2
    with pytest.raises(PlanError, match="not sold"):
        made.misfits(private)
    with pytest.raises(PlanError, match="A half-width is a number"):
        made.misfits(private, half_width=None)  # type: ignore[arg-type]


def test_a_release_is_held_against_the_criteria_of_its_plan(project: tuple[pmwpub.Ledger, pmwpub.Project]) -> None:
    ledger, made = project
    private = people(300, 3)
    criteria = [{"kind": "largest", "within": 0.6}, {"kind": "cell", "levels": {"sex": "F"}, "within": "3/5"}]
    release = made.release(private, "b", epsilon="1", engine="table-fit", criteria=criteria)
    before = ledger.balance("people").spent
    found = made.accept(private, release, half_widths=0.2)
    assert found.passed
    assert [one.criterion.within for one in found.results] == ["3/5", "3/5"]
    assert ledger.balance("people").spent - before == found.plan.law.rho
    assert made.accept(private, release, half_widths="1/5").words == found.words
    plain = made.release(private, "b", epsilon="0.5", engine="table-fit")
    with pytest.raises(PlanError, match="named before it is bought"):
        made.accept(private, plain)
    with pytest.raises(PlanError, match="Criteria are a list of objects"):
        made.release(private, "b", epsilon="0.5", engine="table-fit", criteria=[{"kind": "median"}])


def test_table_fit_is_one_argument_away_and_has_no_rounds(project: tuple[pmwpub.Ledger, pmwpub.Project]) -> None:
    ledger, made = project
    private = people(300, 3)
    release = made.release(private, "b", epsilon="1", engine="table-fit")
    assert "tables.csv" in release.files()
    assert len(release.frame(25)) == 25
    before = ledger.balance("people").spent
    assert made.release(private, "b", epsilon="1", engine="table-fit").files() == release.files()
    for engine, rounds in (("table-fit", 25), ("pmwpub", None), (3, None)):
        with pytest.raises(PmwPubError, match=r"Nothing was charged"):
            made.release(private, "b", epsilon="1", engine=engine, rounds=rounds)  # type: ignore[arg-type]
    with pytest.raises(PmwPubError, match=r"Rows are added by table-fit alone.*Nothing was charged"):
        made.release(private, "b", epsilon="1", engine="pmw-pub", grow=True)
    with pytest.raises(PmwPubError, match=r"three columns are measured by table-fit alone.*Nothing was charged"):
        made.release(private, "b", epsilon="1", engine="table-fit-pool", three_way=True)
    assert ledger.balance("people").spent == before
    grown = made.release(private, "b", epsilon="1", engine="table-fit", grow=True)
    assert grown.bundle.certificate.plan_sha256 != release.bundle.certificate.plan_sha256


def test_a_pool_with_learnt_weights_is_one_argument_away_too(
    project: tuple[pmwpub.Ledger, pmwpub.Project],
) -> None:
    ledger, made = project
    private = people(300, 3)
    release = made.release(private, ["b", "c"], epsilon="1", engine="table-fit-pool")
    assert sum(json.loads(release.files()["certificate.json"])["pool_parts"]) == 1_000
    spent = ledger.balance("people").spent
    assert made.release(private, ["c", "b"], epsilon="1", engine="table-fit-pool").files() == release.files()
    with pytest.raises(PmwPubError, match="two to 8 public tables"):
        made.release(private, "b", epsilon="1", engine="table-fit-pool")
    assert ledger.balance("people").spent == spent


def test_nothing_is_drawn_without_a_population_or_beyond_its_budget(
    project: tuple[pmwpub.Ledger, pmwpub.Project],
) -> None:
    ledger, made = project
    with pytest.raises(pmwpub.Overspent):
        made.release(people(300, 3), "b", epsilon="4")
    assert ledger.history("people") == []
    with pytest.raises(PmwPubError, match="nobody"):
        pmwpub.Project(
            ledger, "nobody", schema=pmwpub.draft_schema([people(20, 1)]), public={"b": people(20, 1)},
            workload=pmwpub.WorkloadChoice(k=2),
        )  # fmt: skip


def test_cells_and_columns_are_said_by_name_and_others_are_refused(
    project: tuple[pmwpub.Ledger, pmwpub.Project],
) -> None:
    _, made = project
    release = made.release(people(300, 3), "b", epsilon="1", rounds=3)
    files = release.files(20, cells="public-values", columns="all")
    written = {line.split(",")[1] for line in files["synthetic.csv"].decode().splitlines()[1:]}
    assert "values.csv" in files
    assert written <= {str(age) for age in people(150, 1)["age"]}
    for wrong in ({"cells": "public"}, {"columns": "none"}):
        with pytest.raises(PlanError, match="Choose one of"):
            release.files(20, **wrong)  # type: ignore[arg-type]


def test_without_an_engine_the_advised_one_is_taken_and_says_why(
    project: tuple[pmwpub.Ledger, pmwpub.Project],
) -> None:
    ledger, made = project
    private = people(300, 3)
    first = made.release(private, "b", epsilon="1")
    assert first.chosen.startswith("Advised: ")
    spent = ledger.balance("people").spent
    again = made.release(private, "b", epsilon="1")
    assert again.files() == first.files()
    assert ledger.balance("people").spent == spent
    assert made.release(private, "b", epsilon="1", rounds=4).chosen == ""
    unchanged = made.release(private, "c", epsilon="1", engine="unchanged")
    assert len(unchanged.frame(10)) == 10
    assert "charge_id" not in unchanged.bundle.certificate.model_dump()
    with pytest.raises(PlanError, match="no draws"):
        made.release(private, "c", epsilon="1", engine="unchanged", repeat=1)


def test_a_program_buys_the_total_of_the_weights_that_its_releases_are_shares_of(tmp_path: Path) -> None:
    private, public = people(300, 3).assign(w=2), people(150, 1)
    drawn = pmwpub.draft_schema([public], version=2)
    weight = {"name": "w", "kind": "weight", "cap": "4", "unit": "1"}
    written = json.loads(drawn.to_json())
    schema = pmwpub.Schema.from_json(json.dumps(written | {"columns": [*written["columns"], weight]}))
    with pmwpub.Ledger.open(f"sqlite:///{tmp_path}/ledger.sqlite3") as ledger:
        ledger.register(pmwpub.Population("people", 300, 1, "one person", "3", "1e-5"))  # type: ignore[arg-type]
        made = pmwpub.Project(
            ledger, "people", schema=schema, public={"b": public}, workload=pmwpub.WorkloadChoice(k=2)
        )
        with pytest.raises(PlanError, match="weight-total"):
            made.release(private, "b", epsilon="1", engine="table-fit")
        assert ledger.history("people") == []
        found = made.weight_total(private, epsilon="1")
        assert found.total is not None
        assert 1 <= found.total <= 300 * 4
        assert (found.weight, found.within) == (found.total, found.half_width)
        assert made.weight_total(private, epsilon="1").total == found.total
        assert len(ledger.history("people")) == 1
        release = made.release(private, "b", epsilon="1", engine="table-fit", free_table_acknowledged=True)
        weights = json.loads(release.files()["certificate.json"])["weights"]
        assert (weights["total"], weights["measured"]) == (found.total, found.plan.sha256)
