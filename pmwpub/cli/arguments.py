"""Arguments of the command line: how whole numbers are read, and what changes a population's terms."""

from __future__ import annotations

import argparse
import re

from pmwpub.numerals import ungrouped


def whole(text: str) -> int:
    """A whole number in the digits 0 to 9, its thousands grouped or not."""
    plain = ungrouped(text.strip())
    if re.fullmatch("[+-]?[0-9]{1,100}", plain, re.ASCII) is None:
        raise argparse.ArgumentTypeError(f"a whole number is needed; {text[:40]!r} came")
    return int(plain)


def acknowledge(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """`ledger acknowledge`: one table serves several populations."""
    parser = actions.add_parser(
        "acknowledge", help="record the decision that this private table serves other populations too (one user alone)"
    )
    parser.add_argument("population", metavar="name")
    parser.add_argument("--private", required=True, metavar="P.csv")
    parser.add_argument("--schema", required=True, metavar="schema.json")
    parser.add_argument("--read", action="append", default=[], metavar="FILE=ENCODING,DELIMITER")
    parser.set_defaults(run="acknowledge", count_on=None)


def amend(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """`ledger amend`: whatever is left out stays as it is."""
    parser = actions.add_parser("amend", help="correct terms before the first charge; afterwards only lower epsilon")
    parser.add_argument("name")
    parser.add_argument("--n", type=whole, help="rows of the private table (public); a delta of 1/n^2 follows it")
    parser.add_argument("--rows-per-person", type=whole, metavar="K")
    parser.add_argument("--unit", help="who is protected, in words")
    parser.add_argument("--epsilon", help="total epsilon")
    parser.add_argument("--delta", help="a number, or: 1/n^2")
    parser.set_defaults(run="amend_terms")
