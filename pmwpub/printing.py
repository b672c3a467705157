"""How a command's answer gets to stdout, whatever stdout is."""

from __future__ import annotations

import json
import math
import os
import sys

CUT_OFF = 141
UNPRINTED = 74
UNWRITTEN = (
    "The answer cannot be written. What was charged stays; run the same command again, and nothing more is charged."
)


def printed(found: object) -> int:
    """JSON on stdout; a reader that went away, such as `head`, is no error of ours.

    Letters that stdout does not have are written as JSON's own escapes, and a number that is none or infinite, for
    which JSON has no word, as null.
    """
    if sys.stdout is None:
        return _unwritten()
    try:
        sys.stdout.write(_text(found, sys.stdout.encoding or "ascii"))
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python complains once more at its end
        return CUT_OFF
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _unwritten()
    return 0


def _text(found: object, encoding: str) -> str:
    said = _finite(found)
    text = json.dumps(said, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return json.dumps(said, indent=1, allow_nan=False) + "\n"
    return text


def _finite(found: object) -> object:
    if isinstance(found, dict):
        return {key: _finite(value) for key, value in found.items()}
    if isinstance(found, list | tuple):
        return [_finite(value) for value in found]
    return None if isinstance(found, float) and not math.isfinite(found) else found


def _unwritten() -> int:
    print(f"pmwpub: {UNWRITTEN}", file=sys.stderr)
    return UNPRINTED
