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
from pmwpub.service import Alike, releasing, stored, studies
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
        releasing.release_plan(
            bench.service, studies.study(bench.service, bench.name), bench.candidates[:1], epsilon="1", rounds=3
        ),
    )
    ledger.register(Population("again", 300, 1, "one person", 4, "1e-5"))  # type: ignore[arg-type]
    body = stored.content(bench.service, bench.name, bench.candidates[0])
    sha256 = studies.add_candidate(bench.service, "again", "b.csv", body, attested=True)
    studies.save_schema(bench.service, "again", studies.draft_schema(bench.service, "again", bins=3))
    studies.choose_workload(bench.service, "again", WorkloadChoice(k=2))
    private = studies.load_private(bench.service, "again", disguised(bench.private_csv, disguise))
    assert (private.verdict.kind, private.verdict.populations) == ("elsewhere", ("people",))
    current = studies.study(bench.service, "again")
    plan = releasing.release_plan(bench.service, current, [sha256], epsilon="1", rounds=3)
    with pytest.raises(TableBlocked):
        buying.buy(bench.service, private, plan)
    decided = studies.acknowledge(bench.service, private)
    assert buying.buy(bench.service, decided, plan).status == "done"
    assert [other for other, _ in ledger.acknowledgements("again")] == ["people"]


@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_private_table_in_disguise_is_no_candidate_whichever_comes_first(bench: Bench, disguise: str) -> None:
    body = disguised(bench.private_csv, disguise)
    with pytest.raises(FileRefused, match="rows of a private table"):
        studies.add_candidate(bench.service, bench.name, "x.csv", body, attested=True, private=bench.private)
    studies.add_candidate(bench.service, bench.name, "x.csv", body, attested=True)
    with pytest.raises(FileRefused, match="public candidates"):
        studies.load_private(bench.service, bench.name, bench.private_csv)


def test_two_shuffled_halves_of_the_private_table_are_refused_as_a_pool(bench: Bench) -> None:
    for sha256 in bench.candidates:
        studies.remove_candidate(bench.service, bench.name, sha256)
    head, *rows = disguised(bench.private_csv, "a column more").splitlines()
    for name, half in (("one.csv", rows[:150]), ("two.csv", rows[150:])):
        studies.add_candidate(bench.service, bench.name, name, b"\n".join([head, *half]), attested=True)
    with pytest.raises(FileRefused, match="public candidates"):
        studies.load_private(bench.service, bench.name, bench.private_csv)


def test_a_shuffled_copy_with_some_rows_changed_is_a_warning_to_the_steward(bench: Bench) -> None:
    head, *rows = disguised(bench.private_csv, "a column more").splitlines()
    copy = b"\n".join([head, *rows[:-9], *[b"F,1,cook,x"] * 5])
    ages = ",".join(map(str, range(0, 91)))
    column = Schema.from_json(
        f'{{"version": 1, "columns": [{{"name": "age", "kind": "numeric", "edges": [{ages}], "outside": "clip"}}]}}'
    ).columns[0]
    current = studies.study(bench.service, bench.name).schema
    assert current is not None
    studies.save_schema(bench.service, bench.name, current.with_column(column))
    private = studies.load_private(bench.service, bench.name, bench.private_csv)
    assert private.overlaps == ()
    sha256 = studies.add_candidate(bench.service, bench.name, "copy.csv", copy, attested=True, private=private)
    (later,) = studies.compared_again(bench.service, private).overlaps
    (loaded,) = studies.load_private(bench.service, bench.name, bench.private_csv).overlaps
    assert later == loaded
    assert (loaded.sha256, loaded.name, loaded.alike) == (sha256, "copy.csv", Alike.ROWS)
    assert "Rows of the private table, as the schema codes them, stand in copy.csv too" in loaded.warning
    assert not any(character.isdigit() for character in loaded.warning)
