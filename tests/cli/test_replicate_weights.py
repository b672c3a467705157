"""`replicate-weights`: weights for survey software of a release's own files, read as such software reads them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from support.commands import Run, commands

from pmwpub.api import SyntheticRelease
from pmwpub.cli import main
from pmwpub.cli.released import replicate_weights_command
from pmwpub.errors import PlanError
from pmwpub.release import checking
from pmwpub.release.bundle import Bundle

ROWS = 3_000
DEVIATIONS = 1.959963984540054


def _table(rows: int, seed: int) -> str:
    rng = np.random.default_rng(seed)
    lines = []
    for _ in range(rows):
        sex = rng.integers(2)
        job = "xyz"[int(rng.choice(3, p=(0.6, 0.3, 0.1) if sex else (0.2, 0.3, 0.5)))]
        lines.append(f"{'FM'[sex]},{rng.integers(90)},{job}")
    return "\n".join(["sex,age,job", *lines]) + "\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a release by each engine: out and rounds."""
    place = tmp_path_factory.mktemp("released")
    Path(place, "p.csv").write_text(_table(ROWS, 1))
    Path(place, "b.csv").write_text(_table(1_000, 2))
    store, schema = f"sqlite:///{place}/ledger.sqlite3", f"{place}/schema.json"
    given = ("--population", "P", "--schema", schema, "--private", f"{place}/p.csv", "--public", f"{place}/b.csv")
    for command in (
        ("schema", "draft", f"{place}/b.csv", "-o", schema),
        ("ledger", "register", "P", "--n", str(ROWS), "--epsilon", "8"),
        ("release", *given, "-k", "2", "--epsilon", "2", "--engine", "table-fit", "-o", f"{place}/out"),
        ("release", *given, "-k", "2", "--epsilon", "1", "--rounds", "3", "-o", f"{place}/rounds"),
    ):
        assert main(["--store", store, *command]) == 0
    return place


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return commands(folder, monkeypatch, capsys)


def weights(run: Run, *flags: str, status: int = 0) -> Any:
    return run("replicate-weights", "--release", "out", "-o", "weights.csv", *flags, status=status)


def test_a_table_of_weights_read_by_its_note_gives_the_errors_that_answers_have(run: Run) -> None:
    said = weights(run)
    note = json.loads(Path("weights.json").read_bytes())
    assert said == note | {"file": "weights.csv", "note": "weights.json"}
    assert (note["type"], note["scale"], note["rscales"], note["mse"]) == ("bootstrap", 1 / 40, 1, True)
    assert note["sha256"] == hashlib.sha256(Path("weights.csv").read_bytes()).hexdigest()
    labels = dict.fromkeys(("sex", "age", "job"), str)
    frame = pandas.read_csv("weights.csv", dtype=labels)
    names = [f"weight_{number}" for number in range(1, 41)]
    assert list(frame.columns) == ["sex", "age", "job", "weight", *names]
    assert frame[names].to_numpy().min() >= 0
    assert frame[["weight", *names]].sum().to_numpy() == pytest.approx(np.full(41, ROWS), rel=1e-5)
    released = pandas.read_csv("out/weights.csv", dtype=labels)
    assert frame.weight.to_numpy() == pytest.approx(ROWS * released.weight.to_numpy(), rel=1e-5)
    assert (frame[["sex", "age", "job"]] == released[["sex", "age", "job"]]).all().all()
    near = []
    for columns in ("sex", "age", "job", "sex,job", "age,job", "sex,age"):
        for cell in run("answer", "--release", "out", "--marginal", columns)["cells"]:
            rows = np.logical_and.reduce([frame[name] == level for name, level in cell["levels"].items()])
            if cell["released"] >= 0.01:
                totals = frame.loc[rows, ["weight", *names]].sum().to_numpy()
                error = np.sqrt(note["scale"] * np.sum((totals[1:] - totals[0]) ** 2)) / ROWS
                expected = max(cell["high"] - cell["share"], cell["share"] - cell["low"]) / DEVIATIONS
                near.append(abs(error / expected - 1) <= 0.15)
    assert len(near) > 30
    assert np.mean(near) >= 0.95
    assert note["reproduced"]["cells"] == len(near)
    assert note["reproduced"]["within_15_percent"] == pytest.approx(np.mean(near), abs=1e-3)


def test_programs_get_the_same_bytes_and_nothing_is_charged(run: Run, folder: Path) -> None:
    charges = run("ledger", "show", "P")["charges"]
    weights(run, "--replicates", "20", "--seed", "5")
    bundle = Bundle(checking.read_folder(folder / "out"))
    files = SyntheticRelease(bundle).replicate_weights(20, seed=5)
    assert list(files) == ["replicate-weights.csv", "replicate-weights.json"]
    assert files["replicate-weights.csv"] == Path("weights.csv").read_bytes()
    assert SyntheticRelease(bundle).replicate_weights(20, seed=6) != files
    assert run("ledger", "show", "P")["charges"] == charges
    assert len(charges) == 2


def test_what_cannot_be_made_is_refused_in_words(run: Run, folder: Path) -> None:
    assert "this release has none" in run("replicate-weights", "--release", "rounds", "-o", "weights.csv", status=2)
    assert "Between 20 and 400" in weights(run, "--replicates", "4000000000", status=2)
    assert "A seed is" in weights(run, "--seed", "-1", status=2)
    for place in ("out/weights.csv", "out/more.csv"):
        assert weights(run, "-o", place, status=2 if place == "out/weights.csv" else 0)
    Path("out/more.csv").unlink()
    Path("out/more.json").unlink()
    assert ".csv" in weights(run, "-o", "weights.parquet", status=2)
    with pytest.raises(PlanError):
        SyntheticRelease(Bundle(checking.read_folder(folder / "rounds"))).replicate_weights()


def test_a_command_that_is_stopped_leaves_no_file(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(done: int, total: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(replicate_weights_command, "progress", stopped)
    Path("weights.csv").unlink(missing_ok=True)
    assert "Nothing was charged or written" in weights(run, status=130)
    assert not Path("weights.csv").exists()
