"""Each rule of spending by each way to spend: page, command line, API, a second session, a server for viewers only."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from pages.visits import PRIVATE, ROWS, arrive, buy, by_pmw_pub, handed_over, press, stored, table, ticked, words
from streamlit.testing.v1 import AppTest

import pmwpub
from pmwpub.api.synthetic_release import SyntheticRelease
from pmwpub.cli import main
from pmwpub.errors import PmwPubError
from pmwpub.jobs import InlineEngine
from pmwpub.ledger import Ledger, PlanKey, Population
from pmwpub.ledger.moving.receipts import address_of
from pmwpub.plans import WorkloadChoice
from pmwpub.plans.criteria import criteria_of
from pmwpub.release.bundle import Bundle
from pmwpub.service import Policy, PrivateTable, Service, purchases, server_parts
from pmwpub.service.accepting.acceptances import acceptance_plan
from pmwpub.service.bought import releases
from pmwpub.service.bought.assessments import assessment_plan
from pmwpub.service.bought.misfit_shares import misfit_plan
from pmwpub.service.bought.stored_releases import stored_release
from pmwpub.service.inputs import study_store
from pmwpub.service.purchases import AcceptancePurchase, AssessmentPurchase, ReleasePurchase
from pmwpub.service.purchases.caveats import SEEN
from pmwpub.service.steward_only import recorded_numbers
from pmwpub.tasks.simulation_work import SweepPlace
from pmwpub.ui import Session
from pmwpub.ui.app import services
from pmwpub.ui.widgets.price_form import ASTRAY

NAME = "town"
PIECE = b"\n".join(PRIVATE.splitlines()[:200]) + b"\n"
FILES = {"good.csv": table(300, 2), "poor.csv": table(300, 3)}
BETWEEN = "0.45"
"""Epsilon of an assessment: of the total of 2 at 1e-6, rho = 0.088, one takes 0.069 and two would take 0.138."""
WAYS = ("page", "command line", "API")


class World:
    """One store with a population of `ROWS` rows; each way to spend acts on it and answers in words."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._capsys = folder, capsys
        self.ledger = Ledger.open()
        self.service = Service(self.ledger, InlineEngine(), policy=Policy.declared("localhost"))
        self.ledger.register(Population(NAME, ROWS, 1, "one resident", "2", "1e-6"))  # type: ignore[arg-type]
        for name, body in FILES.items():
            (folder / name).write_bytes(body)
        (folder / "piece.csv").write_bytes(PIECE)
        (folder / "private.csv").write_bytes(PRIVATE)

    def prepare(self, *more: tuple[str, bytes]) -> None:
        """Store the candidates, a schema and a workload, as the page's steward has done before buying."""
        service = Service(self.ledger, InlineEngine())
        for name, body in [*FILES.items(), *more]:
            study_store.add_candidate(service, NAME, name, body, attested=True)
        study_store.save_schema(service, NAME, study_store.draft_schema(service, NAME))
        study_store.choose_workload(service, NAME, WorkloadChoice(k=2))

    @property
    def schema(self) -> pmwpub.Schema:
        return pmwpub.draft_schema([_frame(body) for body in FILES.values()])

    def charges(self) -> int:
        return len(self.ledger.history(NAME))

    def candidates(self) -> int:
        return len(self.ledger.documents(NAME, "candidate"))

    # The page

    def page(self, page: str = "release") -> AppTest:
        """A session that holds the private table."""
        loaded = study_store.load_private(Service(self.ledger, InlineEngine()), NAME, PRIVATE)
        return arrive(page, Session(NAME, loaded), population=NAME)

    # The command line

    def command(self, what: str, *flags: str, public: tuple[str, ...] = ("good.csv",)) -> tuple[int, str]:
        (self.folder / "schema.json").write_text(self.schema.to_json())
        files = [flag for name in public for flag in ("--public", str(self.folder / name))]
        common = ["--population", NAME, "--schema", str(self.folder / "schema.json"), "-k", "2"]
        private = ["--private", str(self.folder / "private.csv")]
        out = ["-o", str(self.folder / "out")] if what == "release" else []
        rounds = ["--rounds", "3"] if what == "release" else []
        self._capsys.readouterr()
        status = main([what, *common, *private, *files, *rounds, *out, *flags])
        printed = self._capsys.readouterr()
        return status, printed.out if status == 0 else printed.err

    def printed(self, *arguments: str) -> str:
        """All that a command says, by either stream."""
        self._capsys.readouterr()
        main(list(arguments))
        return "".join(self._capsys.readouterr())

    # The API

    def api(self, **public: bytes) -> pmwpub.Project:
        frames = {name: _frame(body) for name, body in (public or {"good": FILES["good.csv"]}).items()}
        return pmwpub.Project(self.ledger, NAME, schema=self.schema, public=frames, workload=pmwpub.WorkloadChoice(k=2))


def _frame(content: bytes) -> pd.DataFrame:
    return pd.read_csv(io.BytesIO(content), dtype=str)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[World]:
    monkeypatch.setenv("PMWPUB_STORE", f"sqlite:///{tmp_path / 'ledger.sqlite'}")
    monkeypatch.setattr(services, "engine", InlineEngine)
    monkeypatch.setattr(server_parts, "simulation_place", SweepPlace)
    st.cache_resource.clear()
    made = World(tmp_path, capsys)
    yield made
    made.ledger.close()
    st.cache_resource.clear()


def refusal(act: Callable[[], object]) -> str:
    """The words of what an act refuses."""
    with pytest.raises(PmwPubError) as refused:
        act()
    return str(refused.value)


# A public table that shares rows with the private one is bought with on the steward's word alone.


def test_overlap_on_the_page(world: World) -> None:
    world.prepare(("piece.csv", PIECE))
    app = press(world.page("compare"), "Buy these assessments")
    assert "stand in piece.csv too" in words(app)
    assert world.charges() == 0
    assert buy(app, "Buy these assessments") is app
    assert world.charges() == 6


@pytest.mark.parametrize("what", ["assess", "release"])
def test_overlap_on_the_command_line(world: World, what: str) -> None:
    status, said = world.command(what, "--epsilon", "0.2", public=("piece.csv",))
    assert (status, world.charges(), world.candidates()) == (2, 0, 0)
    assert "--overlap-acknowledged" in said
    status, _ = world.command(what, "--epsilon", "0.2", "--overlap-acknowledged", public=("piece.csv",))
    assert (status, world.candidates()) == (0, 1)
    assert world.charges() > 0


@pytest.mark.parametrize("what", ["assess", "release"])
def test_overlap_in_the_api(world: World, what: str) -> None:
    project = world.api(piece=PIECE)

    def spend(**rest: object) -> object:
        if what == "assess":
            return project.assess(_frame(PRIVATE), epsilon="0.2", **rest)  # type: ignore[arg-type]
        return project.release(_frame(PRIVATE), "piece", epsilon="0.2", rounds=3, **rest)  # type: ignore[arg-type]

    assert "overlap_acknowledged=True" in refusal(spend)
    assert "overlap_acknowledged=True" in refusal(lambda: spend(overlap_acknowledged=False))
    assert (world.charges(), world.candidates()) == (0, 0)
    spend(overlap_acknowledged=True)
    assert (world.charges() > 0, world.candidates()) == (True, 1)


def test_overlap_for_a_table_that_a_second_session_stored(world: World) -> None:
    world.prepare()
    app = world.page("compare")
    study_store.add_candidate(Service(world.ledger, InlineEngine()), NAME, "piece.csv", PIECE, attested=True)
    app.run()
    assert "stand in piece.csv too" in words(app)
    press(app, "Buy these assessments")
    assert world.charges() == 0


# The private table is no public one, and is stored nowhere.


def test_the_private_table_as_public_on_the_page(world: World) -> None:
    world.prepare()
    app = world.page("prepare")
    app.file_uploader[0].set_value([("people.csv", PRIVATE, "text/csv")])
    stored(press(app, "Add"))
    assert "people.csv was refused" in words(app)
    assert world.candidates() == 2


def test_the_private_table_as_public_on_the_command_line(world: World) -> None:
    status, said = world.command("release", "--epsilon", "1", "--overlap-acknowledged", public=("private.csv",))
    assert (status, world.charges(), world.candidates()) == (2, 0, 0)
    assert "private table" in said


def test_the_private_table_as_public_in_the_api(world: World) -> None:
    shuffled = _frame(PRIVATE).sample(frac=1, random_state=1)
    for frame in (_frame(PRIVATE), shuffled):
        project = world.api(people=frame.to_csv(index=False).encode())
        for tick in (None, True):
            said = refusal(
                lambda project=project, tick=tick: project.release(  # type: ignore[misc]
                    _frame(PRIVATE), "people", epsilon="1", rounds=3, overlap_acknowledged=tick
                )
            )
            assert "private table" in said
    assert (world.charges(), world.candidates()) == (0, 0)


def test_the_private_table_as_public_in_a_comparison_on_the_command_line(world: World) -> None:
    """`--compare` is free, and stores what it compares: the private table given beside is compared with it too."""
    status, said = world.command("assess", "--compare", public=("private.csv", "good.csv"))
    assert (status, world.candidates()) == (2, 0)
    assert "private table" in said
    status, said = world.command("assess", "--compare", public=("piece.csv", "good.csv"))
    assert (status, world.candidates()) == (2, 0)
    assert "--overlap-acknowledged" in said


def test_the_private_table_as_public_on_the_page_after_the_schema_changed(world: World) -> None:
    world.prepare()
    app = world.page("prepare")
    schema = study_store.study(world.service, NAME).schema
    assert schema is not None
    study_store.save_schema(world.service, NAME, schema.with_missing_tokens(["none"]))
    app.run()
    app.file_uploader[0].set_value([("people.csv", PRIVATE, "text/csv")])
    stored(press(app, "Add"))
    assert "people.csv was refused" in words(app)
    assert world.candidates() == 2


def test_the_private_table_in_two_shuffled_halves_is_no_pair_of_public_ones(world: World) -> None:
    world.prepare()
    header, *rows = PRIVATE.splitlines()
    shuffled = [rows[place] for place in np.random.default_rng(3).permutation(len(rows))]
    halves = [b"\n".join([header, *half]) for half in (shuffled[:200], shuffled[200:])]
    app = world.page("prepare")
    app.file_uploader[0].set_value([(f"half-{place}.csv", half, "text/csv") for place, half in enumerate(halves)])
    stored(press(app, "Add"))
    assert not any(button.label == "Store" for button in app.button)
    assert world.candidates() == 2


# A public table that nobody attests any more is bought with by no plan, however old.


def test_a_table_that_is_attested_no_more_is_not_drawn_on_again(world: World) -> None:
    world.prepare()
    buy(world.page(), "Buy this release")
    once = world.charges()
    current = study_store.study(world.service, NAME)
    (released,) = releases.releases(world.service, current)
    held = study_store.load_private(world.service, NAME, PRIVATE)
    study_store.attest(world.service, NAME, released.plan.inputs.candidates[0], attested=False)
    again = [ReleasePurchase(released.plan)]
    assert "Attest first" in refusal(lambda: purchases.buy(world.service, held, again, repeat=1, tick=True))
    assert world.charges() == once


# Several purchases are affordable together, or none is made.


def test_several_or_none_on_the_page(world: World) -> None:
    world.prepare()
    app = world.page("compare")
    next(one for one in app.text_input if one.key == "assessment epsilon").set_value(BETWEEN).run()
    assert next(one for one in app.button if one.label == "Buy these assessments").disabled
    next(one for one in app.text_input if one.key == "assessment epsilon").set_value("0.2").run()
    buy(app, "Buy these assessments")
    assert world.charges() == 4


def test_several_or_none_on_the_command_line(world: World) -> None:
    both = ("good.csv", "poor.csv")
    for repeat in ((), ("--repeat", "0")):
        status, said = world.command("assess", "--epsilon", BETWEEN, *repeat, public=both)
        assert (status, world.charges()) == (2, 0)
        assert "nothing was charged" in said
    assert world.command("assess", "--epsilon", "0.2", public=both)[0] == 0
    assert world.charges() == 4
    status, said = world.command("assess", "--epsilon", "0.2", "--repeat", "1", public=both)
    assert (status, world.charges()) == (0, 8)


def test_several_or_none_in_the_api(world: World) -> None:
    project = world.api(good=FILES["good.csv"], poor=FILES["poor.csv"])
    said = refusal(lambda: project.assess(_frame(PRIVATE), epsilon=BETWEEN))
    assert "These 2 plans together cost" in said
    assert "nothing was charged" in said
    assert world.charges() == 0
    assert project.assess(_frame(PRIVATE), epsilon=BETWEEN, only=["good"])["good"].floor is not None, "one alone can"
    assert world.charges() == 2


# Draws come in order.


def test_draws_in_order_on_the_page(world: World) -> None:
    world.prepare()
    app = handed_over(buy(world.page(), "Buy this release"))
    assert [one.label for one in app.button if one.label.startswith("Draw again")] == ["Draw again (draw 2)"]


@pytest.mark.parametrize("what", ["assess", "release"])
@pytest.mark.parametrize("repeat", ["7", "1", "-1"])
def test_draws_in_order_on_the_command_line(world: World, what: str, repeat: str) -> None:
    status, said = world.command(what, "--epsilon", "0.2", "--repeat", repeat)
    assert (status, world.charges()) == (2, 0)
    assert "--repeat 0 is the next" in said


@pytest.mark.parametrize("repeat", [7, 1, -1])
def test_draws_in_order_in_the_api(world: World, repeat: int) -> None:
    said = refusal(lambda: world.api().release(_frame(PRIVATE), "good", epsilon="1", rounds=3, repeat=repeat))
    assert "is the next" in said
    assert world.charges() == 0


# Terms that changed meanwhile are not in force.


def test_terms_in_force_on_the_page(world: World) -> None:
    world.prepare()
    app = world.page()
    world.ledger.amend(NAME, rows_per_person=2)
    buy(app, "Buy this release")
    assert ASTRAY in words(app), "the plan on the page is one of the new terms by now"
    buy(app, "Buy this release")
    assert "load it again" in words(app)
    assert world.charges() == 0


@pytest.mark.parametrize("way", ["command line", "API"])
def test_terms_in_force_for_programs(world: World, way: str) -> None:
    world.ledger.amend(NAME, n=ROWS + 1)
    if way == "API":
        said = refusal(lambda: world.api().release(_frame(PRIVATE), "good", epsilon="1", rounds=3))
    else:
        status, said = world.command("release", "--epsilon", "1")
        assert status == 2
    assert f"n = {ROWS + 1}" in said
    assert world.charges() == 0


# What was seen before stands in what is bought afterwards.


def _see(world: World) -> None:
    """Buy something, then open private numbers."""
    world.prepare()
    buy(world.page("compare"), "Buy these assessments")
    service = Service(world.ledger, InlineEngine())
    recorded_numbers.one_way_shares(service, study_store.load_private(service, NAME, PRIVATE))


@pytest.mark.parametrize("way", WAYS)
def test_remarks_by_each_way(world: World, way: str) -> None:
    _see(world)
    if way == "page":
        app = buy(world.page(), "Buy this release")
        assert app.query_params["release"]
        last = world.ledger.bookings(NAME)[-1]
        remarks = Bundle.from_bytes(world.ledger.result(last.id)).certificate.remarks
    elif way == "API":
        project = world.api()
        release = project.release(_frame(PRIVATE), "good", epsilon="1", rounds=3, free_table_acknowledged=True)
        remarks = tuple(json.loads(release.files()["certificate.json"])["remarks"])
    else:
        status, printed = world.command("release", "--epsilon", "1", "--free-table-acknowledged")
        assert status == 0
        remarks = tuple(json.loads(printed)["remarks"])
    assert any(remark.startswith(SEEN) for remark in remarks)


# A release that is not expected to beat the free table is bought on the steward's word alone.


@pytest.mark.parametrize("way", WAYS)
def test_a_release_that_the_free_table_may_match_by_each_way(world: World, way: str) -> None:
    """At epsilon 0.01 the noise of a round is thousands of rows of 400: whatever the bought start is, it is no gain."""
    world.prepare()
    if way == "page":
        held, current = study_store.load_private(world.service, NAME, PRIVATE), study_store.study(world.service, NAME)
        plan = assessment_plan(current, [current.usable[0].sha256], epsilon="0.2", floor=False)
        purchases.buy(world.service, held, [AssessmentPurchase(plan)], tick=True)
    elif way == "API":
        world.api().assess(_frame(PRIVATE), epsilon="0.2")
    else:
        assert world.command("assess", "--epsilon", "0.2", "--no-floor")[0] == 0
    once = world.charges()
    if way == "page":
        app = by_pmw_pub(world.page())
        next(one for one in app.text_input if one.label == "ε of this release").set_value("0.01").run()
        app.checkbox(key="advised rounds").uncheck().run()
        assert "not expected to be better than the public table unchanged" in words(app)
        box = next(one for one in ticked(app).checkbox if one.label == purchases.FREE_TICK)
        box.uncheck()
        app = press(app, "Buy this release")
        assert "Tick the sentence above first" in words(app)
        assert world.charges() == once
        buy(app, "Buy this release")
    elif way == "API":

        def spend(**rest: bool) -> object:
            return world.api().release(_frame(PRIVATE), "good", epsilon="0.01", rounds=3, **rest)  # type: ignore[arg-type]

        for given in ({}, {"free_table_acknowledged": False}):
            assert "free_table_acknowledged=True" in refusal(lambda given=given: spend(**given))  # type: ignore[misc]
        assert world.charges() == once
        spend(free_table_acknowledged=True)
    else:
        status, said = world.command("release", "--epsilon", "0.01")
        assert (status, world.charges()) == (2, once)
        assert "not expected to be better than the public table unchanged" in said
        assert "--free-table-acknowledged" in said
        assert world.command("release", "--epsilon", "0.01", "--free-table-acknowledged")[0] == 0
    assert world.charges() == once + 1


# A plan that was sent before is not drawn again.


@pytest.mark.parametrize("way", WAYS)
def test_the_same_plan_again_by_each_way(world: World, way: str) -> None:
    if way == "page":
        world.prepare()
        app = buy(world.page(), "Buy this release")
        once = world.charges()
        again = world.page()
        press(again, "Show the stored result")
        assert "already bought" in words(again) or not app.exception
    elif way == "API":
        first = world.api().release(_frame(PRIVATE), "good", epsilon="1", rounds=3)
        once = world.charges()
        assert world.api().release(_frame(PRIVATE), "good", epsilon="1", rounds=3).files() == first.files()
    else:
        assert world.command("release", "--epsilon", "1")[0] == 0
        once = world.charges()
        status, printed = world.command("release", "--epsilon", "1")
        assert (status, json.loads(printed)["stored_earlier"]) == (0, True)
    assert world.charges() == once


# Nothing is bought of a population that was retired or moved; what was bought is shown.


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("how", ["retired", "moved"])
def test_a_closed_population_sells_nothing_and_shows_what_was_bought(world: World, way: str, how: str) -> None:
    world.prepare()
    bought = world.api().release(_frame(PRIVATE), "good", epsilon="1", rounds=3)
    charged = world.charges()
    if how == "retired":
        world.ledger.retire(NAME)
    else:
        world.ledger.depart(NAME, address_of(b"elsewhere", NAME))
    if way == "page":
        for page in ("compare", "release"):
            app = world.page(page)
            assert not app.exception
            assert f"population was {how}" in words(app)
            assert not any(one.label.startswith(("Buy", "Spend")) for one in app.button)
    elif way == "API":
        assert f"was {how}" in refusal(lambda: world.api().release(_frame(PRIVATE), "good", epsilon="0.5", rounds=3))
        assert world.api().release(_frame(PRIVATE), "good", epsilon="1", rounds=3).files() == bought.files()
    else:
        status, said = world.command("release", "--epsilon", "0.5")
        assert (status, f"was {how}" in said) == (2, True)
    assert world.charges() == charged
    service, held = Service(world.ledger, InlineEngine()), study_store.load_private(world.service, NAME, PRIVATE)
    current = study_store.study(service, NAME)
    plan = assessment_plan(current, [one.sha256 for one in current.candidates][:1], epsilon="0.1")
    assert f"was {how}" in refusal(lambda: purchases.buy(service, held, [AssessmentPurchase(plan)]))
    assert world.charges() == charged


# A server for viewers only loads, changes and buys nothing.


def test_viewers_only_on_the_page(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.prepare()
    monkeypatch.setenv("PMWPUB_VIEWERS_ONLY", "1")
    app = world.page()
    assert not any(one.label.startswith(("Buy", "Load", "Add")) for one in app.button)


@pytest.mark.parametrize("way", ["command line", "API", "service"])
def test_viewers_only_for_programs(world: World, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    world.prepare()
    held = study_store.load_private(Service(world.ledger, InlineEngine()), NAME, PRIVATE)
    monkeypatch.setenv("PMWPUB_VIEWERS_ONLY", "1")
    if way == "API":
        said = refusal(lambda: world.api().release(_frame(PRIVATE), "good", epsilon="1", rounds=3))
    elif way == "command line":
        status, said = world.command("release", "--epsilon", "1")
        assert status == 2
    else:
        service = Service(world.ledger, InlineEngine(), policy=Policy.declared("localhost"))
        said = refusal(lambda: _everything(service, held))
    assert "for viewers alone" in said
    assert world.charges() == 0


@pytest.mark.parametrize("way", ["command line", "API"])
def test_a_store_that_served_a_shared_service_answers_no_program_beside_it(
    world: World, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.ledger.loaded(_registered(world), b"some table of a shared service")
    if way == "API":
        said = refusal(lambda: world.api().release(_frame(PRIVATE), "good", epsilon="1", rounds=3))
    else:
        status, said = world.command("release", "--epsilon", "1")
        assert status == 2
    assert "overlap" in said, "as in any shared service the word is needed, whatever is found"
    monkeypatch.setenv("PMWPUB_MODE", "single-user")
    assert world.command("release", "--epsilon", "1")[0] == 0


def _registered(world: World) -> str:
    return world.ledger.register(Population("elsewhere", 5, 1, "one person", "1", "1e-6")).name  # type: ignore[arg-type]


def _everything(service: Service, held: PrivateTable) -> None:
    """All that a forged message could ask of the service; the first that is let through fails the test."""
    acts: list[Callable[[], object]] = [
        lambda: study_store.load_private(service, NAME, PRIVATE),
        lambda: study_store.add_candidate(service, NAME, "x.csv", PIECE, attested=True),
        lambda: study_store.acknowledge(service, held),
        lambda: recorded_numbers.one_way_shares(service, held),
    ]
    for act in acts:
        assert "for viewers alone" in refusal(act)
    purchases.buy(service, held, [])


# In a shared service every purchase needs the word, whatever was found.


@pytest.mark.parametrize("way", ["command line", "API"])
def test_a_shared_service_asks_every_program_the_same_word(
    world: World, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PMWPUB_MODE", "shared")
    if way == "API":
        spend = world.api().release
        assert "overlap_acknowledged" in refusal(lambda: spend(_frame(PRIVATE), "good", epsilon="1", rounds=3))
        assert world.charges() == 0
        spend(_frame(PRIVATE), "good", epsilon="1", rounds=3, overlap_acknowledged=True)
    else:
        status, said = world.command("release", "--epsilon", "1")
        assert (status, world.charges(), world.candidates()) == (2, 0, 0)
        assert "--overlap-acknowledged" in said
        assert world.command("release", "--epsilon", "1", "--overlap-acknowledged")[0] == 0
    assert world.charges() == 1


def test_a_shared_service_stores_on_the_page_what_the_steward_says(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.prepare()
    monkeypatch.setenv("PMWPUB_MODE", "shared")
    app = world.page("prepare")
    app.file_uploader[0].set_value([("people.csv", PRIVATE, "text/csv")])
    press(app, "Add")
    assert "The private table and people.csv have the same rows" in words(app)
    assert world.candidates() == 2, "held in the session, not stored"
    press(app, "Store")
    assert world.candidates() == 3, "the steward's word alone decides"


def test_the_numbers_of_this_module_are_those_of_the_tables() -> None:
    assert np.array_equal([len(_frame(body)) for body in (PRIVATE, PIECE)], [ROWS, 199])


# A look at the fit that costs more than a twentieth of the grant is not sold.


def test_a_dear_look_on_the_page(world: World) -> None:
    world.prepare()
    app = world.page("prepare")
    assert "More than 5 % is not sold" in words(app)
    assert not any(button.label == "Buy this look" for button in app.button)
    assert world.charges() == 0


def test_a_dear_look_on_the_command_line(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    (world.folder / "schema.json").write_text(world.schema.to_json())
    files = ["--schema", str(world.folder / "schema.json"), "--private", str(world.folder / "private.csv")]
    assert main(["misfits", "--population", NAME, *files]) == 2
    assert "More than 5 % is not sold" in capsys.readouterr().err
    assert world.charges() == 0


def test_a_dear_look_in_the_api(world: World) -> None:
    assert "More than 5 % is not sold" in refusal(lambda: world.api().misfits(_frame(PRIVATE)))
    assert world.charges() == 0


def test_a_dear_look_that_a_program_asks_for_in_a_second_session_or_a_viewers_server(world: World) -> None:
    world.prepare()
    for policy, said in ((Policy(), "not sold"), (Policy(viewers_only=True), "viewers")):
        service = Service(world.ledger, InlineEngine(), policy=policy)
        private = study_store.load_private(Service(world.ledger, InlineEngine()), NAME, PRIVATE)
        plan = misfit_plan(study_store.study(service, NAME), ["sex"])
        assert said in refusal(lambda: purchases.buy(service, private, [purchases.purchase_of(plan)]))  # noqa: B023
    assert world.charges() == 0


# An acceptance is bought by the same rules.


def _released(world: World) -> PlanKey:
    """A stored release whose plan has a criterion."""
    world.prepare()
    current = study_store.study(world.service, NAME)
    plan = releases.table_fit_plan(world.service, current, [current.usable[0].sha256], epsilon="1")
    plan = plan.model_copy(update={"criteria": criteria_of([{"kind": "largest", "within": "0.9"}])})
    held = study_store.load_private(Service(world.ledger, InlineEngine()), NAME, PRIVATE)
    bought = [purchases.purchase_of(plan)]
    return purchases.buy(world.service, held, bought, tick=True, free_tick=True)[0].booking.key


def _accept(world: World, way: str, release: PlanKey, part: str, meanwhile: Callable[[], object] = lambda: None) -> str:
    """Ask for an acceptance with half-widths of so many percent of the bars; what is answered, in words.

    meanwhile  what a second session does once the page, if that is the way, is open
    """
    schema = study_store.study(Service(world.ledger, InlineEngine()), NAME).schema
    assert schema is not None
    if way == "page":
        app = world.page("hand_over")
        app.text_input(key=f"acceptance part {release.plan_sha256} {release.repeat}").set_value(part).run()
        meanwhile()
        if not next(one for one in app.button if one.label == "Buy the verdicts").disabled:
            press(app, "Buy the verdicts")
        assert not app.exception
        return words(app)
    meanwhile()
    share = str(Fraction(part) / 100)
    if way == "API":
        public = {"good": _frame(FILES["good.csv"])}
        choice, stored_one = pmwpub.WorkloadChoice(k=2), SyntheticRelease(stored_release(world.service, NAME, release))
        try:
            project = pmwpub.Project(world.ledger, NAME, schema=schema, public=public, workload=choice)
            return " ".join(project.accept(_frame(PRIVATE), stored_one, half_widths=share).words)
        except PmwPubError as refused:
            return str(refused)
    (world.folder / "schema.json").write_text(schema.to_json())
    files = ["--schema", str(world.folder / "schema.json"), "--private", str(world.folder / "private.csv")]
    named = ["--release", release.plan_sha256, "--half-widths", share]
    return world.printed("accept", "--population", NAME, *files, *named)


@pytest.mark.parametrize("way", WAYS)
def test_an_acceptance_by_each_way(world: World, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One beyond what is left is not drawn; one that a second session bought is not drawn again; viewers buy none."""
    release, before = _released(world), world.charges()
    # Half-widths of 3.6 of 400 rows: rho = (1.96/3.6)^2/2 = 0.148 of the 0.088 that were granted.
    said = _accept(world, way, release, "1")
    assert world.charges() == before
    assert ("more than this population has left" in said) if way == "page" else ("left" in said)
    held = study_store.load_private(Service(world.ledger, InlineEngine()), NAME, PRIVATE)
    own = [AcceptancePurchase(acceptance_plan(world.service, NAME, release))]
    said = _accept(world, way, release, "50", lambda: purchases.buy(world.service, held, own))
    assert world.charges() == before + 1, "what a second session bought is shown, and drawn by nobody again"
    assert "the largest error over the workload within 90 points" in said
    monkeypatch.setenv("PMWPUB_VIEWERS_ONLY", "1")
    services.close()
    if way == "page":
        app = world.page("hand_over")
        assert not any(button.label.startswith("Buy") for button in app.button)
    else:
        assert "for viewers alone" in _accept(world, way, release, "20")
    viewers = Service(world.ledger, InlineEngine(), policy=Policy.declared("localhost"))
    again = [AcceptancePurchase(acceptance_plan(world.service, NAME, release, part=Fraction(1, 5)))]
    assert "for viewers alone" in refusal(lambda: purchases.buy(viewers, held, again))
    assert world.charges() == before + 1
