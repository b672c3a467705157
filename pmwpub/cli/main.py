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
from pmwpub.errors import NoResult, PlanError, PmwPubError
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
        _refuse_half_letters(parsed)
        Policy.declared("localhost")
        found = getattr(import_module(module), command)(parsed)
    except KeyboardInterrupt:
        print(f"pmwpub: Stopped. {STOPPED_FREE.get(command, STOPPED)}", file=sys.stderr)
        return INTERRUPTED
    except NoResult as refusal:
        print(f"pmwpub: {refusal}", file=sys.stderr)
        return NO_RESULT
    except ValidationError as refusal:
        booked = getattr(parsed, "booked", ())
        print(f"pmwpub: {refused_value(refusal)}{f' {STOPPED}' if booked else ''}", file=sys.stderr)
        return NO_RESULT if booked else REFUSED
    except PmwPubError as refusal:
        print(f"pmwpub: {refusal}", file=sys.stderr)
        return REFUSED
    return printed(found)


def _refuse_half_letters(parsed: argparse.Namespace) -> None:
    """PlanError for an argument that is no text: bytes of a terminal or a file's name that are no UTF-8."""
    given = [text for value in vars(parsed).values() for text in (value if isinstance(value, list) else [value])]
    for text in given:
        if isinstance(text, str) and any("\ud800" <= letter <= "\udfff" for letter in text):
            raise PlanError(
                f"An argument is no Unicode text: {text[:40]!r}. Write it in UTF-8, or rename the file that it names. "
                "Nothing was charged."
            )


if __name__ == "__main__":
    sys.exit(main())
