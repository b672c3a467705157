"""A data frame as a CSV that a spreadsheet will not run: how weights were written before, and the cells of any text."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from pmwpub.tabular.coding.decode import CSV_ROWS, csv_cells, csv_line, csv_lines
from pmwpub.tabular.files.text.inert_cells import inert


def csv_bytes(frame: pd.DataFrame) -> bytes:
    """UTF-8, comma, LF, a header; cells and names made inert, floats in shortest exact form."""
    parts = [csv_line([inert(str(name)) for name in frame.columns]).encode()]
    columns = [_written(frame.iloc[:, position], alone=frame.shape[1] == 1) for position in range(frame.shape[1])]
    for begin in range(0, len(frame), CSV_ROWS):
        parts.append(csv_lines([column(slice(begin, begin + CSV_ROWS)) for column in columns]))
    return b"".join(parts)


def _written(column: pd.Series, *, alone: bool) -> Callable[[slice], list[str]]:
    """Some rows of a column as they stand in the CSV; each distinct text is made inert and quoted once.

    alone  in a table of one column, where an empty cell needs quotes
    """
    if pd.api.types.is_numeric_dtype(column.dtype):
        return lambda rows: [repr(value) for value in column.iloc[rows].tolist()]
    if isinstance(column.dtype, pd.CategoricalDtype):
        places, texts = column.cat.codes.to_numpy(), column.cat.categories
    else:
        places, texts = pd.factorize(column.astype("str").fillna(""))
    ready = np.array(csv_cells(texts, alone=alone), dtype=object)
    return lambda rows: ready[places[rows]].tolist()
