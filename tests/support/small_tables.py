"""Small CSV files for tests of commands."""

from __future__ import annotations

from pathlib import Path

import numpy as np


def write_table(path: Path, rows: int, seed: int) -> None:
    """Rows of sex, age and job, the same for the same seed."""
    rng = np.random.default_rng(seed)
    lines = [f"{'FM'[rng.integers(2)]},{rng.integers(90)},{'xyz'[rng.integers(3)]}" for _ in range(rows)]
    path.write_text("\n".join(["sex,age,job", *lines]) + "\n")
