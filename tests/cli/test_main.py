"""The command line: JSON on stdout, words on stderr, status 2 for a refusal, and files that repeat."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pmwpub.cli import main
from pmwpub.ledger import Charge, Ledger, PlanKey
from pmwpub.plans import WorkloadChoice
from pmwpub.privacy.budget import ZCDP
from pmwpub.progress import Progress
from pmwpub.release import rebuild
from pmwpub.service.purchases.caveats import PRIVATE_NUMBERS_SEEN, noted


@dataclass
class Shell:
    """Runs commands against one throwaway store.

    said  what the last one wrote beside its output
    """

    folder: Path
    capture: pytest.CaptureFixture[str]
    said: str = ""

    def run(self, *arguments: str, status: int = 0) -> Any:
        """The JSON of a command, or its error text where a status is expected."""
        found = main(["--store", f"sqlite:///{self.folder}/ledger.sqlite3", *arguments])
        output = self.capture.readouterr()
        assert found == status, output.err
        self.said = output.err
        if status:
            assert output.out == ""
            return output.err
        return json.loads(output.out)

    def path(self, name: str) -> str:
        return str(self.folder / name)

    def spend(self, command: str, *arguments: str, public: tuple[str, ...] = ("b.csv",), status: int = 0) -> Any:
        candidates = [part for name in public for part in ("--public", self.path(name))]
        return self.run(
            command, "--population", "P", "--schema", self.path("schema.json"), "--private", self.path("p.csv"),
            *candidates, "-k", "2", *arguments, status=status,
        )  # fmt: skip


def write(path: Path, rows: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    lines = [f"{'FM'[rng.integers(2)]},{rng.integers(90)},{'xyz'[rng.integers(3)]}" for _ in range(rows)]
    path.write_text("\n".join(["sex,age,job", *lines]) + "\n")


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    for name, rows, seed in (("p.csv", 250, 0), ("b.csv", 120, 1), ("c.csv", 90, 2)):
        write(tmp_path / name, rows, seed)
    made = Shell(tmp_path, capsys)
    made.run("schema", "draft", made.path("b.csv"), made.path("c.csv"), "-o", made.path("schema.json"))
    made.run("ledger", "register", "P", "--n", "250", "--epsilon", "3")
    return made


def test_a_drafted_schema_knows_the_columns(shell: Shell) -> None:
    schema = json.loads(Path(shell.path("schema.json")).read_text())
    assert [column["name"] for column in schema["columns"]] == ["sex", "age", "job"]
    assert [column["kind"] for column in schema["columns"]] == ["categorical", "numeric", "categorical"]


def test_a_population_is_shown_with_its_terms_and_default_delta(shell: Shell) -> None:
    shown = shell.run("ledger", "show", "P")
    terms = {"population", "n", "rows_per_person", "epsilon", "delta", "rho"}
    assert terms | {"spent", "remaining", "unvouched", "charges"} == set(shown)
    assert (shown["n"], shown["epsilon"], shown["delta"], shown["charges"]) == (250, 3.0, 1 / 250**2, [])


def test_assess_prints_both_numbers_with_intervals_and_the_exact_spending(shell: Shell) -> None:
    found = shell.spend("assess", "--epsilon", "0.5", public=("b.csv", "c.csv"))
    assert [line["candidate"] for line in found["assessments"]] == ["b.csv", "c.csv"]
    for line in found["assessments"]:
        assert line["floor_low"] <= line["floor_high"]
        assert line["start_low"] <= line["start_high"]
        assert line["confidence"] == 0.95
    shown = shell.run("ledger", "show", "P")
    assert len(shown["charges"]) == 4
    assert shown["spent"]["rho"] == pytest.approx(found["spent"]["rho"], abs=1e-15)
    again = shell.spend("assess", "--epsilon", "0.50", public=("b.csv", "c.csv"))
    assert again["spent"]["rho"] == 0
    assert again["assessments"] == found["assessments"]


def test_parts_can_be_left_out_but_not_both(shell: Shell) -> None:
    (line,) = shell.spend("assess", "--epsilon", "0.5", "--no-floor")["assessments"]
    assert line["floor"] is None
    assert line["start"] is not None
    assert "neither" in shell.spend("assess", "--epsilon", "0.5", "--no-floor", "--no-start", status=2)


def test_release_writes_files_that_the_certificate_names(shell: Shell) -> None:
    found = shell.spend("release", "--epsilon", "1", "--rounds", "5", "--rows", "33", "-o", shell.path("out"))
    for name, expected in found["files"].items():
        assert hashlib.sha256(Path(shell.path("out"), name).read_bytes()).hexdigest() == expected
    with Path(shell.path("out"), "synthetic.csv").open() as stream:
        rows = list(csv.reader(stream))
    assert (len(rows), rows[0]) == (34, ["sex", "age", "job"])
    certificate = json.loads(Path(shell.path("out"), "certificate.json").read_text())
    assert certificate["ledger_total"]["rho"] == found["ledger_total"]["rho"]
    assert (certificate["n"], certificate["rounds"], len(certificate["transcript"])) == (250, 5, 5)


def test_table_fit_writes_its_noisy_tables_and_takes_no_flag_of_the_other_engine(shell: Shell) -> None:
    found = shell.spend("release", "--epsilon", "1", "--engine", "table-fit", "--rows", "20", "-o", shell.path("out"))
    assert (found["version"], found["engine"]) == (2, "table-fit")
    assert "rounds" not in found
    for name, expected in found["files"].items():
        assert hashlib.sha256(Path(shell.path("out"), name).read_bytes()).hexdigest() == expected
    assert shell.run("certificate", "check", shell.path("out"))["unlisted"] == []
    assert rebuild.main([shell.path("b.csv"), "--from", shell.path("out")]) == 0
    shell.capture.readouterr()
    refused = shell.spend(
        "release", "--epsilon", "1", "--engine", "table-fit", "--rounds", "5", "-o", shell.path("no"), status=2
    )
    assert "no rounds" in refused
    again = shell.spend("release", "--epsilon", "1", "--engine", "table-fit", "-o", shell.path("again"))
    assert again["spent"]["rho"] == 0
    assert again["plan_sha256"] == found["plan_sha256"]


def test_table_fit_may_add_rows_and_the_other_engine_may_not(shell: Shell) -> None:
    given = ["release", "--epsilon", "1", "--grow", "-o", shell.path("out")]
    assert "Rows are added by table-fit alone" in shell.spend(*given, "--engine", "pmw-pub", status=2)
    found = shell.spend(*given, "--engine", "table-fit")
    assert found["plan"]["growth"]["false_growth"] == 0.01
    assert isinstance(found["chosen"]["grown"], list)
    assert "not both" in shell.spend(*given, "--engine", "table-fit", "--three-way", status=2)


def test_a_pool_with_learnt_weights_is_rebuilt_from_all_its_tables_in_any_order(shell: Shell) -> None:
    flags = ["--epsilon", "1", "--engine", "table-fit-pool"]
    assert "two to 8 public tables" in shell.spend("release", *flags, "-o", shell.path("one"), status=2)
    found = shell.spend("release", *flags, "-o", shell.path("out"), public=("b.csv", "c.csv"))
    assert (found["engine"], sum(found["pool_parts"])) == ("table-fit", 1_000)
    shell.run("certificate", "check", shell.path("out"))
    cells = shell.run("answer", "--release", shell.path("out"), "--marginal", "sex")["cells"]
    assert sum(cell["released"] for cell in cells) == pytest.approx(1.0, abs=1e-5), "noisy cells need not sum to 1"
    assert rebuild.main([shell.path("c.csv"), shell.path("b.csv"), "--from", shell.path("out")]) == 0
    shell.capture.readouterr()
    again = shell.spend("release", *flags, "-o", shell.path("again"), public=("c.csv", "b.csv"))
    assert again["spent"]["rho"] == 0
    assert again["plan_sha256"] == found["plan_sha256"]


@pytest.mark.parametrize("engine", ["pmw-pub", "table-fit"])
def test_cells_of_public_values_are_written_checked_and_rebuilt(
    shell: Shell, engine: str, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["--epsilon", "1", "--engine", engine, "--rows", "40", "--cells", "public-values", "--columns", "all"]
    found = shell.spend("release", *flags, "-o", shell.path("out"))
    assert found["cells"] == "public-values in all columns"
    out = Path(shell.path("out"))
    assert hashlib.sha256((out / "values.csv").read_bytes()).hexdigest() == found["files"]["values.csv"]
    shell.run("certificate", "check", str(out))
    assert rebuild.main([shell.path("b.csv"), "--from", str(out)]) == 0
    assert "values.csv: agrees" in capsys.readouterr().out
    spent = shell.run("ledger", "show", "P")["spent"]
    labels = shell.spend("release", "--epsilon", "1", "--engine", engine, "-o", shell.path("again"))
    assert "values.csv" not in labels["files"]
    assert not (Path(shell.path("again")) / "values.csv").exists()
    assert shell.run("ledger", "show", "P")["spent"] == spent


def test_start_and_replay_are_part_of_the_plan_and_stand_in_the_certificate(shell: Shell) -> None:
    said = [
        shell.spend("release", "--epsilon", "0.5", "--rounds", "3", *flags, "-o", shell.path(f"out{place}"))
        for place, flags in enumerate([(), ("--start", "uniform"), ("--replay", "off")])
    ]
    assert len({one["plan_sha256"] for one in said}) == 3
    assert [one["start"] for one in said] == ["public", "uniform", "public"]
    assert [one["replay"] for one in said] == ["half-of-newest", "half-of-newest", "off"]


def test_a_release_sent_again_writes_the_same_bytes_uncharged_and_a_repeat_is_charged(shell: Shell) -> None:
    first = shell.spend("release", "--epsilon", "1", "--rounds", "5", "-o", shell.path("one"))
    again = shell.spend("release", "--epsilon", "1", "--rounds", "5", "-o", shell.path("two"))
    assert (first["stored_earlier"], again["stored_earlier"]) == (False, True)
    assert again["spent"]["rho"] == 0
    for name in ("synthetic.csv", "weights.csv", "certificate.json"):
        assert Path(shell.path("one"), name).read_bytes() == Path(shell.path("two"), name).read_bytes()
    repeated = shell.spend("release", "--epsilon", "1", "--rounds", "5", "--repeat", "1", "-o", shell.path("three"))
    assert repeated["spent"]["rho"] == pytest.approx(first["spent"]["rho"], abs=1e-15)
    assert Path(shell.path("three"), "weights.csv").read_bytes() != Path(shell.path("one"), "weights.csv").read_bytes()


def test_the_rest_can_be_spent_and_then_nothing_is_left(shell: Shell) -> None:
    found = shell.spend("release", "--epsilon", "rest", "--rounds", "5", "-o", shell.path("out"))
    assert 2.99 < found["epsilon"] <= 3
    assert found["remaining"]["epsilon"] < 0.05
    assert "left" in shell.spend("release", "--epsilon", "1", "-o", shell.path("more"), status=2)


@pytest.mark.parametrize(
    ("epsilon", "word"), [("0", "psilon"), ("-1", "psilon"), ("nan", "number"), ("many", "number"), ("9", "left")]
)
def test_a_nonsense_or_unaffordable_epsilon_is_refused_uncharged(shell: Shell, epsilon: str, word: str) -> None:
    for command in (["assess"], ["release", "-o", shell.path("out")]):
        assert word in shell.spend(*command, "--epsilon", epsilon, status=2)
    assert shell.run("ledger", "show", "P")["spent"]["rho"] == 0


def test_a_gzipped_path_is_the_same_table(shell: Shell) -> None:
    body = Path(shell.path("b.csv")).read_bytes()
    Path(shell.path("b.csv.gz")).write_bytes(gzip.compress(body))
    first = shell.spend("release", "--epsilon", "1", "--rounds", "3", "-o", shell.path("one"))
    again = shell.spend("release", "--epsilon", "1", "--rounds", "3", "-o", shell.path("two"), public=("b.csv.gz",))
    assert again["stored_earlier"]
    assert again["plan_sha256"] == first["plan_sha256"]


def test_refusals_name_no_cell_and_charge_nothing(shell: Shell) -> None:
    private = Path(shell.path("p.csv"))
    private.write_text(private.read_text() + "secret-cell,1\n")
    words = shell.spend("release", "--epsilon", "1", "-o", shell.path("out"), status=2)
    assert "Line 252" in words
    assert "secret-cell" not in words
    write(private, 249, 0)
    assert "250" in shell.spend("release", "--epsilon", "1", "-o", shell.path("out"), status=2)
    write(private, 250, 0)
    assert "cannot be" in shell.spend("assess", "--epsilon", "1", public=("none.csv",), status=2)
    assert shell.run("ledger", "show", "P")["charges"] == []


def test_an_unknown_population_and_other_terms_are_refused(shell: Shell) -> None:
    assert "registered" in shell.run("ledger", "show", "nobody", status=2)
    shell.run("ledger", "register", "P", "--n", "250", "--epsilon", "3")
    assert shell.run("ledger", "register", "P", "--n", "251", "--epsilon", "3", status=2)


def test_evaluate_writes_each_run_and_says_that_it_is_not_private(shell: Shell) -> None:
    arguments = [
        "evaluate", "--schema", shell.path("schema.json"), "--truth", shell.path("p.csv"), "--public",
        shell.path("b.csv"), "--public", shell.path("c.csv"), "-k", "2", "--epsilons", "0.5,1", "--runs", "2",
        "--rounds", "2,4", "-o", shell.path("errors.csv"),
    ]  # fmt: skip
    found = shell.run(*arguments)
    assert found["not_private"] is True
    with Path(shell.path("errors.csv")).open() as stream:
        lines = list(csv.DictReader(stream))
    assert list(lines[0]) == [
        "method", "candidate", "epsilon", "rounds", "seed", "max_error", "mean_error", "rms_error"
    ]  # fmt: skip
    assert len([line for line in lines if line["method"] == "pmw-pub"]) == 2 * 2 * 2 * 2
    assert {line["candidate"] for line in lines} == {"b.csv", "c.csv"}
    for wrong in ("2,x", "9" * 5_000):
        assert "whole numbers" in shell.run(*[part if part != "2,4" else wrong for part in arguments], status=2)


def test_a_cancelled_command_keeps_its_charge_and_never_draws_again(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pmwpub.tasks import mechanism_work

    def interrupted(*_: object) -> object:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(mechanism_work, "release", interrupted)
        words = shell.spend("release", "--epsilon", "1", "--rounds", "3", "-o", shell.path("out"), status=130)
    assert "stays charged" in words
    (charge,) = shell.run("ledger", "show", "P")["charges"]
    assert charge["status"] == "charged", "as if it were at work, or had broken off"
    assert "charge stays" in shell.spend(
        "release", "--epsilon", "1", "--rounds", "3", "-o", shell.path("out"), status=1
    )
    assert len(shell.run("ledger", "show", "P")["charges"]) == 1
    assert not Path(shell.path("out")).exists()


def test_marginals_can_be_picked_by_hand(shell: Shell) -> None:
    flags = ("--epsilon", "0.5", "--rounds", "3", "--marginal", "sex,job", "--marginal", "job", "-o", shell.path("out"))
    said = shell.spend("release", *flags)
    assert said["workload"] == {"k": 2, "marginals": None, "seed": 0, "names": [["job"], ["job", "sex"]]}
    assert said["queries"] == 3 + 6
    assert "no attribute" in shell.spend("release", *flags, "--marginal", "nothing", status=2)
    assert "not both" in shell.spend("release", *flags, "--marginals", "2", status=2)


def test_an_output_folder_that_cannot_be_made_is_refused_before_anything_is_charged(shell: Shell) -> None:
    Path(shell.path("taken")).write_text("a file")
    assert "Nothing was charged" in shell.spend("release", "--epsilon", "1", "-o", shell.path("taken"), status=2)
    assert shell.run("ledger", "show", "P")["charges"] == []


def test_a_command_reports_its_own_charges_alone(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    from pmwpub.tasks import mechanism_work

    real, once = mechanism_work.release, []

    def beside(payload: mechanism_work.ReleaseWork, progress: Progress) -> object:
        if not once:
            once.append(True)
            with Ledger.open(f"sqlite:///{shell.folder}/ledger.sqlite3") as other:
                other.book("P", PlanKey("0" * 64), "{}", [Charge("other", "other", "1", "1", ZCDP(10**12))])
        return real(payload, progress)

    monkeypatch.setattr(mechanism_work, "release", beside)
    found = shell.spend("release", "--epsilon", "1", "--rounds", "3", "-o", shell.path("out"))
    assert found["spent"]["rho"] == pytest.approx(float(found["rho"]), abs=1e-15)


@pytest.mark.parametrize("epsilon", ["1e20", "1e308"])
def test_an_absurd_epsilon_of_an_assessment_is_refused_in_words(shell: Shell, epsilon: str) -> None:
    assert shell.spend("assess", "--epsilon", epsilon, status=2)
    assert shell.run("ledger", "show", "P")["charges"] == []


@pytest.mark.parametrize(
    ("flags", "word"),
    [
        (("--rows", "0"), "between 1 and"),
        (("--rows", "10000001"), "between 1 and"),
        (("--row-seed", "-1"), "row seed"),
        (("--row-seed", "2147483648"), "row seed"),
        (("--repeat", "7"), "--repeat 0 is the next"),
        (("--repeat", "-1"), "--repeat 0 is the next"),
    ],
)
def test_rows_seeds_and_draws_out_of_range_are_refused_before_anything_is_charged(
    shell: Shell, flags: tuple[str, str], word: str
) -> None:
    arguments = ("--epsilon", "1", "--rounds", "3", "-o", shell.path("out"))
    assert word in shell.spend("release", *arguments, *flags, status=2)
    assert shell.run("ledger", "show", "P")["charges"] == []
    shell.spend("release", *arguments, "--rows", "9", "--row-seed", "2147483647")


def test_each_draw_of_a_plan_follows_the_one_before(shell: Shell) -> None:
    for command, flags in (("assess", ("--epsilon", "0.1")), ("release", ("--epsilon", "0.1", "-o", shell.path("o")))):
        shell.spend(command, *flags)
        assert "--repeat 1 is the next" in shell.spend(command, *flags, "--repeat", "2", status=2)
        shell.spend(command, *flags, "--repeat", "1")
        assert shell.spend(command, *flags, "--repeat", "1")["spent"]["rho"] == 0
    assert len(shell.run("ledger", "show", "P")["charges"]) == 2 * 2 + 2


def test_the_ledger_says_which_charges_were_chosen_after_private_numbers_were_seen(shell: Shell) -> None:
    shell.spend("assess", "--epsilon", "0.1", "--no-floor")
    with Ledger.open(f"sqlite:///{shell.folder}/ledger.sqlite3") as ledger:
        (before,) = ledger.history("P")
        ledger.mark("P", PRIVATE_NUMBERS_SEEN, noted("true errors", before.id))
    shell.spend("assess", "--epsilon", "0.2", "--no-floor")
    remarks = [charge["remark"] for charge in shell.run("ledger", "show", "P")["charges"]]
    assert remarks == ["", "chosen after private numbers were seen; not covered by (ε, δ)"]


@pytest.mark.parametrize("n", ["0", "-5"])
def test_a_population_without_rows_is_refused_for_its_rows(shell: Shell, n: str) -> None:
    assert "n, the number of private rows" in shell.run("ledger", "register", "Q", "--n", n, "--epsilon", "1", status=2)


def test_a_reader_that_goes_away_gets_no_traceback(shell: Shell) -> None:
    command = [sys.executable, "-m", "pmwpub.cli", "--store", f"sqlite:///{shell.folder}/ledger.sqlite3"]
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as gone:
        found = subprocess.run([*command, "ledger", "show", "P"], stdout=gone, stderr=subprocess.PIPE, check=False)
    assert (found.returncode, found.stderr) == (141, b"")


def test_a_private_table_that_changed_is_pointed_out(shell: Shell) -> None:
    flags = ("release", "--epsilon", "1", "--rounds", "3", "-o", shell.path("out"))
    shell.spend(*flags)
    assert "is not the table" not in shell.said
    path = Path(shell.path("p.csv"))
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:-1], lines[1], ""]))
    shell.spend(*flags)
    assert "for the steward only: This is not the table that earlier charges" in shell.said
    assert len(shell.run("ledger", "show", "P")["charges"]) == 1


def test_names_that_look_alike_are_refused(shell: Shell) -> None:
    assert "space" in shell.run("ledger", "register", "P ", "--n", "250", "--epsilon", "3", status=2)


def test_numbers_are_written_in_the_digits_0_to_9(shell: Shell) -> None:
    before = shell.run("ledger", "show", "P")
    for flags in (["--epsilon", "١"], ["--epsilon", "1_0"], ["--epsilon", "１"]):
        assert "A finite number is needed" in shell.spend("release", *flags, "-o", shell.path("out"), status=2)
    assert "A finite number" in shell.run("ledger", "register", "Q", "--n", "9", "--epsilon", "٣", status=2)
    for flags in (["--rounds", "١"], ["--rounds", "1_0"], ["--rows", "1" * 200], ["--row-seed", "x"]):
        with pytest.raises(SystemExit) as stopped:
            shell.spend("release", "--epsilon", "1", *flags, "-o", shell.path("out"))
        assert stopped.value.code == 2
        assert "whole number" in shell.capture.readouterr().err
    assert shell.run("ledger", "show", "P") == before


def test_a_plan_that_cannot_be_is_refused_in_plain_words(shell: Shell) -> None:
    for rounds, words in (("0", "rounds must be at least 1; 0 came."), ("10001", "rounds must be at most 10,000")):
        said = shell.spend("release", "--epsilon", "1", "--rounds", rounds, "-o", shell.path("out"), status=2)
        assert words in said
        assert "Input should" not in said


def test_a_delta_above_one_in_n_is_warned_of(shell: Shell) -> None:
    for delta, warned in (("0.999999", True), ("0.11", False), ("1e-9", False)):
        arguments = ["ledger", "register", f"people {delta}", "--n", "9", "--epsilon", "1", "--delta", delta]
        assert main(["--store", f"sqlite:///{shell.folder}/ledger.sqlite3", *arguments]) == 0
        assert ("above 1/n" in shell.capture.readouterr().err) == warned


def test_a_value_refused_after_the_charge_is_no_refusal(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        WorkloadChoice(k=0)

    monkeypatch.setattr("pmwpub.cli.release.releases.released", broken)
    said = shell.spend("release", "--epsilon", "0.5", "--rounds", "2", "-o", shell.path("out"), status=1)
    assert "What was charged stays charged" in said
    assert len(shell.run("ledger", "show", "P")["charges"]) == 1


def test_letters_that_the_terminal_does_not_have_are_written_as_escapes(shell: Shell) -> None:
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "PMWPUB_STORE": f"sqlite:///{shell.folder}/ledger.sqlite3"}
    command = [sys.executable, "-m", "pmwpub.cli"]
    shell.run("ledger", "register", "Köln", "--n", "250", "--epsilon", "3")
    found = subprocess.run([*command, "ledger", "show", "Köln"], capture_output=True, env=environment, check=False)
    assert (found.returncode, found.stderr) == (0, b"")
    assert json.loads(found.stdout)["population"] == "Köln"


@pytest.mark.parametrize("where", ["a full disk", "nowhere"])
def test_an_answer_that_cannot_be_written_ends_in_a_sentence_and_a_status_of_its_own(shell: Shell, where: str) -> None:
    command = f"'{sys.executable}' -m pmwpub.cli --store 'sqlite:///{shell.folder}/ledger.sqlite3' ledger show P"
    end = "> /dev/full" if where == "a full disk" else ">&-"
    found = subprocess.run(["sh", "-c", f"{command} {end}"], stderr=subprocess.PIPE, check=False, text=True)
    assert found.returncode == 74
    assert found.stderr.count("\n") == 1
    assert "What was charged stays" in found.stderr


def test_a_public_file_whose_name_is_no_text_is_named_all_the_same(shell: Shell) -> None:
    odd = os.fsdecode(b"bad\xff.csv")
    Path(shell.path(odd)).write_bytes(Path(shell.path("b.csv")).read_bytes())
    found = shell.spend("assess", "--epsilon", "0.5", public=(odd,))
    assert found["assessments"][0]["candidate"] == "bad\ufffd.csv"
    settings = ("--epsilon", "0.5", "--rounds", "2", "--free-table-acknowledged")
    released = shell.spend("release", *settings, "-o", shell.path("out"), public=(odd,))
    assert released["candidate"][0]["name"] == "bad\ufffd.csv"


@pytest.mark.parametrize("unit", [os.fsdecode(b"\xff"), "one\nperson", "x" * 501])
def test_the_words_for_who_is_protected_are_one_line_of_text(shell: Shell, unit: str) -> None:
    said = shell.run("ledger", "register", "Q", "--n", "250", "--epsilon", "3", "--unit", unit, status=2)
    assert "printable" in said
    assert "printable" in shell.run("ledger", "amend", "P", "--unit", unit, status=2)


@pytest.mark.parametrize(("value", "words"), [("1", "viewers alone"), ("yes", "PMWPUB_VIEWERS_ONLY")])
@pytest.mark.parametrize(
    "command",
    [
        ("register", "Q", "--n", "250", "--epsilon", "3"),
        ("amend", "P", "--epsilon", "2"),
        ("restore", "backup"),
        ("reconcile",),
        ("migrate",),
    ],
    ids=lambda command: command[0],
)
def test_what_changes_a_ledger_is_refused_where_it_is_for_viewers_alone(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], value: str, words: str
) -> None:
    shell.run("ledger", "backup", shell.path("backup"))
    given = tuple(shell.path(part) if part == "backup" else part for part in command)
    monkeypatch.setenv("PMWPUB_VIEWERS_ONLY", value)
    assert words in shell.run("ledger", *given, status=2)


def test_a_marginal_is_one_line_of_csv(shell: Shell) -> None:
    for text in ("sex\nage", '"sex', 'sex,"a"ge'):
        said = shell.spend("release", "--epsilon", "0.5", "--marginal", text, "-o", shell.path("out"), status=2)
        assert "one line of CSV" in said
    assert shell.run("ledger", "show", "P")["charges"] == []


def test_a_table_of_another_population_is_charged_once_that_is_acknowledged(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.spend("assess", "--epsilon", "0.1")
    shell.run("ledger", "register", "Q", "--n", " 250 ", "--epsilon", "3")
    own = ("--schema", shell.path("schema.json"), "--private", shell.path("p.csv"))
    other = ("assess", "--population", "Q", *own, "--public", shell.path("b.csv"), "-k", "2", "--epsilon", "0.1")
    assert "pmwpub ledger acknowledge" in shell.run(*other, status=2)
    with monkeypatch.context() as patched:
        patched.setenv("PMWPUB_MODE", "shared")
        assert "shared service" in shell.run("ledger", "acknowledge", "Q", *own, status=2)
    found = shell.run("ledger", "acknowledge", "Q", *own)
    assert found == {"population": "Q", "acknowledged_with": ["P"]}
    assert len(shell.run(*other)["assessments"]) == 1


def test_a_ledger_is_not_restored_from_itself(shell: Shell) -> None:
    assert "over what is read" in shell.run("ledger", "restore", shell.path("ledger.sqlite3"), status=2)
    assert shell.run("ledger", "show", "P")["n"] == 250
