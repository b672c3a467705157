"""From codes back to labels, and CSV bytes that a spreadsheet will not run."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pmwpub.errors import DomainError, FileRefused, SchemaError
from pmwpub.records import Codes, Dataset, Distribution, Floats, Support, code_type
from pmwpub.tabular.files.chunks import Coded
from pmwpub.tabular.files.reading import open_table
from pmwpub.tabular.files.source import FileLimits
from pmwpub.tabular.files.text.inert_cells import PLAIN_NUMBER, inert
from pmwpub.tabular.files.text.read_options import ReadOptions
from pmwpub.tabular.schema.column_types import WEIGHT
from pmwpub.tabular.schema.table_schema import Schema

if TYPE_CHECKING:
    import pandas as pd

CSV_ROWS = 20_000
"""So many rows of a CSV are written at once."""

OWN_FILES = FileLimits(
    bytes=1 << 40, columns=1 << 20, cells=1 << 40, line_bytes=1 << 30, record_chars=1 << 30, name_chars=1 << 20
)
"""What was written here and paid for is read back whatever its size."""


def decode(dataset: Dataset, schema: Schema) -> pd.DataFrame:
    """The labels of coded rows, one text column an attribute; a numeric column gives its bins.

    Raises DomainError when the dataset is of another domain or a cell has no level: only public or released rows,
    which have a level everywhere, are ever decoded.
    """
    import pandas as pd

    frame = labelled(dataset, schema)
    return pd.DataFrame({name: frame[name].astype("str") for name in frame.columns})


def labelled(dataset: Dataset, schema: Schema) -> pd.DataFrame:
    """As `decode`, with categorical columns: a byte a cell where labels are few."""
    import pandas as pd

    refuse_unplaced(dataset, schema)
    return pd.DataFrame(
        {
            attribute.name: pd.Categorical.from_codes(
                dataset.codes[:, position].astype(np.min_scalar_type(-attribute.size)), list(attribute.levels)
            )
            for position, attribute in enumerate(schema.domain.attributes)
        }
    )


def refuse_unplaced(dataset: Dataset, schema: Schema) -> None:
    """Raise DomainError for rows of another domain, with a cell that has no level, or that break a rule."""
    if dataset.domain != schema.domain:
        raise DomainError("The rows belong to another schema; decode them with their own.")
    if np.any(dataset.codes >= np.asarray(schema.domain.shape)):
        raise DomainError("A cell has no level; only public or released rows can be decoded.")
    if schema.row_rules is not None and np.any(schema.row_rules.broken(dataset.codes)):
        raise DomainError("A row breaks a rule of its schema; no such row is ever released.")


def csv_lines(columns: Sequence[Sequence[str]]) -> bytes:
    """Lines of cells that are written as they stand in a CSV, a column each."""
    return "".join([",".join(row) + "\n" for row in zip(*columns, strict=True)]).encode()


def csv_cells(texts: Iterable[str], *, alone: bool) -> list[str]:
    """Texts as they stand in a CSV, inert and quoted where needed; each distinct one is looked at once.

    alone  in a table of one column, where an empty cell needs quotes
    """
    known: dict[str, str] = {}
    found = []
    for text in texts:
        if text not in known and PLAIN_NUMBER.fullmatch(text):
            known[text] = text
        elif text not in known:
            cells = [inert(text)] if alone else [inert(text), ""]
            known[text] = csv_line(cells).removesuffix("\n" if alone else ",\n")
        found.append(known[text])
    return found


def csv_line(cells: list[str]) -> str:
    """A line of CSV that ends with LF.

    The csv writer quotes a cell with CR or LF in it only if its own line end has them, hence CRLF first.
    """
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow(cells)
    return line.getvalue().removesuffix("\r\n") + "\n"


def weights_csv(distribution: Distribution, schema: Schema) -> bytes:
    """One row an atom: the schema's columns as labels, then `weight`, written so that it reads back exactly.

    No data frame is made of it: a release need not wait until pandas is loaded.
    """
    support = distribution.support
    refuse_unplaced(Dataset(support.domain, support.codes), schema)
    parts = [csv_line([inert(name) for name in (*schema.domain.names, WEIGHT)]).encode()]
    labels = [np.array(csv_cells(one.levels, alone=False), dtype=object) for one in schema.domain.attributes]
    for begin in range(0, len(support), CSV_ROWS):
        rows = slice(begin, begin + CSV_ROWS)
        columns = [texts[support.codes[rows, position]].tolist() for position, texts in enumerate(labels)]
        columns.append([repr(weight) for weight in distribution.weights[rows].tolist()])
        parts.append(csv_lines(columns))
    return b"".join(parts)


def read_weights(content: bytes, schema: Schema) -> Distribution:
    """The distribution that `weights_csv` wrote, atoms in file order, each of multiplicity 1.

    Raises FileRefused or SchemaError when the file is no such table, DomainError when atoms repeat or the weights do
    not sum to one.
    """
    table = open_table(content, options=ReadOptions(), limits=OWN_FILES)
    names = [inert(name) for name in schema.domain.names] + [WEIGHT]
    if list(table.header) != names:
        raise SchemaError("A weights file has the schema's columns in order, then `weight`; this one does not.")
    known = [{inert(level): code for code, level in enumerate(one.levels)} for one in schema.domain.attributes]
    codes: list[Codes] = []
    weights: list[Floats] = []
    for chunk in table.chunks():
        block = np.empty((len(chunk), len(known)), dtype=code_type(schema.domain))
        for position, levels in enumerate(known):
            column = chunk.coded(position)
            if not all(text in levels for text in column.distinct):
                raise SchemaError(f"Column {names[position]!r} of the weights file has a label that the schema lacks.")
            by_text = np.array([levels[text] for text in column.distinct], dtype=block.dtype)
            block[:, position] = by_text[column.places]
        codes.append(block)
        weights.append(_numbers(chunk.coded(len(known))))
    atoms = np.concatenate(codes)
    support = Support(schema.domain, atoms, np.ones(len(atoms), dtype=np.int64))
    return Distribution(support, np.concatenate(weights))


def _numbers(column: Coded) -> Floats:
    try:
        return np.array([float(text) for text in column.distinct])[column.places]
    except ValueError as failure:
        raise FileRefused("A weight is not a number.") from failure
