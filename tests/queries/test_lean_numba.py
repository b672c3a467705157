"""Numba is refused what it loads only because it is there, and nobody else is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from pmwpub.queries.lean_numba import TRIED_NUMBA, UNUSED, numba_alone

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
    monkeypatch.setattr(numba, "__version__", TRIED_NUMBA)
    for loaded in [one for one in sys.modules if one == name or one.startswith(f"{name}.")]:
        monkeypatch.delitem(sys.modules, loaded)
    statement = compile(f"import {name}", "<test>", "exec")
    with numba_alone(), pytest.raises(ModuleNotFoundError, match="numba does without"):
        exec(statement, {"__name__": "numba.core.config"})
    monkeypatch.setattr(numba, "__version__", "99.0")
    with numba_alone():
        exec(statement, {"__name__": "numba.core.config"})
    before = list(sys.meta_path)
    with numba_alone():
        assert len(sys.meta_path) == len(before) + 1
    assert sys.meta_path == before


LOADED = """
import sys
from pmwpub.cli.main import numba_alone
from pmwpub.tasks.warming import warm
import numpy as np
from pmwpub.domain import Attribute, Domain
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset
with numba_alone():
    warm(("release",), lambda done, total, note="": None)
    domain = Domain(tuple(Attribute(name, ("0", "1", "2")) for name in "abc"))
    rows = np.array([[0, 0, 2], [0, 1, 2], [0, 1, 1], [2, 1, 0]])
    print(count(Workload.all_kway(domain, 2), Dataset(domain, rows)).counts.tolist())
print("numba.np.arraymath" in sys.modules)
"""


@pytest.mark.skipif(numba.__version__ != TRIED_NUMBA, reason="another numba loads all that it compiles with")
def test_loops_that_are_compiled_already_run_without_what_numba_compiles_with(tmp_path: Path) -> None:
    """The first program compiles them, the second reads them; both count alike, and rehearse a whole release."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    first, second = (
        subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True, env=environment)
        for _ in range(2)
    )
    (counted, compiled), (again, loaded) = first.stdout.splitlines(), second.stdout.splitlines()
    assert counted == again
    # By hand, of the columns a and b: (0, 0) once, (0, 1) twice, (2, 1) once.
    assert json.loads(counted)[:9] == [1, 2, 0, 0, 0, 0, 0, 1, 0]
    assert (compiled, loaded) == ("True", "False")


def test_the_numba_that_is_installed_for_development_is_the_one_that_was_tried() -> None:
    """A newer one is tried, by the test above, before it stands in the constraints."""
    pinned = Path(__file__).parents[2].joinpath("constraints.txt").read_text(encoding="utf-8").splitlines()
    assert f"numba=={TRIED_NUMBA}" in pinned
