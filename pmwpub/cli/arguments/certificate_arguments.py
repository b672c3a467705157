"""Arguments of what looks at a release's files: `certificate`, `answer`, `few-records`."""

from __future__ import annotations

from pmwpub.cli.arguments.shared_arguments import Actions, whole

FORMAT_NAMES = ("registry", "croissant", "ro-crate", "nist-800-226")
"""Of records; `release.catalogue.record_formats` makes them."""


def certificate_commands(commands: Actions) -> None:
    """`certificate check`, `export`, `keygen` and `sign`."""
    actions = commands.add_parser("certificate", help="check a release's files").add_subparsers(required=True)
    check = actions.add_parser("check", help="recompute hashes, plan, price and epsilon from the files alone")
    check.add_argument("folder", metavar="OUT/")
    check.add_argument("--public-key", metavar="KEY.pub", help="also refuse it unless this key signed it")
    check.set_defaults(run="pmwpub.cli.released.certificate_check:check_certificate")
    _export(actions)
    keygen = actions.add_parser("keygen", help="a new key to sign certificates with; never over an existing file")
    keygen.add_argument(
        "-o", "--output", required=True, metavar="KEY", help="the private key; KEY.pub is the public one"
    )
    keygen.set_defaults(run="pmwpub.cli.released.certificate_signing:make_key")
    sign = actions.add_parser("sign", help="sign a release's certificate, once it holds: certificate.sig beside it")
    sign.add_argument("folder", metavar="OUT/")
    sign.add_argument("--key", required=True, metavar="KEY", help="the private key")
    sign.set_defaults(run="pmwpub.cli.released.certificate_signing:sign_certificate")


def _export(actions: Actions) -> None:
    parser = actions.add_parser("export", help="a record of a release for catalogues and registries; free")
    parser.add_argument("--format", required=True, choices=FORMAT_NAMES, help="of the record")
    parser.add_argument("--release", required=True, metavar="OUT/", help="the folder of a release")
    parser.add_argument(
        "--about", metavar="ABOUT.json", help="what its publisher says of it, such as curator, license, intended_use"
    )
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="the record; of ro-crate a new folder")
    parser.set_defaults(run="pmwpub.cli.released.record_export:export_record")


def answer_command(commands: Actions) -> None:
    """`answer`."""
    parser = commands.add_parser("answer", help="what a release answers, and how far off that may be; free")
    parser.add_argument("--release", required=True, metavar="OUT/", help="the folder of a release")
    parser.add_argument(
        "--marginal", metavar="COLUMN,COLUMN", help="one to three columns; without it, all marginals of the workload"
    )
    parser.add_argument("--of", choices=("persons", "households"), help="what is counted, in a release of households")
    parser.add_argument("--within", metavar="COLUMN", help="shares within levels of some of the marginal's columns")
    parser.add_argument(
        "--difference", nargs=2, metavar="COLUMN=LEVEL,...", help="the share of one cell less that of another"
    )
    parser.add_argument("--mean", metavar="COLUMN", help="the mean of a numeric column, by its noisy table")
    parser.add_argument("--range", metavar="COLUMN=FROM..TO", help="the share of rows in a range of an ordered column")
    parser.add_argument("--cumulative", metavar="COLUMN", help="the shares of rows up to each of its ordered levels")
    parser.add_argument("--quantile", metavar="COLUMN", help="quantiles of an ordered column, at --at")
    parser.add_argument("--at", metavar="PART,PART", help="which quantiles (0.25,0.5,0.75)")
    parser.add_argument("-o", "--output", metavar="ANSWERS.csv", help="also as CSV; needed where nothing is asked")
    parser.set_defaults(run="pmwpub.cli.released.answer:answer")


def few_records_command(commands: Actions) -> None:
    """`few-records`."""
    parser = commands.add_parser(
        "few-records", help="which rows of a release few public people have, and what leaving them out costs; free"
    )
    parser.add_argument("--release", required=True, metavar="OUT/", help="the folder of a release")
    parser.add_argument(
        "--public", required=True, action="append", metavar="PUBLIC.csv", help="its public table; repeat for a pool"
    )
    parser.add_argument(
        "--columns", required=True, metavar="COLUMN,COLUMN", help="those that point to a person, the weightiest first"
    )
    parser.add_argument("--fewest", type=whole, default=5, metavar="M", help="fewer records than this are few (5)")
    parser.add_argument("--rule", choices=("drop", "merge"), help="with -o: what becomes of these rows")
    parser.add_argument("-o", "--output", metavar="ROWS.csv", help="a synthetic table without them, by that rule")
    parser.set_defaults(run="pmwpub.cli.released.few_records_command:few_records_of")
