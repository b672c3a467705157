"""The tables that benchmarks/choosing.py measures on: a truth and three candidates each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial

import adult
import best_mixture_cases
import census_table
import numpy as np

from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset

MARGINALS = 256

CENSUS = {
    "oh_2018, years and states": ("oh_2018", ("oh_2012", "il_2015", "il_2018")),
    "oh_2015, years and states": ("oh_2015", ("oh_2018", "il_2015", "il_2018")),
    "oh_2012, years and states": ("oh_2012", ("oh_2018", "il_2015", "il_2012")),
    "il_2018, years and states": ("il_2018", ("il_2012", "oh_2015", "oh_2012")),
    "il_2015, years and states": ("il_2015", ("il_2018", "oh_2012", "oh_2018")),
    "il_2012, years and states": ("il_2012", ("il_2018", "il_2015", "oh_2018")),
}
TRIED_CENSUS = {
    "oh_2012": ("oh_2012", ("oh_2015", "il_2012", "il_2018")),
    "oh_2018 from its years": ("oh_2018", ("oh_2015", "oh_2012", "il_2018")),
    "oh_2018 from the other state": ("oh_2018", ("il_2018", "il_2015", "il_2012")),
    "oh_2015": ("oh_2015", ("oh_2012", "il_2015", "il_2012")),
    "il_2018": ("il_2018", ("il_2015", "il_2012", "oh_2018")),
    "il_2015": ("il_2015", ("il_2012", "oh_2015", "oh_2018")),
    "il_2012": ("il_2012", ("il_2015", "oh_2012", "oh_2015")),
}


@dataclass(frozen=True)
class Drawn:
    """A candidate from the half of ADULT that is not private: how many rows, and which.

    column, level  rows of that level come with their share plus `bias`; with `only` there are no others
    """

    rows: int
    column: str = "sex"
    level: str = "Female"
    bias: float = 0.0
    only: bool = False

    @property
    def name(self) -> str:
        """What tells it from the others."""
        if self.only:
            return f"{self.level} alone, {self.rows:,} rows"
        return f"{self.level} {self.bias:+g}, {self.rows:,} rows"


ADULT = {
    "ADULT, three biases": (31, (Drawn(4884), Drawn(4884, bias=0.1), Drawn(4884, bias=0.3))),
    "ADULT, both ways": (32, (Drawn(4884, bias=-0.1), Drawn(4884, bias=0.2), Drawn(4884, bias=0.45))),
    "ADULT, sizes": (33, (Drawn(4884), Drawn(1000), Drawn(4884, bias=0.45))),
    "ADULT, incomes and one country": (
        34,
        (
            Drawn(4884, "native-country", "United-States", only=True),
            Drawn(4884, "income", ">50K", 0.1),
            Drawn(4884, bias=0.2),
        ),
    ),
    "ADULT, the never married": (
        35,
        (
            Drawn(4884, "marital-status", "Never-married", 0.2),
            Drawn(1000, bias=0.1),
            Drawn(4884, "race", "White", only=True),
        ),
    ),
    "ADULT, workclass": (
        36,
        (Drawn(4884, "workclass", "Private", 0.2), Drawn(4884, "income", ">50K", 0.3), Drawn(600)),
    ),
}
TRIED_ADULT = {
    "ADULT, tried": (21, (Drawn(4884, bias=0.1), Drawn(1000), Drawn(4884, "income", ">50K", 0.3))),
    "ADULT, women too often": (11, (Drawn(4884), Drawn(4884, bias=0.2), Drawn(4884, bias=0.45))),
    "ADULT, women too often or too seldom": (
        12,
        (Drawn(4884, bias=0.2), Drawn(4884, bias=-0.2), Drawn(4884, bias=0.1)),
    ),
    "ADULT, few rows or biased ones": (13, (Drawn(2000), Drawn(300), Drawn(4884, bias=0.2))),
    "ADULT, one country": (
        14,
        (Drawn(4884, "native-country", "United-States", only=True), Drawn(800), Drawn(4884, bias=0.3)),
    ),
    "ADULT, the married": (
        15,
        (Drawn(4884, "marital-status", "Married-civ-spouse", 0.3), Drawn(400), Drawn(1500, bias=0.1)),
    ),
    "ADULT, incomes": (
        16,
        (Drawn(4884, "income", ">50K", 0.2), Drawn(4884, bias=0.1), Drawn(4884, "race", "White", only=True)),
    ),
}
SAMPLE = "the bundled sample"


@dataclass(frozen=True, eq=False)
class Case:
    """A truth, the candidates by name, and the workload."""

    truth: Dataset
    candidates: Mapping[str, Dataset]
    workload: Workload


def cases() -> dict[str, Callable[[], Case]]:
    """The twelve that are judged."""
    return _built(CENSUS, ADULT)


def anew(draw: int = 1) -> dict[str, Callable[[], Case]]:
    """The twelve once more, for a rule that was made after the first were looked at: other marginals, and ADULT split
    and drawn anew."""
    return {f"{name}, anew {draw}": build for name, build in _built(CENSUS, ADULT, draw).items()}


def tried() -> dict[str, Callable[[], Case]]:
    """Those on which the rule was tried before it was fixed."""
    return {SAMPLE: _sample} | _built(TRIED_CENSUS, TRIED_ADULT)


def _built(
    census: Mapping[str, tuple[str, tuple[str, ...]]],
    adults: Mapping[str, tuple[int, tuple[Drawn, ...]]],
    draw: int = 0,
) -> dict[str, Callable[[], Case]]:
    found: dict[str, Callable[[], Case]] = {name: partial(_census, *one, draw) for name, one in census.items()}
    return found | {name: partial(_adult, *one, draw) for name, one in adults.items()}


def _census(truth: str, names: tuple[str, ...], anew: int) -> Case:
    tables = {name: census_table.table_of(name) for name in (truth, *names)}
    private = tables.pop(truth)
    return Case(private, tables, Workload.sampled(private.domain, 3, MARGINALS, anew))


def _sample() -> Case:
    truth, workload, supports = best_mixture_cases.sample()
    tables = {
        name: Dataset(truth.domain, np.repeat(one.codes, one.multiplicity, axis=0)) for name, one in supports.items()
    }
    return Case(truth, tables, workload)


@cache
def _whole() -> Dataset:
    schema = adult.Schema.from_json((adult.DATA / "schema.json").read_bytes())
    return adult.encode_public(adult.read_table(adult.DATA / "adult.csv.gz"), schema).dataset


def _adult(seed: int, drawn: tuple[Drawn, ...], anew: int) -> Case:
    table, draw = _whole(), np.random.default_rng(seed if anew == 0 else [seed, anew])
    order = draw.permutation(len(table))
    half = len(table) // 2
    rest = Dataset(table.domain, table.codes[order[half:]])
    candidates = {one.name: _drawn(rest, one, draw) for one in drawn}
    truth = Dataset(table.domain, table.codes[order[:half]])
    return Case(truth, candidates, Workload.sampled(table.domain, 3, MARGINALS, anew))


def _drawn(rest: Dataset, one: Drawn, draw: np.random.Generator) -> Dataset:
    """Rows with replacement, as `Drawn` says."""
    position = rest.domain.index(one.column)
    inside = rest.codes[:, position] == rest.domain.attributes[position].levels.index(one.level)
    share = 1.0 if one.only else float(np.clip(inside.mean() + one.bias, 0, 1))
    wanted = int(draw.binomial(one.rows, share))
    picked = [draw.choice(np.flatnonzero(inside), wanted), draw.choice(np.flatnonzero(~inside), one.rows - wanted)]
    return Dataset(rest.domain, rest.codes[np.concatenate(picked)])
