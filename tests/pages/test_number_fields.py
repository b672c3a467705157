"""A number field begins within its bounds, whatever number is stored."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pmwpub.ui.what_if import calculators

ROOT = Path(__file__).resolve().parents[2]


def _calls(name: str) -> list[tuple[Path, ast.Call]]:
    files = [*(ROOT / "pmwpub").rglob("*.py"), *(ROOT / "pages").rglob("*.py"), ROOT / "app.py"]
    return [
        (path, node)
        for path in files
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == name
    ]


def test_only_a_written_number_is_a_field_s_first_value_without_being_brought_into_its_bounds() -> None:
    """`whole_number` does that for all that is stored or computed; the table of arguments holds written numbers."""
    found = {
        (path.name, ast.unparse(keyword.value))
        for path, call in _calls("number_input")
        for keyword in call.keywords
        if keyword.arg == "value" and not isinstance(keyword.value, ast.Constant)
    }
    assert found == {("whole_numbers.py", "min(max(value, least), most)"), ("calculators.py", "value")}
    assert all(least <= value <= most for _, least, most, value, _ in calculators.ARGUMENTS)
    written = [
        (call.args[1:3], keyword.value)
        for _, call in _calls("number_input")
        for keyword in call.keywords
        if keyword.arg == "value" and isinstance(keyword.value, ast.Constant) and len(call.args) == 3
    ]
    assert written
    for (least, most), value in written:
        if isinstance(least, ast.Constant) and isinstance(most, ast.Constant):
            assert least.value <= value.value <= most.value  # type: ignore[operator]


@pytest.mark.parametrize(
    ("value", "shown"),
    [(36_842, 36_842), (10_000_001, 10_000_000), (10**9, 10_000_000), (0, 1), (2**60, 10**7)],
)
def test_a_number_beyond_a_field_s_bounds_begins_at_the_nearest(value: int, shown: int) -> None:
    def page(value: int) -> None:
        import streamlit as st

        from pmwpub.ui.widgets.whole_numbers import whole_number

        st.write(whole_number(st.container(), "Rows", 1, 10_000_000, value=value))

    app = AppTest.from_function(page, args=(value,)).run()
    assert not app.exception
    assert app.number_input[0].value == shown


@pytest.mark.parametrize("n", [1, 2, 9, 10, 10**9])
def test_what_if_takes_any_registered_number_of_rows(n: int) -> None:
    def page(n: int) -> None:
        from fractions import Fraction

        from pmwpub.service.simulations.theorem_calculator import Facts
        from pmwpub.ui.what_if.calculators import accuracy_calculator

        accuracy_calculator(Facts(n, 1, 1, Fraction(1, 10), 1))

    app = AppTest.from_function(page, args=(n,), default_timeout=60).run()
    assert not app.exception
    assert app.number_input[0].value == n


def test_the_downloads_of_more_rows_than_a_synthetic_table_has_are_offered() -> None:
    def page() -> None:
        from types import SimpleNamespace

        from pmwpub.ui.hand_over.result_panel import downloads

        bundle = SimpleNamespace(certificate=SimpleNamespace(n=10**9), parts={}, has_values=False)
        downloads(bundle, 7, "release_1.zip")  # type: ignore[arg-type]

    app = AppTest.from_function(page).run()
    assert not app.exception
    assert app.number_input[0].value == 10_000_000
