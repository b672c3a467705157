"""Without what only Unix has: every module is imported, commands buy, and programs on one store keep each other out.

The modules are taken away here; the program was not run on another system.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pmwpub.errors import SettingRefused
from pmwpub.settings import worker_memory

UNIX_ALONE = ("fcntl", "resource", "grp", "pwd", "termios")
WITHOUT = f"import sys; sys.modules.update(dict.fromkeys({UNIX_ALONE!r}))\n"

IMPORT_ALL = """
import importlib, pkgutil, pmwpub
for module in pkgutil.walk_packages(pmwpub.__path__, "pmwpub."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
        print(module.name)
"""
COMMAND = "from pmwpub.cli import main\nsys.exit(main(sys.argv[1:]))\n"
BOOK = """
from pmwpub.errors import Overspent
from pmwpub.ledger import Charge, Ledger, Order, PlanKey
from pmwpub.privacy.budget import ZCDP
done = 0
with Ledger.open(sys.argv[1]) as ledger:
    terms = ledger.population("town")
    for number in range(8):
        key = PlanKey(f"{sys.argv[2]}{number}".ljust(64, "0"), 0)
        order = Order(key, "{}", (Charge("test", "none", "", "", ZCDP(terms.total.units // 20)),))
        try:
            (booking,) = ledger.book_all("town", [order], table=None, terms=terms, refuse_elsewhere=False)
        except Overspent:
            continue
        ledger.finish(booking.id, b"{}")
        done += 1
print(done)
"""


def _ran(program: str, *arguments: str, without: bool = True) -> subprocess.CompletedProcess[str]:
    start = WITHOUT if without else "import sys\n"
    return subprocess.run([sys.executable, "-c", start + program, *arguments], capture_output=True, text=True)


def test_every_module_is_imported_without_what_only_unix_has() -> None:
    ran = _ran(IMPORT_ALL)
    assert ran.returncode == 0, ran.stderr
    package = Path(__file__).resolve().parents[1] / "pmwpub"
    modules = [path for path in package.rglob("*.py") if path.stem not in ("__init__", "__main__")]
    assert len(ran.stdout.split()) >= len(modules)


def test_a_limit_that_cannot_be_kept_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    assert worker_memory({"PMWPUB_WORKER_MEMORY": "600"}) == 600
    monkeypatch.setitem(sys.modules, "resource", None)
    assert worker_memory({}) == 0
    with pytest.raises(SettingRefused, match="PMWPUB_WORKER_MEMORY cannot be kept on this system"):
        worker_memory({"PMWPUB_WORKER_MEMORY": "600"})


def _spoken(*arguments: str) -> dict[str, Any]:
    ran = _ran(COMMAND, *arguments)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_commands_register_assess_and_release_without_it(tmp_path: Path) -> None:
    tables = {"private": "b" * 60, "public": "ab" * 20}
    for name, ages in tables.items():
        rows = "".join(f"{age},{row % 2}\n" for row, age in enumerate(ages))
        (tmp_path / f"{name}.csv").write_text(f"age,sex\n{rows}")
    store = ["--store", f"sqlite:///{tmp_path}/ledger.sqlite"]
    schema = str(tmp_path / "schema.json")
    _spoken(*store, "schema", "draft", str(tmp_path / "public.csv"), "-o", schema)
    _spoken(*store, "ledger", "register", "town", "--n", "60", "--epsilon", "3")
    common = ["--population", "town", "--schema", schema, "-k", "2", "--overlap-acknowledged"]
    common += ["--private", str(tmp_path / "private.csv"), "--public", str(tmp_path / "public.csv")]
    assessed = _spoken(*store, "assess", *common, "--epsilon", "0.5")
    released = _spoken(*store, "release", *common, "--epsilon", "1", "--rounds", "2", "-o", str(tmp_path / "out"))
    again = _spoken(*store, "release", *common, "--epsilon", "1", "--rounds", "2", "-o", str(tmp_path / "out"))
    assert [one["status"] for one in assessed["assessments"]] == ["done"]
    assert (released["stored_earlier"], again["stored_earlier"]) == (False, True)
    assert released["files"] == again["files"]
    charges = _spoken(*store, "ledger", "show", "town")["charges"]
    assert [one["status"] for one in charges] == ["done"] * 3


@pytest.mark.parametrize("without", [True, False], ids=["without flock", "with flock"])
def test_programs_on_one_store_never_overspend(tmp_path: Path, without: bool) -> None:
    """Four programs want 32 charges of a twentieth of all that there is."""
    store = f"sqlite:///{tmp_path}/ledger.sqlite"
    _spoken("--store", store, "ledger", "register", "town", "--n", "100", "--epsilon", "1")
    start = WITHOUT if without else "import sys\n"
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", start + BOOK, store, letter], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for letter in "abcd"
    ]
    ends = [program.communicate() for program in programs]
    assert [program.returncode for program in programs] == [0] * 4, [err.decode()[-2000:] for _, err in ends]
    assert sum(int(out) for out, _ in ends) == 20
