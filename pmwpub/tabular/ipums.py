"""An IPUMS extract as a text table, and its codebook as a schema's: the ACS tables of Liu et al. (2021).

IPUMS USA gives out no file that may be passed on: everybody makes an extract of their own (rectangular, one record a
person, with its DDI codebook) and cites it. This module needs the extra `ipums`. Codes stay as they are in the data.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError

import pandas as pd

from pmwpub.errors import FileRefused, PlanError
from pmwpub.tabular.files.reading import TextTable, from_frame
from pmwpub.tabular.schema.codebook import Codebook, CodebookEntry

ACS = (
    "ACREHOUS", "AGE", "AVAILBLE", "CITIZEN", "CLASSWKR", "DIFFCARE", "DIFFEYE", "DIFFHEAR", "DIFFMOB", "DIFFPHYS",
    "DIFFREM", "DIFFSENS", "DIVINYR", "EDUC", "EMPSTAT", "FERTYR", "FOODSTMP", "GRADEATT", "HCOVANY", "HCOVPRIV",
    "HINSCAID", "HINSCARE", "HINSVA", "HISPAN", "LABFORCE", "LOOKING", "MARRINYR", "MARRNO", "MARST", "METRO",
    "MIGRATE1", "MIGTYPE1", "MORTGAGE", "MULTGEN", "NCHILD", "NCHLT5", "NCOUPLES", "NFATHERS", "NMOTHERS", "NSIBS",
    "OWNERSHP", "RACAMIND", "RACASIAN", "RACBLK", "RACE", "RACOTHER", "RACPACIS", "RACWHT", "RELATE", "SCHLTYPE",
    "SCHOOL", "SEX", "SPEAKENG", "VACANCY", "VEHICLES", "VET01LTR", "VET47X50", "VET55X64", "VET75X90", "VET90X01",
    "VETDISAB", "VETKOREA", "VETSTAT", "VETVIETN", "VETWWII", "WIDINYR", "WORKEDYR",
)  # fmt: skip
"""The 67 variables of the paper's ACS tables (its appendix "Data")."""

ACS_REDUCED = (
    "DIFFEYE", "DIFFHEAR", "EMPSTAT", "FOODSTMP", "HCOVPRIV", "HINSCAID", "HINSCARE", "OWNERSHP", "RACAMIND",
    "RACASIAN", "RACBLK", "RACOTHER", "RACPACIS", "RACWHT", "SEX",
)  # fmt: skip
"""The 15 variables of ACS (reduced): 3,003 sets of five, as in the paper, which lists AGE too but leaves it out of
the size of its domain."""

AGE_EDGES = (0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 135.0)
"""The edges of ten bins of AGE, which IPUMS tops at 135; the paper does not give its own."""

EDGES: Mapping[str, Sequence[float]] = {"AGE": AGE_EDGES}


@dataclass(frozen=True, eq=False)
class Extract:
    """An extract: its codebook is read, its rows are not yet.

    samples   what IPUMS calls the samples in it
    citation  how IPUMS wants it cited
    """

    data: Path
    samples: tuple[str, ...]
    citation: str
    _ddi: Any = field(repr=False)

    @classmethod
    def open(cls, ddi: Path, data: Path | None = None) -> Extract:
        """Read the DDI codebook (.xml) of an extract.

        data  the .dat, .dat.gz, .csv or .csv.gz that came with it; by default the file of the same name beside it

        Raises PlanError without the extra, FileRefused for what is no codebook of a rectangular extract or lacks data.
        """
        readers = _ipumspy()
        with warnings.catch_warnings():
            # The citation that this warning asks for is in `citation`.
            warnings.simplefilter("ignore", readers.CitationWarning)
            try:
                read = readers.read_ipums_ddi(ddi)
            except (
                OSError,
                ParseError,
                AttributeError,
                KeyError,
                TypeError,
                ValueError,
                NotImplementedError,
            ) as failure:
                raise FileRefused(f"{ddi.name} is no IPUMS codebook; take the DDI (.xml) of the extract.") from failure
        if read.file_description.structure != "rectangular":
            raise FileRefused("A hierarchical extract has records of several kinds; make a rectangular one.")
        found = data or _beside(ddi, Path(read.file_description.filename))
        if not found.is_file():
            raise FileRefused(f"The extract's data, {found.name}, is not there; put it beside its codebook.")
        return cls(found, tuple(read.samples_description), (read.ipums_citation or "").strip(), read)

    def table(self, variables: Iterable[str] = ACS, where: Mapping[str, int] | None = None) -> TextTable:
        """The rows of some variables, one text cell a code; "" where the extract has none.

        where  variables that pick the rows, such as {"STATEFIP": 42, "YEAR": 2018} for Pennsylvania in 2018

        Raises FileRefused for a variable that the extract lacks, rows that are not as the codebook says, or no row.
        """
        wanted, picked = list(dict.fromkeys(variables)), dict(where or {})
        self._check([*wanted, *picked])
        subset = list(dict.fromkeys([*wanted, *picked]))
        try:
            frame = _ipumspy().read_microdata(self._ddi, self.data, subset=subset)
        except (OSError, ValueError, KeyError, TypeError, NotImplementedError) as failure:
            raise FileRefused(f"{self.data.name} is not as its codebook says; download both again.") from failure
        for name, code in picked.items():
            frame = frame[pd.to_numeric(frame[name], errors="coerce") == code]
        if not len(frame):
            raise FileRefused(f"The extract has no row with {', '.join(f'{n} = {c}' for n, c in picked.items())}.")
        return from_frame(frame[wanted].apply(_as_text))

    def codebook(self, variables: Iterable[str] = ACS, edges: Mapping[str, Sequence[float]] = EDGES) -> Codebook:
        """A codebook from which a schema is drafted: every code that IPUMS lists is a level; some variables have bins.

        A variable without codes takes its levels from the public tables.

        Raises FileRefused for a variable that the extract lacks.
        """
        wanted = tuple(dict.fromkeys(variables))
        self._check(wanted)
        return Codebook(tuple(self._entry(name, edges.get(name)) for name in wanted))

    def _entry(self, name: str, bins: Sequence[float] | None) -> CodebookEntry:
        if bins is not None:
            return CodebookEntry(name, "numeric", tuple(f"{edge:g}" for edge in bins), {"outside": "clip"})
        codes = self._ddi.get_variable_info(name).codes.values()
        return CodebookEntry(name, "categorical", tuple(dict.fromkeys(map(str, codes))))

    def _check(self, names: Iterable[str]) -> None:
        there = {variable.name for variable in self._ddi.data_description}
        if lacking := [name for name in names if name not in there]:
            raise FileRefused(
                f"The extract lacks {', '.join(lacking)}; make one that has {'them' if len(lacking) > 1 else 'it'}."
            )


def _beside(ddi: Path, named: Path) -> Path:
    """The file that the codebook names, or the same in the other formats that IPUMS packs."""
    names = [named.name, f"{named.name}.gz", *(f"{ddi.stem}{end}" for end in (".dat.gz", ".csv.gz", ".dat", ".csv"))]
    return next((ddi.with_name(name) for name in names if ddi.with_name(name).is_file()), ddi.with_name(named.name))


def _as_text(column: pd.Series) -> pd.Series:
    return column.map(lambda value: "" if pd.isna(value) else f"{value:g}" if isinstance(value, float) else str(value))


def _ipumspy() -> Any:
    try:
        from ipumspy import readers
    except ImportError as missing:
        raise PlanError("Reading an IPUMS extract needs the extra: pip install 'pmwpub[ipums]'.") from missing
    return readers
