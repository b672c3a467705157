"""Every class of the input corpus: accepted, confirmed, refused or mapped; from the library and the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.corpus import CANARY, CONTAINER, HEAD, HEADER, LEVELS, MAPPED, NONE, PLAIN, SCHEMA, SYNTAX, Case, Cell

from pmwpub.cli import main
from pmwpub.errors import FileRefused, SchemaError
from pmwpub.jobs import InlineEngine
from pmwpub.ledger import Ledger, Population
from pmwpub.service import Service
from pmwpub.service.inputs import study_store
from pmwpub.tabular.coding.encode import encode_public
from pmwpub.tabular.files.reading import TextTable, read_table
from pmwpub.tabular.files.text.read_options import ReadOptions
from pmwpub.tabular.private_pass import encode_private
from pmwpub.tabular.schema.drafting import draft
from pmwpub.tabular.schema.table_schema import Schema

FILES = CONTAINER + SYNTAX + HEADER
SMALL = [case for case in FILES if case.name != "a million rows"]
# A table that fits the schema and is no case's; its rows are the good side of every command.
GOOD = (HEAD + "F,21,clerk\nM,46,cook\nF,71,cook\nM,34,\n").encode()


def named(one: Case | Cell) -> str:
    return one.name


def written(folder: Path, case: Case) -> Path:
    path = folder / f"case{case.ending}"
    path.write_bytes(case.content)
    return path


def schema_of(columns: Any, tokens: Any = ("", "NA")) -> Schema:
    return Schema.from_json(json.dumps({"version": 1, "missing_tokens": tokens, "columns": columns}))


# --- the library


def read_under_the_schema(source: bytes | Path, options: ReadOptions | None) -> TextTable:
    table = read_table(source, options=options)
    schema = Schema.from_json(json.dumps(SCHEMA))
    assert len(encode_private(table, schema, n=len(table)).dataset) == len(table)
    public = encode_public(table, schema)
    assert len(public.dataset) + public.dropped == len(table)
    return table


@pytest.mark.parametrize("case", FILES, ids=named)
def test_a_file_is_accepted_confirmed_or_refused_by_the_library(case: Case, tmp_path: Path) -> None:
    path = written(tmp_path, case)
    if case.verdict == "accept":
        assert len(read_under_the_schema(path, None)) == case.rows
        return
    with pytest.raises((FileRefused, SchemaError)) as caught:
        read_under_the_schema(path, None)
    assert case.words in str(caught.value)
    assert CANARY not in str(caught.value)
    assert isinstance(caught.value, FileRefused) == case.fits
    if isinstance(caught.value, FileRefused):
        assert caught.value.line == case.line
        assert caught.value.suggestion == case.options
    if case.verdict == "confirm":
        assert len(read_under_the_schema(path, case.options)) == case.rows


@pytest.mark.parametrize("case", [one for one in SMALL if one.ending == ".csv"], ids=named)
def test_an_upload_is_treated_like_its_path(case: Case, tmp_path: Path) -> None:
    def answer(source: bytes | Path) -> tuple[Any, ...]:
        try:
            table = read_table(source)
        except FileRefused as refused:
            return (str(refused), refused.line, refused.suggestion)
        return (table.header, len(table), table.sha256)

    assert answer(case.content) == answer(written(tmp_path, case))


@pytest.mark.parametrize("cell", MAPPED, ids=named)
def test_a_private_cell_is_mapped_and_n_and_the_domain_stay(cell: Cell) -> None:
    schema = schema_of([cell.column])
    quoted = cell.cell.replace('"', '""')
    encoded = encode_private(read_table(f'x,y\n"{quoted}",1\n"zz",1\n'.encode()), schema, n=2)
    levels = (*schema.domain.attributes[0].levels, NONE)
    assert levels[int(encoded.dataset.codes[0, 0])] == cell.level
    assert (len(encoded.dataset), encoded.dataset.domain, encoded.dropped) == (2, schema.domain, 0)


# --- the command line


@dataclass
class Shell:
    """Commands against one throwaway store, with a good private table and a good candidate."""

    folder: Path
    capture: pytest.CaptureFixture[str]
    schema: str = "schema.json"

    def run(self, *arguments: str, status: int = 0) -> tuple[Any, str]:
        found = main(["--store", f"sqlite:///{self.folder}/ledger.sqlite3", *arguments])
        output = self.capture.readouterr()
        assert found == status, output.err
        return (json.loads(output.out) if output.out else None), output.err

    def path(self, name: str, content: bytes) -> str:
        (self.folder / name).write_bytes(content)
        return str(self.folder / name)

    def register(self, name: str, n: int, *more: str) -> None:
        delta = [] if n > 1 else ["--delta", "1e-6"]
        self.run("ledger", "register", name, "--n", str(n), "--epsilon", "9", *delta, *more)

    def assess(self, name: str, private: str, public: str, *more: str, k: int = 2, status: int = 0) -> tuple[Any, str]:
        return self.run(
            "assess", "--population", name, "--schema", str(self.folder / self.schema), "--private", private,
            "--public", public, "-k", str(k), "--no-floor", "--epsilon", "0.1", *more, status=status,
        )  # fmt: skip

    def spent(self, name: str) -> float:
        return self.run("ledger", "show", name)[0]["spent"]["rho"]


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA))
    return Shell(tmp_path, capsys)


def sides(shell: Shell, case: Case, role: str) -> tuple[str, str]:
    """The private and the public path: the case in its role, the good table in the other."""
    path, good = str(written(shell.folder, case)), shell.path("good.csv", GOOD)
    return (path, good) if role == "private" else (good, path)


@pytest.mark.parametrize("role", ["private", "public"])
@pytest.mark.parametrize("case", SMALL, ids=named)
def test_a_file_is_accepted_confirmed_or_refused_by_a_command(case: Case, role: str, shell: Shell) -> None:
    n = case.rows if role == "private" else 4
    shell.register("P", n)
    private, public = sides(shell, case, role)
    confirm = ["--read", f"{shell.folder}/case.csv={case.options.spelt}"] if case.options else []
    if case.verdict != "accept":
        _, words = shell.assess("P", private, public, status=2)
        streamed = role == "private" and case.name == "too large while streaming"  # no size is too large, only n is
        assert ("the file has at least" if streamed else case.words) in words
        assert "Traceback" not in words
        assert CANARY not in words
        assert not confirm or " ".join(confirm) in words
        assert shell.run("ledger", "show", "P")[0]["charges"] == []
    if case.verdict != "refuse" and n == 1:
        _, words = shell.assess("P", private, public, *confirm, status=2)
        assert "at least 2 rows" in words, "the file is read; a run on it is refused by the public n"
    elif case.verdict != "refuse":
        found, _ = shell.assess("P", private, public, *confirm)
        assert found["assessments"][0]["start"] is not None
        assert shell.spent("P") > 0


@pytest.mark.parametrize("case", [one for one in SMALL if one not in HEADER], ids=named)
def test_a_draft_refuses_the_same_files(case: Case, shell: Shell) -> None:
    path, out = str(written(shell.folder, case)), str(shell.folder / "drafted.json")
    if case.verdict != "accept":
        assert case.words in shell.run("schema", "draft", path, "-o", out, status=2)[1]
        assert not Path(out).exists()
    if case.verdict != "refuse":
        confirm = ["--read", f"{path}={case.options.spelt}"] if case.options else []
        drafted, _ = shell.run("schema", "draft", path, "-o", out, *confirm)
        assert drafted["attributes"] == 3


@pytest.mark.parametrize("role", ["private", "public"])
def test_earlier_work_is_kept_when_a_file_is_refused(role: str, shell: Shell) -> None:
    shell.register("P", 4)
    good = shell.path("good.csv", GOOD)
    shell.assess("P", shell.path("private.csv", PLAIN), good)
    before = shell.run("ledger", "show", "P")
    bad = shell.path("bad.csv", PLAIN + b"F\n")
    shell.assess("P", *((bad, good) if role == "private" else (str(shell.folder / "private.csv"), bad)), status=2)
    assert shell.run("ledger", "show", "P") == before
    again, _ = shell.assess("P", str(shell.folder / "private.csv"), good)
    assert again["spent"]["rho"] == 0


@pytest.mark.parametrize("cell", MAPPED, ids=named)
def test_a_command_maps_a_private_cell_and_never_refuses_it(cell: Cell, shell: Shell) -> None:
    sex = SCHEMA["columns"][0]
    (shell.folder / "schema.json").write_text(json.dumps(SCHEMA | {"columns": [sex, cell.column]}))
    usual = "a" if cell.column["kind"] == "categorical" else "5"
    quoted = cell.cell.replace('"', '""')
    private = shell.path("private.csv", f'sex,x\nF,"{quoted}"\nM,{usual}\n'.encode())
    public = shell.path("public.csv", f"sex,x\nM,{usual}\nF,{usual}\nF,{usual}\n".encode())
    shell.register("P", 2)
    found, words = shell.assess("P", private, public)
    assert found["assessments"][0]["start"] is not None
    assert cell.cell == "" or cell.cell not in words


# --- values: classes that are about whole columns or tables


def test_a_category_that_only_the_public_table_has_counts_zero() -> None:
    schema = draft([read_table(HEAD.encode() + b"F,20,astronaut\nM,45,clerk\n")])
    encoded = encode_private(read_table(b"sex,age,job\nF,20,clerk\n"), schema, n=1)
    job = schema.domain.index("job")
    assert schema.domain.attributes[job].levels == ("astronaut", "clerk")
    assert np.bincount(encoded.dataset.codes[:, job], minlength=2).tolist() == [0, 1]


def test_over_ten_thousand_categories_are_refused_as_levels_and_left_out_or_binned_by_a_draft() -> None:
    many = [str(i) for i in range(10_001)]
    with pytest.raises(SchemaError, match="at most 10000"):
        schema_of([LEVELS | {"levels": many}])
    rows = "".join(f"w{i},{i / 8},{'FM'[i % 2]}\n" for i in range(10_001))
    schema = draft([read_table(f"text,number,sex\n{rows}".encode())])
    assert [column.kind for column in schema.columns] == ["ignore", "numeric", "categorical"]


def test_a_constant_column_is_accepted(shell: Shell) -> None:
    constant = shell.path("public.csv", b"sex,age,job\nF,20,cook\nF,20,cook\n")
    shell.run("schema", "draft", constant, "-o", str(shell.folder / "schema.json"))
    shell.register("P", 3)
    shell.assess("P", shell.path("private.csv", b"sex,age,job\nF,20,cook\nM,1,\nF,20,cook\n"), constant)


def test_free_text_and_row_numbers_are_left_out_by_a_draft(shell: Shell) -> None:
    rows = "".join(f"{'FM'[i % 2]},note {i},{i}\n" for i in range(1_500))
    path, out = shell.path("public.csv", f"sex,note,row\n{rows}".encode()), str(shell.folder / "drafted.json")
    assert shell.run("schema", "draft", path, "-o", out)[0]["ignored"] == ["note", "row"]


def test_duplicate_rows_are_accepted_and_counted_each(shell: Shell) -> None:
    shell.register("P", 6)
    shell.assess("P", shell.path("private.csv", (HEAD + "F,20,cook\n" * 6).encode()), shell.path("good.csv", GOOD))


@pytest.mark.parametrize(("k", "status"), [(1, 2), (2, 0)])
def test_several_rows_a_person_need_to_be_declared(k: int, status: int, shell: Shell) -> None:
    columns = [*SCHEMA["columns"], {"name": "who", "kind": "id"}]
    (shell.folder / "schema.json").write_text(json.dumps(SCHEMA | {"columns": columns}))
    private = shell.path("private.csv", f"sex,age,job,who\nF,20,cook,{CANARY}\nM,1,,b\nF,2,,{CANARY}\n".encode())
    shell.register("P", 3, "--rows-per-person", str(k))
    _, words = shell.assess("P", private, shell.path("good.csv", GOOD), status=status)
    assert CANARY not in words
    assert (shell.spent("P") > 0) == (status == 0)


def test_a_private_table_offered_as_public_is_refused_and_a_public_one_as_private(shell: Shell) -> None:
    shell.register("P", 4)
    private, good = shell.path("private.csv", PLAIN), shell.path("good.csv", GOOD)
    _, words = shell.assess("P", private, private, status=2)
    assert "rows of a private table" in words
    assert shell.spent("P") == 0
    shell.register("Q", 4)
    shell.assess("Q", private, good)
    assert "rows of a private table" in shell.assess("Q", private, private, status=2)[1]


def long_tables() -> tuple[bytes, bytes]:
    """A private table, and one with 40 lines of it in a row and as many others."""
    rng = np.random.default_rng(5)
    lines = [f"{'FM'[rng.integers(2)]},{rng.integers(90)},{['cook', 'clerk'][rng.integers(2)]}" for _ in range(400)]
    private, others = lines[:200], lines[200:]
    return "\n".join([HEAD.strip(), *private, ""]).encode(), "\n".join(
        [HEAD.strip(), *others[:90], *private[50:90], *others[90:], ""]
    ).encode()


@pytest.mark.parametrize("command", ["assess", "release"])
def test_a_long_run_of_equal_lines_is_told_to_the_steward_before_anything_is_stored(command: str, shell: Shell) -> None:
    private, public = long_tables()
    shell.register("P", 200)
    paths = shell.path("private.csv", private), shell.path("public.csv", public)
    more = ["--no-floor"] if command == "assess" else ["-o", str(shell.folder / "out"), "--rounds", "3"]
    arguments = [
        command, "--population", "P", "--schema", str(shell.folder / shell.schema), "--private", paths[0],
        "--public", paths[1], "-k", "2", "--epsilon", "0.1", *more,
    ]  # fmt: skip
    for _ in range(2):
        _, words = shell.run(*arguments, status=2)
        assert "steward only" in words
        assert "Lines in a row of the private table stand in public.csv too" in words
        assert "--overlap-acknowledged" in words
    with Ledger.open(f"sqlite:///{shell.folder}/ledger.sqlite3") as ledger:
        assert ledger.documents("P", "candidate") == []
        assert ledger.history("P") == []
    found, words = shell.run(*arguments, "--overlap-acknowledged")
    assert "Lines in a row" in words
    assert found["spent"]["rho"] > 0
    listed = shell.run("ledger", "show", "P")
    assert "lines" not in json.dumps(listed), "what the two tables share is nobody else's"


def test_rows_that_coincide_here_and_there_are_no_evidence(shell: Shell) -> None:
    private, public = long_tables()
    shuffled = public.decode().splitlines()[1:]
    np.random.default_rng(3).shuffle(shuffled)
    shell.register("P", 200)
    again = shell.path("public.csv", "\n".join([HEAD.strip(), *shuffled, ""]).encode())
    assert set(shuffled) & set(private.decode().splitlines())
    assert "in a row" not in shell.assess("P", shell.path("private.csv", private), again)[1]


def test_an_edited_private_table_has_the_same_ledger(shell: Shell) -> None:
    shell.register("P", 4)
    good = shell.path("good.csv", GOOD)
    shell.assess("P", shell.path("private.csv", PLAIN), good)
    once = shell.spent("P")
    edited = shell.path("edited.csv", PLAIN.replace(b"F,20", b"M,21"))
    assert shell.assess("P", edited, good)[0]["spent"]["rho"] == 0
    shell.assess("P", edited, good, "--repeat", "1")
    assert shell.spent("P") == pytest.approx(2 * once, abs=1e-15)


def test_a_path_in_a_file_name_is_no_part_of_a_candidates_name(service: Service) -> None:
    sha256 = study_store.add_candidate(service, "P", "../../etc/<b>x</b>.csv", GOOD, attested=True)
    assert study_store.study(service, "P").candidate(sha256).name == "b>.csv"


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with Ledger.open(f"sqlite:///{tmp_path}/ledger.sqlite3") as ledger:
        ledger.register(Population("P", 4, 1, "one person", Fraction(1), Fraction(1, 16)))
        yield Service(ledger, InlineEngine())
