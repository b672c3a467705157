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


def column_decisions(parser: argparse.ArgumentParser) -> None:
    """What a person may decide about single columns at `schema draft`; each flag may be repeated."""
    for flag, words in (
        ("--keep", "encode this column although it is suspected of naming rows or tables"),
        ("--leave-out", "leave this column out"),
        ("--id", "this column says whose row it is; it is checked, and never encoded"),
    ):
        parser.add_argument(flag, action="append", default=[], metavar="COLUMN", help=words)
    for rule, words in DECISIONS.items():
        parser.add_argument(f"--{rule}", action="append", default=[], metavar="COLUMN=VALUE", help=words)


DECISIONS = {
    "kind": "categorical, ordered, numeric, date, id, weight or ignore",
    "missing": "a code that stands for no value",
    "level": "a cell that is a value although it is a missing token",
    "spike": "a number that gets a bin of its own",
    "decimal": "the decimal mark",
    "thousands": "the mark between groups of three digits",
    "part": "of dates: year, quarter, month or weekday",
    "order": "of dates: ymd, dmy or mdy",
    "same": "equivalences such as trim,casefold, or: none",
}
"""The rules by which a person decides about a column, as drafting knows them, and what their values are."""
