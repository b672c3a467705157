"""Arguments of the `ledger` commands."""

from __future__ import annotations

from pmwpub.cli.arguments.shared_arguments import Actions, whole


def ledger_commands(commands: Actions) -> None:
    """The `ledger` commands: on the terms of a population, and on the store as a whole."""
    actions = commands.add_parser(
        "ledger", help="register a population, show what it spent, copy the store"
    ).add_subparsers(required=True)
    _register(actions)
    _amend(actions)
    _acknowledge(actions)
    _show(actions)
    _copies(actions)
    _versions(actions)
    _moves(actions)


def _register(actions: Actions) -> None:
    register = actions.add_parser("register", help="fix n, the rows per person and the total budget")
    register.add_argument("name")
    register.add_argument("--n", type=whole, required=True, help="rows of the private table (public)")
    register.add_argument("--epsilon", required=True, help="total epsilon")
    register.add_argument("--delta", help="default: 1/n^2")
    register.add_argument("--rows-per-person", type=whole, default=1, metavar="K")
    register.add_argument("--unit", default="one person", help="who is protected, in words")
    register.set_defaults(run="pmwpub.cli.ledger_commands:register")


def _show(actions: Actions) -> None:
    show = actions.add_parser("show", help="the charges of a population and what is left")
    show.add_argument("name")
    show.set_defaults(run="pmwpub.cli.ledger_commands:show_ledger")
    attempts = actions.add_parser("attempts", help="for whoever runs the store: recorded loads of private tables")
    attempts.set_defaults(run="pmwpub.cli.ledger_commands:attempts")


def _copies(actions: Actions) -> None:
    backup = actions.add_parser("backup", help="copy the store, also while it is in use, to a new file")
    backup.add_argument("file", metavar="FILE")
    backup.set_defaults(run="pmwpub.cli.ledger_commands:backup_ledger")
    restore = actions.add_parser(
        "restore", help="put a backup in the store's place; charges it lacks are added as spent"
    )
    restore.add_argument("file", metavar="FILE")
    restore.set_defaults(run="pmwpub.cli.ledger_commands:restore_ledger")
    reconcile = actions.add_parser("reconcile", help="add the charges that the store's witness has and it lacks")
    reconcile.set_defaults(run="pmwpub.cli.ledger_commands:reconcile_ledger")
    for parser in (restore, reconcile):
        parser.add_argument(
            "--accept-missing-witness", action="store_true", help="take the charges as they are; this is recorded"
        )


def _versions(actions: Actions) -> None:
    migrate = actions.add_parser("migrate", help="bring a store of an earlier version to this program's")
    migrate.add_argument("--dry-run", action="store_true", help="only say what would be done")
    migrate.set_defaults(run="pmwpub.cli.ledger_commands:migrate_ledger")


def _moves(actions: Actions) -> None:
    """What closes a population: its move to another server, in four steps, and its retirement."""
    address = actions.add_parser("address", help="on the server that is to receive a population: where to send it")
    address.add_argument("name")
    address.set_defaults(run="pmwpub.cli.moving.closing_commands:address")
    export = actions.add_parser("export", help="close a population here and write all of it for another server")
    export.add_argument("name")
    export.add_argument("--to", required=True, metavar="ADDRESS", help="as ledger address prints it on that server")
    export.add_argument("-o", "--output", required=True, metavar="FILE", help="a new file")
    export.set_defaults(run="pmwpub.cli.moving.closing_commands:export")
    taken = actions.add_parser("import", help="take in a population from another server, with its budget; once")
    taken.add_argument("file", metavar="FILE")
    taken.add_argument("--sum", metavar="SUM", help="as ledger export printed it, where it came another way")
    taken.set_defaults(run="pmwpub.cli.moving.closing_commands:take_in")
    arrived = actions.add_parser("arrived", help="record, where a population came from, that it was taken in")
    arrived.add_argument("name")
    arrived.add_argument("receipt", metavar="RECEIPT", help="as ledger import printed it")
    arrived.set_defaults(run="pmwpub.cli.moving.closing_commands:arrived")
    retire = actions.add_parser("retire", help="close a population for good; what was bought stays")
    retire.add_argument("name")
    retire.add_argument("--final", action="store_true", help="say that this is meant: it cannot be undone")
    retire.set_defaults(run="pmwpub.cli.moving.closing_commands:retire")


def _acknowledge(actions: Actions) -> None:
    """`ledger acknowledge`: one table serves several populations."""
    parser = actions.add_parser(
        "acknowledge", help="record the decision that this private table serves other populations too (one user alone)"
    )
    parser.add_argument("population", metavar="name")
    parser.add_argument("--private", required=True, metavar="P.csv")
    parser.add_argument("--schema", required=True, metavar="schema.json")
    parser.add_argument("--read", action="append", default=[], metavar="FILE=ENCODING,DELIMITER")
    parser.set_defaults(run="pmwpub.cli.acknowledge:acknowledge", count_on=None)


def _amend(actions: Actions) -> None:
    """`ledger amend`: whatever is left out stays as it is."""
    parser = actions.add_parser("amend", help="correct terms before the first charge; afterwards only lower epsilon")
    parser.add_argument("name")
    parser.add_argument("--n", type=whole, help="rows of the private table (public); a delta of 1/n^2 follows it")
    parser.add_argument("--rows-per-person", type=whole, metavar="K")
    parser.add_argument("--unit", help="who is protected, in words")
    parser.add_argument("--epsilon", help="total epsilon")
    parser.add_argument("--delta", help="a number, or: 1/n^2")
    parser.set_defaults(run="pmwpub.cli.ledger_commands:amend_terms")
