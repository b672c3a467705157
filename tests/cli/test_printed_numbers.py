"""What a command prints is JSON, whatever its numbers are."""

from __future__ import annotations

import json

import pytest

from pmwpub.printing import printed


def test_a_number_that_json_lacks_is_printed_as_null(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed({"a": [1.5, float("nan")], "b": (float("inf"), {"c": -float("inf")}), "d": None, "e": 2}) == 0
    text = capsys.readouterr().out
    assert json.loads(text) == {"a": [1.5, None], "b": [None, {"c": None}], "d": None, "e": 2}
    assert "NaN" not in text
    assert "Infinity" not in text
