"""A finished release in the hands of a program: rows, answers with intervals, files; nothing here is charged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self, get_args

from pmwpub.api.arguments import cell_of, kind_words, one_of, table_names, whole_number
from pmwpub.errors import PlanError
from pmwpub.release.answers.marginal_answers import CellAnswer
from pmwpub.release.bundle import CERTIFICATE, SYNTHETIC, VALUES, Bundle
from pmwpub.release.certificates.certificate_parts import Cells, Columns
from pmwpub.tabular.coding.decode import decode

if TYPE_CHECKING:
    from pmwpub.figures import Plot
    from pmwpub.release.answers.number_answers import NumberAnswer
    from pmwpub.release.answers.ordered_columns import End
    from pmwpub.release.answers.quantile_answers import QuantileAnswer
    from pmwpub.release.answers.release_answers import ReleaseAnswers
    from pmwpub.tabular.files.reading import Frame


@dataclass(frozen=True)
class SyntheticRelease:
    """A finished release: the weights, the certificate, and as many synthetic rows as wanted.

    chosen  why its engine was taken, where none was named
    """

    bundle: Bundle
    chosen: str = ""

    @classmethod
    def in_folder(cls, folder: str | Path) -> Self:
        """The release whose files lie in a folder, as `pmwpub release -o` or a downloaded archive has them.

        Raises FileRefused where there is no certificate, CertificateError where the files contradict themselves.
        """
        from pmwpub.release.checking import bundle_in

        if not isinstance(folder, str | Path):
            raise PlanError(f"A folder is a path; {kind_words(folder)} came.")
        return cls(_as_stored(bundle_in(Path(folder))))

    def frame(self, rows: int | None = None, *, seed: int = 0) -> Frame:
        """Synthetic rows as labels; by default n of them. Free post-processing."""
        from pmwpub.release.synthesis import check_drawn, synthesise

        wanted = whole_number(self.bundle.certificate.n if rows is None else rows, "The number of rows")
        seed = whole_number(seed, "A row seed")
        check_drawn(wanted, seed)
        return decode(synthesise(self.bundle.distribution(), wanted, seed=seed), self.bundle.schema)

    def answer(self, names: Sequence[str]) -> tuple[CellAnswer, ...]:
        """The cells of the marginal of up to three columns: each one's share of rows, with its 95 % interval.

        What an interval covers, and what it does not, stands in `release.answers.marginal_answers.COVERS`, or
        `COVERS_WEIGHT` where rows are weighed.
        Raises WorkloadError for another number of columns, or one that the release lacks.
        """
        return self._answers.marginal(table_names(names))

    def plot(self, names: Sequence[str]) -> Plot:
        """What `answer` has, drawn (`.figure`, of Plotly), in words (`.alt`) and as data: a point for each share,
        a bar for its interval.

        Raises WorkloadError as `answer` does.
        """
        from pmwpub.figures.answered_cells import DrawnCell, answered_cells

        cells = self.answer(names)
        drawn = [DrawnCell(", ".join(one.levels.values()), one.share, one.low, one.high) for one in cells]
        return answered_cells(drawn, columns=", ".join(cells[0].levels)).on_white

    def within(self, names: Sequence[str], given: Sequence[str]) -> tuple[CellAnswer, ...]:
        """The cells of a marginal as shares of the rows that have their levels of the columns `given`, with intervals.

        Raises WorkloadError as `answer` does, and unless `given` are some of the marginal's columns, not all.
        """
        return self._answers.within(table_names(names), table_names(given))

    def difference(self, first: Mapping[str, str], second: Mapping[str, str]) -> NumberAnswer:
        """The share of rows in one cell (column -> level) less that in another of the same marginal, with its interval.

        Raises WorkloadError for cells of different marginals, the same cell twice, or an unknown column or level.
        """
        return self._answers.difference(cell_of(first), cell_of(second))

    def mean(self, name: str) -> NumberAnswer:
        """The mean of a numeric column with its interval, by its noisy table; each bin counts as its middle, and
        `binning` says how far that alone may move it.

        Raises WorkloadError for a column that is unknown or not numeric.
        """
        return self._answers.mean(name)

    def between(self, name: str, low: End = None, high: End = None) -> NumberAnswer:
        """The share of all rows from `low` to below `high`, two edges of a numeric column, with its interval.

        Of a column of ordered levels both ends are levels that are in the range. None leaves an end open.
        Raises WorkloadError for a column without an order, ends that are no edges or levels, or an empty range.
        """
        return self._answers.ordered.between(name, low, high)

    def cumulative(self, name: str) -> tuple[NumberAnswer, ...]:
        """The shares of all rows from the first level of an ordered column up to each, with their intervals.

        Raises WorkloadError for a column without an order.
        """
        return self._answers.ordered.cumulative(name)

    def quantiles(self, name: str, at: Sequence[float] = (0.25, 0.5, 0.75)) -> tuple[QuantileAnswer, ...]:
        """Quantiles of the rows that have a number or level in an ordered column, with the bins that hold them.

        Raises WorkloadError for a column without an order, or parts that do not lie between 0 and 1.
        """
        return self._answers.ordered.quantiles(name, at)

    @property
    def remark(self) -> str:
        """What limits its answers, in words; "" where nothing does."""
        return self._answers.remark

    @property
    def lacking(self) -> str:
        """What failed after the draw, such as the report, and how it will be there; "" where nothing did."""
        from pmwpub.release.reporting.late_report import lacking

        return lacking(self.bundle)

    @property
    def _answers(self) -> ReleaseAnswers:
        from pmwpub.release.answers.release_answers import ReleaseAnswers

        return ReleaseAnswers(self.bundle)

    def files(
        self, rows: int | None = None, *, seed: int = 0, cells: Cells = "labels", columns: Columns = "attributes"
    ) -> dict[str, bytes]:
        """Everything that is handed out, by name: synthetic.csv, certificate.json, report.html and the rest, and
        analyst.ipynb, a notebook that opens them.

        cells    "labels"; "numbers" drawn inside the bins; or "public-values": numbers that public rows have there, so
                 that raw values of public people reappear
        columns  "attributes", or "all" that the schema names: row numbers for ids, nothing in what is left out
        """
        from pmwpub.release.notebooks.analyst_notebook import with_notebook
        from pmwpub.release.synthesis import check_drawn

        rows = whole_number(self.bundle.rows if rows is None else rows, "The number of rows")
        seed = whole_number(seed, "A row seed")
        check_drawn(rows, seed)
        look = one_of(get_args(Cells), cells), one_of(get_args(Columns), columns)
        return with_notebook(self.bundle, self.bundle.files(rows, seed, *look))

    def replicate_weights(self, replicates: int = 40, *, seed: int = 0) -> dict[str, bytes]:
        """Weights for survey software, replicate-weights.csv, and their note, replicate-weights.json. Free.

        Their variance over the replicates reproduces the squared standard errors of `answer`'s intervals, for cells of
        one or two columns; the note has how well, and how survey software is told.

        seed  public; the same seed makes the same weights

        Raises PlanError for a release without such intervals, or a number of replicates that cannot be made.
        """
        from pmwpub.release.answers.replicate_files import replicate_files

        wanted = whole_number(replicates, "The number of replicates")
        return replicate_files(self.bundle, replicates=wanted, seed=whole_number(seed, "A seed"))


def _as_stored(handed: Bundle) -> Bundle:
    """A release as it was before its synthetic table was drawn, so that another one can be."""
    certificate, drawn = handed.certificate, {"rows": None, "row_seed": None}
    files = {name: stated for name, stated in certificate.files.items() if name not in (SYNTHETIC, VALUES)}
    cells = {} if certificate.cells == "labels" else {"cells": "labels"}
    stored = certificate.model_copy(update={"files": files, **drawn, **cells})
    parts = {name: body for name, body in handed.parts.items() if name != SYNTHETIC}
    return Bundle(parts | {CERTIFICATE: stored.to_bytes()})
