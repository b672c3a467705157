"""Arguments of `app`."""

from __future__ import annotations

import argparse
import re

from pmwpub.cli.arguments.shared_arguments import Actions, whole


def app_command(commands: Actions) -> None:
    """`app`: the pages, in the browser."""
    parser = commands.add_parser("app", help="the pages in the browser, on this machine only")
    parser.add_argument("--port", type=_port, help="default: 8501, or the next that is free")
    parser.add_argument(
        "--base-path", type=_base_path, metavar="PATH", help="what all addresses begin with, for a proxy in front"
    )
    parser.add_argument("--headless", action="store_true", help="open no browser")
    parser.add_argument(
        "--check",
        action="store_true",
        help="no server: try store, witness and workers, say what was found, and end",
    )
    parser.set_defaults(run="pmwpub.cli.app_server:app")


def _port(text: str) -> int:
    port = whole(text)
    if not 1 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"a port is a whole number from 1 to 65535; {text[:40]!r} came")
    return port


def _base_path(text: str) -> str:
    path = text.strip("/")
    if len(path) > 200 or not re.fullmatch("[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*", path, re.ASCII):
        raise argparse.ArgumentTypeError(
            f"a path is letters, digits, - and _, in parts between slashes, such as tools/pmwpub; {text[:40]!r} came"
        )
    return path
