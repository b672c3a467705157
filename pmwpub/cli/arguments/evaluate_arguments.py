"""Arguments of `evaluate`."""

from __future__ import annotations

from pmwpub.cli.arguments.shared_arguments import Actions, reading, whole, workload


def evaluate_command(commands: Actions) -> None:
    """`evaluate`."""
    parser = commands.add_parser("evaluate", help="simulation on data that may be looked at; NOT private")
    parser.add_argument("--schema", required=True)
    parser.add_argument("--truth", required=True, metavar="T.csv", help="plays the private table")
    parser.add_argument("--public", required=True, action="append", metavar="A.csv")
    reading(parser)
    workload(parser)
    parser.add_argument("--epsilons", default="0.1,0.25,1", help="comma-separated")
    parser.add_argument("--delta", help="default: 1/n^2")
    parser.add_argument("--runs", type=whole, default=5)
    parser.add_argument("--rounds", help="comma-separated T; default: the rule, after a pilot run")
    parser.add_argument(
        "--methods",
        help="comma-separated (pmw-pub,unchanged; of households table-fit,unchanged): pmw-pub, its variants such as "
        "pmw-pub+average+no-replay, unchanged, and the baselines "
        "mwem, dual-query, ji-elkan, hdmm, residual-planner (parameters: dual-query+samples=50+eta=2); or: all",
    )
    parser.add_argument("--floors", action="store_true", help="certify each best-mixture error too")
    parser.add_argument("--html", metavar="PAGE.html", help="the figure as one file that opens without a network")
    parser.add_argument(
        "--theory", action="store_true", help="with --floors and --html: draw the accuracy theorem's bound there too"
    )
    places = parser.add_mutually_exclusive_group()
    places.add_argument("--workers", type=whole, default=1, metavar="N", help="processes of this machine (1)")
    places.add_argument("--dask", metavar="ADDRESS", help="instead: a Dask cluster's scheduler, tcp://HOST:PORT")
    parser.add_argument("-o", "--out", required=True, metavar="errors.csv")
    parser.set_defaults(run="pmwpub.cli.evaluate:evaluate")
