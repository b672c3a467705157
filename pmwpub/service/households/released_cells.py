"""What a release of households says, as pages show it: sentences, and tables in the units that people read. Free."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from pmwpub.mechanisms.table_fit.intervals.cell_errors import LARGEST_ORDER
from pmwpub.release.households.household_bundle import HouseholdBundle
from pmwpub.release.households.reading.household_answers import COUNTED, HouseholdAnswers
from pmwpub.release.households.reading.household_cells import (
    OF_HOUSEHOLDS,
    HouseholdCell,
    HouseholdNumber,
    household_cells_csv,
)
from pmwpub.release.households.reading.household_summary import HouseholdSummary, household_summary
from pmwpub.release.households.reading.measured_households import Counted
from pmwpub.service.core import Service

__all__ = [
    "COUNTED",
    "LARGEST_ORDER",
    "OF_HOUSEHOLDS",
    "UNITS",
    "Counted",
    "HouseholdAnswers",
    "HouseholdCell",
    "HouseholdSummary",
    "all_cells_csv",
    "answers_of",
    "cells_csv",
    "columns_of",
    "summary_of",
]

PER_HOUSEHOLD = "persons per household"
UNITS: Mapping[Counted, str] = {"persons": PER_HOUSEHOLD, "households": "share of households"}
"""What a number is, by what is counted."""


def summary_of(service: Service, key: str, bundle: HouseholdBundle) -> HouseholdSummary:
    """What a stakeholder reads first; made once for all sessions.

    key  the hash of the stored bytes
    """
    return service.cache(f"household-summary:{key}", lambda: household_summary(bundle))


def answers_of(service: Service, key: str, bundle: HouseholdBundle) -> HouseholdAnswers:
    """The answers of a release; made once for all sessions. `key` as in `summary_of`."""
    return service.cache(f"household-answers:{key}", lambda: HouseholdAnswers(bundle))


def columns_of(cells: Sequence[HouseholdCell], of: Counted) -> dict[str, Sequence[str | float | None]]:
    """Cells as columns of a table: their levels, then numbers in the unit of what is counted.

    Of persons, persons per household; of households, shares of them. The ends are those of the interval, None where
    nothing was measured; "in the files" is what the synthetic files say.
    """
    numbers = [_number(cell) for cell in cells]
    names = list(cells[0].levels) if cells else []
    return {
        **{name: [cell.levels[name] for cell in cells] for name in names},
        UNITS[of]: [one.value for one in numbers],
        "from": [one.low for one in numbers],
        "to": [one.high for one in numbers],
        "in the files": [one.released for one in numbers],
        "remark": [one.remark for one in numbers],
    }


def rounds_of(bundle: HouseholdBundle) -> Mapping[str, list[str] | list[float]]:
    """The rounds of a release by PMW^Pub as columns; none of one by table fit."""
    rounds = bundle.certificate.rounds
    lines = () if rounds is None else rounds.transcript
    scales = {} if rounds is None else {"persons": rounds.scale_of_persons, "households": rounds.scale_of_households}
    return {
        "counted": [str(line.of) for line in lines],
        "query": ["; ".join(f"{name}={level}" for name, level in line.query.items()) for line in lines],
        "noisy count": [float(line.noisy_count) for line in lines],
        "standard deviation of the noise": [float(Fraction(scales[line.of])) for line in lines],
    }


def _number(cell: HouseholdCell) -> HouseholdNumber:
    return cell.share if cell.per_household is None else cell.per_household


def cells_csv(cells: Sequence[HouseholdCell], of: Counted) -> bytes:
    """The cells of one marginal as CSV, as `pmwpub answer` writes them."""
    return household_cells_csv([(of, cells)])


def all_cells_csv(answers: HouseholdAnswers) -> bytes:
    """Every measured table's cells as CSV."""
    return household_cells_csv(answers.tables())
