"""What if: calculators that agree with the theory, and the bias slider of the demo."""

from __future__ import annotations

from fractions import Fraction

import pytest
from pages.visits import Here, Open, press, words
from streamlit.testing.v1 import AppTest

from pmwpub.service.simulations import bias_sweep
from pmwpub.theory import accuracy_bound, epsilon_tilde_of, private_rows_needed, rounds_of_least_bound, signal_needed


def _metrics(app: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in app.metric}


def _shares(app: AppTest) -> dict[str, float]:
    """The metrics that are percent of the rows."""
    return {label: float(value.removesuffix(" %")) for label, value in _metrics(app).items() if value.endswith(" %")}


def _set(app: AppTest, label: str, value: float) -> AppTest:
    return next(box for box in app.number_input if box.label == label).set_value(value).run()


def test_without_a_population_the_calculators_begin_with_the_samples_numbers(empty: Here, visit: Open) -> None:
    app = visit("what_if")
    assert not app.exception
    facts = {"n": 20_000, "m": 12_000, "queries": 121_848, "beta": 0.05}
    tilde = epsilon_tilde_of(1.0, Fraction(1, 20_000**2))
    best = rounds_of_least_bound(tilde, **facts)
    assert _metrics(app)["at T ="] == f"{best:,} rounds"
    assert _metrics(app)["Bound on the largest error"] == f"{accuracy_bound(tilde, best, **facts):.3g}"
    rows = signal_needed(0.1, m=12_000, queries=121_848, beta=0.05) / tilde
    assert f"{rows:,.0f} private rows" in words(app)
    assert "open the demo first" in words(app)


def test_they_follow_what_is_typed_and_say_where_the_bound_says_nothing(town: Here, visit: Open) -> None:
    app = visit("what_if", population=town.population)
    assert not app.exception
    assert "Here the bound says nothing" in words(app), "400 private rows are too few"
    _set(app, "n, private rows", 10**9)
    assert "Here the bound says nothing" not in words(app)
    _set(app, "f, best-mixture error", 0.2)
    assert "Another public table is needed" in words(app)
    _set(app, "α, error", 0.1)
    suffice = next(frame.value for frame in app.dataframe if "rows that suffice" in frame.value)
    assert suffice["rows that suffice"].iloc[0] == private_rows_needed(0.1, 0.05, 16)
    assert list(suffice["table"]) == ["private table", "good.csv", "poor.csv"]


def test_both_plots_have_alt_text_and_tables(empty: Here, visit: Open) -> None:
    app = visit("what_if")
    charts = app.get("plotly_chart")
    assert len(charts) == 2
    assert all(chart.proto.alt for chart in charts)
    parts = next(frame.value for frame in app.dataframe if "noise of selection" in frame.value)
    total = parts.drop(columns=["rounds T", "bound"]).astype(float).sum(axis=1)
    assert total.tolist() == pytest.approx(parts["bound"].astype(float).tolist())


def test_the_bias_slider_shows_start_floor_and_both_engines_for_free_in_the_demo(
    empty: Here, visit: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bias_sweep, "BIASES", (0.0, 0.3))
    monkeypatch.setattr(bias_sweep, "RUNS", 1)
    app = visit("protect")
    press(app, "Open the demo")
    app.switch_page("pages/what_if.py").run()
    press(app, "Simulate the bias")
    assert not app.exception
    assert app.select_slider[0].value == 0.3
    unfair = _shares(app)
    for engine in ("PMW^Pub", "Table fit"):
        assert unfair[f"{engine} at ε = 1"] < unfair["Published unchanged"] / 5
    assert "of the error away" in words(app)
    app.select_slider[0].set_value(0.0).run()
    fair = _shares(app)
    assert fair["Published unchanged"] < unfair["Published unchanged"] / 5
    table = next(frame.value for frame in app.dataframe if "reweighted perfectly (floor) (%)" in frame.value)
    assert table["bias (%)"].tolist() == [0.0, 30.0]
    (population,) = empty.service.ledger.populations()
    assert empty.service.ledger.balance(population.name).spent.units == 0
