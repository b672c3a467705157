"""Arguments of the `certificate` commands."""

from __future__ import annotations

from pmwpub.cli.arguments.shared_arguments import Actions


def certificate_commands(commands: Actions) -> None:
    """`certificate check`."""
    actions = commands.add_parser("certificate", help="check a release's files").add_subparsers(required=True)
    check = actions.add_parser("check", help="recompute hashes, plan, price and epsilon from the files alone")
    check.add_argument("folder", metavar="OUT/")
    check.set_defaults(run="pmwpub.cli.certificate_check:check_certificate")
