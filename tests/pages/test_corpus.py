"""Every class of the input corpus through the upload fields of Prepare: taken, confirmed, refused or mapped."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import buying
import pytest
from pages.visits import add, arrive, buy, press, stored, words
from streamlit.testing.v1 import AppTest
from support.corpus import CANARY, CONTAINER, HEAD, HEADER, LEVELS, MAPPED, NONE, PLAIN, SCHEMA, SYNTAX, Case, Cell

from pmwpub.jobs import InlineEngine
from pmwpub.ledger import Ledger, Population
from pmwpub.plans import WorkloadChoice
from pmwpub.service import PrivateTable, Service, Study
from pmwpub.service.bought import assessments
from pmwpub.service.inputs import study_store
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.ui import Session
from pmwpub.ui.app import services

FILES = CONTAINER + SYNTAX + HEADER
TOWN = "town"
# Two tables that fit the schema and are no case's: the candidate, and the private table of earlier work.
GOOD = (HEAD + "F,21,clerk\nM,46,cook\nF,71,cook\nM,34,\n").encode()
KEPT = (HEAD + "F,22,clerk\nF,47,cook\nF,72,cook\nF,35,\n").encode()


def named(one: Case | Cell) -> str:
    return one.name


@dataclass
class Counter:
    """The Prepare page of one population in one browser session, and the store behind it."""

    service: Service
    apps: dict[tuple[str, bool], AppTest] = field(default_factory=dict)

    def founded(self, name: str, n: int, schema: dict[str, Any] = SCHEMA, k: int = 1, *, offer: bytes = GOOD) -> str:
        """A population with a schema, a candidate and a workload; nothing spent."""
        delta = Fraction(1, n * n) if n > 1 else Fraction(1, 10**6)
        self.service.ledger.register(Population(name, n, k, "one person", Fraction(9), delta))
        study_store.add_candidate(self.service, name, "good.csv", offer, attested=True)
        study_store.save_schema(self.service, name, Schema.from_json(json.dumps(schema)))
        study_store.choose_workload(self.service, name, WorkloadChoice(k=1))
        return name

    def study(self, name: str) -> Study:
        return study_store.study(self.service, name)

    def stands(self, name: str) -> tuple[Any, ...]:
        """All that a refusal must leave as it was."""
        study, ledger = self.study(name), self.service.ledger
        candidates = [(one.name, one.sha256, one.attested) for one in study.candidates]
        return candidates, study.schema, study.choice, ledger.export(name), ledger.bookings(name), ledger.marks(name)

    def page(self, name: str, *, steward: bool) -> AppTest:
        """The page in a session of its own, as it was left."""
        if (name, steward) not in self.apps:
            private = study_store.load_private(self.service, name, KEPT) if steward else None
            self.apps[name, steward] = arrive("prepare", Session(name, private), population=name)
        return self.apps[name, steward].run()

    def offer(self, name: str, content: bytes, ending: str, *, role: str, stem: str = "case") -> AppTest:
        """Put a file into the field of its role and send it."""
        app = self.page(name, steward=role == "public")
        if role == "public":
            app.file_uploader[0].set_value([(f"{stem}{ending}", content, "text/csv")])
            next(box for box in app.checkbox if "none of these files" in box.label).check()
            add(app)
        else:
            app.file_uploader[-1].set_value((f"case{ending}", content, "text/csv"))
            press(app, "Load into this session")
        assert not app.exception
        return app

    def taken(self, name: str, app: AppTest, *, role: str) -> int | None:
        """The rows of the file that was taken in, which is then let go; None if none was."""
        if role == "private":
            loaded = held(app)
            if loaded is None:
                return None
            press(app, "Forget the private table")
            return loaded.n
        new = [one for one in self.study(name).candidates if one.name != "good.csv"]
        for one in new:
            study_store.remove_candidate(self.service, name, one.sha256)
            assert one.attested
        return sum(one.rows for one in new) if new else None


def held(app: AppTest) -> PrivateTable | None:
    session: Session = app.session_state["pmwpub session"]
    return session.private


def everything(app: AppTest) -> str:
    """All that the page sends to the browser."""
    parts = [node for tree in (app.main, app.sidebar) for node in tree]
    return "\n".join(str(node.proto) for node in parts)


@pytest.fixture(scope="module")
def counter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Counter]:
    """One store for all classes: a population with a charge, and one for each other number of rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PMWPUB_STORE", f"sqlite:///{tmp_path_factory.mktemp('corpus') / 'ledger.sqlite'}")
        patch.setattr(services, "engine", InlineEngine)
        services.close()
        with Ledger.open() as ledger:
            found = Counter(Service(ledger, InlineEngine()))
            for n in {case.rows for case in FILES} - {4}:
                found.founded(f"{TOWN} {n}", n)
            found.founded(TOWN, 4)
            private = study_store.load_private(found.service, TOWN, KEPT)
            current = found.study(TOWN)
            plan = assessments.assessment_plan(current, [current.usable[0].sha256], epsilon="0.1", floor=False)
            assert buying.buy(found.service, private, plan).status == "done"
            yield found
        services.close()


def place(case: Case, role: str) -> str:
    """The population whose private table may have the rows of the case."""
    return TOWN if role == "public" or case.rows == 4 or case.verdict == "refuse" else f"{TOWN} {case.rows}"


@pytest.mark.parametrize("role", ["private", "public"])
@pytest.mark.parametrize("case", FILES, ids=named)
def test_a_file_is_accepted_confirmed_or_refused_by_the_page(case: Case, role: str, counter: Counter) -> None:
    name = place(case, role)
    before = counter.stands(name)
    app = counter.offer(name, case.content, case.ending, role=role)
    fits = case.fits or role == "public"
    if case.verdict != "accept" and fits == case.fits:
        refused(app, case)
        assert counter.stands(name) == before
        assert (held(app) is not None) == (role == "public"), "the earlier table stays, and no other is held"
    if case.verdict == "confirm" and case.options is not None:
        stored(press(app, f"Read as {case.options.words}"))
    if not case.fits and role == "public":
        (problem,) = [one.problem for one in counter.study(name).candidates if one.problem]
        assert case.words in problem, "a public table that the schema does not fit is kept, and said to be unfit"
        counter.taken(name, app, role=role)
    elif case.verdict != "refuse":
        assert role == "public" or CANARY not in everything(app)
        assert all(one.support is not None for one in counter.study(name).candidates)
        assert counter.taken(name, app, role=role) == case.rows
    assert counter.stands(name) == before


def refused(app: AppTest, case: Case) -> None:
    """The page says why and where, that nothing was charged, and shows no line of the file."""
    said = words(app)
    assert case.words in said
    assert f"Line {case.line}:" in said if case.line else "Line " not in said
    assert "Nothing was charged" in said
    whole = everything(app)
    assert CANARY not in whole
    for line in case.content[:10_000].decode("latin-1").splitlines():
        assert len(line) < 6 or line not in whole
    offered = [button.label for button in app.button if button.label.startswith("Read as")]
    assert offered == ([f"Read as {case.options.words}"] if case.options else [])


def test_an_upload_beyond_the_limit_is_refused_on_both_sides(counter: Counter) -> None:
    """Its bytes are counted before any is looked at; the browser's own field refuses it earlier."""
    content = PLAIN + b"F,1,cook\n" * 22_300_000
    before = counter.stands(TOWN)
    for role in ("private", "public"):
        app = counter.offer(TOWN, content, ".csv", role=role)
        assert "more than 200,000,000 bytes" in words(app)
        assert counter.stands(TOWN) == before


# --- cells


@pytest.fixture(scope="module")
def mapped(counter: Counter) -> Callable[[Cell], AppTest]:
    """The page once it was given a private table with the cell, under a schema with its column."""
    sex = SCHEMA["columns"][0]
    usual = {"categorical": "a", "numeric": "5"}
    counter.founded("cells", 2, SCHEMA | {"columns": [sex, LEVELS]}, offer=b"sex,x\nM,a\nF,a\nF,5\n")

    def load(cell: Cell) -> AppTest:
        columns = [sex, dict(cell.column)]
        study_store.save_schema(counter.service, "cells", Schema.from_json(json.dumps(SCHEMA | {"columns": columns})))
        quoted = cell.cell.replace('"', '""')
        content = f'sex,x\nF,"{quoted}"\nM,{usual[cell.column["kind"]]}\n'.encode()
        return counter.offer("cells", content, ".csv", role="private")

    return load


@pytest.mark.parametrize("cell", MAPPED, ids=named)
def test_the_page_maps_a_private_cell_and_never_refuses_it(
    cell: Cell, mapped: Callable[[Cell], AppTest], counter: Counter
) -> None:
    app = mapped(cell)
    private = held(app)
    assert private is not None
    attribute = private.dataset.domain.attributes[1]
    assert (*attribute.levels, NONE)[int(private.dataset.codes[0, 1])] == cell.level
    assert (private.n, len(private.dataset)) == (2, 2)
    assert len(cell.cell) < 6 or cell.cell in attribute.levels or cell.cell not in everything(app)
    assert counter.service.ledger.export("cells") == []
    assert counter.taken("cells", app, role="private") == 2


# --- classes that are about whole columns or tables


def test_one_row_is_taken_and_a_run_on_it_is_refused_by_the_public_n(counter: Counter) -> None:
    name = counter.founded("one", 1)
    app = counter.offer(name, HEAD.encode() + b"F,20,cook\n", ".csv", role="private")
    app.switch_page("pages/compare.py").run()
    buy(app, "Buy these assessments")
    assert "at least 2 rows" in words(app)
    assert counter.service.ledger.export(name) == []


def test_a_path_in_a_file_name_is_no_part_of_a_candidates_name(counter: Counter) -> None:
    app = counter.offer(TOWN, PLAIN, ".csv", role="public", stem="../../etc/<b>x</b>")
    names = {one.name for one in counter.study(TOWN).candidates}
    counter.taken(TOWN, app, role="public")
    assert names == {"good.csv", "b>.csv"}


def test_over_ten_thousand_levels_are_refused_and_a_draft_bins_numbers_and_leaves_text_out(counter: Counter) -> None:
    rows = "".join(f"w{i},{i / 8},{'FM'[i % 2]},same\n" for i in range(10_001))
    name = counter.founded("many", 4, offer=f"text,number,sex,constant\n{rows}".encode())
    app = counter.page(name, steward=False)
    before = counter.stands(name)
    many = SCHEMA | {"columns": [LEVELS | {"levels": [str(i) for i in range(10_001)]}]}
    app.file_uploader[1].upload("schema.json", json.dumps(many).encode(), "application/json")
    press(app, "Load")
    assert "at most 10000" in words(app)
    assert counter.stands(name) == before
    press(app, "Draft a schema")
    schema = counter.study(name).schema
    assert schema is not None
    kinds = {column.name: column.kind for column in schema.columns}
    assert kinds == {"text": "ignore", "number": "numeric", "sex": "categorical", "constant": "ignore"}


def test_duplicate_rows_count_each_and_a_category_of_the_public_table_alone_counts_zero(counter: Counter) -> None:
    name = counter.founded("twins", 6)
    app = counter.offer(name, (HEAD + "F,20,cook\n" * 6).encode(), ".csv", role="private")
    private = held(app)
    assert private is not None
    assert len(private.dataset) == 6
    job = private.dataset.codes[:, 2]
    assert private.dataset.domain.attributes[2].levels[:2] == ("cook", "clerk")
    assert (int((job == 0).sum()), int((job == 1).sum())) == (6, 0)


@pytest.mark.parametrize("k", [1, 2])
def test_several_rows_a_person_need_to_be_declared(k: int, counter: Counter) -> None:
    schema = SCHEMA | {"columns": [*SCHEMA["columns"], {"name": "who", "kind": "id"}]}
    name = counter.founded(f"k {k}", 3, schema, k)
    content = f"sex,age,job,who\nF,20,cook,{CANARY}\nM,1,,b\nF,2,,{CANARY}\n".encode()
    app = counter.offer(name, content, ".csv", role="private")
    assert ("At most 1 row may carry one ID" in words(app)) == (k == 1)
    assert (held(app) is None) == (k == 1)
    assert CANARY not in everything(app)


def test_a_private_table_is_no_candidate_and_a_candidate_no_private_table(counter: Counter) -> None:
    before = counter.stands(TOWN)
    for content, role, why in (
        (KEPT, "public", "rows of a private table"),
        (KEPT.replace(b"\n", b"\r\n"), "public", "rows of a private table"),
        (GOOD, "private", "rows of one of the public candidates"),
    ):
        assert why in words(counter.offer(TOWN, content, ".csv", role=role))
        assert counter.stands(TOWN) == before


def test_an_edited_private_table_has_the_same_ledger_and_the_stored_result(counter: Counter) -> None:
    name = counter.founded("edited", 4)
    app = counter.offer(name, PLAIN, ".csv", role="private")
    app.switch_page("pages/compare.py").run()
    buy(app, "Buy these assessments")
    bought = counter.stands(name)
    assert bought[3]
    app.switch_page("pages/prepare.py").run()
    press(app, "Forget the private table")
    app.file_uploader[-1].set_value(("case.csv", PLAIN.replace(b"F,20", b"M,21"), "text/csv"))
    press(app, "Load into this session")
    assert "not the table that earlier charges" in words(app)
    app.switch_page("pages/compare.py").run()
    press(app, "Show the stored result")
    assert counter.stands(name) == bought
