"""The files of one command, by the names that were given: how each is read, and which one a refusal is about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from pmwpub.errors import FileRefused, SchemaError
from pmwpub.tabular.files.reading import TextTable, read_table
from pmwpub.tabular.files.text.read_options import ReadOptions


class Files:
    """Paths with the reading options that "FILE=ENCODING,DELIMITER" says of some of them.

    Raises FileRefused for a saying about a file that is not among `paths`, or about none, twice or in other words.
    """

    def __init__(self, said: Sequence[str], paths: Sequence[str | None]) -> None:
        self._options: dict[str, ReadOptions] = {}
        self._tables: dict[str, TextTable] = {}
        for one in said:
            path, mark, options = one.rpartition("=")
            if not mark or path not in paths:
                raise FileRefused("--read names a file as the command does: --read FILE=ENCODING,DELIMITER.")
            if path in self._options:
                raise FileRefused(f"--read says twice how {path} is read.")
            self._options[path] = ReadOptions.parse(options)

    def options(self, path: str) -> ReadOptions | None:
        """What was said about a file, if anything."""
        return self._options.get(path)

    def table(self, path: str) -> TextTable:
        """Read a file, once; a refusal names it."""
        if path not in self._tables:
            with self.naming(path):
                self._tables[path] = read_table(Path(path), options=self.options(path))
        return self._tables[path]

    @contextmanager
    def naming(self, path: str) -> Iterator[None]:
        """Put the file's name before a refusal, and behind it how to confirm what it suggests."""
        try:
            yield
        except (FileRefused, SchemaError) as refusal:
            if str(refusal).startswith(f"{path}: "):  # named where it was read
                raise
            suggested = refusal.suggestion if isinstance(refusal, FileRefused) else None
            hint = f" (--read {path}={suggested.spelt})" if suggested else ""
            refusal.args = (f"{path}: {refusal}{hint}",)
            raise
