"""Write the sample tables and their schema: python sample_data/generate.py [folder].

Every person is invented. A is the private table of the demo; B, C and D are candidates (see README.md).
"""

from __future__ import annotations

import csv
import json
import sys
from dataclasses import replace
from pathlib import Path

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

EDGES = {
    "age": [0, 5, 15, 18, 25, 35, 45, 55, 65, 75, 100],
    "hours": [0, 20, 35, 40, 41, 50, 100],
    "income": [0, 1, 10_000, 20_000, 35_000, 50_000, 75_000, 100_000, 300_000],
}
LEVELS = {
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
    """The schema of all four tables, version 1; known without looking at any row."""
    columns: list[dict[str, object]] = []
    for name in HEADER:
        column: dict[str, object] = {"name": name}
        if name in EDGES:
            column |= {"kind": "numeric", "edges": EDGES[name], "outside": "clip"}
        else:
            column |= {"kind": "categorical", "levels": LEVELS[name]}
        columns.append(column | ({"missing": True} if name in MISSING else {}))
    return {"version": 1, "missing_tokens": [""], "columns": columns}


def write(folder: Path) -> None:
    """Write the four tables and schema.json into `folder`."""
    for name, state in STATES.items():
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(HEADER)
            writer.writerows(population(state))
    (folder / "schema.json").write_text(json.dumps(schema(), indent=1) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
