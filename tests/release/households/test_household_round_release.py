"""A release of households by PMW^Pub: bought by command and by program, checked, and made again."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from support.commands import Commands
from support.households import csv_of, homes, schema_text

from pmwpub.errors import CertificateError
from pmwpub.plans import HouseholdPlan
from pmwpub.release.households.household_certificate import HouseholdCertificate
from pmwpub.release.households.household_checks import checked_households, household_files_in
from pmwpub.release.households.household_files import ROUND_FILES
from pmwpub.release.households.household_rebuilding import rebuilt_households

N, ROUNDS = 60, 12
SPEND = ("release", "--population", "homes", "--schema", "schema.json", "--private", "p.csv", "--public", "b.csv")
BUY = (*SPEND, "-k", "2", "--epsilon", "1", "--engine", "pmw-pub", "--rounds", str(ROUNDS))


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a release in out/, of 25 households, and one of mean weights by permute-and-flip in average/."""
    folder = tmp_path_factory.mktemp("town")
    (folder / "p.csv").write_text(csv_of(homes(N, 1, owning=0.8)))
    (folder / "b.csv").write_text(csv_of(homes(50, 2, owning=0.3), 1_000))
    (folder / "schema.json").write_text(schema_text())
    run = Commands(folder).run
    run("ledger", "register", "homes", "--n", str(N), "--epsilon", "3", "--unit", "household",
        "--largest-household", "4")  # fmt: skip
    run(*BUY, "--rows", "25", "--row-seed", "4", "-o", "out")
    run(*BUY, "--output", "average", "--start", "uniform", "--replay", "off", "--selection", "permute-and-flip",
        "--repeat", "0", "-o", "average")  # fmt: skip
    return folder


@pytest.fixture
def files(town: Path) -> dict[str, bytes]:
    return household_files_in(town / "out")


def edited(files: dict[str, bytes], /, **changes: Any) -> dict[str, bytes]:
    stated = json.loads(files["certificate.json"]) | changes
    return files | {"certificate.json": json.dumps(stated).encode()}


def test_the_certificate_states_engine_rounds_and_transcript(files: dict[str, bytes]) -> None:
    stated = json.loads(files["certificate.json"])
    rounds = stated["rounds"]
    assert (stated["engine"], stated["tables"], stated["strengths"]) == ("households-pmw-pub", [], None)
    assert (rounds["rounds"], len(rounds["transcript"])) == (ROUNDS, ROUNDS)
    epsilon0 = Fraction(rounds["epsilon0"])
    assert Fraction(rounds["scale_of_persons"]) == 4 / epsilon0
    assert float(Fraction(rounds["scale_of_households"])) == pytest.approx(float(1 / epsilon0))
    assert float(stated["rho"]) == pytest.approx(float(ROUNDS * epsilon0**2)), "T epsilon0^2"
    assert stated["epsilon"] <= 1
    persons = 6 + 4 + 6  # the cells of tenure, age and sex by two
    for line in rounds["transcript"]:
        assert line["of"] == ("persons" if line["number"] < persons else "households")
        assert len(line["query"]) in ((2,) if line["of"] == "persons" else (1, 2))


def test_the_folder_has_the_rounds_as_a_table_and_no_tables_csv(town: Path, files: dict[str, bytes]) -> None:
    assert {path.name for path in (town / "out").iterdir()} == set(ROUND_FILES)
    assert "measurements.csv" in ROUND_FILES
    assert "tables.csv" not in ROUND_FILES
    lines = list(csv.DictReader(io.StringIO(files["measurements.csv"].decode())))
    rounds = json.loads(files["certificate.json"])["rounds"]
    assert [int(line["noisy_count"]) for line in lines] == [line["noisy_count"] for line in rounds["transcript"]]
    scales = {"persons": rounds["scale_of_persons"], "households": rounds["scale_of_households"]}
    assert all(float(line["sigma"]) == float(Fraction(scales[line["of"]])) for line in lines)
    assert len(files["households.csv"].splitlines()) == 26


def test_the_ledger_is_charged_what_the_rounds_cost_and_a_plan_sent_again_nothing(town: Path, tmp_path: Path) -> None:
    run = Commands(town).run
    again = run(*BUY, "--rows", "25", "--row-seed", "4", "-o", str(tmp_path / "again"))
    assert (again["stored_earlier"], again["spent"]["rho"]) == (True, 0)
    assert household_files_in(tmp_path / "again") == household_files_in(town / "out")
    charge = run("ledger", "show", "homes")["charges"][0]
    assert charge["mechanism"].startswith("PMW^Pub of households, 12 rounds of exponential selection")
    assert charge["sensitivity"] == "one household of 1 to 4 persons; households by the ids of the column 'home'"
    assert charge["rho"] == pytest.approx(float(again["rho"]))


def test_the_price_and_the_noise_of_rounds_are_free(town: Path) -> None:
    run = Commands(town).run
    before = len(run("ledger", "show", "homes")["charges"])
    found = run(*BUY, "--repeat", "1", "--dry-run")
    assert found["noise"]["persons"] == pytest.approx(4 * found["noise"]["households"])
    assert len(run("ledger", "show", "homes")["charges"]) == before


@pytest.mark.parametrize("folder", ["out", "average"])
def test_everything_is_made_again_to_the_byte(town: Path, folder: str) -> None:
    files = household_files_in(town / folder)
    made = rebuilt_households(files, town / "b.csv")
    assert set(made) == {"weights.csv", "weighted_persons.csv", "persons.csv", "households.csv"}
    assert all(files[name] == body for name, body in made.items())
    with pytest.raises(CertificateError, match="not the public table"):
        rebuilt_households(files, (town / "b.csv").read_bytes().replace(b"own", b"rent"))


def test_the_script_in_the_folder_says_so(town: Path) -> None:
    script = [sys.executable, str(town / "out/rebuild.py")]
    found = subprocess.run([*script, str(town / "b.csv")], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout.count(": agrees\n")) == (0, 4), found.stderr


@pytest.mark.parametrize("folder", ["out", "average"])
def test_a_whole_folder_holds(town: Path, folder: str) -> None:
    found = Commands(town).run("certificate", "check", folder)
    assert len(found["holds"]) == 7
    assert any("σ = H/ε₀ persons" in words for words in found["holds"])


def test_answers_that_rest_on_measured_tables_are_refused_in_words(town: Path) -> None:
    said = Commands(town).run("answer", "--release", "out", "--marginal", "age", status=2)
    assert "by PMW^Pub, which measures no tables" in said


def of_rounds(**changes: Callable[[Any], Any]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """The certificate with other rounds."""
    return lambda stated: {"rounds": stated["rounds"] | {key: of(stated["rounds"][key]) for key, of in changes.items()}}


def half(scale: str) -> str:
    return str(Fraction(scale) / 2)


def first_line(**changes: Any) -> Callable[[list[dict[str, Any]]], list[dict[str, Any]]]:
    return lambda lines: [lines[0] | changes, *lines[1:]]


EDITS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "half the noise of persons": of_rounds(scale_of_persons=half),
    "half the noise of households": of_rounds(scale_of_households=half),
    "noise of persons as of households": lambda stated: of_rounds(
        scale_of_persons=lambda _: stated["rounds"]["scale_of_households"]
    )(stated),
    "a round less": of_rounds(transcript=lambda lines: lines[1:], rounds=lambda rounds: rounds - 1),
    "a round that is not there": of_rounds(transcript=lambda lines: lines[1:]),
    "another query": of_rounds(transcript=first_line(query={"age": "child"})),
    "a query of the other level": of_rounds(
        transcript=lambda lines: first_line(of="persons" if lines[0]["of"] != "persons" else "households")(lines)
    ),
    "no query": of_rounds(transcript=first_line(number=10_000)),
    "another answer": of_rounds(transcript=lambda lines: first_line(noisy_count=lines[0]["noisy_count"] + 1)(lines)),
    "another replay": of_rounds(replay_seed=lambda seed: seed + 1),
    "another law": of_rounds(selection=lambda _: "permute-and-flip"),
    "no noise of persons": of_rounds(scale_of_persons=lambda _: "0"),
    "no noise of households": of_rounds(scale_of_households=lambda _: "0.00"),
    "no epsilon0": of_rounds(epsilon0=lambda _: "0"),
    "another epsilon0": of_rounds(epsilon0=half),
    "another draw": lambda stated: {"repeat": stated["repeat"] + 1},
    "a smaller rho": lambda stated: {"rho": "0.001000000000000"},
    "another mechanism": lambda stated: {"mechanism": stated["mechanism"].replace("households", "persons")},
    "table fit": lambda stated: {"engine": "households"},
    "no rounds": lambda stated: {"rounds": None},
    "strengths": lambda stated: {"strengths": {"one_way": 1.0, "all": 1.0}},
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edited_certificate_does_not_hold(files: dict[str, bytes], name: str) -> None:
    changed = edited(files, **EDITS[name](json.loads(files["certificate.json"])))
    with pytest.raises(CertificateError):
        checked_households(changed)


@pytest.mark.parametrize("name", sorted(set(ROUND_FILES) - {"certificate.json"}))
def test_another_file_does_not_hold_under_its_own_hash(files: dict[str, bytes], name: str) -> None:
    body = files[name] + b"x\n"
    hashes = json.loads(files["certificate.json"])["files"] | {name: hashlib.sha256(body).hexdigest()}
    with pytest.raises(CertificateError):
        checked_households(edited(files | {name: body}, files=hashes))
    with pytest.raises(CertificateError, match="lacks"):
        checked_households({other: one for other, one in files.items() if other != name})


def test_answers_beyond_what_can_be_replayed_are_refused_in_words(town: Path, files: dict[str, bytes]) -> None:
    stated = json.loads(files["certificate.json"])
    for said in (2**63, 10**400):
        changed = of_rounds(transcript=first_line(noisy_count=said))(stated)
        with pytest.raises(CertificateError):
            rebuilt_households(edited(files, **changed), town / "b.csv")


def test_plans_and_certificates_of_table_fit_keep_the_order_of_their_keys() -> None:
    """Their bytes, and so their hashes, are those of before there were rounds."""
    stated = [key for key in HouseholdCertificate.model_fields if key != "rounds"]
    assert stated[9:16] == ["population", "unit", "n", "largest_household", "mechanism", "tables", "strengths"]
    assert stated[16:20] == ["schema_sha256", "candidate", "public", "plan"]
    assert list(HouseholdPlan.model_fields) == [
        *("kept_ids", "weights", "kind", "n", "largest", "household", "inputs", "rho_units"),
        *("constants", "own_constants", "own_share", "private_read_as"),
    ]


def test_a_program_buys_rounds_by_data_frames(tmp_path: Path) -> None:
    import pandas as pd

    import pmwpub

    frames = [
        pd.read_csv(io.StringIO(csv_of(some, first)), dtype=str)
        for some, first in ((homes(N, 1), 1), (homes(50, 2), 900))
    ]
    own: dict[str, Any] = {"schema": pmwpub.HouseholdSchema.from_json(schema_text()), "epsilon": 1}
    own |= {"private": frames[0], "public": frames[1]}
    with pmwpub.Ledger.open(f"sqlite:///{tmp_path}/ledger.sqlite3") as ledger:
        unit = "one household of 1 to 4 persons"
        ledger.register(pmwpub.Population("homes", N, 4, unit, 3, "1e-4"))  # type: ignore[arg-type]
        for strange, words in (
            ({"engine": "unchanged"}, "table-fit or by pmw-pub"),
            ({"engine": "table-fit", "rounds": 3}, "no rounds"),
            ({"engine": 5}, "named by a text"),
            ({"rounds": 0}, "rounds"),
            ({"rounds": 1_001}, "rounds"),
        ):
            with pytest.raises(pmwpub.PmwPubError, match=words):
                pmwpub.release_households(ledger, "homes", **own, **strange)  # type: ignore[arg-type]
        assert list(ledger.history("homes")) == []
        found = pmwpub.release_households(ledger, "homes", **own, rounds=3)
        named = pmwpub.release_households(ledger, "homes", **own, rounds=3, engine="pmw-pub")
        assert found.bundle.to_bytes() == named.bundle.to_bytes()
        assert len(ledger.history("homes")) == 1
    assert found.certificate.rounds is not None
    assert found.certificate.rounds.rounds == 3
    assert len(checked_households(found.files(20, seed=1))) == 7
