"""The examples in docstrings say what they say they say."""

from __future__ import annotations

import doctest
import importlib

import pytest


@pytest.mark.parametrize("module", ["pmwpub.domain", "pmwpub.queries.workload", "pmwpub.privacy.budget"])
def test_the_examples_of_a_core_type_hold(module: str) -> None:
    found = doctest.testmod(importlib.import_module(module))
    assert found.attempted > 0
    assert found.failed == 0
