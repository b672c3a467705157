"""Rules and private rows: two private files that differ in breaking one leave the same bytes, with the noise forced."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from guarantees.flows import LAWS, through_the_service
from guarantees.people import SCHEMA, Neighbours, rows
from guarantees.traces import Trace, differences

from pmwpub.queries.counts import PrivateCounts
from pmwpub.records import Dataset
from pmwpub.service.inputs import study_store
from pmwpub.service.purchases import (
    assessment_purchase,
    choice_purchase,
    error_purchase,
    release_purchase,
    table_fit_purchase,
)
from pmwpub.tabular.rules.rule_parsing import read_rule
from pmwpub.tabular.schema.table_schema import Schema

Run = Callable[[Neighbours], tuple[Trace, Trace]]
Count = Callable[..., PrivateCounts]

RULES = ('age < 20 implies job in ("smith", "(missing)")', 'sex = "M" implies job != "clerk"')
KEPT, BROKEN = ("F,30,cook", "M,50,smith", "F,5,smith"), ("F,5,cook", "M,50,clerk", "M,7,clerk")
"""Rows of one person of which none, or each, breaks a rule."""


def _schema() -> str:
    body = json.loads(SCHEMA) | {"version": 2}
    return Schema.from_json(json.dumps(body)).with_rules([read_rule(text) for text in RULES]).to_json()


def _neighbours(k: int, n: int = 60) -> Neighbours:
    """Person p0 owns k rows; everybody else owns one, and some of these break a rule too."""
    files = []
    for own in (KEPT, BROKEN):
        lines = [*own[:k], *rows(n - k, 0)]
        body = [f"{line},p{max(0, place - k + 1)}" for place, line in enumerate(lines)]
        files.append(("\n".join(["sex,age,job,person", *body]) + "\n").encode())
    return Neighbours(k, files[0], files[1], _schema())


@pytest.fixture
def run(tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> Run:
    """The flow through the service on two stores, one for each neighbour; their traces."""

    def both(pair: Neighbours) -> tuple[Trace, Trace]:
        traces = []
        for name, private in (("ours", pair.ours), ("theirs", pair.theirs)):
            folder = tmp_path / name
            folder.mkdir()
            traces.append(through_the_service(folder, pair, private, caplog, capfd, LAWS[:1]))
        return traces[0], traces[1]

    return both


def test_nothing_that_leaves_tells_whether_a_private_row_breaks_a_rule(run: Run) -> None:
    ours, theirs = run(_neighbours(3))
    assert differences(ours, theirs) == set()
    assert len(ours.exports) > 15
    stated = [body for name, body in ours.exports.items() if name.endswith("certificate.json")]
    assert stated
    assert all([one["rule"] for one in json.loads(body)["rules"]] == list(RULES) for body in stated)


def _rules_on_private_rows(*modules: ModuleType) -> Callable[[pytest.MonkeyPatch], None]:
    """Private rows that break a rule are left out of what these modules count."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        for module in modules:
            real = module.planned_counts

            def counted(workload: object, dataset: Dataset, plan: object, count: Count = real) -> PrivateCounts:
                zeros = dataset.domain.zeros
                kept = dataset.codes if zeros is None else dataset.codes[~zeros.broken(dataset.codes)]
                return count(workload, Dataset(dataset.domain, kept), plan)

            patch.setattr(module, "planned_counts", counted)

    return plant


def _rules_in_a_message(patch: pytest.MonkeyPatch) -> None:
    """Loading a table says how many of its rows break a rule, where everybody reads it."""
    real = study_store.load_private

    def load(*arguments: object, **options: object) -> object:
        table = real(*arguments, **options)  # type: ignore[arg-type]
        zeros = table.dataset.domain.zeros
        print(0 if zeros is None else int(zeros.broken(table.dataset.codes).sum()), "rows break a rule")  # type: ignore[attr-defined]
        return table

    patch.setattr(study_store, "load_private", load)


@pytest.mark.parametrize(
    ("plant", "check"),
    [
        pytest.param(
            _rules_on_private_rows(assessment_purchase, choice_purchase, error_purchase, release_purchase),
            "answers",
            marks=pytest.mark.fault("a rule applied to private rows"),
        ),
        pytest.param(
            _rules_on_private_rows(table_fit_purchase),
            "exports",
            marks=pytest.mark.fault("a rule applied to private rows that tables are measured on"),
        ),
        pytest.param(_rules_in_a_message, "logs", marks=pytest.mark.fault("rows that break a rule in a message")),
    ],
)
def test_a_rule_held_against_private_rows_is_caught(
    run: Run, plant: Callable[[pytest.MonkeyPatch], None], check: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    assert check in differences(*run(_neighbours(3)))
