"""Make weights.csv, weighted_persons.csv, persons.csv and households.csv of this release again, and compare every byte.

    python rebuild.py PUBLIC.csv

PUBLIC.csv is the public table that the certificate names by SHA-256. Certificate and schema are read from the folder of
this script; the certificate lists the noisy answers of all rounds. Needs the pmwpub package, in the version that the
certificate names. Nothing private is needed, and nothing is drawn again. On a machine that rounds otherwise the weights
may be up to 1e-06 apart in total variation; then households are drawn from the weights.csv that lies here.

Ends with status 0 if all agrees, 1 if a file differs, 2 if something cannot be read or is not what it should be.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

READ = ("certificate.json", "schema.json", "weights.csv")


def main(arguments: Sequence[str] | None = None) -> int:
    """Rebuild, say what agrees, and return the exit status."""
    from pmwpub.release.households.household_rebuilding import compared

    return compared(Path(__file__).resolve().parent, READ, list(sys.argv[1:] if arguments is None else arguments))


if __name__ == "__main__":
    sys.exit(main())
