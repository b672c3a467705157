"""From codes back to labels, and CSV bytes that a spreadsheet will not run."""

from __future__ import annotations

import csv
import re

import numpy as np
import pandas as pd

from pmwpub.errors import DomainError, FileRefused, SchemaError
from pmwpub.records import Dataset, Distribution, Support, code_type
from pmwpub.tabular.columns import WEIGHT
from pmwpub.tabular.container import Limits
from pmwpub.tabular.options import ReadOptions
from pmwpub.tabular.reading import read_table
from pmwpub.tabular.schema import Schema

_SIGN = r"[=+\-@\uff1d\uff0b\uff0d\uff20]"
_FORMULA = re.compile(rf"[\s']*{_SIGN}|'*[\t\r\n]")
_INNER = re.compile(rf"([;|\t\r\n][\s'\"]*)(?={_SIGN})")
_PLAIN_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?", re.ASCII | re.IGNORECASE)

_OWN_FILES = Limits(bytes=1 << 40, columns=1 << 20, cells=1 << 40, line_bytes=1 << 30, name_chars=1 << 20)
"""What was written here and paid for is read back whatever its size."""


def decode(dataset: Dataset, schema: Schema) -> pd.DataFrame:
    """The labels of coded rows, one text column an attribute; a numeric column gives its bins.

    Raises DomainError when the dataset is of another domain or a cell has no level: only public or released rows,
    which have a level everywhere, are ever decoded.
    """
    if dataset.domain != schema.domain:
        raise DomainError("The rows belong to another schema; decode them with their own.")
    if np.any(dataset.codes >= np.asarray(schema.domain.shape)):
        raise DomainError("A cell has no level; only public or released rows can be decoded.")
    return pd.DataFrame(
        {
            attribute.name: pd.array(attribute.levels, dtype="str").take(dataset.codes[:, position].astype(np.intp))
            for position, attribute in enumerate(schema.domain.attributes)
        }
    )


def inert(cell: str) -> str:
    """`cell` with an apostrophe in front when a spreadsheet would run it; plain numbers stay.

    So also behind white space, which an import may trim, and inside the cell behind what a spreadsheet of another
    country cuts the line at: semicolon, tab, bar, line break. A cell that already has such apostrophes gets one more,
    so that different cells stay different.
    """
    if _PLAIN_NUMBER.fullmatch(cell):
        return cell
    safe = _INNER.sub(r"\1'", cell)
    return "'" + safe if _FORMULA.match(cell) else safe


class _Lines:
    """Collects csv records and ends each with LF.

    The csv writer quotes a cell with CR or LF in it only if its own line end has them, hence CRLF there and this.
    """

    def __init__(self) -> None:
        self.parts: list[str] = []

    def write(self, record: str) -> None:
        self.parts.append(record[:-2] + "\n")


def csv_bytes(frame: pd.DataFrame) -> bytes:
    """UTF-8, comma, LF, a header; cells and names made inert, floats in shortest exact form."""
    lines = _Lines()
    writer = csv.writer(lines, lineterminator="\r\n")
    writer.writerow([inert(str(name)) for name in frame.columns])
    columns = [_inert_column(frame.iloc[:, position]) for position in range(frame.shape[1])]
    writer.writerows(zip(*columns, strict=True))
    return "".join(lines.parts).encode()


def _inert_column(column: pd.Series) -> list[str]:
    if pd.api.types.is_numeric_dtype(column.dtype):
        return [repr(value) for value in column.tolist()]
    inverse, cells = pd.factorize(column.astype("str").fillna(""))
    safe = np.array([inert(cell) for cell in cells], dtype=object)
    return safe[inverse].tolist()


def weights_csv(distribution: Distribution, schema: Schema) -> bytes:
    """One row an atom: the schema's columns as labels, then `weight`, written so that it reads back exactly."""
    support = distribution.support
    frame = decode(Dataset(support.domain, support.codes), schema)
    frame[WEIGHT] = distribution.weights
    return csv_bytes(frame)


def read_weights(content: bytes, schema: Schema) -> Distribution:
    """The distribution that `weights_csv` wrote, atoms in file order, each of multiplicity 1.

    Raises FileRefused or SchemaError when the file is no such table, DomainError when atoms repeat or the weights do
    not sum to one.
    """
    table = read_table(content, options=ReadOptions(), limits=_OWN_FILES)
    names = [inert(name) for name in schema.domain.names] + [WEIGHT]
    if list(table.header) != names:
        raise SchemaError("A weights file has the schema's columns in order, then `weight`; this one does not.")
    codes = np.empty((len(table), len(schema.domain.attributes)), dtype=code_type(schema.domain))
    for position, attribute in enumerate(schema.domain.attributes):
        index = pd.Index([inert(level) for level in attribute.levels])
        found = index.get_indexer(pd.Index(table.frame.iloc[:, position]))
        if np.any(found < 0):
            raise SchemaError(f"Column {attribute.name!r} of the weights file has a label that the schema lacks.")
        codes[:, position] = found
    try:
        weights = np.array([float(cell) for cell in table.frame[WEIGHT]])
    except ValueError as failure:
        raise FileRefused("A weight is not a number.") from failure
    support = Support(schema.domain, codes, np.ones(len(codes), dtype=np.int64))
    return Distribution(support, weights)
