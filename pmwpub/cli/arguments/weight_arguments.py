"""Arguments of what is about survey weights: `weight-total`, `schema weights`."""

from __future__ import annotations

from pmwpub.cli.arguments.shared_arguments import Actions, private, reading, whole


def weight_total_command(commands: Actions) -> None:
    """`weight-total`."""
    parser = commands.add_parser("weight-total", help="buy the noisy sum of the private rows' survey weights")
    parser.add_argument("--population", required=True)
    parser.add_argument("--schema", required=True, help="whose column of weights has a cap and a unit, and no total")
    private(parser, required=False)
    reading(parser)
    parser.add_argument("--epsilon", required=True, help="at the population's delta, as of a release")
    parser.add_argument("--dry-run", action="store_true", help="buy nothing: the price, and what it would be off by")
    parser.add_argument("--repeat", type=whole, default=0, help="draw this total again, at its price")
    parser.set_defaults(run="pmwpub.cli.weighing.weight_total:weight_total")


def clipping_command(actions: Actions) -> None:
    """`schema weights`."""
    parser = actions.add_parser("weights", help="what clipping survey weights at a cap costs on public tables; free")
    parser.add_argument("public", nargs="+", metavar="PUBLIC.csv")
    parser.add_argument("--schema", required=True, help="whose columns are compared with and without clipping")
    words = "the column of weights; the one that the schema declares where none is said"
    parser.add_argument("--column", metavar="NAME", help=words)
    words = "try this one; may be repeated. Else half, once and twice the schema's, or quantiles of the public weights"
    parser.add_argument("--cap", action="append", default=[], metavar="W", help=words)
    reading(parser)
    parser.set_defaults(run="pmwpub.cli.weighing.clipping:weights")
