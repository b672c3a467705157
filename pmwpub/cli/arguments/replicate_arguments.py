"""Arguments of `replicate-weights`."""

from __future__ import annotations

from pmwpub.cli.arguments.shared_arguments import Actions, whole


def replicates_command(commands: Actions) -> None:
    """`replicate-weights`."""
    parser = commands.add_parser("replicate-weights", help="a release's errors as weights for survey software; free")
    parser.add_argument("--release", required=True, metavar="OUT/", help="the folder of a release")
    parser.add_argument("--replicates", type=whole, default=40, metavar="R", help="how many (default: 40)")
    parser.add_argument(
        "--seed", type=whole, default=0, metavar="S", help="a public number: the same one makes the same weights"
    )
    parser.add_argument(
        "-o", "--output", required=True, metavar="WEIGHTS.csv", help="the table; its note lies beside it, as .json"
    )
    parser.set_defaults(run="pmwpub.cli.released.replicate_weights_command:replicate_weights")
