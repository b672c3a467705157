"""The path of five steps: the line of choices, and what is said to come next."""

from __future__ import annotations

from dataclasses import replace

import buying
import pytest
from pages.visits import Here, Open, words

from pmwpub.service.bought import assessments, releases
from pmwpub.service.inputs import study_store
from pmwpub.ui.wording.path_so_far import COMPARE, HAND_OVER, PREPARE, RELEASE, PathSoFar, spent_words


def so_far(town: Here, *, steward: bool = True, viewing: bool = False, **changed: object) -> PathSoFar:
    """The path of the town, some parts of its public state changed."""
    study = replace(study_store.study(town.service, town.population), **changed)  # type: ignore[arg-type]
    return PathSoFar(study, town.service.ledger.bookings(town.population), steward=steward, viewing=viewing)


@pytest.mark.parametrize(
    ("changed", "steward", "words"),
    [
        (
            {"candidates": (), "schema": None, "choice": None},
            False,
            "add public tables, then draft a schema, then choose the workload, then load the private table",
        ),
        (
            {"schema": None, "choice": None},
            False,
            "draft a schema, then choose the workload, then load the private table",
        ),
        ({"choice": None}, False, "choose the workload, then load the private table"),
        ({"choice": None}, True, "choose the workload"),
        ({}, False, "load the private table"),
    ],
)
def test_what_is_missing_is_named_in_the_order_of_the_work(
    town: Here, changed: dict[str, object], steward: bool, words: str
) -> None:
    step = so_far(town, steward=steward, **changed).next_step
    assert (step.words, step.page) == (words, PREPARE)


def test_tables_that_were_read_and_not_stored_are_named_until_somebody_presses_store(town: Here) -> None:
    read = replace(so_far(town, candidates=(), schema=None), held=2)
    there, elsewhere = replace(read, page=PREPARE).next_step.words, replace(read, page=COMPARE).next_step.words
    assert there == "press Store below to keep 2 public tables, then draft a schema"
    assert elsewhere.startswith("press Store on Prepare to keep 2 public tables")


def test_tables_without_the_stewards_word_are_named_before_anything_is_bought(town: Here) -> None:
    tables = study_store.study(town.service, town.population).candidates
    none = so_far(town, candidates=tuple(replace(one, attested=False) for one in tables))
    assert none.next_step.words.replace("\\", "") == "attest good.csv, poor.csv"
    assert "2 candidates (2 not attested)" in none.line
    unfit = so_far(town, candidates=(tables[0], replace(tables[1], support=None)))
    assert "2 candidates (1 without a fit)" in unfit.line


def test_after_preparing_it_leads_to_compare_then_to_a_release_then_to_what_is_handed_over(town: Here) -> None:
    current, private = study_store.study(town.service, town.population), town.private()
    assert so_far(town).next_step.page == COMPARE
    assert replace(so_far(town), page=COMPARE).next_step.page == RELEASE
    one = [current.usable[0].sha256]
    buying.buy(town.service, private, assessments.assessment_plan(current, one, epsilon="0.05"), current=current)
    assert so_far(town).next_step.page == RELEASE
    assert so_far(town, steward=False, viewing=True).next_step.page == COMPARE
    buying.buy(town.service, private, releases.release_plan(town.service, current, one, epsilon="0.1", rounds=2))
    found = so_far(town)
    assert (found.next_step.page, found.next_step.release) == (HAND_OVER, 1), "the first release, whatever its booking"
    assert "all 2-way marginals · 1 release · " in found.line
    assert so_far(town, steward=False, viewing=True).next_step.page == HAND_OVER


def test_a_table_that_was_published_unchanged_is_counted_and_handed_over(town: Here) -> None:
    found = replace(so_far(town), published=1, page=COMPARE)
    assert (found.next_step.words, found.next_step.page) == ("hand over the published table", HAND_OVER)
    assert "1 table published unchanged" in found.line
    assert replace(found, viewing=True).next_step.page == HAND_OVER
    assert "published" not in so_far(town).line


def test_what_is_spent_is_a_part_of_the_grant_whose_epsilon_and_delta_stand_in_brackets(town: Here) -> None:
    assert spent_words(so_far(town).study) == "0 % of the grant taken (ε = 2 at δ = 6.25e-6)"
    current, private = study_store.study(town.service, town.population), town.private()
    plan = releases.release_plan(town.service, current, [current.usable[0].sha256], epsilon="2", rounds=2)
    buying.buy(town.service, private, plan, current=current)
    assert spent_words(so_far(town).study) == "100 % of the grant taken (ε = 2 at δ = 6.25e-6)"


def test_the_line_stands_on_a_page_and_what_is_missing_there_is_no_link(town: Here, visit: Open) -> None:
    said = words(visit("prepare", population=town.population))
    assert "town · n = 400, k = 1 · 2 candidates · private table not loaded here · all 2-way marginals" in said
    assert "Next, on this page: load the private table." in said
    elsewhere = visit("compare", population=town.population)
    assert [one.proto.label for one in elsewhere.get("page_link") if one.proto.label.startswith("Next:")] == [
        "Next: load the private table"
    ]
