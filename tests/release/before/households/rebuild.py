"""Make weights.csv, weighted_persons.csv, persons.csv and households.csv of this release again, and compare every byte.

    python rebuild.py PUBLIC.csv

PUBLIC.csv is the public table that the certificate names by SHA-256. Certificate, schema and noisy tables are read from
the folder of this script. Needs the pmwpub package, in the version that the certificate names. Nothing private is
needed, and nothing is drawn again. On a machine that rounds otherwise the weights may be up to 1e-06 apart in total
variation; then households are drawn from the weights.csv that lies here.

Ends with status 0 if all agrees, 1 if a file differs, 2 if something cannot be read or is not what it should be.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

READ = ("certificate.json", "schema.json", "tables.csv", "weights.csv")


def main(arguments: Sequence[str] | None = None) -> int:
    """Rebuild, say what agrees, and return the exit status."""
    from pmwpub.errors import PmwPubError
    from pmwpub.release.households.household_rebuilding import rebuilt_households

    given, folder = list(sys.argv[1:] if arguments is None else arguments), Path(__file__).resolve().parent
    if len(given) != 1:
        print("rebuild.py: name the one public table: python rebuild.py PUBLIC.csv", file=sys.stderr)
        return 2
    try:
        files = {name: (folder / name).read_bytes() for name in READ}
        made = rebuilt_households(files, Path(given[0]))
        differing = [name for name, body in made.items() if (folder / name).read_bytes() != body]
    except (PmwPubError, OSError) as refusal:
        print("rebuild.py: " + "".join(one if one.isprintable() else "?" for one in str(refusal)), file=sys.stderr)
        return 2
    for name in made:
        print(f"{name}: {'DIFFERS from the file here' if name in differing else 'agrees'}")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
