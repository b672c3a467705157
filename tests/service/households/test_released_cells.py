"""What pages say of a release of households, against its own files; and what is known before it, by hand."""

from __future__ import annotations

import csv
import io
import zipfile
from fractions import Fraction

import pytest
from support.households import LARGEST, csv_of, homes, schema_text

from pmwpub.errors import PlanError, SchemaError
from pmwpub.ledger import Population
from pmwpub.plans import WorkloadChoice
from pmwpub.release.households.reading.household_cells import NOT_COVERED
from pmwpub.release.notebooks.household_notebook import household_notebook
from pmwpub.service import Service, purchases
from pmwpub.service.households.household_downloads import household_downloads
from pmwpub.service.households.household_loading import adopt_households, load_household_file
from pmwpub.service.households.household_outlook import PublicPart, noise_before, public_parts
from pmwpub.service.households.household_releases import household_plan, household_releases
from pmwpub.service.households.household_rules import HouseholdRule, save_rule, suggested, written_schema
from pmwpub.service.households.released_cells import answers_of, columns_of
from pmwpub.service.inputs import study_store
from pmwpub.service.inputs.reviewing import reviewed
from pmwpub.service.inputs.study import Study
from pmwpub.service.purchases import purchase_of
from pmwpub.tabular.households.household_schema import HouseholdSchema, household_unit
from pmwpub.tabular.schema.column_types import IgnoredColumn
from pmwpub.tabular.schema.table_schema import Schema

N, NAME = 60, "homes"
SCHEMA = HouseholdSchema.from_json(schema_text())
MENDED = [["own,adult,f", ",child,m"], ["own,adult,f", "rent,child,m"], ["own,adult,f"] * (LARGEST + 1)]
"""A household with a missing cell, one whose persons differ in tenure, and one that is too large."""


@pytest.fixture
def town(service: Service) -> Service:
    unit = household_unit(LARGEST)
    service.ledger.register(Population(NAME, N, LARGEST, unit, Fraction(3), Fraction(1, N**2)))
    adopt_households(service, NAME, SCHEMA, WorkloadChoice(k=2))
    body = csv_of([*homes(50, 2, owning=0.3), *MENDED], 1_000) + ",own,adult,f\n"
    study_store.add_candidate(service, NAME, "b.csv", body.encode(), attested=True)
    return service


def study(service: Service) -> Study:
    return study_store.study(service, NAME)


def rows(body: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(body.decode())))


def test_a_program_s_rule_stands_in_the_store_as_the_page_s_does(town: Service) -> None:
    assert study(town).household_schema() == SCHEMA
    assert written_schema(study(town)) == SCHEMA.to_json()
    town.ledger.amend(NAME, unit=household_unit(6), rows_per_person=6)
    assert study(town).household_schema().largest == 6, "H is the terms'"
    town.ledger.amend(NAME, unit="one person", rows_per_person=1)
    assert study(town).household is None


def test_what_is_left_out_is_counted_by_its_reason_and_said(town: Service) -> None:
    (part,) = public_parts(town, study(town), SCHEMA).values()
    persons = sum(map(len, homes(50, 2, owning=0.3)))
    assert part == PublicPart("b.csv", 50, persons, oversized=1, incomplete=2, nobody=1)
    assert part.left_out(LARGEST) == (
        "Households left out: 1 with more than 4 persons and 2 with a missing level, or persons who differ in a column "
        "of the household. Rows without a household id, left out: 1."
    )
    assert PublicPart("b.csv", 50, persons).left_out(LARGEST) == ""
    assert suggested(town, study(town)) == ("home",)


def test_a_rule_that_does_not_fit_is_refused_and_the_earlier_one_stays(town: Service) -> None:
    for rule, refusal in (
        (HouseholdRule(id="home", largest=5), PlanError),
        (HouseholdRule(id="home", largest=LARGEST, columns=("rooms",)), SchemaError),
    ):
        with pytest.raises(refusal):
            save_rule(town, study(town), rule)
    assert study(town).household == SCHEMA.rule


def test_the_column_of_household_ids_is_no_column_to_decide_about(town: Service) -> None:
    aside = IgnoredColumn(name="home", kind="ignore")
    persons = Schema.of([*SCHEMA.persons.columns, aside], SCHEMA.persons.missing_tokens, 2)
    adopt_households(town, NAME, HouseholdSchema(persons, SCHEMA.rule), WorkloadChoice(k=2))
    found = reviewed(town, study(town))
    assert found is not None
    assert {one.name for one in found.columns} == {"tenure", "age", "sex"}


def test_cells_are_those_of_the_files_in_the_units_that_are_named(town: Service) -> None:
    current = study(town)
    private = load_household_file(town, NAME, csv_of(homes(N, 1)).encode())
    (key,) = (one.sha256 for one in current.candidates)
    plan = household_plan(town, current, current.household_schema(), [key], epsilon="1", private=private)
    noise = noise_before(town, current, plan)
    purchases.buy(town, private, [purchase_of(plan)], tick=True)
    (released,) = household_releases(town, study(town))
    assert released.bundle is not None
    offered = household_downloads(released.bundle, "all.zip", households=10, seed=3)
    files = {file.name: file.content() for file in offered}
    packed = zipfile.ZipFile(io.BytesIO(files.pop("all.zip")))
    assert {name: packed.read(name) for name in packed.namelist()} == files
    assert files.pop("analyst.ipynb") == household_notebook(released.bundle)
    assert files == released.bundle.files(10, 3)

    own, people = rows(files["weights.csv"]), rows(files["weighted_persons.csv"])
    weight = {home["home"]: float(home["weight"]) for home in own}
    answers = answers_of(town, "key", released.bundle)
    assert len({(line["of"], line["columns"]) for line in rows(files["tables.csv"])}) == sum(noise.tables)
    for of, cells in answers.tables():
        shown, members = columns_of(cells, of), people if of == "persons" else own
        names = list(cells[0].levels)
        unit = {"persons": "persons per household", "households": "share of households"}[of]
        assert list(shown) == [*names, unit, "from", "to", "in the files", "remark"]
        for place, cell in enumerate(cells):
            inside = [one for one in members if all(one[name] == cell.levels[name] for name in names)]
            whole = sum(weight[one["home"]] for one in inside)
            assert shown["in the files"][place] == pytest.approx(whole, abs=1e-12)
            low, value, high = (shown[name][place] for name in ("from", unit, "to"))
            assert 0 <= low <= value <= high <= (LARGEST if of == "persons" else 1)  # type: ignore[operator]


def test_a_table_that_was_not_measured_has_no_interval_and_says_so(town: Service) -> None:
    current = study(town)
    private = load_household_file(town, NAME, csv_of(homes(N, 1)).encode())
    plan = household_plan(
        town, current, current.household_schema(), [current.candidates[0].sha256], epsilon="1", private=private
    )
    purchases.buy(town, private, [purchase_of(plan)], tick=True)
    (released,) = household_releases(town, study(town))
    assert released.bundle is not None
    answers = answers_of(town, "key", released.bundle)
    cells = answers.marginal(["tenure", "age", "sex"], "persons")
    assert set(columns_of(cells, "persons")["from"]) == {None}
    assert set(columns_of(cells, "persons")["remark"]) == {NOT_COVERED}
    assert NOT_COVERED not in columns_of(answers.marginal(["tenure"], "households"), "households")["remark"]
