"""The command line: `main` has the arguments, each other module what one command does."""

from pmwpub.cli.main import main

__all__ = ["main"]
