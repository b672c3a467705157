"""Variables of Stata and SPSS files with their value labels and missing codes; the rows are not read.

This module needs the extra `codebooks`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pmwpub.errors import FileRefused, PlanError
from pmwpub.tabular.schema.missing_codes import MissingCode

SUFFIXES = frozenset({".dta", ".sav", ".zsav", ".por"})


@dataclass(frozen=True)
class Variable:
    """One variable: the codes that have labels and a meaning, and those that stand for no value."""

    name: str
    levels: tuple[str, ...]
    codes: tuple[MissingCode, ...]


def variables(path: Path) -> tuple[Variable, ...]:
    """The variables of a file, in order.

    A variable that SPSS calls a scale has no levels, whatever labels it has. Stata's missing values .a to .z are codes.

    Raises PlanError without the extra, FileRefused for a file that cannot be read.
    """
    readers = _pyreadstat()
    suffix = path.suffix.lower()
    read = {".dta": readers.read_dta, ".por": readers.read_por}.get(suffix, readers.read_sav)
    try:
        _, meta = read(str(path), metadataonly=True, user_missing=True)
    except (readers.ReadstatError, readers.PyreadstatError, OSError, ValueError) as failure:
        raise FileRefused(f"{path.name} cannot be read as a {suffix} file; save it again.") from failure
    return tuple(_variable(name, meta) for name in meta.column_names)


def _variable(name: str, meta: Any) -> Variable:
    labels: Mapping[Any, str] = meta.variable_value_labels.get(name, {})
    ranges: Sequence[Mapping[str, Any]] = meta.missing_ranges.get(name, ())
    missing = [value for value in labels if _is_missing(value, ranges)]
    codes = [MissingCode.of(_text(value), labels[value] or _text(value)) for value in missing]
    codes += _unlabelled(ranges, missing)
    scale = getattr(meta, "variable_measure", {}).get(name) == "scale"
    levels = () if scale else tuple(_text(value) for value in labels if value not in missing)
    return Variable(name, tuple(dict.fromkeys(levels)), tuple(codes))


def _is_missing(value: Any, ranges: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a code lies in a range of missing values, or is one of Stata's letters."""
    if isinstance(value, str):
        return (len(value) == 1 and value.isalpha() and not ranges) or any(value == one["lo"] for one in ranges)
    return any(not isinstance(one["lo"], str) and one["lo"] <= value <= one["hi"] for one in ranges)


def _unlabelled(ranges: Sequence[Mapping[str, Any]], labelled: Sequence[Any]) -> list[MissingCode]:
    """Missing values that have no label: single ones, and ranges, which begin above labelled ones."""
    found = []
    for one in ranges:
        low, high = one["lo"], one["hi"]
        while low != high and low in labelled:
            low = min(low + 1, high)
        if low == high and low not in labelled:
            found.append(MissingCode.of(_text(low), f"missing {_text(low)}"))
        elif low != high:
            found.append(MissingCode.between(low, high, f"missing {_text(low)} to {_text(high)}"))
    return found


def _text(value: Any) -> str:
    """A code as a table writes it: whole numbers without a fraction, Stata's letters as ".a"."""
    if isinstance(value, str) and len(value) == 1 and value.isalpha():
        return f".{value}"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _pyreadstat() -> Any:
    try:
        import pyreadstat
    except ImportError as missing:
        raise PlanError("Reading a Stata or SPSS file needs the extra: pip install 'pmwpub[codebooks]'.") from missing
    return pyreadstat
