"""analyst.ipynb: a notebook that opens a release, shows its answers with intervals, and makes its weights again.

Its cells stand in analyst_cells.txt and are the same for every release, but for one that names columns. Names are text
of strangers: they stand in that cell alone, as literals of Python, and in no text between cells. Levels stand nowhere.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path

from pmwpub.errors import tried
from pmwpub.mechanisms.table_fit.intervals.cell_intervals import LARGEST_ORDER
from pmwpub.release.answers.number_answers import middles
from pmwpub.release.bundle import Bundle
from pmwpub.release.certificate import Certificate
from pmwpub.release.rebuilding import workload_of

NOTEBOOK = "analyst.ipynb"
"""Handed out beside the files of a release. No certificate names it: releases of before have it too."""

NO_NOTEBOOK = f"{NOTEBOOK} could not be made. Nothing else is missing for that."

FEW_CELLS = 60
"""At most so many cells has the marginal that the notebook first shows, where the release has such a one."""

_MARK = re.compile(r"^# %% (text|code|names) (\w+)\n", re.MULTILINE)
_KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}


@dataclass(frozen=True)
class NotebookCell:
    """One cell as it stands in a file of cells.

    kind  "text", "code", or "names": the one that is written for each release
    name  unique; a part of the cell's id
    """

    kind: str
    name: str
    source: str


def with_notebook(bundle: Bundle, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files of a release that are handed out, and the notebook beside them, unless that cannot be made."""
    made, _ = tried(lambda: analyst_notebook(bundle))
    return dict(files) if made is None else {**files, NOTEBOOK: made}


def without_notebook(names: Iterable[str], folder: Path, files: Mapping[str, bytes]) -> list[str]:
    """The names of what lies in a release's folder, but for a notebook that is byte for byte the one made here.

    files  the release's, as they were read from the folder
    """
    return without_own(names, folder, lambda: analyst_notebook(Bundle(files)))


def without_own(names: Iterable[str], folder: Path, make: Callable[[], bytes]) -> list[str]:
    """The names, but for a notebook in that folder that is byte for byte what `make` makes."""

    def is_own(path: Path) -> bool:
        made, _ = tried(lambda: path.read_bytes() == make())
        return bool(made)

    return [name for name in names if name != NOTEBOOK or not is_own(folder / name)]


def analyst_notebook(bundle: Bundle) -> bytes:
    """The notebook of a release, without outputs: the same release gives the same bytes.

    Privacy: a function of the release's schema and certificate.
    """
    return notebook_of("analyst_cells.txt", _names(bundle))


def notebook_of(cells: str, names: str) -> bytes:
    """A notebook of the cells of a file of this folder, and of the one that is written for each release."""
    import nbformat
    from nbformat import v4

    made = []
    for cell in _cells(cells):
        if cell.kind == "text":
            made.append(v4.new_markdown_cell(cell.source, id=f"text-{cell.name}"))
        else:
            source = names if cell.kind == "names" else cell.source
            made.append(v4.new_code_cell(source, id=f"code-{cell.name}"))
    notebook = v4.new_notebook(cells=made, metadata=_KERNEL)
    nbformat.validate(notebook)
    return f"{nbformat.writes(notebook)}\n".encode()


@cache
def _cells(name: str) -> tuple[NotebookCell, ...]:
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    _, *parts = _MARK.split(text)
    found = zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    return tuple(NotebookCell(kind, name, _source(kind, body.strip("\n"))) for kind, name, body in found)


def _source(kind: str, body: str) -> str:
    """What stands in a cell: text without the marks that make it a comment."""
    return re.sub(r"^# ?", "", body, flags=re.MULTILINE) if kind == "text" else body


def _names(bundle: Bundle) -> str:
    """The one cell that is written for each release."""
    columns = bundle.schema.attributes
    lines: dict[str, Sequence[str]] = {
        "NAMES": [one.name for one in columns],
        "NUMERIC": [one.name for one in columns if any(value is not None for value in middles(one))],
        "ORDERED": [one.name for one in columns if one.ordered_levels > 1],
        "COLUMNS": _asked_first(bundle),
    }
    return assigned(lines)


def assigned(lines: Mapping[str, Sequence[str]]) -> str:
    """A line for each list of texts, as Python reads it: no text ends its literal or its line, and none has characters
    that are not seen or that turn the order of what is read."""
    return "\n".join(f"{name} = {list(texts)!r}" for name, texts in lines.items())


def _asked_first(bundle: Bundle) -> tuple[str, ...]:
    """The columns that are asked about first: of PMW^Pub a marginal that a round measured, for those have intervals.

    Of the marginals that there are, the first with at most `FEW_CELLS` cells and most columns; or else the smallest.
    """
    domain = bundle.schema.domain
    singles: list[tuple[int, ...]] = [(place,) for place in range(len(domain.names))]
    pairs = [one for one in combinations(range(len(domain.names)), 2) if domain.related(one) is None]
    asked = _measured(bundle) or [*singles, *pairs]
    size = {one: math.prod(domain.shape[place] for place in one) for one in asked}
    few = [one for one in asked if size[one] <= FEW_CELLS]
    chosen = max(few, key=len) if few else min(asked, key=size.__getitem__)
    return tuple(domain.names[place] for place in chosen)


def _measured(bundle: Bundle) -> list[tuple[int, ...]]:
    """The attributes of marginals that rounds of PMW^Pub measured and that can be asked for, in the rounds' order."""
    certificate = bundle.certificate
    if not isinstance(certificate, Certificate):
        return []
    workload = workload_of(certificate, bundle.schema)
    lines = [line.number for line in certificate.transcript if not workload.is_prefix(line.number)]
    measured = [workload.query(number)[0].attributes for number in lines]
    return [one for one in measured if len(one) <= LARGEST_ORDER]
