"""What loading the compiled loops brings with it."""

from __future__ import annotations

import subprocess
import sys

COUNT = """
import sys
import numpy as np
from pmwpub.domain import Attribute, Domain
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset
domain = Domain((Attribute("a", ("0", "1")), Attribute("b", ("0", "1", "2"))))
rows = np.array([[0, 0], [0, 2], [1, 2]])
assert count(Workload.all_kway(domain, 2), Dataset(domain, rows)).n == 3
print("numba" in sys.modules, "scipy.linalg" in sys.modules)
import scipy.linalg.cython_blas
"""


def test_counting_loads_no_linear_algebra_which_is_there_for_whoever_asks_for_it() -> None:
    ran = subprocess.run([sys.executable, "-c", COUNT], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["True", "False"]
