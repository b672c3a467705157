"""How a command's answer gets to stdout, whatever stdout is."""

from __future__ import annotations

import json
import os
import sys

CUT_OFF = 141
UNPRINTED = 74
UNWRITTEN = (
    "The answer cannot be written. What was charged stays; run the same command again, and nothing more is charged."
)


def printed(found: object) -> int:
    """JSON on stdout; a reader that went away, such as `head`, is no error of ours.

    Letters that stdout does not have are written as JSON's own escapes.
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
    text = json.dumps(found, indent=1, ensure_ascii=False) + "\n"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return json.dumps(found, indent=1) + "\n"
    return text


def _unwritten() -> int:
    print(f"pmwpub: {UNWRITTEN}", file=sys.stderr)
    return UNPRINTED
