"""Where k rows of an ID stay, plans, ledger and certificate say so; one population has one kind of neighbours."""

from __future__ import annotations

import json
from collections.abc import Collection
from fractions import Fraction

import buying
import pytest

from pmwpub.errors import FileRefused, PlanError
from pmwpub.ledger import Population
from pmwpub.plans import AssessmentPlan, ReleasePlan, WorkloadChoice
from pmwpub.queries.counts import count
from pmwpub.release.bundle import Bundle
from pmwpub.release.certificates.neighbour_words import CERTIFICATE_NEIGHBOURS
from pmwpub.release.checking import check, require
from pmwpub.service import PrivateTable, Service
from pmwpub.service.bought import assessments, release_errors, releases
from pmwpub.service.inputs import study_store
from pmwpub.service.purchases.neighbours import KEPT
from pmwpub.service.steward_only import recorded_numbers
from pmwpub.tabular.schema.column_types import CategoricalColumn, IdColumn
from pmwpub.tabular.schema.table_schema import Schema

NAME, K, N = "people", 2, 60
PRIVATE = ("who,job\n" + "".join(f"p{place // 5},{'ab'[place % 2]}\n" for place in range(N))).encode()
PUBLIC = b"job\n" + b"a\nb\nb\n" * 9


def schema(*, keeps: bool, named: bool = True) -> Schema:
    job = CategoricalColumn(name="job", kind="categorical", levels=("a", "b"))
    who = IdColumn(name="who", kind="id", beyond="keep" if keeps else None)
    return Schema.of([who, job] if named else [job])


def loaded(service: Service, under: Schema, private: bytes = PRIVATE) -> PrivateTable:
    study_store.save_schema(service, NAME, under)
    study_store.choose_workload(service, NAME, WorkloadChoice(k=1))
    return study_store.load_private(service, NAME, private)


@pytest.fixture
def people(service: Service) -> Service:
    service.ledger.register(Population(NAME, N, K, "one person", Fraction(4), Fraction(1, N * N)))
    study_store.add_candidate(service, NAME, "b.csv", PUBLIC, attested=True)
    return service


def assessment(service: Service, epsilon: str = "1/10") -> AssessmentPlan:
    current = study_store.study(service, NAME)
    return assessments.assessment_plan(current, [current.candidates[0].sha256], epsilon=epsilon)


def release(service: Service) -> ReleasePlan:
    current = study_store.study(service, NAME)
    return releases.release_plan(service, current, [current.candidates[0].sha256], epsilon="1", rounds=2)


def test_a_table_with_more_rows_is_refused_unless_the_schema_keeps_some(people: Service) -> None:
    with pytest.raises(FileRefused, match=r'"beyond": "keep"'):
        loaded(people, schema(keeps=False))
    private = loaded(people, schema(keeps=True))
    assert len(private.dataset) == N


def test_plan_ledger_and_certificate_say_who_is_protected(people: Service) -> None:
    private = loaded(people, schema(keeps=True))
    outcome = buying.buy(people, private, release(people))
    assert json.loads(outcome.booking.plan_json)["kept_ids"] == schema(keeps=True).kept_ids
    assert people.ledger.history(NAME)[-1].sensitivity == f"{K} rows; {KEPT}, IDs of the column 'who'"
    bundle = Bundle.from_bytes(outcome.result or b"")
    assert bundle.certificate.neighbours == CERTIFICATE_NEIGHBOURS["keep"]
    assert "how many rows an ID has is not protected" in bundle.certificate.neighbours
    files = bundle.files()
    require(check(files))
    other = bundle.certificate.model_copy(update={"neighbours": CERTIFICATE_NEIGHBOURS[None]})
    assert any(finding.problem for finding in check(files | {"certificate.json": other.to_bytes()}))
    error = release_errors.error_plan(people, NAME, outcome.booking.key, epsilon="1/10")
    assert error.rows_beyond == "keep"
    assert buying.buy(people, private, error).status == "done"


def test_a_plan_says_nothing_where_the_schema_says_nothing(people: Service) -> None:
    loaded(people, schema(keeps=False, named=False))
    assert "kept_ids" not in release(people).canonical
    assert "kept_ids" not in assessment(people).canonical


@pytest.mark.parametrize("first_keeps", [True, False])
def test_one_population_buys_for_one_kind_of_neighbours(people: Service, first_keeps: bool) -> None:
    first, second = schema(keeps=True), schema(keeps=False, named=False)
    if not first_keeps:
        first, second = second, first
    private = loaded(people, first)
    plan = assessment(people)
    stored = buying.buy(people, private, plan)
    spent = people.ledger.balance(NAME).spent
    private = loaded(people, second)
    with pytest.raises(PlanError, match="do not add up to one promise"):
        buying.buy(people, private, assessment(people))
    assert people.ledger.balance(NAME).spent == spent
    assert buying.buy(people, loaded(people, first), plan).result == stored.result


def test_ids_of_another_column_or_under_other_rules_are_other_neighbours(people: Service) -> None:
    """One who owns ten rows in ten houses moves counts by ten where houses are the IDs."""
    job = CategoricalColumn(name="job", kind="categorical", levels=("a", "b"))
    kept = [
        IdColumn(name="who", kind="id", beyond="keep"),
        IdColumn(name="job", kind="id", beyond="keep"),
        IdColumn(name="who", kind="id", beyond="keep", casefold=True),
    ]
    spelt = {Schema.of([one, job.model_copy(update={"name": "work"})]).kept_ids for one in kept}
    assert len(spelt) == 3
    first, _, third = kept
    buying.buy(people, loaded(people, Schema.of([first, job])), assessment(people))
    spent = people.ledger.balance(NAME).spent
    with pytest.raises(PlanError, match="do not add up to one promise"):
        buying.buy(people, loaded(people, Schema.of([third, job])), assessment(people, "1/5"))
    assert people.ledger.balance(NAME).spent == spent


def test_a_column_of_ids_that_only_checks_may_change_for_its_plans_mean_any_k_rows(people: Service) -> None:
    """Who owns at most k rows is protected, whatever tells whose they are: all that is bought says one thing."""
    job = CategoricalColumn(name="job", kind="categorical", levels=("a", "b"))
    private = b"who,visit,job\n" + b"".join(b"p%d,v%d,%c\n" % (row // 2, row % 30, b"ab"[row % 2]) for row in range(N))
    stated = set()
    for column in ("who", "visit", None):
        under = Schema.of([job] if column is None else [IdColumn(name=column, kind="id"), job])
        outcome = buying.buy(people, loaded(people, under, private), release(people))
        stated.add(Bundle.from_bytes(outcome.result or b"").certificate.neighbours)
    assert stated == {CERTIFICATE_NEIGHBOURS[None]}
    assert {one.sensitivity for one in people.ledger.history(NAME)} == {f"{K} rows"}
    assert len(people.ledger.bookings(NAME)) == 3


def test_two_purchases_at_once_are_of_one_kind_of_neighbours(people: Service) -> None:
    """While the first waits to be ready, another buys for the other kind: the ledger asks in its own transaction."""
    private, plan = loaded(people, schema(keeps=True)), assessment(people)
    ready = people.engine.readiness.require

    def meanwhile(tasks: Collection[str]) -> None:
        people.engine.readiness.require = ready  # type: ignore[method-assign]
        other = loaded(people, schema(keeps=False, named=False))
        buying.buy(people, other, assessment(people, "1/5"))
        ready(tasks)

    people.engine.readiness.require = meanwhile  # type: ignore[method-assign]
    current = study_store.study(people, NAME)
    with pytest.raises(PlanError, match="do not add up to one promise"):
        buying.buy(people, private, plan, current=current)
    assert len(people.ledger.bookings(NAME)) == 1


def test_the_report_promises_for_ids_and_not_for_persons_of_few_rows(people: Service) -> None:
    private = loaded(people, schema(keeps=True))
    page = Bundle.from_bytes(buying.buy(people, private, release(people)).result or b"").files()["report.html"].decode()
    for false in ("owns at most", "a person</small>", "had one person", "owns no more rows than stated"):
        assert false not in " ".join(page.split())
    assert "all rows of one ID" in page


def test_a_plan_that_differs_from_its_schema_is_refused(people: Service) -> None:
    private = loaded(people, schema(keeps=True))
    told = assessment(people).model_copy(update={"kept_ids": None})
    with pytest.raises(PlanError, match="further rows of one ID"):
        buying.buy(people, private, told)
    assert not people.ledger.history(NAME)


def test_table_fit_says_so_too_and_does_not_take_each_row_to_have_a_level(people: Service) -> None:
    """Each cell has a level here, but 36 of 60 rows are counted in no cell: 12 IDs of 5 rows keep 2 each."""
    job = CategoricalColumn(name="job", kind="categorical", levels=("a", "b"), other=True)
    plain, keeping = (Schema.of([IdColumn(name="who", kind="id", beyond=rule), job]) for rule in (None, "keep"))
    assert (plain.complete, keeping.complete) == (True, False)
    private = loaded(people, keeping)
    counts = count(WorkloadChoice(k=1).build(keeping.domain), private.dataset)
    assert (counts.n, counts.counts.sum()) == (60, 24)
    current = study_store.study(people, NAME)
    plan = releases.table_fit_plan(people, current, [current.candidates[0].sha256], epsilon="1")
    assert plan.rows_beyond == "keep"
    files = Bundle.from_bytes(buying.buy(people, private, plan).result or b"").files()
    require(check(files))
    assert b"how many rows an ID has is not protected" in files["certificate.json"]
    assert b"are replaced by as many of an ID that no row has" in files["certificate.json"]
    assert "so many count, chosen from that ID" in files["report.html"].decode()


def test_cells_without_a_level_are_said_to_count_rows_that_do_not_stay(people: Service) -> None:
    """By hand: 2 rows stay of each of 11 IDs with five, and none of the five whose ID is blank here."""
    private = loaded(people, schema(keeps=True), PRIVATE.replace(b"p0,", b","))
    buying.buy(people, private, release(people))
    assert recorded_numbers.unmapped_cells(people, private) == {"job": N - 22}
    assert private.unplaced_cells == 0
    words = recorded_numbers.UNMAPPED[study_store.study(people, NAME).rows_beyond]
    assert "rows without an ID and of an ID's rows beyond k" in words
    assert "beyond k" not in recorded_numbers.UNMAPPED[None]
