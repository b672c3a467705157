"""What the noise that a certificate of households states costs: H^2/sigma^2 of a table of persons."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from support.commands import Commands
from support.households import LARGEST, csv_of, homes, schema_text

from pmwpub.errors import CertificateError
from pmwpub.release.households.household_checks import checked_households, household_files_in

N = 60
REGISTER = ("ledger", "register", "homes", "--n", str(N), "--epsilon", "3")
UNIT = ("--unit", "household", "--largest-household", str(LARGEST))
SPEND = ("release", "--population", "homes", "--schema", "schema.json", "--private", "p.csv", "--public", "b.csv")


@pytest.mark.fault("H left out of what tables of persons cost")
def test_one_percent_less_noise_on_tables_of_persons_costs_more_than_is_stated(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text(csv_of(homes(N, 1)))
    (tmp_path / "b.csv").write_text(csv_of(homes(50, 2), 1_000))
    (tmp_path / "schema.json").write_text(schema_text())
    run = Commands(tmp_path).run
    run(*REGISTER, *UNIT)
    run(*SPEND, "-k", "2", "--epsilon", "1", "-o", "out")
    files = household_files_in(tmp_path / "out")
    checked_households(files)
    stated = json.loads(files["certificate.json"])
    for table in stated["tables"]:
        if table["of"] == "persons":
            table["scale"] = str(Fraction(table["scale"]) * Fraction(99, 100))
    with pytest.raises(CertificateError, match="costs more than the rho"):
        checked_households(files | {"certificate.json": json.dumps(stated).encode()})
