"""CPU of the command line: of `--help`, and of a release of the census table by its rounds, the fixed part apart.

    python benchmarks/command_cost.py [--runs 5] [--rounds 1 100] [--public il_2018]

Each run is a process of its own on a throwaway store; its CPU is user and system time, by the kernel's count, of itself
and of whatever it started. OH-2018 is the private table, all 3,654 3-way marginals are asked, and each release is a new
draw. Two numbers of rounds give the CPU of a round, and what is left at none is the fixed part: start, tables,
rehearsal, ledger and files. Data: as for census_table.py (PMWPUB_DATA).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from census_table import DATA, table_of

PMWPUB = [sys.executable, "-m", "pmwpub.cli"]


def cpu(command: list[str], environment: dict[str, str]) -> float:
    """Seconds of CPU of a command that must end well, its own children included."""
    before = os.times()
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    return after.children_user - before.children_user + after.children_system - before.children_system


def releases(folder: Path, public: str, rounds: int, runs: int, environment: dict[str, str]) -> list[float]:
    """Seconds of CPU of so many releases, each a draw of its own."""
    command = [*PMWPUB, "release", "--population", "ohio", "--schema", str(DATA / "schema.json")]
    command += ["--private", str(DATA / "oh_2018.csv.gz"), "--public", str(DATA / f"{public}.csv.gz")]
    command += ["--epsilon", "1", "--rounds", str(rounds), "--overlap-acknowledged", "-o", str(folder / "out")]
    return [cpu([*command, "--repeat", str(repeat)], environment) for repeat in range(runs)]


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--rounds", type=int, nargs=2, default=[1, 100])
    parser.add_argument("--public", default="il_2018")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        environment = os.environ | {"PMWPUB_STORE": f"sqlite:///{place}/ledger.sqlite3"}
        environment |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": f"{place}/bytecode"}
        cpu([*PMWPUB, "--help"], environment)
        helps = [cpu([*PMWPUB, "--help"], environment) for _ in range(asked.runs)]
        print(f"--help: {median(helps):.2f} s of CPU, the most {max(helps):.2f}")
        terms = ["--n", str(len(table_of("oh_2018").codes)), "--epsilon", str(3 * asked.runs + 1)]
        cpu([*PMWPUB, "ledger", "register", "ohio", *terms], environment)
        few, many = asked.rounds
        releases(Path(place), asked.public, few + 1, 1, environment)
        medians = []
        for rounds in (few, many):
            found = releases(Path(place), asked.public, rounds, asked.runs, environment)
            medians.append(median(found))
            print(f"release, {rounds} rounds: {medians[-1]:.2f} s of CPU, from {min(found):.2f} to {max(found):.2f}")
        a_round = (medians[1] - medians[0]) / (many - few)
        print(f"a round: {a_round:.4f} s of CPU; fixed: {medians[0] - few * a_round:.2f} s")


if __name__ == "__main__":
    main()
