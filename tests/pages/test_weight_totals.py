"""Weights on the pages: caps compared and taken on Prepare, their total bought on Release."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pages.visits import PRIVATE, Here, arrive, buy, press, words
from streamlit.testing.v1 import AppTest

from pmwpub.cli import main
from pmwpub.service.bought import releases
from pmwpub.service.inputs import decisions, study_store
from pmwpub.service.weighing import total_purchase
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.tabular.weights.weight_column import WeightColumn
from pmwpub.tasks import mechanism_work
from pmwpub.ui import Session


def with_weights(body: bytes) -> bytes:
    """Every row weighs 1, 2, 3 ... 30, and again."""
    lines = body.splitlines()
    return b"\n".join([lines[0] + b",w", *(b"%s,%d" % (line, 1 + place % 30) for place, line in enumerate(lines[1:]))])


WEIGHED = with_weights(PRIVATE)
PUBLIC = with_weights(b"\n".join(PRIVATE.splitlines()[:201]).replace(b"yes", b"no", 9))


def opened(here: Here, page: str, body: bytes = WEIGHED, **keys: str) -> AppTest:
    """A page in a session that holds the private table, with a public one that has the column of weights."""
    current = study_store.study(here.service, here.population).schema
    assert current is not None
    columns = [one.changed(same=("trim",), strip=False, casefold=False) for one in current.columns]
    weight = WeightColumn(name="w", kind="weight", **keys)
    study_store.save_schema(here.service, here.population, Schema.of([*columns, weight], current.missing_tokens, 2))
    study_store.add_candidate(here.service, here.population, "weighed.csv", PUBLIC, attested=True)
    private = study_store.load_private(here.service, here.population, body)
    return arrive(page, Session(here.population, private), population=here.population)


def weight_column(here: Here) -> WeightColumn:
    schema = study_store.study(here.service, here.population).schema
    assert schema is not None
    (column,) = (one for one in schema.columns if isinstance(one, WeightColumn))
    return column


def test_prepare_compares_caps_on_public_tables_and_takes_one(town: Here) -> None:
    app = opened(town, "prepare")
    assert not app.exception
    assert "Left aside: it has no cap yet." in words(app)
    assert "raked" in words(app)
    (table,) = (frame.value for frame in app.dataframe if "cap" in frame.value)
    # 1 to 20 stand seven times, 21 to 30 six times: 182 of 200 rows weigh at most 27, and 194 at most 29.
    assert [*table["cap"]] == ["15", "22", "27", "29", "30"]
    assert [*table["which"]] == ["", "", "proposed", "", ""]
    assert [*table["rows above"]][-1] == "0 %"
    app.text_input(key="total w").set_value("6,000")
    press(app, "Have rows count as this")
    assert weight_column(town) == WeightColumn(name="w", kind="weight", cap="27", unit="1", total="6000", weighs="all")
    (decided,) = decisions.decisions(town.service, town.population).of("w")
    assert decided.flag == "--weight w=27:1:6000:all"


def test_a_total_that_means_nothing_leaves_the_schema_as_it_is(town: Here) -> None:
    app = opened(town, "prepare", cap="20", unit="2")
    (table,) = (frame.value for frame in app.dataframe if "cap" in frame.value)
    assert [*table["cap"]] == ["15", "20", "22", "27", "29", "30"]
    assert [*table["which"]] == ["", "in force", "", "proposed", "", ""]
    app.text_input(key="total w").set_value("many")
    app = press(app, "Have rows count as this")
    assert "The schema stays as it is" in words(app)
    assert weight_column(town).units == (2, 10)


def test_a_schema_without_weights_or_a_public_table_without_them_shows_no_caps(town: Here) -> None:
    app = arrive("prepare", Session(town.population, town.private()), population=town.population)
    assert "Have rows count as this" not in {button.label for button in app.button}


def test_release_sells_the_total_with_its_price_and_precision_said_before(
    town: Here, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    app = opened(town, "release", cap="20", unit="2")
    plan = total_purchase.total_plan(town.service, study_store.study(town.service, town.population), epsilon="0.1")
    said = words(app)
    assert f"± {2 * plan.law.half_width:,} (95 %); 400 rows of at most 20 each come to 8,000 at most" in said
    assert "on Release, or by" in said
    assert town.spent == 0
    app = press(app, "Buy this total")  # the noise is seven times smaller than the total: far from the clamp
    (found,) = total_purchase.bought_totals(town.service, town.population)
    assert found.plan == plan
    assert town.spent == plan.rho_units
    assert f"Total of w: {int(found.weight):,} ± {int(found.within):,} (95 %), a noisy number." in words(app)
    (tmp_path / "p.csv").write_bytes(WEIGHED)
    schema = study_store.study(town.service, town.population).schema
    assert schema is not None
    (tmp_path / "schema.json").write_text(schema.to_json())
    asked = ["weight-total", "--population", town.population, "--schema", str(tmp_path / "schema.json")]
    assert main([*asked, "--private", str(tmp_path / "p.csv"), "--epsilon", "0.1"]) == 0
    assert json.loads(capsys.readouterr().out)["total"] == found.total
    assert town.spent == plan.rho_units
    again = arrive("release", app.session_state["pmwpub session"], population=town.population)
    press(again, "Show the stored result")
    assert town.spent == plan.rho_units
    buy(again, "Buy this release")
    (released,) = releases.releases(town.service, study_store.study(town.service, town.population))
    assert released.plan.weights is not None
    assert released.plan.weights.measured == plan.sha256
    assert released.plan.weights.total == found.total


def test_a_total_whose_interval_reaches_zero_is_shown_with_a_warning_and_so_is_a_release_by_it(
    town: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Weights of decimal commas weigh nothing; the noise is forced to 0, so the noisy total is 1 of 2 a unit."""
    lines = WEIGHED.splitlines()
    commas = b"\n".join([lines[0], *(line.rsplit(b",", 1)[0] + b',"182,6"' for line in lines[1:])])
    monkeypatch.setattr(mechanism_work, "total_release", lambda total, law: max(1, total))
    app = press(opened(town, "release", commas, cap="20", unit="2"), "Buy this total")
    (found,) = total_purchase.bought_totals(town.service, town.population)
    assert found.total == 1
    (said,) = found.remarks
    assert "reaches 0" in said
    assert "The cells of w may not fit the schema" in said
    shown = [str(one.value).replace("\\", "") for one in app.warning]
    assert any("reaches 0, so it tells nothing" in one for one in shown)
    assert any("exceeds the whole: this release would tell nothing" in one for one in shown)


def test_viewers_see_a_total_that_was_bought_and_no_form(town: Here) -> None:
    press(opened(town, "release", cap="20", unit="2"), "Buy this total")
    app = arrive("release", population=town.population)
    assert "a noisy number" in words(app)
    assert "Buy this total" not in {button.label for button in app.button}


@pytest.mark.parametrize("keys", [{}, {"cap": "20", "unit": "2", "total": "6000"}])
def test_no_total_is_offered_where_rows_are_not_weighed_or_it_is_declared(town: Here, keys: dict[str, str]) -> None:
    app = opened(town, "release", **keys)
    assert not app.exception
    assert "The total of the weights" not in words(app)


def test_a_total_that_noise_would_hide_is_refused_before_a_price(town: Here) -> None:
    app = opened(town, "release", cap="20", unit="2")
    app = app.text_input(key="weight total epsilon").set_value("0.001").run()
    assert "it would tell nothing" in words(app)
    assert town.spent == 0
