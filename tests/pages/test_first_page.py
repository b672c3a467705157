"""The first page waits for no compiler and no library that it does not show."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("numba", "llvmlite", "opendp", "scipy", "highspy", "gmpy2", "dask", "distributed")
"""Streamlit itself imports plotly's outermost module."""
PROGRAM = f"""
import sys
from streamlit.testing.v1 import AppTest
from pmwpub.jobs import InlineEngine
from pmwpub.ui.app import services
services.engine = InlineEngine
app = AppTest.from_file("app.py", default_timeout=60).run()
assert not app.exception and app.title[0].value, app.exception
print(*sorted(set({HEAVY!r}) & set(sys.modules)))
"""


def test_the_first_page_loads_no_heavy_library(tmp_path: Path) -> None:
    environment = os.environ | {"PMWPUB_STORE": f"sqlite:///{tmp_path / 'ledger.sqlite'}"}
    loaded = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert loaded.returncode == 0, loaded.stderr
    assert loaded.stdout.split() == []
