"""The command `answer`."""

from __future__ import annotations

import argparse
from pathlib import Path

from pmwpub.cli.inputs import Json, one_line, store_files
from pmwpub.errors import PlanError
from pmwpub.outputs import apart, writable, write_file
from pmwpub.release import checking
from pmwpub.release.answers.marginal_answers import COVERS, answers_csv, long_csv
from pmwpub.release.answers.release_answers import ReleaseAnswers
from pmwpub.release.bundle import Bundle


def answer(parsed: argparse.Namespace) -> Json:
    """`answer`: the cells of a marginal of a finished release, each with its interval; free, from its files alone."""
    if parsed.marginal is None and parsed.output is None:
        raise PlanError("Name a marginal (--marginal), or a file for all marginals of the workload (-o).")
    written = [] if parsed.output is None else [Path(parsed.output)]
    apart(written, [parsed.release, *store_files(parsed.store)])
    writable(written)
    answers = ReleaseAnswers(Bundle(checking.read_folder(Path(parsed.release))))
    said: Json = {"covers": COVERS} | ({"remark": answers.remark} if answers.remark else {})
    if answers.misfit is not None:
        said |= {"misfit": [round(ratio, 3) for ratio in answers.misfit.ratios]}
    if parsed.marginal is None:
        write_file(written[0], long_csv(answers.workload()))
        return said | {"file": parsed.output}
    cells = answers.marginal(one_line(parsed.marginal))
    if written:
        write_file(written[0], answers_csv(cells))
    return {"cells": [cell.line() for cell in cells]} | said
