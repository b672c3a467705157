"""What sessions and populations share of public things is kept by all that it contains."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING

import buying
import pytest

from pmwpub.errors import PlanError
from pmwpub.ledger import Population
from pmwpub.plans import WorkloadChoice
from pmwpub.service import Service, Study, quality_report
from pmwpub.service.bought import answers_of_releases, releases
from pmwpub.service.inputs import reviewing, study_store
from pmwpub.tabular.files.text.read_options import ReadOptions
from pmwpub.tabular.schema.draft_record import Draft, NothingToEncode

if TYPE_CHECKING:
    from conftest import Bench

NAMES = {"one": "own.csv", "two": "other.csv"}


def patients() -> bytes:
    """Sixty rows with a number that names the row, of which a review says so, with the file's name."""
    lines = ["patient,sex,age", *(f"{1_000 + row},{'FM'[row % 2]},{row * 37 % 90}" for row in range(60))]
    return ("\n".join(lines) + "\n").encode()


def populated(service: Service, *, bins: tuple[int, int] = (4, 4)) -> list[Study]:
    """Two populations that store one file, each under a name of its own; each with a schema of so many bins."""
    found = []
    for (name, file), own in zip(NAMES.items(), bins, strict=True):
        service.ledger.register(Population(name, 60, 1, "one person", Fraction(2), Fraction(1, 3_600)))
        study_store.add_candidate(service, name, file, patients(), attested=True)
        study_store.save_schema(service, name, study_store.draft_schema(service, name, bins=own))
        found.append(study_store.study(service, name))
    return found


def test_a_review_names_the_files_of_its_own_population_alone(service: Service) -> None:
    said = {}
    for current in populated(service):
        review = reviewing.reviewed(service, current)
        assert review is not None
        said[current.population.name] = json.dumps(review.to_json())
    for name, words in said.items():
        assert {file for file in NAMES.values() if file in words} == {NAMES[name]}


def test_where_nothing_can_be_drafted_a_review_is_of_its_own_populations_schema(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    studies = populated(service, bins=(4, 3))
    seen, real = [], reviewing.as_it_stands

    def refused(*_: object, **__: object) -> Draft:
        raise NothingToEncode(())

    def noted(schema: object, proposed: Draft, *rest: object, **named: object) -> Draft:
        seen.append(proposed.schema.sha256)
        return real(schema, proposed, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(reviewing, "propose", refused)
    monkeypatch.setattr(reviewing, "as_it_stands", noted)
    for current in studies:
        reviewing.reviewed(service, current)
    assert seen == [current.schema.sha256 for current in studies if current.schema is not None]
    assert seen[0] != seen[1]


def test_what_stands_beside_a_public_table_is_of_how_the_table_is_read_now(bench: Bench) -> None:
    service, name = bench.service, bench.name
    body = b"sex,age,job\n" + b"F,20,cook\nM,40,clerk\nM,60,caf\xe9\n" * 20
    sha256 = study_store.add_candidate(service, name, "w.csv", body, attested=True, options=ReadOptions("cp1252"))
    study_store.save_schema(service, name, study_store.draft_schema(service, name))
    study_store.choose_workload(service, name, WorkloadChoice(k=2))
    private = study_store.load_private(service, name, bench.private_csv)
    current = study_store.study(service, name)
    plan = releases.table_fit_plan(service, current, [sha256], epsilon="1")
    outcome = buying.buy(service, private, plan)
    found = releases.released(service, current, outcome.booking)
    quality_report.quality_of(service, current, found)
    before = answers_of_releases.few_records_in(service, current, found, ["job"], 2)
    study_store.remove_candidate(service, name, sha256)
    study_store.add_candidate(service, name, "w.csv", body, attested=True, options=ReadOptions("cp850"))
    now = study_store.study(service, name)
    after = answers_of_releases.few_records_in(service, now, found, ["job"], 2)
    assert before is not None
    assert after is not None
    assert (before.combinations, after.combinations) == (0, 1), "nobody is caf\u00e9 by the other reading"
    with pytest.raises(PlanError, match="read in another way"):
        quality_report.quality_of(service, now, found)
