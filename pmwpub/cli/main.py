"""The command line: everything that the pages do, for scripts.

JSON on stdout, progress and errors on stderr; exit status 2 for a refusal, 1 for a charge without a result, 74 for an
answer that cannot be written.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from pmwpub.cli.arguments import acknowledge, amend, column_decisions
from pmwpub.cli.arguments import whole as _whole
from pmwpub.errors import NoResult, PmwPubError
from pmwpub.printing import printed
from pmwpub.wording import refused_value

REFUSED = 2
NO_RESULT = 1
INTERRUPTED = 130
STOPPED = "What was charged stays charged, without a result; see: pmwpub ledger show"
STOPPED_FREE = "Nothing was charged; the same command goes on where it stopped."
FREE = ("evaluate",)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    from pydantic import ValidationError

    from pmwpub.cli import commands
    from pmwpub.jobs.dumps import no_core_dumps
    from pmwpub.service.policy import Policy

    no_core_dumps()
    parsed = _parser().parse_args(arguments)
    try:
        Policy.declared("localhost")
        found = getattr(commands, parsed.run)(parsed)
    except KeyboardInterrupt:
        print(f"pmwpub: Stopped. {STOPPED_FREE if parsed.run in FREE else STOPPED}", file=sys.stderr)
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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="pmwpub", description="Choose public data and release private data with it.")
    parser.add_argument(
        "--store", help="database URL of the ledger; default: PMWPUB_STORE, else the user's data folder"
    )
    commands = parser.add_subparsers(required=True, metavar="command")
    _schema(commands)
    _ledger(commands)
    _assess(commands)
    _release(commands)
    _error(commands)
    _certificate(commands)
    _evaluate(commands)
    return parser


def _schema(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    actions = commands.add_parser("schema", help="draft a schema from public tables").add_subparsers(required=True)
    draft = actions.add_parser("draft", help="levels and bins from public tables or a codebook, and only from those")
    draft.add_argument("public", nargs="*", metavar="PUBLIC.csv")
    draft.add_argument("--codebook", metavar="BOOK.csv", help="columns, codes and edges, in CSV or JSON")
    draft.add_argument("--bins", type=_whole, default=10, help="bins of a numeric column at most (10)")
    draft.add_argument("--binning", choices=("rounded", "quantiles", "width"), default="rounded")
    draft.add_argument(
        "--max-levels", type=_whole, default=60, help="distinct texts of a categorical column at most (60)"
    )
    _reading(draft)
    column_decisions(draft)
    draft.add_argument("-o", "--out", required=True, metavar="schema.json")
    draft.set_defaults(run="draft_schema")


def _ledger(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    actions = commands.add_parser(
        "ledger", help="register a population, show what it spent, copy the store"
    ).add_subparsers(required=True)
    register = actions.add_parser("register", help="fix n, the rows per person and the total budget")
    register.add_argument("name")
    register.add_argument("--n", type=_whole, required=True, help="rows of the private table (public)")
    register.add_argument("--epsilon", required=True, help="total epsilon")
    register.add_argument("--delta", help="default: 1/n^2")
    register.add_argument("--rows-per-person", type=_whole, default=1, metavar="K")
    register.add_argument("--unit", default="one person", help="who is protected, in words")
    register.set_defaults(run="register")
    amend(actions)
    acknowledge(actions)
    show = actions.add_parser("show", help="the charges of a population and what is left")
    show.add_argument("name")
    show.set_defaults(run="show_ledger")
    attempts = actions.add_parser("attempts", help="for whoever runs the store: recorded loads of private tables")
    attempts.set_defaults(run="attempts")
    backup = actions.add_parser("backup", help="copy the store, also while it is in use, to a new file")
    backup.add_argument("file", metavar="FILE")
    backup.set_defaults(run="backup_ledger")
    restore = actions.add_parser(
        "restore", help="put a backup in the store's place; charges it lacks are added as spent"
    )
    restore.add_argument("file", metavar="FILE")
    restore.set_defaults(run="restore_ledger")
    reconcile = actions.add_parser("reconcile", help="add the charges that the store's witness has and it lacks")
    reconcile.set_defaults(run="reconcile_ledger")
    migrate = actions.add_parser("migrate", help="bring a store of an earlier version to this program's")
    migrate.add_argument("--dry-run", action="store_true", help="only say what would be done")
    migrate.set_defaults(run="migrate_ledger")
    for parser in (restore, reconcile):
        parser.add_argument(
            "--accept-missing-witness", action="store_true", help="take the charges as they are; this is recorded"
        )


def _spending(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    parser.add_argument("--population", required=True)
    parser.add_argument("--schema", required=True)
    _private(parser, required=required)
    parser.add_argument("--public", required=required, action="append", default=[], metavar="A.csv")
    _reading(parser)
    parser.add_argument("--repeat", type=_whole, default=0, help="draw a plan that was sent before again, at its price")
    parser.add_argument(
        "--overlap-acknowledged",
        action="store_true",
        help="no public file was made from the private table: needed where they share more rows than chance explains, "
        "and for every purchase in a shared service (PMWPUB_MODE=shared)",
    )
    _workload(parser)


def _private(parser: argparse.ArgumentParser, *, required: bool) -> None:
    parser.add_argument(
        "--private", required=required, metavar="P.csv", help="CSV, Parquet, or a folder of Parquet files, of any size"
    )
    parser.add_argument(
        "--count-on",
        metavar="ADDRESS",
        help="count Parquet files on a Dask cluster without spilling and dashboard; trusted like this machine",
    )


def _reading(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--read",
        action="append",
        default=[],
        metavar="FILE=ENCODING,DELIMITER",
        help='how one of the files is read if not as UTF-8 with commas: "--read a.csv=cp1252,semicolon"',
    )


def _workload(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-k", type=_whole, default=3, help="attributes per marginal (3)")
    parser.add_argument("--marginals", type=_whole, help="sample so many of the k-way marginals; default: all")
    parser.add_argument("--seed", type=_whole, default=0, help="public seed of the sampled workload")
    parser.add_argument(
        "--marginal",
        action="append",
        default=[],
        metavar="COLUMN,COLUMN",
        help="instead: these marginals alone, each one line of CSV; repeat it for each",
    )


def _assess(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("assess", help="buy a noisy best-mixture error and start for each candidate")
    _spending(parser, required=False)
    parser.add_argument(
        "--pool", action="append", default=[], metavar="A.csv+B.csv", help="several files together as one candidate"
    )
    price = parser.add_mutually_exclusive_group()
    price.add_argument("--epsilon", help="pure epsilon for each candidate; with --best, of the choice")
    price.add_argument("--precision", help="instead: the error bar wanted of each floor (95 %%), such as 0.005")
    parser.add_argument("--no-start", action="store_true", help="leave the start out; the floor has all of epsilon")
    parser.add_argument("--no-floor", action="store_true", help="leave the floor out; the start has all of epsilon")
    setting = parser.add_mutually_exclusive_group()
    setting.add_argument("--fast", action="store_true", help="floors over a public sub-workload (the default)")
    setting.add_argument("--full", action="store_true", help="floors over the whole workload: slower")
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument(
        "--best", action="store_true", help="buy only which candidate has the lowest floor, for one charge"
    )
    ways.add_argument("--compare", action="store_true", help="free: candidate against candidate; buys nothing")
    parser.set_defaults(run="assess")


def _release(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("release", help="run PMW^Pub and write its files")
    _spending(parser)
    parser.add_argument("--epsilon", required=True, help="epsilon at the population's delta, or: rest")
    parser.add_argument("--rounds", type=_whole, default=25, help="T (25)")
    parser.add_argument("--selection", choices=("exponential", "permute-and-flip"), default="exponential")
    parser.add_argument("--output", choices=("last", "average"), default="last")
    parser.add_argument("--start", choices=("public", "uniform"), default="public", help="weights of round 0")
    parser.add_argument("--replay", choices=("half", "off"), default="half", help="past measurements again, or not")
    parser.add_argument("--rows", type=_whole, help="synthetic rows; default: n")
    parser.add_argument(
        "--cells",
        choices=("labels", "numbers"),
        default="labels",
        help="numeric columns as bins or as numbers",
    )
    parser.add_argument("--row-seed", type=_whole, default=0, help="public seed of the synthetic rows")
    parser.add_argument("-o", "--out", required=True, metavar="OUT/")
    parser.set_defaults(run="release")


def _error(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("error", help="buy the noisy largest error of a finished release")
    parser.add_argument("--population", required=True)
    parser.add_argument("--schema", required=True, help="the release's own schema")
    _private(parser, required=True)
    _reading(parser)
    parser.add_argument("--release", required=True, metavar="OUT/", help="its folder, or the SHA-256 of its plan")
    parser.add_argument("--draw", type=_whole, default=0, help="which draw of that plan, by its --repeat (0)")
    parser.add_argument("--epsilon", required=True, help="pure epsilon of the noisy error")
    parser.add_argument("--repeat", type=_whole, default=0, help="draw this error again, at its price")
    parser.set_defaults(run="error")


def _certificate(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    actions = commands.add_parser("certificate", help="check a release's files").add_subparsers(required=True)
    check = actions.add_parser("check", help="recompute hashes, plan, price and epsilon from the files alone")
    check.add_argument("folder", metavar="OUT/")
    check.set_defaults(run="check_certificate")


def _evaluate(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("evaluate", help="simulation on data that may be looked at; NOT private")
    parser.add_argument("--schema", required=True)
    parser.add_argument("--truth", required=True, metavar="T.csv", help="plays the private table")
    parser.add_argument("--public", required=True, action="append", metavar="A.csv")
    _reading(parser)
    _workload(parser)
    parser.add_argument("--epsilons", default="0.1,0.25,1", help="comma-separated")
    parser.add_argument("--delta", help="default: 1/n^2")
    parser.add_argument("--runs", type=_whole, default=5)
    parser.add_argument("--rounds", help="comma-separated T; default: the rule, after a pilot run")
    parser.add_argument(
        "--methods",
        default="pmw-pub,unchanged",
        help="comma-separated: pmw-pub, its variants such as pmw-pub+average+no-replay, unchanged, and the baselines "
        "mwem, dual-query, ji-elkan, hdmm, residual-planner (parameters: dual-query+samples=50+eta=2); or: all",
    )
    parser.add_argument("--floors", action="store_true", help="certify each best-mixture error too")
    parser.add_argument("--html", metavar="PAGE.html", help="the figure as one file that opens without a network")
    parser.add_argument(
        "--theory", action="store_true", help="with --floors and --html: draw the accuracy theorem's bound there too"
    )
    places = parser.add_mutually_exclusive_group()
    places.add_argument("--workers", type=_whole, default=1, metavar="N", help="processes of this machine (1)")
    places.add_argument("--dask", metavar="ADDRESS", help="instead: a Dask cluster's scheduler, tcp://HOST:PORT")
    parser.add_argument("-o", "--out", required=True, metavar="errors.csv")
    parser.set_defaults(run="evaluate")


if __name__ == "__main__":
    sys.exit(main())
