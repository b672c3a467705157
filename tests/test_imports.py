"""Who may import what: the direction of the layers, and one home for each library."""

from __future__ import annotations

import ast
import graphlib
import importlib.util
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# A part may import from its own layer and those before it; see `APART` for the exception.
LAYERS = (
    ("errors", "rounding", "progress", "numerals", "addresses", "outputs", "settings", "strict_json", "accounts"),
    ("domain", "records", "noisy_interval"),
    ("tabular", "queries", "privacy"),
    ("mechanisms", "plans", "plan_inputs", "theory"),
    ("release", "evaluation", "ledger", "figures"),
    ("jobs", "tasks"),
    ("service",),
    (
        "ui",
        "cli",
        "wording",
        "printing",
        "api",
        "__init__",
        "__main__",
    ),
    ("pages", "app"),
)
RANK = {part: rank for rank, parts in enumerate(LAYERS) for part in parts}
APART = {"tabular", "queries", "privacy"}

# A library -> the files that may import it: a part, or a word in the file's name.
HOMES = {
    "pandas": ("tabular", "pages"),
    "pyarrow": ("tabular",),
    "plotly": ("figures",),
    "jinja2": ("release",),
    "nbformat": ("release",),
    "opendp": ("privacy",),
    "gmpy2": ("privacy",),
    "highspy": ("mechanisms",),
    "scipy.optimize": ("mechanisms",),
    "mbi": ("mechanisms",),
    "jax": ("mechanisms",),
    "ipumspy": ("tabular",),
    "lark": ("tabular",),
    "pyreadstat": ("tabular",),
    "rocrate": ("release",),
    "yaml": ("release",),
    "cryptography": ("release",),
    "sqlalchemy": ("ledger",),
    "sqlite3": ("ledger",),
    "psycopg": ("ledger",),
    "streamlit": ("ui", "pages", "app"),
    "numba": ("*kernels*",),
    "distributed": ("*cluster*",),
    "dask": ("*cluster*",),
}
HEAVY = ("streamlit", "opendp", "numba", "plotly", "scipy")
READY_AT_ONCE = ("pmwpub", "pmwpub.cli", "pmwpub.service", "pmwpub.figures", "pmwpub.theory")


def _sources() -> Iterator[Path]:
    yield from sorted((ROOT / "pmwpub").rglob("*.py"))
    yield from sorted((ROOT / "pages").rglob("*.py"))
    if (ROOT / "app.py").exists():
        yield ROOT / "app.py"


def _part(path: Path) -> str:
    """`mechanisms` for pmwpub/mechanisms/pmw_pub/algorithm.py, `pages` for pages/home.py, `app` for app.py."""
    pieces = path.relative_to(ROOT).with_suffix("").parts
    return pieces[1] if pieces[0] == "pmwpub" else pieces[0]


def _imports(path: Path) -> set[str]:
    """Every dotted name that the file imports, wherever in the file; `from a import b` gives `a` and `a.b`."""
    package = path.relative_to(ROOT).with_suffix("").parts[:-1]
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = ".".join(filter(None, (base, node.module)))
            names.add(module)
            names.update(f"{module}.{alias.name}" for alias in node.names)
    return names


def _parts_imported(path: Path) -> set[str]:
    """The parts of pmwpub that a file leans on; the bare package counts as `__init__`."""
    parts = set()
    for name in _imports(path):
        head, _, rest = name.partition(".")
        if head in {"pages", "app"}:
            parts.add(head)
        elif head == "pmwpub":
            part = rest.partition(".")[0]
            if part in RANK:
                parts.add(part)
            elif part:
                parts.add("__init__")
    return parts - {_part(path)}


def _at_home(path: Path, homes: tuple[str, ...]) -> bool:
    return any(home.strip("*") in path.stem if "*" in home else _part(path) == home for home in homes)


def test_every_part_has_a_layer() -> None:
    unplaced = {str(path.relative_to(ROOT)) for path in _sources() if _part(path) not in RANK}
    assert not unplaced, "give it a place in LAYERS"


def test_imports_never_point_backwards() -> None:
    backwards = [
        f"{path.relative_to(ROOT)} imports {part}"
        for path in _sources()
        for part in sorted(_parts_imported(path))
        if RANK[part] > RANK[_part(path)] or ({part, _part(path)} <= APART)
    ]
    assert not backwards


def test_no_two_parts_import_each_other() -> None:
    graph: dict[str, set[str]] = defaultdict(set)
    for path in _sources():
        graph[_part(path)] |= _parts_imported(path)
    graphlib.TopologicalSorter(graph).prepare()


@pytest.mark.parametrize("library", HOMES)
def test_a_library_is_imported_only_at_home(library: str) -> None:
    strays = [
        str(path.relative_to(ROOT))
        for path in _sources()
        if not _at_home(path, HOMES[library])
        and any(name == library or name.startswith(f"{library}.") for name in _imports(path))
    ]
    assert not strays


def _existing_modules() -> list[str]:
    return [name for name in READY_AT_ONCE if importlib.util.find_spec(name) is not None]


@pytest.mark.parametrize("module", _existing_modules())
def test_importing_the_interface_does_not_wait_for_heavy_libraries(module: str) -> None:
    program = f"import sys, {module}; print(*sorted(set({HEAVY!r}) & set(sys.modules)))"
    loaded = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == []
