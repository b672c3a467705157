"""Make weights.csv, synthetic.csv and, of PMW^Pub, measurements.csv of this release again, and compare every byte.
Of table fit, intervals.json too.

Weights of table fit may differ in their last digits where versions or machines do: then they agree "within rounding",
at most 1e-06 apart in total variation, and the rows are drawn from the weights.csv that lies here.

Where cells of synthetic.csv are drawn from public values, values.csv is made again, too.

    python rebuild.py PUBLIC.csv [MORE.csv ...] [--into FOLDER]

PUBLIC.csv is the public table that the certificate names by SHA-256; a pool of tables needs all of them, in any
order. Where the certificate says so, its rows count with their weight. Certificate and schema are read from the folder
of this script, or from --from FOLDER. Needs the pmwpub package, in the version that the certificate names. Nothing
private is needed, and nothing is drawn again: the noisy measurements, the order of the steps and the seed of the rows
stand in the certificate, or in tables.csv beside it.

Ends with status 0 if all agrees, 1 if a file differs, 2 if something cannot be read or written, or is not what it
should be.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

TABLES, WEIGHTS, INTERVALS = "tables.csv", "weights.csv", "intervals.json"
MADE = ("weights.csv", "measurements.csv", "intervals.json", "synthetic.csv", "values.csv")


def main(arguments: Sequence[str] | None = None) -> int:
    """Rebuild, say what agrees, and return the exit status."""
    from pmwpub.errors import PmwPubError
    from pmwpub.outputs import apart
    from pmwpub.release.answers.interval_strengths import WITHIN, compared_strengths
    from pmwpub.release.certificates.certificate_reading import read_certificate
    from pmwpub.release.rebuilding import near, rebuilt
    from pmwpub.tabular.schema.table_schema import Schema

    parsed = _parser().parse_args(arguments)
    folder = Path(parsed.folder)
    try:
        if parsed.into is not None:
            apart([Path(parsed.into) / name for name in MADE], [*parsed.public, folder])
        certificate = read_certificate((folder / "certificate.json").read_bytes())
        noisy = (folder / TABLES).read_bytes() if TABLES in certificate.files else b""
        public, schema_json = [Path(path) for path in parsed.public], (folder / "schema.json").read_bytes()
        released = (folder / WEIGHTS).read_bytes() if (folder / WEIGHTS).exists() else b""
        files = rebuilt(certificate, schema_json, public, noisy, released)
        for one in certificate.candidate:
            if one.weighed_by:
                print(_plain(f"{one.name}: its rows count with their weight ({one.weighed_by})"))
        close = {}
        if released and near(certificate, files[WEIGHTS], released, Schema.from_json(schema_json)):
            close[WEIGHTS] = WITHIN
        if INTERVALS in files and (folder / INTERVALS).exists():
            close[INTERVALS] = compared_strengths(files[INTERVALS], (folder / INTERVALS).read_bytes())
        agreed = [
            _compare(folder / name, body, certificate.files.get(name), within=close.get(name, ""))
            for name, body in files.items()
        ]
    except (PmwPubError, OSError) as refusal:
        print("rebuild.py: " + _plain(str(refusal)), file=sys.stderr)
        return 2
    if parsed.into is not None and not _written(Path(parsed.into), files):
        return 2
    return 0 if all(agreed) else 1


def _plain(text: str) -> str:
    return "".join(one if one.isprintable() else "?" for one in text)


def _written(folder: Path, files: Mapping[str, bytes]) -> bool:
    """Write the files into a folder, or say why not."""
    from pmwpub.outputs import write_files

    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_files({folder / name: body for name, body in files.items()})
    except OSError as failure:
        print(f"rebuild.py: {folder} cannot be written: {failure.strerror}.", file=sys.stderr)
        return False
    return True


def _compare(beside: Path, body: bytes, stated: str | None, *, within: str) -> bool:
    """Whether rebuilt bytes have the certificate's hash, and are those of the file of that name, if one lies there.

    within  what is said of a file that differs by rounding alone, or that cannot be compared: it is to have the hash
    """
    agrees = hashlib.sha256(body).hexdigest() == stated
    same = not beside.exists() or beside.read_bytes() == body
    if within and not same and hashlib.sha256(beside.read_bytes()).hexdigest() == stated:
        print(f"{beside.name}: {within}")
        return True
    verdict = "agrees" if agrees and same else "DIFFERS from the certificate" if same else "DIFFERS from the file here"
    print(f"{beside.name}: {verdict}")
    return agrees and same


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("public", nargs="+", metavar="PUBLIC.csv", help="the public table, or every table of the pool")
    parser.add_argument("--into", metavar="FOLDER", help="also write the rebuilt files there")
    parser.add_argument(
        "--from", dest="folder", metavar="FOLDER", default=str(Path(__file__).resolve().parent),
        help="where certificate.json and schema.json lie (here)",
    )  # fmt: skip
    return parser


if __name__ == "__main__":
    sys.exit(main())
