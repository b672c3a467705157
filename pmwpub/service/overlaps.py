"""What a private table shares with public ones: all of its rows, or a long run of them. For the steward only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from pmwpub.service import stored
from pmwpub.service.core import PrivateTable, Service, SharedRun
from pmwpub.service.study import Study
from pmwpub.tabular.overlap import RunSearch, row_numbers
from pmwpub.tabular.reading import TextTable, open_table
from pmwpub.tabular.sameness import RowNumbers, Words


def searches_of(service: Service, current: Study) -> dict[str, RunSearch]:
    """SHA-256 -> a search for runs of a candidate's rows; its public part is kept in the shared cache."""
    name = current.population.name

    def numbers(sha256: str, read: str) -> Words:
        return service.cache(f"numbers:{sha256}{read}", lambda: row_numbers(stored.table(service, name, sha256).stream))

    return {one.sha256: RunSearch(numbers(one.sha256, stored.spelt(one.options))) for one in current.candidates}


def is_candidate(service: Service, current: Study, digest: bytes) -> bool:
    """Whether a table of that digest has the rows of one of the candidates."""
    name = current.population.name

    def rows(sha256: str, read: str) -> bytes:
        return service.cache(f"rows:{sha256}{read}", lambda: stored.table(service, name, sha256).same_rows())

    return any(rows(one.sha256, stored.spelt(one.options)) == digest for one in current.candidates)


def show(private: PrivateTable, searches: Mapping[str, RunSearch]) -> None:
    """Show a loaded private table's rows to each search; very many rows are read again."""
    for numbers in _numbers(private):
        for search in searches.values():
            search.add(numbers)


def found_runs(current: Study, searches: Mapping[str, RunSearch]) -> tuple[SharedRun, ...]:
    """The candidates of which more rows in a row were seen than chance explains."""
    runs = [(one, searches[one.sha256].unlikely) for one in current.candidates]
    return tuple(SharedRun(one.sha256, one.name, lines) for one, lines in runs if lines)


def runs_in_files(private: PrivateTable, files: Mapping[str, TextTable]) -> tuple[SharedRun, ...]:
    """The same for public tables by file name, before any is stored."""
    searches = {name: RunSearch(row_numbers(table.stream)) for name, table in files.items()}
    show(private, searches)
    runs = [(name, search.unlikely) for name, search in searches.items()]
    return tuple(SharedRun(files[name].sha256, Path(name).name, lines) for name, lines in runs if lines)


def _numbers(private: PrivateTable) -> Iterator[Words]:
    if private.numbers is not None:
        yield private.numbers
        return
    table = open_table(private.source, options=private.options)
    numbers = RowNumbers(table.header)
    for chunk in table.chunks():
        yield numbers.of(chunk)[2]
