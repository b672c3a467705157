"""The command line: everything that the pages do, for scripts.

JSON on stdout, progress and errors on stderr; exit status 2 for a refusal, 1 for a charge without a result, 74 for an
answer that cannot be written.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module

from pmwpub.cli.arguments import command_parser
from pmwpub.errors import NoResult, PmwPubError
from pmwpub.printing import printed
from pmwpub.queries.lean_numba import numba_alone
from pmwpub.wording import refused_value

REFUSED = 2
NO_RESULT = 1
INTERRUPTED = 130
STOPPED = "What was charged stays charged, without a result; see: pmwpub ledger show"
STOPPED_FREE = {
    "evaluate": "Nothing was charged; the same command goes on where it stopped.",
    "replicate_weights": "Nothing was charged or written.",
}
"""What is said of a free command that was stopped, by the name of its function."""

NO_TEXT = "A name or a value that was given is no Unicode text: it has bytes that are no UTF-8. Write it in UTF-8."

COLLECTED_AFTER = (100_000, 50, 50)
"""So many new objects, and so many collections of younger ones, before Python looks for garbage in a command."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    parsed = command_parser().parse_args(arguments)
    with _few_collections(ends=arguments is None), numba_alone():
        return _answered(parsed)


@contextmanager
def _few_collections(*, ends: bool) -> Iterator[None]:
    """Look for garbage seldom, for nearly all that a command makes stays until its end, above all what it imports.

    To go through it again and again was an eighth of a release's processor time, and to go through it at the end of
    the program twice as much again.

    ends  whether the program ends with the command, so that nothing need be looked through any more
    """
    before = gc.get_threshold()
    gc.set_threshold(*COLLECTED_AFTER)
    try:
        yield
    finally:
        if ends:
            gc.freeze()
        gc.set_threshold(*before)


def _answered(parsed: argparse.Namespace) -> int:
    """Run the command that was parsed. What it needs is imported here, so that --help and mistyped commands are not
    kept waiting for it."""
    from pydantic import ValidationError

    from pmwpub.jobs.dumps import no_core_dumps
    from pmwpub.service.policy import Policy

    no_core_dumps()
    module, _, command = parsed.run.partition(":")
    try:
        Policy.declared("localhost")
        found = getattr(import_module(module), command)(parsed)
    except KeyboardInterrupt:
        _say(f"Stopped. {STOPPED_FREE.get(command, STOPPED)}")
        return INTERRUPTED
    except NoResult as refusal:
        _say(str(refusal))
        return NO_RESULT
    except (ValidationError, UnicodeEncodeError) as refusal:
        booked = getattr(parsed, "booked", ())
        words = refused_value(refusal) if isinstance(refusal, ValidationError) else NO_TEXT
        _say(f"{words} {STOPPED}" if booked else words)
        return NO_RESULT if booked else REFUSED
    except PmwPubError as refusal:
        _say(str(refusal))
        return REFUSED
    return printed(found)


def _say(words: str) -> None:
    """Words on stderr; what is no Unicode text in them, such as bytes of a file's name, is written as escapes."""
    print(f"pmwpub: {words}".encode("utf-8", "backslashreplace").decode(), file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
