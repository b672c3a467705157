"""Candidates: what is free, the plan, and what was bought told as it is."""

from __future__ import annotations

from pages.visits import ROWS, Here, Open, press, words

from pmwpub.service import comparing, studies
from pmwpub.theory import private_rows_needed


def test_everybody_can_compare_the_candidates_for_free(town: Here, visit: Open) -> None:
    app = visit("candidates", population=town.population)
    assert "What is known for free" in words(app)
    press(app, "Compare the candidates with each other")
    assert not app.exception
    assert town.spent == 0
    pairs = comparing.comparison(town.service, studies.study(town.service, town.population)).pairs
    table = next(frame.value for frame in app.dataframe if "plays the private table" in frame.value)
    assert set(zip(table["candidate"], table["plays the private table"], strict=True)) == {
        ("good.csv", "poor.csv"),
        ("poor.csv", "good.csv"),
    }
    assert table["candidate"].tolist()[0] == "good.csv", "the lowest floor stands first"
    assert set(table["empty cells"]) == {pair.empty for pair in pairs}
    assert not any("Compare" in button.label for button in app.button), "what is stored is not made again"


def test_one_candidate_alone_cannot_be_compared(town: Here, visit: Open) -> None:
    current = studies.study(town.service, town.population)
    studies.remove_candidate(town.service, town.population, current.candidates[0].sha256)
    app = visit("candidates", population=town.population)
    assert "With a second candidate" in words(app)
    assert not any("Compare" in button.label for button in app.button)


def test_the_calculator_sets_the_rows_that_suffice_beside_the_rows_there_are(town: Here, visit: Open) -> None:
    app = visit("candidates", population=town.population)
    app.number_input(key="rows α, error").set_value(0.5).run()
    table = next(frame.value for frame in app.dataframe if "rows that suffice" in frame.value)
    queries = studies.study(town.service, town.population).workload().queries
    needed = private_rows_needed(0.5, 0.05, queries)
    assert table["rows that suffice"].tolist()[0] == needed
    assert table["rows"].tolist()[0] == ROWS
    assert table["verdict"].tolist()[0] == ("enough" if needed <= ROWS else "the bound says nothing")


def test_a_divergence_that_cannot_be_is_refused_in_words(town: Here, visit: Open) -> None:
    app = visit("candidates", population=town.population)
    app.number_input(key="rows D₂ (nats)").set_value(1.0).run()
    assert not app.exception
    assert "D_2 <= D_infinity" in words(app)
