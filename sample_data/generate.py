"""Write the sample tables and their schema: python sample_data/generate.py [folder].

Every person is invented. A is the private table of a demo; B, C and D are candidates (see README.md).
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from homes import HOME_HEADER, Survey, surveyed
from people import HEADER, State, population

A = State(
    rows=20_000,
    seed=20_260,
    kinds={"Alone": 29, "Couple": 27, "Family": 22, "Parent": 10, "Shared": 9, "Group": 3},
    origins={"White/No": 70, "Black/No": 12, "Asian/No": 4, "Other/No": 3, "White/Yes": 7, "Other/Yes": 4},
    foreign=(0.04, 0.46),
    classes={"low": 24, "middle": 45, "high": 31},
    work=0.86,
    uninsured=0.27,
    pay=1.0,
    owners=0.27,
)
# Eight years earlier: younger households, less schooling, lower pay, fewer insured.
B = replace(
    A,
    rows=12_000,
    seed=20_261,
    kinds={"Alone": 27, "Couple": 26, "Family": 25, "Parent": 11, "Shared": 8, "Group": 3},
    origins={"White/No": 75, "Black/No": 12, "Asian/No": 3, "Other/No": 2, "White/Yes": 5, "Other/Yes": 3},
    classes={"low": 30, "middle": 46, "high": 24},
    work=0.79,
    uninsured=0.58,
    pay=0.76,
    owners=0.33,
)
# A state next door: a little more diverse and urban, the same year.
C = replace(
    A,
    rows=12_000,
    seed=20_262,
    kinds={"Alone": 30, "Couple": 26, "Family": 21, "Parent": 10, "Shared": 10, "Group": 3},
    origins={"White/No": 64, "Black/No": 14, "Asian/No": 6, "Other/No": 3, "White/Yes": 9, "Other/Yes": 4},
    foreign=(0.05, 0.5),
    pay=1.05,
    owners=0.22,
)
# Far away: small households, leased land, no couple with a mortgage. No weights can bring those people back.
D = replace(
    A,
    rows=6_000,
    seed=20_263,
    kinds={"Alone": 40, "Couple": 22, "Family": 8, "Parent": 9, "Shared": 15, "Group": 6},
    origins={"White/No": 38, "Black/No": 8, "Asian/No": 28, "Other/No": 14, "White/Yes": 6, "Other/Yes": 6},
    foreign=(0.06, 0.4),
    uninsured=0.15,
    pay=1.2,
    owners=0.1,
    mortgages=False,
)
STATES = {"state_a": A, "state_b": B, "state_c": C, "state_d": D}

HOMES = {
    "homes_a": Survey(replace(A, seed=20_264), 3_000, "A"),
    "homes_b": Survey(replace(B, seed=20_265), 2_000, "B"),
    "homes_c": Survey(replace(C, seed=20_266), 2_000, "C"),
    "homes_d": Survey(replace(D, seed=20_267), 2_000, "D"),
}
LARGEST_HOME = 6
CAP, UNIT, PEOPLE = "50", "1", "150000"
"""Of the survey's weights: the most that one counts, and what they are taken to add up to, as a register would say."""

EDGES = {
    "age": [0, 5, 15, 18, 25, 35, 45, 55, 65, 75, 100],
    "hours": [0, 20, 35, 40, 41, 50, 100],
    "income": [0, 1, 10_000, 20_000, 35_000, 50_000, 75_000, 100_000, 300_000],
}
LEVELS = {
    "region": ["City", "Town", "Country"],
    "sex": ["F", "M"],
    "race": ["White", "Black", "Asian", "Other"],
    "hispanic": ["No", "Yes"],
    "citizen": ["Born", "Natural", "Foreign"],
    "english": ["Only", "Well", "Poor"],
    "marital": ["Single", "Married", "Separated", "Divorced", "Widowed"],
    "relation": ["Head", "Spouse", "Child", "Kin", "Other"],
    "household": ["Alone", "Couple", "Family", "Parent", "Shared", "Group"],
    "size": ["1", "2", "3", "4", "5+"],
    "tenure": ["Own", "Loan", "Rent"],
    "school": ["No", "Yes"],
    "education": ["Less", "High", "Some", "College", "Grad"],
    "employment": ["Work", "Seek", "Out"],
    "sector": ["Firm", "State", "Self"],
    "occupation": ["Manager", "Expert", "Service", "Sales", "Office", "Build", "Plant"],
    "insurance": ["Private", "Public", "Both", "None"],
    "disability": ["No", "Yes"],
}
MISSING = {"english", "school", "education", "employment", "sector", "occupation", "hours", "income"}


def schema() -> dict[str, object]:
    """The schema of the four states' tables, version 1; known without looking at any row."""
    return {"version": 1, "missing_tokens": [""], "columns": [_column(name) for name in HEADER]}


def _column(name: str) -> dict[str, object]:
    column: dict[str, object] = {"name": name}
    if name in EDGES:
        column |= {"kind": "numeric", "edges": EDGES[name], "outside": "clip"}
    else:
        column |= {"kind": "categorical", "levels": LEVELS[name]}
    return column | ({"missing": True} if name in MISSING else {})


def survey_schema() -> dict[str, object]:
    """The schema of the survey's persons, who count as what they weigh (version 2)."""
    weight = {"name": "weight", "kind": "weight", "cap": CAP, "unit": UNIT, "total": PEOPLE, "weighs": "all"}
    return {"version": 2, "missing_tokens": [""], "columns": [*_survey_columns(), weight]}


def homes_schema() -> dict[str, object]:
    """The schema of the same files that makes households of their rows, without weights (version 2)."""
    young = {"name": "has a child", "column": "age", "levels": ["[0, 5)", "[5, 15)", "[15, 18)"]}
    rule = {"id": "home", "largest": LARGEST_HOME, "columns": ["region", "household", "tenure"], "any": [young]}
    return {"version": 2, "missing_tokens": [""], "household": rule, "columns": _survey_columns()}


def _survey_columns() -> list[dict[str, object]]:
    return [_column(name) | {"same": ["trim"]} for name in HOME_HEADER if name not in ("home", "weight")]


def write(folder: Path) -> None:
    """Write all tables and their schemas into `folder`."""
    for name, state in STATES.items():
        _table(folder / f"{name}.csv", HEADER, population(state))
    for name, survey in HOMES.items():
        _table(folder / f"{name}.csv", HOME_HEADER, surveyed(survey))
    for name, body in (("schema", schema()), ("survey", survey_schema()), ("homes", homes_schema())):
        (folder / f"{name}.json").write_text(json.dumps(body, indent=1) + "\n", encoding="utf-8", newline="\n")


def _table(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
