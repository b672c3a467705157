"""The command `answer`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from pmwpub.cli.households.household_answer import household_answer
from pmwpub.cli.inputs import Json, one_line, store_files
from pmwpub.errors import PlanError
from pmwpub.numerals import read_float
from pmwpub.outputs import apart, writable, write_file
from pmwpub.release import checking
from pmwpub.release.answers.marginal_answers import answers_csv, long_csv
from pmwpub.release.answers.number_answers import OF_A_MEAN, OF_A_RANGE, WITHIN, NumberAnswer, numbers_csv
from pmwpub.release.answers.quantile_answers import OF_A_QUANTILE, quantiles_csv
from pmwpub.release.answers.release_answers import ReleaseAnswers
from pmwpub.release.households.household_checks import is_of_households

ONE_QUESTION = (
    "Ask one thing: the cells of a marginal (--marginal, perhaps --within), a difference (--difference), a mean "
    "(--mean), a range (--range), cumulative shares (--cumulative) or quantiles (--quantile, perhaps --at)."
)

QUARTILES = (0.25, 0.5, 0.75)


def answer(parsed: argparse.Namespace) -> Json:
    """`answer`: what is asked of a finished release, with intervals; free, from its own files."""
    ordered = (parsed.range, parsed.cumulative, parsed.quantile)
    asked = [one for one in (parsed.marginal, parsed.difference, parsed.mean, *ordered) if one is not None]
    if not asked and parsed.output is None:
        raise PlanError("Name a marginal (--marginal), or a file for all marginals of the workload (-o).")
    alone = (parsed.within is not None and parsed.marginal is None) or (parsed.at is not None and not parsed.quantile)
    if len(asked) > 1 or alone:
        raise PlanError(ONE_QUESTION)
    written = [] if parsed.output is None else [Path(parsed.output)]
    apart(written, [parsed.release, *store_files(parsed.store)])
    writable(written)
    if is_of_households(Path(parsed.release)):
        return household_answer(parsed, written, [*map(_cell, parsed.difference or ())])
    if parsed.of is not None:
        raise PlanError("Only a release of households counts persons or households (--of).")
    answers = ReleaseAnswers(checking.bundle_in(Path(parsed.release)))
    said: Json = {"covers": answers.covers} | ({"remark": answers.remark} if answers.remark else {})
    if answers.misfit is not None:
        said |= {"misfit": [round(ratio, 3) for ratio in answers.misfit.ratios]}
    if not asked:
        write_file(written[0], long_csv(answers.workload()))
        return said | {"file": parsed.output}
    if parsed.quantile is not None:
        return _quantiles(parsed, answers, written) | said
    if parsed.marginal is None:
        return _numbers(parsed, answers, written) | said
    names = one_line(parsed.marginal)
    cells = answers.marginal(names) if parsed.within is None else answers.within(names, one_line(parsed.within))
    if written:
        write_file(written[0], answers_csv(cells))
    within = {} if parsed.within is None else {"within": one_line(parsed.within), "shares": WITHIN}
    return {"cells": [cell.line() for cell in cells]} | within | said


def _numbers(parsed: argparse.Namespace, answers: ReleaseAnswers, written: list[Path]) -> Json:
    """A difference, a mean, a range, or cumulative shares."""
    found, more = _asked(parsed, answers)
    if written:
        write_file(written[0], numbers_csv(found))
    if parsed.cumulative is not None:
        return {"numbers": [one.line() for one in found]} | more
    return {"number": found[0].line()} | more


def _asked(parsed: argparse.Namespace, answers: ReleaseAnswers) -> tuple[Sequence[NumberAnswer], Json]:
    """The numbers, and what is said of them."""
    if parsed.mean is not None:
        return [answers.mean(parsed.mean)], {"mean": OF_A_MEAN}
    if parsed.range is not None:
        return [answers.ordered.written(parsed.range)], {"range": OF_A_RANGE}
    if parsed.cumulative is not None:
        return answers.ordered.cumulative(parsed.cumulative), {"range": OF_A_RANGE}
    return [answers.difference(*map(_cell, parsed.difference))], {}


def _quantiles(parsed: argparse.Namespace, answers: ReleaseAnswers, written: list[Path]) -> Json:
    """Quantiles of one column."""
    found = answers.ordered.quantiles(parsed.quantile, QUARTILES if parsed.at is None else _parts(parsed.at))
    if written:
        write_file(written[0], quantiles_csv(found))
    return {"quantiles": [one.line() for one in found], "quantile": OF_A_QUANTILE}


def _parts(text: str) -> list[float]:
    """Parts between 0 and 1, with commas between them."""
    try:
        return [read_float(part) for part in text.split(",")]
    except ValueError:
        raise PlanError(f"Quantiles are written as --at 0.25,0.5,0.75; {text[:40]!r} came.") from None


def _cell(text: str) -> dict[str, str]:
    """One cell: column=level, and more of them behind commas."""
    parts = [part.partition("=") for part in one_line(text)]
    if not parts or any(not mark for _, mark, _ in parts) or len({name for name, _, _ in parts}) < len(parts):
        raise PlanError(f"A cell is written as column=level,column=level; {text[:40]!r} came.")
    return {name: level for name, _, level in parts}
