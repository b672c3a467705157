"""Arguments that several commands have: whole numbers, the tables and how they are read, the workload."""

from __future__ import annotations

import argparse
from typing import TypeAlias

from pmwpub.errors import BudgetError
from pmwpub.numerals import read_whole

Actions: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""Where commands are added."""


def whole(text: str) -> int:
    """A whole number in the digits 0 to 9, its thousands grouped or not."""
    try:
        return read_whole(text)
    except BudgetError:
        raise argparse.ArgumentTypeError(f"a whole number is needed; {text[:40]!r} came") from None


def spending(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """What a command needs that loads the private table beside public ones.

    required  whether the private table and a public one must be named
    """
    parser.add_argument("--population", required=True)
    parser.add_argument("--schema", required=True)
    private(parser, required=required)
    parser.add_argument("--public", required=required, action="append", default=[], metavar="A.csv")
    reading(parser)
    parser.add_argument("--repeat", type=whole, default=0, help="draw a plan that was sent before again, at its price")
    parser.add_argument(
        "--overlap-acknowledged",
        action="store_true",
        help="no public file was made from the private table: needed where they share more rows than chance explains, "
        "and for every purchase in a shared service (PMWPUB_MODE=shared)",
    )
    workload(parser)


def private(parser: argparse.ArgumentParser, *, required: bool) -> None:
    """Where the private table is, and where it is counted."""
    parser.add_argument(
        "--private", required=required, metavar="P.csv", help="CSV, Parquet, or a folder of Parquet files, of any size"
    )
    parser.add_argument(
        "--count-on",
        metavar="ADDRESS",
        help="count Parquet files on a Dask cluster without spilling and dashboard; trusted like this machine",
    )


def reading(parser: argparse.ArgumentParser) -> None:
    """How files are read that are not UTF-8 with commas."""
    parser.add_argument(
        "--read",
        action="append",
        default=[],
        metavar="FILE=ENCODING,DELIMITER",
        help='how one of the files is read if not as UTF-8 with commas: "--read a.csv=cp1252,semicolon"',
    )


def workload(parser: argparse.ArgumentParser) -> None:
    """Which marginals are asked about."""
    parser.add_argument("-k", type=whole, default=3, help="attributes per marginal (3)")
    parser.add_argument("--marginals", type=whole, help="sample so many of the k-way marginals; default: all")
    parser.add_argument("--seed", type=whole, default=0, help="public seed of the sampled workload")
    parser.add_argument(
        "--marginal",
        action="append",
        default=[],
        metavar="COLUMN,COLUMN",
        help="instead: these marginals alone, each one line of CSV; repeat it for each",
    )
    parser.add_argument(
        "--prefixes",
        metavar="COLUMN,COLUMN",
        help="also answer 'at most x' of these ordered columns (numbers, ordered levels, years, quarters, months)",
    )
