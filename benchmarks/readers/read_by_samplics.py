"""Shares of cells and their standard errors by samplics; run by survey_reading.py in an environment that has it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from samplics import PopParam, ReplicateEstimator, RepMethod

folder = Path(sys.argv[1])
frame = pd.read_csv(folder / "weights.csv", dtype=str, keep_default_na=False)
note = json.loads((folder / "weights.json").read_text(encoding="utf-8"))
names = [f"weight_{number}" for number in range(1, note["replicates"] + 1)]
weights, replicates = frame["weight"].astype(float), frame[names].astype(float)
lines = []
for cell in json.loads((folder / "cells.json").read_text(encoding="utf-8"))["cells"]:
    inside = np.logical_and.reduce([frame[name] == level for name, level in cell.items()])
    estimator = ReplicateEstimator(RepMethod.bootstrap, PopParam.mean)
    found = estimator.estimate(y=inside.astype(float), samp_weight=weights, rep_weights=replicates, conservative=True)
    lines.append(f"{float(found.point_est)},{float(found.stderror)}")
(folder / "read.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
