"""The private table written in another way, under a second population or among the candidates, is found out."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import buying
import numpy as np
import pandas as pd
import pytest

from pmwpub.errors import FileRefused, TableBlocked
from pmwpub.ledger import Population
from pmwpub.plans import WorkloadChoice
from pmwpub.service import Alike
from pmwpub.service.bought import releases
from pmwpub.service.inputs import stored_tables, study_store
from pmwpub.tabular.schema.table_schema import Schema

if TYPE_CHECKING:
    from conftest import Bench


def disguised(private: bytes, disguise: str) -> bytes:
    """The rows of a table, written in another way."""
    lines = private.decode().splitlines()
    if disguise.startswith("parquet"):
        frame = pd.read_csv(io.BytesIO(private), dtype=str if "text" in disguise else None)
        packed = io.BytesIO()
        frame.assign(note=None).to_parquet(packed)
        return packed.getvalue()
    if disguise == "ages as floats":
        lines[1:] = [f"{sex},{age}.0,{job}" for sex, age, job in (line.split(",") for line in lines[1:])]
    if disguise == "a column more":
        lines = [f"{line},{'x' if place else 'note'}" for place, line in enumerate(lines)]
    return "\n".join([lines[0], *np.random.default_rng(1).permutation(lines[1:]), ""]).encode()


DISGUISES = ["ages as floats", "a column more", "parquet of text", "parquet of numbers"]


@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_private_table_in_disguise_takes_a_recorded_decision_in_a_second_population(
    bench: Bench, disguise: str
) -> None:
    ledger = bench.service.ledger
    buying.buy(
        bench.service,
        bench.private,
        releases.release_plan(
            bench.service, study_store.study(bench.service, bench.name), bench.candidates[:1], epsilon="1", rounds=3
        ),
    )
    ledger.register(Population("again", 300, 1, "one person", 4, "1e-5"))  # type: ignore[arg-type]
    body = stored_tables.content(bench.service, bench.name, bench.candidates[0])
    sha256 = study_store.add_candidate(bench.service, "again", "b.csv", body, attested=True)
    study_store.save_schema(bench.service, "again", study_store.draft_schema(bench.service, "again", bins=3))
    study_store.choose_workload(bench.service, "again", WorkloadChoice(k=2))
    private = study_store.load_private(bench.service, "again", disguised(bench.private_csv, disguise))
    assert (private.verdict.kind, private.verdict.populations) == ("elsewhere", ("people",))
    current = study_store.study(bench.service, "again")
    plan = releases.release_plan(bench.service, current, [sha256], epsilon="1", rounds=3)
    with pytest.raises(TableBlocked):
        buying.buy(bench.service, private, plan)
    decided = study_store.acknowledge(bench.service, private)
    assert buying.buy(bench.service, decided, plan).status == "done"
    assert [other for other, _ in ledger.acknowledgements("again")] == ["people"]


@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_private_table_in_disguise_is_no_candidate_whichever_comes_first(bench: Bench, disguise: str) -> None:
    body = disguised(bench.private_csv, disguise)
    with pytest.raises(FileRefused, match="rows of a private table"):
        study_store.add_candidate(bench.service, bench.name, "x.csv", body, attested=True, private=bench.private)
    study_store.add_candidate(bench.service, bench.name, "x.csv", body, attested=True)
    with pytest.raises(FileRefused, match="public candidates"):
        study_store.load_private(bench.service, bench.name, bench.private_csv)


def test_two_shuffled_halves_of_the_private_table_are_refused_as_a_pool(bench: Bench) -> None:
    for sha256 in bench.candidates:
        study_store.remove_candidate(bench.service, bench.name, sha256)
    head, *rows = disguised(bench.private_csv, "a column more").splitlines()
    for name, half in (("one.csv", rows[:150]), ("two.csv", rows[150:])):
        study_store.add_candidate(bench.service, bench.name, name, b"\n".join([head, *half]), attested=True)
    with pytest.raises(FileRefused, match="public candidates"):
        study_store.load_private(bench.service, bench.name, bench.private_csv)


def test_a_shuffled_copy_with_some_rows_changed_is_a_warning_to_the_steward(bench: Bench) -> None:
    head, *rows = disguised(bench.private_csv, "a column more").splitlines()
    copy = b"\n".join([head, *rows[:-9], *[b"F,1,cook,x"] * 5])
    ages = ",".join(map(str, range(0, 91)))
    column = Schema.from_json(
        f'{{"version": 1, "columns": [{{"name": "age", "kind": "numeric", "edges": [{ages}], "outside": "clip"}}]}}'
    ).columns[0]
    current = study_store.study(bench.service, bench.name).schema
    assert current is not None
    study_store.save_schema(bench.service, bench.name, current.with_column(column))
    private = study_store.load_private(bench.service, bench.name, bench.private_csv)
    assert private.overlaps == ()
    sha256 = study_store.add_candidate(bench.service, bench.name, "copy.csv", copy, attested=True, private=private)
    (later,) = study_store.compared_again(bench.service, private).overlaps
    (loaded,) = study_store.load_private(bench.service, bench.name, bench.private_csv).overlaps
    assert later == loaded
    assert (loaded.sha256, loaded.name, loaded.alike) == (sha256, "copy.csv", Alike.ROWS)
    assert "Rows of the private table, as the schema codes them, stand in copy.csv too" in loaded.warning
    assert not any(character.isdigit() for character in loaded.warning)
