"""Arguments of what looks at a release's files: `certificate`, `answer`."""

from __future__ import annotations

from pmwpub.cli.arguments.shared_arguments import Actions


def certificate_commands(commands: Actions) -> None:
    """`certificate check`."""
    actions = commands.add_parser("certificate", help="check a release's files").add_subparsers(required=True)
    check = actions.add_parser("check", help="recompute hashes, plan, price and epsilon from the files alone")
    check.add_argument("folder", metavar="OUT/")
    check.set_defaults(run="pmwpub.cli.released.certificate_check:check_certificate")


def answer_command(commands: Actions) -> None:
    """`answer`."""
    parser = commands.add_parser("answer", help="what a release answers, and how far off that may be; free")
    parser.add_argument("--release", required=True, metavar="OUT/", help="the folder of a release")
    parser.add_argument(
        "--marginal", metavar="COLUMN,COLUMN", help="one to three columns; without it, all marginals of the workload"
    )
    parser.add_argument("-o", "--output", metavar="ANSWERS.csv", help="also as CSV; needed without --marginal")
    parser.set_defaults(run="pmwpub.cli.released.answer:answer")
