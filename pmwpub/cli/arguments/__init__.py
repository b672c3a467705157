"""The arguments of every command, and nothing that a command needs to run.

A parser names its command's function as `run`, "module:function", which is imported once the arguments are read: to ask
for help must not wait for numbers, tables or databases.
"""

from __future__ import annotations

import argparse

from pmwpub.cli.arguments.app_arguments import app_command
from pmwpub.cli.arguments.certificate_arguments import answer_command, certificate_commands, few_records_command
from pmwpub.cli.arguments.evaluate_arguments import evaluate_command
from pmwpub.cli.arguments.ledger_arguments import ledger_commands
from pmwpub.cli.arguments.purchase_arguments import (
    accept_command,
    assess_command,
    error_command,
    misfits_command,
    release_command,
)
from pmwpub.cli.arguments.replicate_arguments import replicates_command
from pmwpub.cli.arguments.schema_arguments import schema_commands
from pmwpub.cli.arguments.weight_arguments import weight_total_command


def command_parser() -> argparse.ArgumentParser:
    """The parser of all commands, in the order in which they are used."""
    parser = argparse.ArgumentParser(prog="pmwpub", description="Choose public data and release private data with it.")
    parser.add_argument(
        "--store", help="database URL of the ledger; default: PMWPUB_STORE, else the user's data folder"
    )
    commands = parser.add_subparsers(required=True, metavar="command")
    app_command(commands)
    schema_commands(commands)
    ledger_commands(commands)
    misfits_command(commands)
    weight_total_command(commands)
    assess_command(commands)
    release_command(commands)
    accept_command(commands)
    error_command(commands)
    certificate_commands(commands)
    answer_command(commands)
    few_records_command(commands)
    replicates_command(commands)
    evaluate_command(commands)
    return parser
