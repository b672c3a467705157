"""What a release's noisy counts say of levels and columns that the public table has otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import buying
import numpy as np
import pytest
from support import tables

from pmwpub.privacy.vector_gaussian import VectorGaussian
from pmwpub.records import Dataset, Ints, Support
from pmwpub.release.measured.causes import Cause
from pmwpub.release.measured.level_evidence import LevelEvidence, level_evidence
from pmwpub.service.bought import releases
from pmwpub.service.inputs import study_store
from pmwpub.service.quality_report import quality_of

if TYPE_CHECKING:
    from conftest import Bench

DOMAIN = tables.domain(2, 3)
ROWS = Dataset(DOMAIN, np.array([[0, 0]] * 4 + [[0, 1]] * 3 + [[1, 1]] * 2 + [[1, 2]]))
PUBLIC = Support.of(ROWS)
"""Level 1 of the first attribute has 30 % of the rows, level 1 of the second 50 %."""

FIRST, SECOND = DOMAIN.attributes


def cause(query: Sequence[tuple[int, int]], noisy: float, public: float, sigma: float = 0.01) -> Cause:
    named = tuple((DOMAIN.attributes[a].name, DOMAIN.attributes[a].levels[level]) for a, level in query)
    return Cause(1, named, noisy, public, noisy, sigma, 0)


def of_rounds(*causes: Cause) -> tuple[LevelEvidence, ...]:
    return level_evidence(object(), PUBLIC, None, causes, b"")  # type: ignore[arg-type]


def test_a_level_that_was_measured_as_none_several_times_is_named_with_its_public_share() -> None:
    (found,) = of_rounds(
        cause([(0, 1), (1, 1)], 0.0, 0.2), cause([(0, 1), (1, 2)], 0.015, 0.1), cause([(0, 0), (1, 1)], 0.4, 0.3)
    )
    assert (found.column, found.level, found.times, found.absent) == (FIRST.name, FIRST.levels[1], 2, True)
    assert found.public == pytest.approx(0.3)
    assert found.words == (
        f"{FIRST.name} = {FIRST.levels[1]}: 30.0 % in the public table, measured 0 2 times (noise ±2.0 points)."
    )


def test_one_cell_of_two_columns_says_nothing_of_either_level_but_a_level_s_own_cell_does() -> None:
    assert of_rounds(cause([(0, 1), (1, 1)], 0.0, 0.2)) == ()
    (found,) = of_rounds(cause([(0, 1)], 0.0, 0.3))
    assert (found.level, found.times) == (FIRST.levels[1], 1)
    assert "measured 0 once" in found.words


def test_prefixes_say_nothing_of_levels() -> None:
    """Two prefixes of one level of another column tell of the same rows, and "at most" a level is of several."""
    level = (FIRST.name, FIRST.levels[1])
    ends = [(SECOND.name, f"at most {one}") for one in SECOND.levels[:2]]
    found = [replace(cause([(0, 1)], 0.0, 0.2), query=(level, end), prefix=True) for end in ends]
    alone = [replace(one, query=(end,)) for one, end in zip(found, ends, strict=True)]
    assert of_rounds(*found) == of_rounds(*alone) == ()


def test_a_level_of_which_one_measured_cell_has_rows_is_not_named() -> None:
    assert of_rounds(cause([(0, 1)], 0.0, 0.3), cause([(0, 1), (1, 2)], 0.05, 0.1)) == ()
    assert of_rounds(cause([(0, 1)], 0.0, 0.04)) == ()


def test_table_fit_names_levels_that_lack_and_columns_whose_sum_does(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """120 of 300 private rows spell their job in a way of their own; no smith is left."""
    lines = bench.private_csv.decode().splitlines()
    rows = [line.split(",") for line in lines[1:]]
    for place, row in enumerate(rows):
        row[2] = "Koch" if place < 120 else "cook" if row[2] == "smith" else row[2]
    content = "\n".join([lines[0], *map(",".join, rows)]) + "\n"
    private = study_store.load_private(bench.service, bench.name, content.encode())

    def exact(self: VectorGaussian, values: Ints, **_: object) -> Ints:
        return np.array(values, dtype=np.int64)

    monkeypatch.setattr(VectorGaussian, "measure", exact)
    current = study_store.study(bench.service, bench.name)
    plan = releases.table_fit_plan(bench.service, current, bench.candidates[:1], epsilon="3.5")
    found = releases.released(bench.service, current, buying.buy(bench.service, private, plan).booking)
    lacking, *levels = quality_of(bench.service, current, found).evidence
    assert (lacking.column, lacking.level) == ("job", None)
    assert lacking.noisy == pytest.approx(180 / 300)
    assert lacking.words.startswith("job: the noisy counts of its levels leave 40.0 % (±")
    smith = next(one for one in levels if one.level == "smith")
    assert (smith.column, smith.noisy, smith.absent) == ("job", 0.0, True)
    assert 0.2 < smith.public < 0.5
    assert {one.column for one in levels} == {"job"}
