"""Numba is refused what it loads only because it is there, and nobody else is."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pmwpub.queries.lean_numba import UNUSED, numba_alone

COUNTED = """
import sys
from pmwpub.queries.lean_numba import numba_alone
with numba_alone():
    import numpy as np
    from pmwpub.domain import Attribute, Domain
    from pmwpub.queries.counts import count
    from pmwpub.queries.workload import Workload
    from pmwpub.records import Dataset
    domain = Domain(tuple(Attribute(name, ("0", "1")) for name in "ab"))
    rows = np.array([[0, 0], [0, 1], [0, 1], [1, 1]])
    print(count(Workload.all_kway(domain, 2), Dataset(domain, rows)).counts.tolist())
print([name for name in ("scipy.linalg", "coverage", "yaml") if name in sys.modules])
import scipy.linalg
print(scipy.linalg.det([[2.0, 0.0], [0.0, 3.0]]))
"""


def test_loops_run_without_and_what_was_refused_is_there_for_others() -> None:
    ran = subprocess.run([sys.executable, "-c", COUNTED], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == ["[1, 2, 0, 1]", "[]", "6.0"]


@pytest.mark.parametrize("name", UNUSED)
def test_only_an_import_statement_of_numba_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for loaded in [one for one in sys.modules if one == name or one.startswith(f"{name}.")]:
        monkeypatch.delitem(sys.modules, loaded)
    statement = compile(f"import {name}", "<test>", "exec")
    with numba_alone(), pytest.raises(ModuleNotFoundError, match="numba does without"):
        exec(statement, {"__name__": "numba.core.config"})
    before = list(sys.meta_path)
    with numba_alone():
        assert len(sys.meta_path) == len(before) + 1
    assert sys.meta_path == before
