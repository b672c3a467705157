"""Arguments of what is bought: `assess`, `release`, `accept`, `error`, `misfits`."""

from __future__ import annotations

import argparse

from pmwpub.cli.arguments.shared_arguments import Actions, private, reading, spending, whole


def assess_command(commands: Actions) -> None:
    """`assess`."""
    parser = commands.add_parser("assess", help="buy a noisy best-mixture error and start for each candidate")
    spending(parser, required=False)
    parser.add_argument(
        "--pool", action="append", default=[], metavar="A.csv+B.csv", help="several files together as one candidate"
    )
    price = parser.add_mutually_exclusive_group()
    price.add_argument("--epsilon", help="pure epsilon for each candidate; with --best, of the choice")
    price.add_argument("--precision", help="instead: the error bar wanted of each floor (95 %%), such as 0.005")
    parser.add_argument("--no-start", action="store_true", help="leave the start out; the floor has all of epsilon")
    parser.add_argument("--no-floor", action="store_true", help="leave the floor out; the start has all of epsilon")
    setting = parser.add_mutually_exclusive_group()
    setting.add_argument("--fast", action="store_true", help="floors over a public sample of marginals (the default)")
    setting.add_argument(
        "--part", action="store_true", help="floors over as many marginals that public tables choose: nearer to --full"
    )
    setting.add_argument("--full", action="store_true", help="floors over the whole workload: slower")
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument(
        "--best", action="store_true", help="buy only which candidate has the lowest floor, for one charge"
    )
    ways.add_argument("--compare", action="store_true", help="free: candidate against candidate; buys nothing")
    ways.add_argument(
        "--expect",
        metavar="EPSILON",
        help="free: simulate releases between candidates at that epsilon; the error to expect, and whom to take",
    )
    parser.set_defaults(run="pmwpub.cli.assess:assess")


def release_command(commands: Actions) -> None:
    """`release`."""
    parser = commands.add_parser(
        "release", help="run PMW^Pub, or table fit, and write its files; of households where the schema says so"
    )
    spending(parser)
    parser.add_argument("--epsilon", required=True, help="epsilon at the population's delta, or: rest")
    parser.add_argument(
        "--engine",
        choices=("pmw-pub", "table-fit", "table-fit-pool", "unchanged"),
        help="pmw-pub; table-fit: all tables of one and two columns measured at once; table-fit-pool: the same with "
        "several --public, whose weights are learnt from the noisy tables; unchanged: the public table itself, free of "
        "charge; default: pmw-pub where one of the five flags after --three-way is given, which are its own, else a "
        "stored release of these inputs, else what public tables advise",
    )
    parser.add_argument(
        "--grow",
        action="store_true",
        help="of table-fit: add rows where noisy tables show people of whom no public row tells",
    )
    parser.add_argument(
        "--three-way",
        action="store_true",
        help="of table-fit: measure tables of three columns too, with a quarter of the budget; for few columns or many "
        "people, as evaluate --methods table-fit,table-fit-three-way shows on public tables",
    )
    parser.add_argument(
        "--ranges",
        metavar="COLUMN,COLUMN",
        help="of table-fit: measure coarse tables of these ordered columns too, with a quarter of the budget; for "
        "ranges and quantiles of columns in many bins",
    )
    parser.add_argument(
        "--criteria", metavar="C.json", help="by which `accept` holds it against the private table once it is stored"
    )
    parser.add_argument("--rounds", type=whole, help="T (25)")
    parser.add_argument("--selection", choices=("exponential", "permute-and-flip"), help="(exponential)")
    parser.add_argument("--output", choices=("last", "average"), help="(last)")
    parser.add_argument("--start", choices=("public", "uniform"), help="weights of round 0 (public)")
    parser.add_argument("--replay", choices=("half", "off"), help="past measurements again (half), or not")
    parser.add_argument("--rows", type=whole, help="synthetic rows, or households; default: n")
    parser.add_argument(
        "--cells",
        choices=("labels", "numbers", "public-values"),
        default="labels",
        help="numeric columns as bins, numbers inside them, or numbers of public rows (their raw values reappear)",
    )
    parser.add_argument(
        "--columns",
        choices=("attributes", "all"),
        default="attributes",
        help="the encoded columns, or all of the schema: ids as row numbers, left-out columns blank",
    )
    parser.add_argument("--row-seed", type=whole, default=0, help="public seed of the synthetic rows")
    parser.add_argument(
        "--free-table-acknowledged",
        action="store_true",
        help="buy although the public table unchanged, which is free, is expected to be as good",
    )
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("-o", "--out", metavar="OUT/")
    where.add_argument(
        "--dry-run",
        action="store_true",
        help="buy nothing: the price, the noise and the error to expect",
    )
    parser.set_defaults(run="pmwpub.cli.release:release")


def accept_command(commands: Actions) -> None:
    """`accept`."""
    parser = commands.add_parser("accept", help="buy whether a finished release meets the criteria of its plan")
    _of_release(parser, required=False)
    parser.add_argument(
        "--half-widths", default="0.5", help="of the noisy numbers at 95 %%, as a part of their bars (0.5)"
    )
    parser.add_argument("--dry-run", action="store_true", help="buy nothing: the criteria, and at what price")
    parser.add_argument("--repeat", type=whole, default=0, help="draw this acceptance again, at its price")
    parser.set_defaults(run="pmwpub.cli.accept:accept")


def error_command(commands: Actions) -> None:
    """`error`."""
    parser = commands.add_parser("error", help="buy the noisy largest error of a finished release")
    _of_release(parser, required=True)
    parser.add_argument("--epsilon", required=True, help="pure epsilon of the noisy error")
    parser.add_argument("--repeat", type=whole, default=0, help="draw this error again, at its price")
    parser.set_defaults(run="pmwpub.cli.error:error")


def misfits_command(commands: Actions) -> None:
    """`misfits`."""
    parser = commands.add_parser("misfits", help="buy a noisy look at how many private rows the schema does not fit")
    parser.add_argument("--population", required=True)
    parser.add_argument("--schema", required=True)
    private(parser, required=False)
    reading(parser)
    parser.add_argument(
        "--column", action="append", default=[], metavar="COLUMN", help="look at this one; default: the risky ones"
    )
    parser.add_argument("--rules", action="store_true", help="also count the rows that break a rule of the schema")
    parser.add_argument("--half-width", default="0.01", help="of each share of rows, at 95 %% (0.01: one point)")
    parser.add_argument("--dry-run", action="store_true", help="buy nothing: which columns, and at what price")
    parser.add_argument("--repeat", type=whole, default=0, help="draw this look again, at its price")
    parser.set_defaults(run="pmwpub.cli.misfits:misfits")


def _of_release(parser: argparse.ArgumentParser, *, required: bool) -> None:
    """What a command needs that holds a stored release against the private table.

    required  whether the private table must be named
    """
    parser.add_argument("--population", required=True)
    parser.add_argument("--schema", required=True, help="the release's own schema")
    private(parser, required=required)
    reading(parser)
    parser.add_argument("--release", required=True, metavar="OUT/", help="its folder, or the SHA-256 of its plan")
    parser.add_argument("--draw", type=whole, default=0, help="which draw of that plan, by its --repeat (0)")
