"""Arguments of the `schema` commands."""

from __future__ import annotations

import argparse

from pmwpub.cli.arguments.shared_arguments import Actions, reading, whole
from pmwpub.cli.arguments.weight_arguments import clipping_command


def schema_commands(commands: Actions) -> None:
    """`schema draft`."""
    actions = commands.add_parser("schema", help="draft a schema from public tables").add_subparsers(required=True)
    draft = actions.add_parser("draft", help="levels and bins from public tables or a codebook, and only from those")
    draft.add_argument("public", nargs="*", metavar="PUBLIC.csv")
    draft.add_argument("--codebook", metavar="BOOK.csv", help="columns, codes and edges, in CSV or JSON")
    draft.add_argument("--bins", type=whole, default=10, help="bins of a numeric column at most (10)")
    draft.add_argument("--binning", choices=("rounded", "quantiles", "width"), default="rounded")
    draft.add_argument(
        "--max-levels", type=whole, default=60, help="distinct texts of a categorical column at most (60)"
    )
    reading(draft)
    column_decisions(draft)
    rule_flags(draft)
    household_flags(draft)
    draft.add_argument("-o", "--out", required=True, metavar="schema.json")
    draft.set_defaults(run="pmwpub.cli.schema_draft:draft_schema")
    clipping_command(actions)


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


def rule_flags(parser: argparse.ArgumentParser) -> None:
    """What holds of every row that there can be."""
    parser.add_argument(
        "--rule",
        action="append",
        default=[],
        metavar="RULE",
        help='what holds of every public and released row, such as: age < 15 implies work = "none"; may be repeated',
    )
    parser.add_argument(
        "--suggest-rules",
        action="store_true",
        help="also list pairs of levels that no public row has; none becomes a rule by itself",
    )


def household_flags(parser: argparse.ArgumentParser) -> None:
    """What makes rows persons of households."""
    parser.add_argument("--household-id", metavar="COLUMN", help="rows are persons of the households that it names")
    parser.add_argument("--largest-household", type=whole, metavar="H", help="the most persons that one counts with")
    parser.add_argument(
        "--household-column",
        action="append",
        default=[],
        metavar="COLUMN",
        help="a column of the household; may be repeated (those in which no public household's persons differ)",
    )
    parser.add_argument(
        "--any-person",
        action="append",
        default=[],
        metavar="NAME=COLUMN:LEVEL",
        help="a column of households: whether any person has the level; the same name again adds a level",
    )


DECISIONS = {
    "kind": "categorical, ordered, numeric, date, id, weight or ignore",
    "weight": "rows count as what this column says: CAP:UNIT or CAP:UNIT:TOTAL, each from public facts; "
    "with :all or :public behind them public rows too, or alone",
    "missing": "a code that stands for no value",
    "level": "a cell that is a value although it is a missing token",
    "spike": "a number that gets a bin of its own",
    "decimal": "the decimal mark",
    "thousands": "the mark between groups of three digits",
    "prefix": "what may stand before numbers, such as $",
    "suffix": "what may stand behind numbers, such as %% or kg",
    "part": "of dates: year, quarter, month or weekday",
    "order": "of dates: ymd, dmy or mdy",
    "pivot": "of dates: years of two digits are of 19.. from it on, 0 to 100",
    "same": "equivalences such as trim,casefold, or: none",
    "parent": "an attribute that follows from the column: NAME:prefix:2 (its first characters), NAME:map:FILE (lines "
    "LEVEL,PARENT), NAME:edges:0,18,65 (bands of numbers or years) or NAME:column (as the public tables have it)",
}
"""The rules by which a person decides about a column, as drafting knows them, and what their values are."""
