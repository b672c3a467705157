"""Replicate weights read by a survey package: its standard errors beside those of the answers' intervals.

    python benchmarks/survey_reading.py --python VENV/bin/python     with samplics in that environment
    python benchmarks/survey_reading.py --rscript Rscript            with R's package survey

A release of the sample tables by table fit is made with the command line in a folder of its own, then its
replicate weights; the package is told what the note says, and asked for the shares of all 1-way and 2-way cells of at
least 1 %. Printed: how many of its standard errors are within 15 % of those of `answer`, and whether it answers what
the weights do. It ends with status 1 where fewer than 95 % are, or a share differs.
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from pmwpub.release import checking
from pmwpub.release.answers.release_answers import ReleaseAnswers
from pmwpub.release.bundle import Bundle

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "sample_data"
READERS = Path(__file__).parent / "readers"
RUN = "import sys; from pmwpub.cli import main; sys.exit(main(sys.argv[1:]))"
LARGE, NEAR, DEVIATIONS, SAME = 0.01, 0.15, 1.959963984540054, 1e-4


def pmwpub(folder: Path, *arguments: str) -> Any:
    """What a command prints."""
    command = [sys.executable, "-c", RUN, "--store", f"sqlite:///{folder}/ledger.sqlite3", *arguments]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout)


def released(folder: Path) -> tuple[list[str], list[dict[str, Any]]]:
    """The columns of a release in out/, whose weights are in weights.csv, and its large cells with their intervals."""
    rows = sum(1 for _ in (SAMPLE / "state_a.csv").open()) - 1
    pmwpub(folder, "ledger", "register", "P", "--n", str(rows), "--epsilon", "4")
    given = ("--population", "P", "--schema", str(SAMPLE / "schema.json"), "--private", str(SAMPLE / "state_a.csv"))
    bought = ("--public", str(SAMPLE / "state_b.csv"), "-k", "2", "--epsilon", "1", "--engine", "table-fit")
    pmwpub(folder, "release", *given, *bought, "-o", f"{folder}/out")
    pmwpub(folder, "replicate-weights", "--release", f"{folder}/out", "-o", f"{folder}/weights.csv")
    with (folder / "weights.csv").open(encoding="utf-8") as stream:
        header = stream.readline().strip().split(",")
    columns = header[: header.index("weight")]
    answers = ReleaseAnswers(Bundle(checking.read_folder(folder / "out")))
    asked = [some for order in (1, 2) for some in itertools.combinations(columns, order)]
    cells = [cell.line() for one in asked for cell in answers.marginal(one)]
    return columns, [cell for cell in cells if cell["released"] >= LARGE]


def read(folder: Path, command: list[str]) -> list[tuple[float, float]]:
    """Share and standard error of each cell, by the package."""
    done = subprocess.run([*command, str(folder)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    lines = (folder / "read.csv").read_text(encoding="utf-8").split()
    return [(float(share), float(error)) for share, error in (line.split(",") for line in lines)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    reader = parser.add_mutually_exclusive_group(required=True)
    reader.add_argument("--python", metavar="PYTHON", help="a Python with samplics and pandas")
    reader.add_argument("--rscript", metavar="RSCRIPT", help="Rscript of an R with the package survey")
    wanted = parser.parse_args()
    by_r = [wanted.rscript, str(READERS / "read_by_survey.R")]
    by_samplics = [wanted.python, str(READERS / "read_by_samplics.py")]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        columns, cells = released(folder)
        (folder / "cells.json").write_text(
            json.dumps({"columns": columns, "cells": [cell["levels"] for cell in cells]})
        )
        lines = [";".join(f"{name}={level}" for name, level in cell["levels"].items()) for cell in cells]
        (folder / "cells.txt").write_text("\n".join(lines) + "\n")
        found = read(folder, by_samplics if wanted.rscript is None else by_r)
    errors = [max(cell["high"] - cell["share"], cell["share"] - cell["low"]) / DEVIATIONS for cell in cells]
    over = sorted(own / error for (_, own), error in zip(found, errors, strict=True))
    near = sum(abs(one - 1) <= NEAR for one in over) / len(over)
    same = all(abs(share - cell["released"]) <= SAME for (share, _), cell in zip(found, cells, strict=True))
    print(
        f"{len(over)} cells: {near:.3f} of the standard errors are within 15 %, ratios {over[0]:.2f} to {over[-1]:.2f}"
    )
    print("shares are those of the release" if same else "shares differ from the release's")
    raise SystemExit(0 if same and near >= 0.95 else 1)


if __name__ == "__main__":
    main()
