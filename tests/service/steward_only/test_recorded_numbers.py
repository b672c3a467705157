"""Private numbers: exact, offered once a plan is frozen, and recorded before anything is computed."""

from __future__ import annotations

import csv
import io
import itertools
import json
from collections import Counter
from typing import TYPE_CHECKING, NoReturn

import buying
import numpy as np
import pytest

from pmwpub.errors import DomainError, NoResult, PlanError, StoreUnavailable
from pmwpub.ledger import Ledger, PlanKey
from pmwpub.release.quality import MarginalsCompared
from pmwpub.service import PrivateTable, quality_report
from pmwpub.service.bought import assessments, releases
from pmwpub.service.inputs import study_store
from pmwpub.service.purchases.caveats import PRIVATE_NUMBERS_SEEN, SEEN
from pmwpub.service.steward_only import recorded_numbers, true_marginals
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.tabular.weights.weight_column import WeightColumn

if TYPE_CHECKING:
    from conftest import Bench

LOOKS = (
    lambda bench, key: recorded_numbers.true_errors(bench.service, bench.private, key),
    lambda bench, key: recorded_numbers.one_way_shares(bench.service, bench.private),
    lambda bench, key: recorded_numbers.unmapped_cells(bench.service, bench.private),
    lambda bench, key: true_marginals.true_marginals(bench.service, bench.private, key, _comparisons(bench)),
)
NAMES = ("errors", "one-way", "unmapped", "marginals")


def _comparisons(bench: Bench) -> dict[int, MarginalsCompared]:
    """The release beside its public table, or nothing where there is none."""
    current = study_store.study(bench.service, bench.name)
    done = [one for one in releases.releases(bench.service, current) if one.bundle is not None]
    if not done:
        return {}
    found = quality_report.quality_of(bench.service, current, done[0])
    return {ways: quality_report.compared(bench.service, found, ways) for ways in (1, 2, 3)}


@pytest.fixture
def released(bench: Bench) -> PlanKey:
    """A finished release of the bench's population."""
    current = study_store.study(bench.service, bench.name)
    plan = releases.release_plan(bench.service, current, bench.candidates[:1], epsilon="1", rounds=5)
    outcome = buying.buy(bench.service, bench.private, plan)
    assert outcome.status == "done"
    return outcome.booking.key


def _marks(bench: Bench) -> list[str]:
    return [mark.note for mark in bench.service.ledger.marks(bench.name) if mark.kind == PRIVATE_NUMBERS_SEEN]


def _labels(text: bytes, bench: Bench) -> list[tuple[str, ...]]:
    """The private rows as the schema's labels, read with nothing of the project but the edges."""
    schema = study_store.study(bench.service, bench.name).schema
    assert schema is not None
    rows = csv.DictReader(io.StringIO(text.decode()))
    placers = [(column, column.placer(schema.missing_tokens)) for column in schema.encoded]
    return [tuple(column.attribute.levels[place(row[column.name])] for column, place in placers) for row in rows]


def test_true_errors_are_those_of_a_count_by_hand(bench: Bench, released: PlanKey) -> None:
    found = recorded_numbers.true_errors(bench.service, bench.private, released)
    bundle = releases.releases(bench.service, study_store.study(bench.service, bench.name))[0].bundle
    assert bundle is not None
    weights = list(csv.reader(io.StringIO(bundle.weights.decode())))[1:]
    private, gaps = _labels(bench.private_csv, bench), []
    levels = [attribute.levels for attribute in bundle.schema.domain.attributes]
    for i, j in itertools.combinations(range(len(levels)), 2):
        exact = Counter((row[i], row[j]) for row in private)
        given: Counter[tuple[str, str]] = Counter()
        for row in weights:
            given[row[i], row[j]] += float(row[-1])  # type: ignore[assignment]
        cells = itertools.product(levels[i], levels[j])
        gaps += [abs(exact[cell] / len(private) - given[cell]) for cell in cells]
    assert found.max_error == pytest.approx(max(gaps), abs=1e-9)
    assert found.mean_error == pytest.approx(sum(gaps) / len(gaps), abs=1e-9)
    assert found.rms_error == pytest.approx((sum(gap * gap for gap in gaps) / len(gaps)) ** 0.5, abs=1e-9)


def test_true_marginals_are_those_of_a_count_by_hand_and_cells_without_a_level_count_as_one_more(
    bench: Bench, released: PlanKey
) -> None:
    strange = bench.private_csv.replace(b"cook", b"pilot")
    private = study_store.load_private(bench.service, bench.name, strange)
    comparisons = _comparisons(bench)
    found = true_marginals.true_marginals(bench.service, private, released, comparisons)
    rows = list(csv.DictReader(io.StringIO(strange.decode())))
    place = next(w for w in range(3) if comparisons[2].names(w) == ("sex", "job"))
    levels = [attribute.levels for attribute in comparisons[2].workload.domain.attributes]
    cells = {
        (sex, job): sum(row["sex"] == sex and row["job"] == job for row in rows) / len(rows)
        for sex in levels[0]
        for job in levels[2]
    }
    assert comparisons[2].cells(place, found[2].private).ravel().tolist() == pytest.approx(list(cells.values()))
    for ways, one in found.items():
        assert repr(one).count("0.") == 0
        for given, distance in (
            (one.compared.public, one.public_distance),
            (one.compared.released, one.released_distance),
        ):
            if ways == 2:
                part = one.compared.cells(place, given).ravel()
                gaps = np.abs(part - np.array(list(cells.values())))
                missing = 1 - sum(cells.values())
                assert distance[place] == pytest.approx((gaps.sum() + missing) / 2, abs=1e-9)


def test_one_way_shares_and_unmapped_cells_are_those_of_a_count_by_hand(bench: Bench, released: PlanKey) -> None:
    schema = study_store.study(bench.service, bench.name).schema
    assert schema is not None
    strange = bench.private_csv.replace(b"cook", b"pilot")
    private = study_store.load_private(bench.service, bench.name, strange)
    rows = list(csv.DictReader(io.StringIO(strange.decode())))
    shares = recorded_numbers.one_way_shares(bench.service, private)
    sexes = Counter(row["sex"] for row in rows)
    assert shares["sex"] == tuple(sexes[level] / len(rows) for level in ("F", "M"))
    pilots = sum(row["job"] == "pilot" for row in rows)
    assert recorded_numbers.unmapped_cells(bench.service, private) == {"sex": 0, "age": 0, "job": pilots}
    assert sum(shares["job"]) == pytest.approx(1 - pilots / len(rows))


@pytest.mark.parametrize("look", LOOKS, ids=NAMES)
def test_nothing_is_offered_before_a_plan_is_frozen(bench: Bench, look, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not recorded_numbers.offered(bench.service, bench.name)
    monkeypatch.setattr(PrivateTable, "dataset", property(_touched), raising=False)
    with pytest.raises(PlanError):
        look(bench, PlanKey("0" * 64))
    assert _marks(bench) == []


@pytest.mark.parametrize("look", LOOKS, ids=NAMES)
def test_nothing_is_computed_where_the_mark_is_not_committed(
    bench: Bench, released: PlanKey, look, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object, **named: object) -> NoReturn:
        raise StoreUnavailable("The store is read-only.")

    monkeypatch.setattr(Ledger, "mark", fail)
    monkeypatch.setattr(PrivateTable, "dataset", property(_touched), raising=False)
    with pytest.raises(StoreUnavailable):
        look(bench, released)


@pytest.mark.parametrize("look", LOOKS, ids=NAMES)
def test_the_mark_stands_in_the_store_when_the_table_is_first_looked_at(
    bench: Bench, released: PlanKey, look, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset, standing = bench.private.dataset, []

    def watched(table: PrivateTable) -> object:
        with Ledger.open(bench.url) as another:
            standing.append([m.kind for m in another.marks(bench.name)].count(PRIVATE_NUMBERS_SEEN))
        return dataset

    monkeypatch.setattr(PrivateTable, "dataset", property(watched), raising=False)
    look(bench, released)
    assert standing
    assert set(standing) == {1}


@pytest.mark.parametrize("look", LOOKS[1:3], ids=NAMES[1:3])
def test_a_look_at_weighed_rows_that_shows_none_of_them_sets_no_mark(bench: Bench, released: PlanKey, look) -> None:
    current = study_store.study(bench.service, bench.name).schema
    assert current is not None
    columns = [one.changed(same=("trim",), strip=False, casefold=False) for one in current.columns]
    weight = WeightColumn(name="w", kind="weight", cap="2", unit="1", total="700")
    study_store.save_schema(bench.service, bench.name, Schema.of([*columns, weight], current.missing_tokens, 2))
    head, *lines = bench.private_csv.splitlines()
    weighed = b"\n".join([head + b",w", *(line + b",1" for line in lines)])
    bench.private = study_store.load_private(bench.service, bench.name, weighed)
    with pytest.raises(DomainError, match="carry survey weights"):
        look(bench, released)
    assert _marks(bench) == []


def test_a_release_without_a_result_or_of_another_schema_is_refused_and_sets_no_mark(
    bench: Bench, released: PlanKey
) -> None:
    current = study_store.study(bench.service, bench.name)
    plan = releases.release_plan(bench.service, current, bench.candidates[:1], epsilon="0.5", rounds=5)
    charges = buying.charges(bench.service, bench.name, plan)
    bench.service.ledger.book(bench.name, PlanKey(plan.sha256), plan.canonical, charges)
    with pytest.raises(NoResult):
        recorded_numbers.true_errors(bench.service, bench.private, PlanKey(plan.sha256))
    assert current.schema is not None
    study_store.save_schema(bench.service, bench.name, current.schema.with_missing_tokens(["none"]))
    private = study_store.load_private(bench.service, bench.name, bench.private_csv)
    with pytest.raises(PlanError, match="another schema"):
        recorded_numbers.true_errors(bench.service, private, released)
    assert _marks(bench) == []


def test_every_later_assessment_and_release_carries_the_remark_and_no_earlier_one_does(
    bench: Bench, released: PlanKey
) -> None:
    recorded_numbers.true_errors(bench.service, bench.private, released)
    current = study_store.study(bench.service, bench.name)
    plan = assessments.assessment_plan(current, bench.candidates[:1], epsilon="0.1")
    buying.buy(bench.service, bench.private, plan)
    (assessed,) = assessments.assessments(bench.service, current)
    assert len(assessed.remarks) == 1
    assert assessed.remarks[0].startswith(f"{SEEN}: true errors of release {released.plan_sha256[:12]}, draw 1")
    later = releases.release_plan(bench.service, current, bench.candidates[:1], epsilon="0.5", rounds=5)
    buying.buy(bench.service, bench.private, later)
    first, second = (one.bundle for one in releases.releases(bench.service, current))
    assert first is not None
    assert second is not None
    assert not json.loads(first.parts["certificate.json"])["remarks"]
    assert SEEN in json.loads(second.parts["certificate.json"])["remarks"][0]


def _touched(*args: object, **named: object) -> NoReturn:
    raise AssertionError("A private row was looked at.")
