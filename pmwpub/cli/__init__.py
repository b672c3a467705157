"""The command line: `arguments` has what is typed, each other module what one command does."""

from pmwpub.cli.main import main

__all__ = ["main"]
