"""For each kind of file that wastes a budget one invented input that must be caught, and one like it that must not.

Each goes through the function that page and command line share, and through the command itself, which print the same.
The kinds that are not of drafting have their two inputs elsewhere: numbers inside bins in tests/release/
test_public_values.py, reading back in tests/release/test_reads_back.py, private tables that are called public in
tests/cli/test_known_tables.py, and large files in benchmarks/preparing.py.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pmwpub.cli import main
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.review.column_review import review
from pmwpub.tabular.review.without_suspects import drafted

Json = dict[str, Any]


def csv(name: str, cells: Iterable[object]) -> bytes:
    """A table of the column and of one that nobody suspects."""
    rows = [f'"{cell}",{"abc"[place % 3]}' for place, cell in enumerate(cells)]
    return "\n".join([f"{name},group", *rows, ""]).encode()


def many(seed: int, rows: int, *values: object) -> list[object]:
    """Values drawn by a seed, each of them at least once."""
    draw = random.Random(seed)
    found = [*values, *(draw.choice(values) for _ in range(rows - len(values)))]
    draw.shuffle(found)
    return found


def of(found: Json, name: str) -> Json:
    return next((one for one in found["columns"] if one["name"] == name), {})


def left_out(name: str, why: str, *, remedies: int = 1) -> Callable[[Json], bool]:
    """Left out with that reason, and at least so many remedies."""

    def holds(found: Json) -> bool:
        left = [one for one in found["left_out"] if one["name"] == name]
        return len(left) == 1 and why in left[0]["why"] and len(left[0]["remedies"]) >= remedies

    return holds


def levels(name: str, *wanted: str, remarks: tuple[str, ...] = ()) -> Callable[[Json], bool]:
    """Exactly these levels, and exactly these kinds of remark."""

    def holds(found: Json) -> bool:
        said = tuple(one["kind"] for one in found["remarks"] if one["column"] == name)
        return set(of(found, name).get("levels", ())) == set(wanted) and said == remarks

    return holds


def bins(name: str, *, has: str = "", lacks: str = "", remarks: tuple[str, ...] = ()) -> Callable[[Json], bool]:
    """Numeric, with one bin or level and without another, and exactly these kinds of remark."""

    def holds(found: Json) -> bool:
        listed = of(found, name).get("bins", ())
        said = tuple(one["kind"] for one in found["remarks"] if one["column"] == name)
        return bool(listed) and (not has or has in listed) and lacks not in listed and said == remarks

    return holds


@dataclass(frozen=True)
class Case:
    """One invented input.

    kind      which fault it looks like
    caught    whether it is one
    files     the public files
    expected  what the printed review says
    """

    kind: str
    caught: bool
    files: tuple[bytes, ...]
    expected: Callable[[Json], bool]

    def __str__(self) -> str:
        return f"{self.kind}, {'caught' if self.caught else 'let be'}"


YEARS = (2008, 2009, 2010, 2011, 2012)
GAINS = [0] * 110 + [place * 137 for place in range(1, 11)]
CASES = (
    Case(
        "1 a column that names the table",
        True,
        (csv("region", ["north"] * 60), csv("region", ["south"] * 60)),
        left_out("region", "says which table a row is from"),
    ),
    Case(
        "1 a column that names the table",
        False,
        (csv("year", many(1, 90, *YEARS)), csv("year", many(2, 90, *YEARS))),
        levels("year", *map(str, YEARS)),
    ),
    Case(
        "1 a column that names the row",
        True,
        (csv("dossier", [f"K-{place:04}/b" for place in range(90)]),),
        left_out("dossier", "each says which row it is"),
    ),
    Case(
        "1 a column that names the row",
        False,
        (csv("income", random.Random(3).sample(range(9_000, 90_000), 300)),),
        bins("income"),
    ),
    Case(
        "1 a column that names the person, several rows each",
        True,
        (csv("household", [1_000 + place // 3 for place in range(300)]),),
        left_out("household", "several rows of one person"),
    ),
    Case(
        "1 a column that names the person, several rows each",
        False,
        (csv("age", sorted(many(4, 300, *range(18, 90)))),),  # type: ignore[type-var]
        bins("age"),
    ),
    Case(
        "1 a column that does not change",
        True,
        (csv("country", ["Norway"] * 40), csv("country", ["Norway"] * 50)),
        left_out("country", "nothing to learn"),
    ),
    Case(
        "1 a column that does not change",
        False,
        (csv("country", ["Norway"] * 40 + ["Chile"]), csv("country", ["Norway"] * 50)),
        levels("country", "Norway", "Chile"),
    ),
    Case(
        "2 one value in two spellings",
        True,
        (csv("smoker", many(5, 60, "Yes", "No")), csv("smoker", many(6, 60, "yes ", "NO", "no"))),
        lambda found: (
            len(of(found, "smoker")["levels"]) == 2
            and sum(len(one.split(" = ")[1].split(", ")) for one in of(found, "smoker")["merged"]) == 3
        ),
    ),
    Case(
        "2 one value in two spellings",
        False,
        (csv("blood", many(7, 90, "A+", "A-", "AB+", "AB-", "B", "0")),),
        levels("blood", "A+", "A-", "AB+", "AB-", "B", "0"),
    ),
    Case(
        "3 a sentinel",
        True,
        (csv("hours", [*many(8, 120, *range(41)), *[998] * 12]),),
        bins("hours", has="998", remarks=("sentinel",)),
    ),
    Case(
        "3 a sentinel",
        False,
        (csv("percent", [*many(9, 400, *range(101)), *[99] * 6]),),
        bins("percent", lacks="99"),
    ),
    Case(
        "3 a spike within a range",
        True,
        (csv("balance", [*many(10, 120, *range(-50, 51)), *[0] * 90]),),
        bins("balance", has="0", remarks=("spike",)),
    ),
    Case(
        "3 a spike within a range",
        False,
        (csv("balance", many(11, 300, *range(-50, 51))),),
        bins("balance", lacks="0"),
    ),
    Case(
        "4 a code that is missing in one column",
        True,
        (csv("trust", many(12, 90, 1, 2, 3, 4, 9)),),
        levels("trust", "1", "2", "3", "4", "9", remarks=("missing code",)),
    ),
    Case(
        "4 a code that is missing in one column",
        False,
        (csv("month", many(13, 120, *range(1, 13))),),
        levels("month", *map(str, range(1, 13))),
    ),
    Case(
        "5 a number that most rows have, which a bin would spread",
        True,
        (csv("gain", GAINS),),
        lambda found: "0" in of(found, "gain").get("bins", of(found, "gain").get("levels", ())),
    ),
    Case(
        "5 a number that most rows have, which a bin would spread",
        False,
        (csv("pay", [f"{7 + place / 100:.2f}" for place in range(300)]),),
        bins("pay"),
    ),
    Case(
        "6 codes of digits",
        True,
        (csv("prefix", many(14, 90, "030", "089", "0221", "069")),),
        levels("prefix", "030", "089", "0221", "069"),
    ),
    Case(
        "6 codes of digits",
        False,
        (csv("visits", many(15, 200, *[f"{place:02}" for place in range(30)], *range(30))),),
        bins("visits"),
    ),
    Case(
        "8 left out with a reason: a stray text",
        True,
        (csv("weight kg", [*many(16, 120, *range(40, 120)), "n.s."]),),
        left_out("weight kg", '1 of 121 cells is no number: "n.s."'),
    ),
    Case(
        "8 left out with a reason: a stray text",
        False,
        (csv("rhesus", many(17, 60, "-", "+")),),
        levels("rhesus", "-", "+", remarks=("missing code",)),
    ),
    Case(
        "8 left out with a reason: numbers in clothes",
        True,
        (csv("fee", many(18, 120, *[f"{place} lb" for place in range(40)])),),
        left_out("fee", 'Every cell has "lb" beside its number'),
    ),
    Case(
        "8 left out with a reason: numbers in clothes",
        False,
        (csv("fee", many(19, 120, *[f"£{place}" for place in range(40)])),),
        bins("fee", remarks=("affix",)),
    ),
    Case(
        "10 a country of the code NA",
        True,
        (csv("country", many(21, 60, "NA", "NO", "CL", "DE")),),
        lambda found: [one["kind"] for one in found["remarks"]] == ["token"],
    ),
    Case(
        "10 a country of the code NA",
        False,
        (csv("answer", many(22, 60, "NA", "always", "never")),),
        levels("answer", "always", "never", "(missing)"),
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_must_be_caught_is_caught_and_what_is_like_it_is_let_be(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PMWPUB_STORE", f"sqlite:///{tmp_path / 'ledger.sqlite'}")
    names = [f"{place}.csv" for place in range(len(case.files))]
    for name, body in zip(names, case.files, strict=True):
        Path(name).write_bytes(body)
    tables = [read_table(body) for body in case.files]
    found = review(drafted(tables, labels=names), tables).to_json()
    assert case.expected(found), json.dumps(found, indent=1)
    assert main(["schema", "draft", *names, "-o", "schema.json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert {key: printed[key] for key in found} == found


ROWS = "".join(f'"{place}",{"fm"[place % 2]},{place % 7}\n' for place in range(1, 61)).encode()


@pytest.mark.parametrize(
    ("kind", "body", "refused"),
    [
        ("a line sep=; before the header", b"sep=;\nsex;job\nf;cook\nm;clerk\nf;cook\n", "semicolon"),
        ("a column that is called sep", b"sep,job\n1,cook\n2,clerk\n1,cook\n", ""),
        ("a first column without a name", b'"",sex,q1\n' + ROWS, "R and pandas write"),
        ("a first column of few values with a name", b"rank,sex,q1\n" + ROWS.replace(b'"', b""), ""),
        ("no header", b"31,f,204\n45,m,318\n52,f,119\n28,m,400\n", "looks like a row of data"),
        ("a header with a number in it", b"age,sex,q204\n31,f,1\n45,m,2\n52,f,1\n28,m,2\n", ""),
    ],
)
def test_containers_are_read_or_refused_with_a_remedy_that_works(
    kind: str, body: bytes, refused: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PMWPUB_STORE", f"sqlite:///{tmp_path / 'ledger.sqlite'}")
    Path("a.csv").write_bytes(body)
    draft = ["schema", "draft", "a.csv", "-o", "schema.json"]
    status = main(draft)
    said = capsys.readouterr().err
    assert (status == 0) == (not refused), said
    if refused:
        assert refused in said, kind
        (remedy,) = re.findall(r"\((--read [^)]+)\)", said)
        assert main([*draft, *remedy.split(" ")]) == 0, capsys.readouterr().err


def test_every_kind_has_both() -> None:
    kinds = {case.kind for case in CASES}
    assert all({case.caught for case in CASES if case.kind == kind} == {True, False} for kind in kinds)
    assert {kind.split(" ")[0] for kind in kinds} == {"1", "2", "3", "4", "5", "6", "8", "10"}
