"""rebuild.py as its readers run it: a program beside the files, and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from release.bundles import Made, make, public_csv

from pmwpub.mechanisms.pmw_pub.algorithm import Output, Replay, Start
from pmwpub.release import rebuild


@dataclass
class Run:
    """What a run of the script came to."""

    status: int
    output: str
    errors: str


def program(folder: Path, *arguments: str) -> Run:
    """The bundle's own script in a process of its own."""
    command = [sys.executable, str(folder / "rebuild.py"), *arguments]
    found = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return Run(found.returncode, found.stdout, found.stderr)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Run]:
    """The same code in this process, for speed."""

    def called(folder: Path, *arguments: str) -> Run:
        assert (folder / "rebuild.py").read_bytes() == Path(rebuild.__file__).read_bytes()
        status = rebuild.main([*arguments, "--from", str(folder)])
        return Run(status, *capsys.readouterr())

    return called


def public(folder: Path, number: int = 0) -> str:
    return str(folder.parent / f"public{number}.csv")


def edit(folder: Path, change: dict[str, object]) -> None:
    """Change keys of the certificate in place."""
    path = folder / "certificate.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))


def test_every_byte_comes_again_from_the_certificate_and_the_public_table(made: Made, tmp_path: Path) -> None:
    folder = made.write(tmp_path, rows=77, seed=5)
    again = tmp_path / "again"
    found = program(folder, public(folder), "--into", str(again))
    assert (found.status, found.errors) == (0, "")
    assert found.output.count(": agrees") == 3
    for name in ("weights.csv", "synthetic.csv", "measurements.csv"):
        assert (again / name).read_bytes() == (folder / name).read_bytes()


@pytest.mark.parametrize(
    "variant",
    [{"output": Output.AVERAGE, "start": Start.UNIFORM}, {"replay": Replay.OFF}],
    ids=["average, uniform start", "no replay"],
)
def test_the_variants_are_rebuilt_too(run: Callable[..., Run], variant: dict, tmp_path: Path) -> None:
    folder = make([public_csv(40, 3)], **variant).write(tmp_path, cells="numbers")
    assert run(folder, public(folder)).status == 0


def test_a_pool_needs_every_table_in_any_order(run: Callable[..., Run], tmp_path: Path) -> None:
    folder = make([public_csv(40, 3), public_csv(50, 4)]).write(tmp_path)
    assert run(folder, public(folder, 1), public(folder, 0)).status == 0
    lacking = run(folder, public(folder, 1))
    assert lacking.status == 2
    assert "SHA-256" in lacking.errors


@pytest.mark.parametrize("name", ["weights.csv", "synthetic.csv", "measurements.csv"])
def test_a_changed_file_is_found(run: Callable[..., Run], made: Made, tmp_path: Path, name: str) -> None:
    folder = made.write(tmp_path)
    body = (folder / name).read_bytes()
    (folder / name).write_bytes(body[:-2] + (b"0\n" if not body.endswith(b"0\n") else b"1\n"))
    found = run(folder, public(folder))
    assert found.status == 1
    assert f"{name}: DIFFERS from the file here" in found.output


def test_a_changed_measurement_seed_or_public_table_is_found(
    run: Callable[..., Run], made: Made, tmp_path: Path
) -> None:
    folder = made.write(tmp_path)
    certificate = json.loads((folder / "certificate.json").read_text())
    lines = certificate["transcript"]
    lines[0]["noisy_count"] += 1
    edit(folder, {"transcript": lines})
    assert run(folder, public(folder)).status == 1
    edit(folder, {"transcript": certificate["transcript"], "replay_seed": certificate["replay_seed"] + 1})
    assert "replay seed" in run(folder, public(folder)).errors
    Path(public(folder)).write_bytes(public_csv(60, 9))
    found = run(folder, public(folder))
    assert (found.status, "SHA-256" in found.errors) == (2, True)


def test_an_unreadable_folder_ends_in_words_and_not_in_a_traceback(
    run: Callable[..., Run], made: Made, tmp_path: Path
) -> None:
    folder = made.write(tmp_path)
    (folder / "certificate.json").write_text("{}")
    for arguments in ([public(folder)], ["none.csv"]):
        found = run(folder, *arguments)
        assert found.status == 2
        assert "Traceback" not in found.errors
    (folder / "certificate.json").unlink()
    assert run(folder, public(folder)).status == 2


def test_a_mismatch_ends_the_program_with_a_status_that_is_not_zero(made: Made, tmp_path: Path) -> None:
    folder = made.write(tmp_path)
    (folder / "weights.csv").write_bytes(b"")
    found = program(folder, public(folder))
    assert (found.status, found.errors) == (1, "")


def test_a_folder_that_cannot_be_made_ends_in_words(run: Callable[..., Run], made: Made, tmp_path: Path) -> None:
    folder = made.write(tmp_path)
    (tmp_path / "taken").write_text("a file")
    for into in (tmp_path / "taken", tmp_path / "taken" / "below"):
        found = run(folder, public(folder), "--into", str(into))
        assert found.status == 2
        assert f"{into} cannot be written" in found.errors
