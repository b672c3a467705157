"""The command `answer` on a release of households."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from pmwpub.cli.inputs import Json, one_line
from pmwpub.errors import PlanError
from pmwpub.outputs import write_file
from pmwpub.release.answers.number_answers import WITHIN
from pmwpub.release.households.reading.household_answers import HouseholdAnswers
from pmwpub.release.households.reading.household_cells import (
    OF_HOUSEHOLDS,
    OF_PERSONS,
    UNMEASURED,
    household_cells_csv,
)
from pmwpub.release.households.reading.household_folder import household_bundle_in
from pmwpub.tabular.households.household_schema import SIZE

UNTAKEN = ("range", "cumulative", "quantile", "at")


def household_answer(parsed: argparse.Namespace, written: list[Path], cells: Sequence[Mapping[str, str]]) -> Json:
    """`answer`: what is asked of a release of households, with intervals; free, from its own files.

    written  the file for the cells, where one was named
    cells    two, whose difference is asked, or none
    """
    said = [name for name in UNTAKEN if getattr(parsed, name) is not None]
    if said:
        raise PlanError(
            f"A release of households has no --{said[0]}: ask for a marginal, a difference of two cells, or the mean "
            f'"{SIZE}"; tables.csv has the noisy cells, whose sums are yours to make.'
        )
    answers = HouseholdAnswers(household_bundle_in(Path(parsed.release)))
    told: Json = {"covers": OF_HOUSEHOLDS}
    if parsed.mean is not None:
        return _sizes(parsed.mean, answers, written) | told
    if cells:
        if written:
            raise PlanError("A difference of a release of households is printed, and written into no file.")
        return {"number": answers.difference(cells[0], cells[1], parsed.of).line()} | told
    if parsed.marginal is None:
        write_file(written[0], household_cells_csv(answers.tables()))
        return {"file": parsed.output, **told, "persons": OF_PERSONS}
    names = one_line(parsed.marginal)
    of = answers.counted(names, parsed.of)
    within = None if parsed.within is None else one_line(parsed.within)
    found = answers.marginal(names, of) if within is None else answers.within(names, within, of)
    if written:
        write_file(written[0], household_cells_csv([(of, found)]))
    if of == "persons" and within is None:
        told |= {"persons": OF_PERSONS}
    if found[0].share.low is None:
        told |= {"remark": UNMEASURED}
    more = {} if within is None else {"within": within, "shares": WITHIN}
    return {"of": of, "cells": [cell.line() for cell in found]} | more | told


def _sizes(name: str, answers: HouseholdAnswers, written: list[Path]) -> Json:
    """The mean size, and the number of persons that follows from it."""
    if name != SIZE or written:
        raise PlanError(f'The one mean of a release of households is --mean "{SIZE}", and it is printed, not written.')
    return {"number": answers.mean_size().line(), "persons": answers.persons().line()}
