"""How the text of a file is read: what may be chosen, and what is proposed for a file that was refused."""

from __future__ import annotations

from pmwpub.errors import FileRefused
from pmwpub.tabular.files.text.read_options import DELIMITERS, ENCODINGS, ReadOptions
from pmwpub.tabular.review.expected_file import as_written, expected_file

__all__ = ["DELIMITERS", "ENCODINGS", "ReadOptions", "as_written", "expected_file", "proposed"]


def proposed(refusal: Exception) -> ReadOptions | None:
    """The options under which a refused file may read; None where the refusal proposes none, or is not of a file.

    Privacy: the proposal follows from the file's bytes. Of a private file it is for the steward alone, who confirms
    options or gives the file up; nothing is read anew before.
    """
    found = refusal.suggestion if isinstance(refusal, FileRefused) else None
    return found if isinstance(found, ReadOptions) else None
