"""The house itself: rooms that can be looked over, names that mean one thing, no circles, nothing dead."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "pmwpub"
MOST_SIBLINGS = 15

SHARED_FILE_NAMES = {"__init__", "__main__", "kernels"}
"""What may be the name of a file in more than one folder."""

RIDDLES = {
    "crew", "held", "known", "likeness", "plain", "playing", "readding", "remarks", "sameness", "seeing", "standing",
    "utils", "helpers", "misc", "common",
}  # fmt: skip
"""Names that need their docstring to be guessed."""

OFFERED = {
    "pmwpub.cli.main.main": "the entry point of pyproject.toml",
    "pmwpub.evaluation.workers.Borrowed": "for programs that have an executor of their own",
    "pmwpub.privacy.lattice_noise.LatticeGaussian": "floors charged in rho, for programs",
    "pmwpub.tabular.ipums.Extract": "for those who have an IPUMS extract",
    "pmwpub.tabular.overlap.copied_runs.long_run": "one call for two whole tables",
    "pmwpub.tabular.private_pass.encode_private": "one call for a whole private table",
    "pmwpub.theory.epsilon.epsilon_bound": "a statement of the paper, held by tests/paper",
    "pmwpub.theory.epsilon.epsilon_tilde_within": "a statement of the paper, held by tests",
    "pmwpub.theory.rows.renyi_divergence": "a statement of the paper, held by tests/paper",
}
"""Public names that nothing in the project's own code mentions, and whom they are for. This table only shrinks."""


@cache
def _trees() -> dict[str, ast.Module]:
    """Every module of the package by its dotted name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def _imported(name: str, tree: ast.Module) -> set[str]:
    """The modules of the package that a module imports, wherever in the file."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                found.add(whole if whole in _trees() else node.module)
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
    return (found & set(_trees())) - {name}


def test_no_folder_has_more_files_than_one_looks_over() -> None:
    folders: dict[str, int] = defaultdict(int)
    for path in PACKAGE.rglob("*.py"):
        if path.stem != "__init__":
            folders[str(path.parent.relative_to(ROOT))] += 1
    assert not {folder: count for folder, count in folders.items() if count > MOST_SIBLINGS}


def test_no_module_imports_itself_in_a_circle() -> None:
    """Also where an import stands inside a function: a circle that is broken by lateness is still one.

    The package itself gives its public names on demand, so what imports `pmwpub` waits for nothing.
    """
    graph = {name: _imported(name, tree) - {"pmwpub"} for name, tree in _trees().items() if name != "pmwpub"}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as circle:
        pytest.fail(" imports ".join(reversed(circle.args[1])))


def test_a_file_name_stands_in_one_folder() -> None:
    folders: dict[str, list[str]] = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        folders[path.stem].append(str(path.parent.relative_to(ROOT)))
    twice = {name: where for name, where in folders.items() if len(where) > 1 and name not in SHARED_FILE_NAMES}
    assert not twice


def test_a_class_name_is_defined_once() -> None:
    modules: dict[str, list[str]] = defaultdict(list)
    for name, tree in _trees().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                modules[node.name].append(name)
    assert not {name: where for name, where in modules.items() if len(where) > 1}


def test_no_file_is_named_by_a_riddle() -> None:
    assert not [str(path.relative_to(ROOT)) for path in PACKAGE.rglob("*.py") if path.stem in RIDDLES]


def _mentions(tree: ast.AST) -> Iterator[str]:
    """Names that a tree uses: loaded, or spelt where programs look names up."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.keyword) and node.arg == "run" and isinstance(node.value, ast.Constant):
            yield str(node.value.value)  # a command of the command line
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and ":" in node.value:
            yield node.value.rpartition(":")[2]  # a task: "module:function"


def _definitions() -> Iterator[tuple[str, str, ast.stmt]]:
    for module, tree in _trees().items():
        for node in tree.body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
                yield module, node.name, node


def test_every_public_function_and_class_is_used() -> None:
    """By other code of the project; what only a test uses is dead too, and so is what only calls itself.

    A name that a package hands on in `__all__` counts where somebody takes it from there.
    """
    used: dict[str, set[int]] = defaultdict(set)
    trees = [*_trees().values()]
    for folder in ("pages", "benchmarks", "sample_data", "docs"):
        trees += [ast.parse(path.read_text(encoding="utf-8")) for path in sorted((ROOT / folder).rglob("*.py"))]
    trees.append(ast.parse((ROOT / "app.py").read_text(encoding="utf-8")))
    for tree in trees:
        for node in tree.body:
            for name in _mentions(node):
                used[name].add(id(node))
    public = set(_all_of("pmwpub"))
    dead = [
        f"{module}.{name}"
        for module, name, node in _definitions()
        if not used[name] - {id(node)} and name not in public and not _is_registered(node)
    ]
    assert set(dead) <= set(OFFERED), sorted(set(dead) - set(OFFERED))


def test_each_name_that_is_offered_exists() -> None:
    assert set(OFFERED) <= {f"{module}.{name}" for module, name, _ in _definitions()}


ALLOWED_BELOW = {
    "accounts",
    "errors",
    "domain",
    "records",
    "noisy_interval",
    "plans",
    "plan_inputs",
    "figures",
    "service",
    "ui",
    "rounding",
    "numerals",
    "settings",
}
"""What pages and `ui` may import: the seam, errors, value types, plans, figures, and how numbers are written."""


def _reached_from_above() -> set[str]:
    files = [*(PACKAGE / "ui").rglob("*.py"), *(ROOT / "pages").glob("*.py"), ROOT / "app.py"]
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in files]
    reached = set().union(*(_imported("", tree) for tree in trees)) - {"pmwpub"}
    return {name for name in reached if name.split(".")[1] not in ALLOWED_BELOW}


def test_pages_reach_below_through_the_service_alone() -> None:
    assert not _reached_from_above()


def _is_registered(node: ast.stmt) -> bool:
    """Whether a decorator hands it on to somebody who calls it, such as a command of `argparse` by its name."""
    return bool(getattr(node, "decorator_list", [])) and not isinstance(node, ast.ClassDef)


def _all_of(module: str) -> list[str]:
    for node in _trees()[module].body:
        if isinstance(node, ast.Assign) and any(getattr(target, "id", "") == "__all__" for target in node.targets):
            return list(ast.literal_eval(node.value))
    return []
