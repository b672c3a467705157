"""The results page says what its runs say, and the experiments' own choices do what they say."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from pmwpub.evaluation import PMW_PUB, UNCHANGED, SimulatedError

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def paper(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[ModuleType, ModuleType]]:
    """benchmarks/paper's common and report, as its scripts import them."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks" / "paper"))
    import common
    import report

    yield common, report
    for name in ("common", "report"):
        sys.modules.pop(name)


def test_the_page_is_what_its_runs_make_it(paper: tuple[ModuleType, ModuleType]) -> None:
    _, report = paper
    assert report.page() == (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    assert all((ROOT / "docs" / "results" / f"{name}.png").is_file() for name in report.PICTURES)


def error(method: str, epsilon: float, rounds: int, seed: int, largest: float, candidate: str = "c") -> SimulatedError:
    return SimulatedError(method, candidate, epsilon, rounds, seed, largest, largest / 10, largest / 5)


def test_validation_picks_parameters_by_the_mean_then_the_fewest_rounds_that_do_as_well(
    paper: tuple[ModuleType, ModuleType],
) -> None:
    common, _ = paper
    found = common.chosen(
        [
            error(PMW_PUB, 1.0, 5, 0, 0.0108),
            error(PMW_PUB, 1.0, 25, 0, 0.01),
            error(PMW_PUB, 1.0, 100, 0, 0.02),
            error("dual-query+samples=50+eta=2", 1.0, 0, 0, 0.2, ""),
            error("dual-query+samples=100+eta=3", 1.0, 0, 0, 0.1, ""),
            error(UNCHANGED, 1.0, 0, 0, 0.001),
        ]
    )
    assert found == {
        ("c", PMW_PUB, 1.0): (PMW_PUB, 5),
        ("", "dual-query", 1.0): ("dual-query+samples=100+eta=3", 0),
    }


def test_runs_written_for_the_page_are_read_back(
    paper: tuple[ModuleType, ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    common, report = paper
    monkeypatch.setattr(common, "OUT", tmp_path)
    monkeypatch.setattr(report, "OUT", tmp_path)
    lines = [("a", error(PMW_PUB, 0.5, 5, 0, 0.25)), ("b", error("mwem", 1.0, 0, 1, 0.125, ""))]
    common.write("figure", lines)
    assert report.read("figure") == lines
    assert report.read("nothing") == []
    assert "| PMW^Pub, c | 0.2500 | did not run |" in report.table(report.summarise(one for _, one in lines))


@pytest.mark.data
def test_the_papers_tables_have_the_sizes_that_the_page_states(
    paper: tuple[ModuleType, ModuleType], data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    common, _ = paper
    monkeypatch.setattr(common, "DATA", data_folder)
    private, public = common.adult_pair(0.2, 0)
    assert (len(private), len(public)) == (43_957, 4_885)
    assert common.adult_workload().queries == 307_689
    names = common.reduced_names()
    assert (len(names), common.census("oh_2018").domain.project(names).size) == (12, 196_608)
    assert len(common.census("oh_2018")) == 11_439
