"""Made-up tables of persons of households, for what loads files."""

from __future__ import annotations

import json
import random

COLUMNS = (("tenure", ("own", "rent")), ("age", ("child", "adult", "old")), ("sex", ("f", "m")))
LARGEST = 4


def schema_text(largest: int = LARGEST, **rule: object) -> str:
    """A schema of households, with a household's column and one that is made of its persons."""
    said = {
        "id": "home",
        "largest": largest,
        "columns": ["tenure"],
        "any": [{"name": "has a child", "column": "age", "levels": ["child"]}],
    }
    columns = [{"name": name, "kind": "categorical", "levels": list(levels)} for name, levels in COLUMNS]
    return json.dumps({"version": 2, "missing_tokens": [""], "household": said | rule, "columns": columns})


def homes(number: int, seed: int, *, owning: float = 0.5, most: int = LARGEST) -> list[list[str]]:
    """Households of 1 to `most` persons; each is a list of "tenure,age,sex" texts. A parent lives with each child."""
    rng = random.Random(seed)
    found = []
    for _ in range(number):
        tenure = "own" if rng.random() < owning else "rent"
        ages = [rng.choice(["adult", "old"]), *rng.choices(["child", "adult"], k=rng.randrange(most))]
        found.append([f"{tenure},{age},{rng.choice('fm')}" for age in ages])
    return found


def csv_of(some: list[list[str]], first: int = 1) -> str:
    """The file, one row a person; households are numbered from `first` on."""
    lines = [f"h{first + place},{person}" for place, home in enumerate(some) for person in home]
    return "\n".join(["home,tenure,age,sex", *lines]) + "\n"
