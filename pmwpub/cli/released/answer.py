"""The command `answer`."""

from __future__ import annotations

import argparse
from pathlib import Path

from pmwpub.cli.inputs import Json, one_line, store_files
from pmwpub.errors import PlanError
from pmwpub.outputs import apart, writable, write_file
from pmwpub.release import checking
from pmwpub.release.answers.marginal_answers import COVERS, answers_csv, long_csv
from pmwpub.release.answers.number_answers import OF_A_MEAN, WITHIN, numbers_csv
from pmwpub.release.answers.release_answers import ReleaseAnswers

ONE_QUESTION = (
    "Ask one thing: the cells of a marginal (--marginal, perhaps --within), a difference (--difference), or a mean "
    "(--mean)."
)


def answer(parsed: argparse.Namespace) -> Json:
    """`answer`: a marginal of a finished release, a difference or a mean, with intervals; free, from its own files."""
    asked = [one for one in (parsed.marginal, parsed.difference, parsed.mean) if one is not None]
    if not asked and parsed.output is None:
        raise PlanError("Name a marginal (--marginal), or a file for all marginals of the workload (-o).")
    if len(asked) > 1 or (parsed.within is not None and parsed.marginal is None):
        raise PlanError(ONE_QUESTION)
    written = [] if parsed.output is None else [Path(parsed.output)]
    apart(written, [parsed.release, *store_files(parsed.store)])
    writable(written)
    answers = ReleaseAnswers(checking.bundle_in(Path(parsed.release)))
    said: Json = {"covers": COVERS} | ({"remark": answers.remark} if answers.remark else {})
    if answers.misfit is not None:
        said |= {"misfit": [round(ratio, 3) for ratio in answers.misfit.ratios]}
    if not asked:
        write_file(written[0], long_csv(answers.workload()))
        return said | {"file": parsed.output}
    if parsed.marginal is None:
        return _number(parsed, answers, written) | said
    names = one_line(parsed.marginal)
    cells = answers.marginal(names) if parsed.within is None else answers.within(names, one_line(parsed.within))
    if written:
        write_file(written[0], answers_csv(cells))
    within = {} if parsed.within is None else {"within": one_line(parsed.within), "shares": WITHIN}
    return {"cells": [cell.line() for cell in cells]} | within | said


def _number(parsed: argparse.Namespace, answers: ReleaseAnswers, written: list[Path]) -> Json:
    """A difference or a mean."""
    if parsed.mean is not None:
        found, more = answers.mean(parsed.mean), {"mean": OF_A_MEAN}
    else:
        found, more = answers.difference(*map(_cell, parsed.difference)), {}
    if written:
        write_file(written[0], numbers_csv([found]))
    return {"number": found.line()} | more


def _cell(text: str) -> dict[str, str]:
    """One cell: column=level, and more of them behind commas."""
    parts = [part.partition("=") for part in one_line(text)]
    if not parts or any(not mark for _, mark, _ in parts) or len({name for name, _, _ in parts}) < len(parts):
        raise PlanError(f"A cell is written as column=level,column=level; {text[:40]!r} came.")
    return {name: level for name, _, level in parts}
