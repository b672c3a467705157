"""Two stores at a time, on every way between the two databases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from ledger.conftest import POSTGRES
from ledger.moving.moved import filled

from pmwpub.ledger import Ledger

LITE = ("sqlite", "sqlite")
WAYS = [LITE, *([("sqlite", "postgresql"), ("postgresql", "sqlite")] if POSTGRES else [])]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that is marked so is run on every way; the others, to which databases make no difference, on one."""
    if "way" in metafunc.fixturenames:
        ways = WAYS if metafunc.definition.get_closest_marker("every_way") else [LITE]
        metafunc.parametrize("way", ways, ids=" to ".join, indirect=True)


@pytest.fixture
def way(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    """The addresses of an empty store to move from, and of another one to move to."""
    found = [
        f"sqlite:///{tmp_path}/{place}.sqlite3" if kind == "sqlite" else request.getfixturevalue("postgres_url")
        for place, kind in zip(("here", "there"), request.param, strict=True)
    ]
    return found[0], found[1]


@pytest.fixture
def here(way: tuple[str, str]) -> Iterator[Ledger]:
    """The store that a population is moved from, with a population that has some of everything."""
    with Ledger.open(way[0]) as opened:
        yield filled(opened)


@pytest.fixture
def there(way: tuple[str, str]) -> Iterator[Ledger]:
    """The store that it is moved to, with a population of its own."""
    with Ledger.open(way[1]) as opened:
        yield opened
