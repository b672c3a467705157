"""Arguments of the `schema` commands."""

from __future__ import annotations

from pmwpub.cli.arguments.shared_arguments import Actions, reading, whole


def schema_commands(commands: Actions) -> None:
    """`schema draft`."""
    actions = commands.add_parser("schema", help="draft a schema from public tables").add_subparsers(required=True)
    draft = actions.add_parser("draft", help="levels and bins from public tables or a codebook, and only from those")
    draft.add_argument("public", nargs="*", metavar="PUBLIC.csv")
    draft.add_argument("--codebook", metavar="BOOK.csv", help="columns, codes and edges, in CSV or JSON")
    draft.add_argument("--bins", type=whole, default=10, help="bins of a numeric column at most (10)")
    draft.add_argument("--binning", choices=("rounded", "quantiles", "width"), default="rounded")
    draft.add_argument(
        "--max-levels", type=whole, default=60, help="distinct texts of a categorical column at most (60)"
    )
    reading(draft)
    draft.add_argument("-o", "--out", required=True, metavar="schema.json")
    draft.set_defaults(run="pmwpub.cli.schema_draft:draft_schema")
