"""Caps that public weights propose, by hand; declarations in one text; columns that are called "weight"."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmwpub.errors import SchemaError
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.review.without_suspects import drafted
from pmwpub.tabular.schema.column_types import IgnoredColumn, WeightColumn
from pmwpub.tabular.schema.draft_record import Draft, Remedy
from pmwpub.tabular.weights.clipping_cost import clipping_costs
from pmwpub.tabular.weights.proposed_weights import caps_of, declared_weight, numbers_of, proposed_weight

TEN = {str(weight): 1 for weight in range(1, 11)}


def proposed(*cells: str) -> str | None:
    return proposed_weight(numbers_of("w", dict.fromkeys(cells, 1)))


@pytest.mark.parametrize(
    ("cells", "text"),
    [
        ([*TEN], "9:1"),
        ([*TEN, "0.5"], "9:0.01"),  # the tenth of eleven, in units of a hundredth of its first digit
        (["2345", "17"], "2400:10"),
        (["45.5"], "46:0.1"),
        (["0.0123", "0.001"], "0.013:0.0001"),
        (["1000", "999"], "1000:1"),
        (["a", "-3", "0"], None),
        (["1e999"], None),
        ([], None),
    ],
)
def test_a_proposed_cap_is_the_ninetieth_percentile_with_two_digits(cells: list[str], text: str | None) -> None:
    assert proposed(*cells) == text


@given(st.lists(st.decimals(min_value="1e-9", max_value="1e12", allow_nan=False), min_size=1, max_size=20))
def test_what_public_weights_propose_is_a_column_that_a_schema_takes(cells: list[object]) -> None:
    numbers = numbers_of("w", dict.fromkeys(map(str, cells), 1))
    text = proposed_weight(numbers)
    assert text is not None or not numbers
    if text is not None:
        column = declared_weight("w", text)
        most = max(numbers)
        assert Fraction(column.cap or 0) <= most + most / 10
        assert column.units[1] <= 1_000


def test_candidates_for_a_cap_rise_to_the_largest_weight() -> None:
    assert caps_of(numbers_of("w", TEN | {"120": 1})) == [6, 9, 10, 120]
    assert caps_of({}) == []


def test_missing_tokens_and_other_texts_are_no_weights() -> None:
    assert numbers_of("w", {"9": 4, "3": 2, "x": 1, "03": 1}, frozenset({"9"})) == {Fraction(3): 3}


def test_one_text_declares_cap_unit_and_total() -> None:
    assert declared_weight("w", "50:0.5") == WeightColumn(name="w", kind="weight", cap="50", unit="0.5")
    assert declared_weight("w", "50:1:1500").total_units == 1_500


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("50", "CAP:UNIT"),
        ("1:1:1:1", "CAP:UNIT"),
        ("50:0.3", "whole units"),
        ("a:1", "decimal numbers"),
        ("50:1:0", "positive"),
    ],
)
def test_a_declaration_that_means_nothing_is_refused_in_words(text: str, words: str) -> None:
    with pytest.raises(SchemaError, match=words):
        declared_weight("w", text)


def draft_of(name: str, *remedies: Remedy) -> Draft:
    lines = [f"sex,{name}", *(f"{'FM'[place % 2]},{10 + place % 40}" for place in range(80))]
    return drafted([read_table("\n".join(lines).encode())], remedies=remedies)


@pytest.mark.parametrize("name", ["weight", "pwgtp", "fnlwgt", "perwt"])
def test_a_column_that_is_named_like_a_weight_is_offered_as_one(name: str) -> None:
    draft = draft_of(name)
    (left,) = draft.left_out
    assert isinstance(draft.schema.columns[1], IgnoredColumn)
    assert left.remedies[0] == Remedy(name, "weight", "45:1:all")
    weighed = draft_of(name, left.remedies[0]).schema.weight_column
    assert weighed == WeightColumn(name=name, kind="weight", cap="45", unit="1", weighs="all")


@pytest.mark.parametrize("name", ["wt", "weights", "wgt"])
def test_a_name_that_may_be_a_body_s_weight_stays_an_attribute_with_the_offer(name: str) -> None:
    draft = draft_of(name)
    assert draft.left_out == ()
    assert draft.schema.columns[1].kind == "numeric"
    (remark,) = (one for one in draft.remarks if one.kind == "weight")
    assert [one.rule for one in remark.remedies] == ["weight", "kind"]
    assert "or a body's" in remark.text


def test_a_column_called_weight_that_holds_texts_is_left_out_in_words() -> None:
    lines = ["sex,weight", *(f"{'FM'[place % 2]},{('light', 'heavy')[place % 2]}" for place in range(20))]
    (left,) = drafted([read_table("\n".join(lines).encode())]).left_out
    assert left.remedies == ()
    assert "another name" in left.why


def test_a_cap_says_how_many_average_rows_one_row_may_count_as() -> None:
    table = read_table(b"sex,w\nF,1\nF,1\nM,1\nM,9\n")
    schema = drafted([table], remedies=[Remedy("w", "weight", "3:1")]).schema
    three, nine = clipping_costs(table, schema, [Fraction(3), Fraction(9)])
    assert three.average == pytest.approx(3 / ((1 + 1 + 1 + 3) / 4))
    assert nine.average == pytest.approx(9 / (12 / 4))
    assert clipping_costs(table, schema.without_column("w"), [Fraction(3)], of="w") == [three]
