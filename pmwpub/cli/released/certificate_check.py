"""The command `certificate check`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pmwpub.cli.inputs import Json
from pmwpub.release import checking
from pmwpub.release.households.household_checks import (
    NOT_CHECKED,
    checked_households,
    household_files_in,
    is_of_households,
)


def check_certificate(parsed: argparse.Namespace) -> Json:
    """`certificate check`: recompute what can be recomputed from a release's own files."""
    folder = Path(parsed.folder)
    if is_of_households(folder):
        return {"holds": checked_households(household_files_in(folder)), "not_checked": NOT_CHECKED}
    files = checking.read_folder(folder)
    found = checking.check(files)
    statements, unlisted = checking.require(found), checking.unlisted(folder, files)
    if unlisted:
        print(f"pmwpub: {len(unlisted)} more in that folder, of which nothing is stated.", file=sys.stderr)
    return {"holds": statements, "not_checked": checking.not_checked(found), "unlisted": unlisted}
