"""Seeded noise has the secure source's laws, repeats, and is out of reach of everything that is charged."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from privacy.laws import gaussian_masses, laplace_masses
from support.statistical import BinnedLaw, assert_both_arms, assert_follows

from pmwpub.errors import BudgetError, MechanismError
from pmwpub.jobs.task_names import TASKS
from pmwpub.privacy.noise import MAX_SCALE, MAX_VALUE
from pmwpub.privacy.seeded_noise import SimulationNoise
from pmwpub.privacy.selection import ExponentialMechanism

ROOT = Path(__file__).resolve().parents[2]
SIMULATED = "pmwpub.privacy.seeded_noise"
ONLY_IMPORTER = "pmwpub.evaluation.runs"
DRAWS = 12_000


@pytest.mark.parametrize("scale", [Fraction(4, 5), Fraction(1), Fraction(3700, 13)])
def test_gaussian_noise_has_its_law(scale: Fraction) -> None:
    law = BinnedLaw.of(*gaussian_masses(float(scale), span=20), bins=20)
    noise = SimulationNoise(f"gaussian {scale}")
    assert_both_arms(law, lambda factor, draws: noise.gaussians([0] * draws, scale * factor), DRAWS)


@pytest.mark.parametrize("scale", [Fraction(4, 5), Fraction(1), Fraction(3700, 13)])
def test_laplace_noise_has_its_law(scale: Fraction) -> None:
    law = BinnedLaw.of(*laplace_masses(float(scale), span=90), bins=20)
    noise = SimulationNoise(f"laplace {scale}")
    assert_both_arms(law, lambda factor, draws: noise.laplaces([0] * draws, scale * factor), DRAWS)


def test_below_and_bits_are_uniform() -> None:
    noise = SimulationNoise("uniform")
    assert_follows(BinnedLaw.of(range(7), [1 / 7] * 7), [noise.below(7) for _ in range(DRAWS)])
    assert_follows(BinnedLaw.of(range(16), [1 / 16] * 16), [noise.bits(66) >> 62 for _ in range(DRAWS)])
    assert noise.bits(0) == 0


def test_the_same_seed_gives_the_same_draws_and_another_one_others() -> None:
    def draws(seed: str) -> list[int]:
        noise = SimulationNoise(seed)
        scores = noise.gaussians([5] * 20, Fraction(7)) + noise.laplaces([5] * 20, Fraction(7))
        return [*scores, noise.bits(200), noise.below(10**40)]

    assert draws("a") == draws("a")
    assert draws("a") != draws("b")


def test_the_draws_of_a_seed_are_these_on_every_machine() -> None:
    """Pinned, so that stored simulations can be repeated: a change of these numbers is a change of all simulations."""
    noise = SimulationNoise("pinned")
    assert (noise.bits(32), noise.below(1000)) == PINNED[:2]
    assert noise.gaussian(0, Fraction(100)) == PINNED[2]
    assert noise.laplace(0, Fraction(100)) == PINNED[3]


PINNED = (4117468765, 552, 40, -116)


def test_it_refuses_what_the_secure_source_refuses() -> None:
    noise = SimulationNoise("refused")
    for scale in (Fraction(0), Fraction(MAX_SCALE + 1)):
        with pytest.raises(BudgetError):
            noise.gaussian(0, scale)
        with pytest.raises(BudgetError):
            noise.laplace(0, scale)
    for value in (MAX_VALUE + 1, -MAX_VALUE - 1):
        with pytest.raises(MechanismError):
            noise.gaussian(value, Fraction(1))


def _modules() -> Iterator[tuple[str, ast.Module]]:
    for top in (*sorted((ROOT / "pmwpub").rglob("*.py")), *sorted((ROOT / "pages").glob("*.py")), ROOT / "app.py"):
        name = ".".join(top.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        yield name, ast.parse(top.read_text(encoding="utf-8"))


def _imported(tree: ast.Module) -> set[str]:
    """Every module that a file names in an import, wherever it stands; names of a package too."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def test_one_module_alone_imports_the_seeded_source() -> None:
    importers = {name for name, tree in _modules() if any(found.startswith(SIMULATED) for found in _imported(tree))}
    assert importers == {ONLY_IMPORTER}
    named = {name for name, tree in _modules() if "SimulationNoise" in ast.dump(tree)}
    assert named == {ONLY_IMPORTER, SIMULATED}, "not even by its name, such as through importlib"


CHARGED = (
    *("release", "table-fit", "table-fit-pool", "households", "households-pmw-pub", "assess", "best", "error"),
    *("household-assessment", "household-best", "household-error", "misfits", "weight-total", "acceptance"),
)


def test_no_charged_task_reaches_it_through_any_chain_of_imports() -> None:
    trees = dict(_modules())
    # A package's own __init__ runs when any module in it is imported.
    edges = {name: {found for found in _imported(tree) if found in trees} for name, tree in trees.items()}
    edges["pmwpub"] = set()  # the public interface loads each name where it is first asked for
    reached: set[str] = set()
    waiting = [TASKS[task].partition(":")[0] for task in CHARGED]
    waiting += [name for name in trees if name.startswith("pmwpub.mechanisms")]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += edges[name]
            waiting += {name.rpartition(".")[0]} & set(trees)
    assert "pmwpub.mechanisms.pmw_pub.algorithm" in reached
    assert "pmwpub.privacy.noise" in reached
    assert SIMULATED not in reached
    assert ONLY_IMPORTER not in reached


def test_a_worker_that_knows_every_charged_task_has_not_loaded_it() -> None:
    modules = sorted({TASKS[task].partition(":")[0] for task in CHARGED})
    program = f"import sys, {', '.join(modules)}; print({SIMULATED!r} in sys.modules, {modules[0]!r} in sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == ["False", "True"]


PASSES_ON = tuple(
    f"pmwpub.evaluation.{name}"
    for name in ("answering", "baselines", "fits.fitted_tables", "fits.weighted_pools", "peers")
)


def test_nobody_else_hands_a_mechanism_a_source_of_noise() -> None:
    """Elsewhere `noise=` only passes on a parameter of that name, whose default is the secure source.

    The baselines of a sweep pass on what a case brings; cases are made by the one importer alone.
    """
    handed = {
        (name, ast.unparse(call.value))
        for name, tree in _modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        for call in node.keywords
        if call.arg == "noise" and ast.unparse(call.value) not in ("noise", "SECURE", "self.noise")
    }
    assert {where for where in handed if where[0] != ONLY_IMPORTER} == {(name, "case.noise") for name in PASSES_ON}
    makers = {
        name
        for name, tree in _modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "Case"
    }
    assert makers == {ONLY_IMPORTER}


def test_every_charged_task_is_one_of_those() -> None:
    assert set(TASKS) - set(CHARGED) == {
        *("simulation", "household-simulation", "compare", "engines", "replicates", "warm")
    }, "a new task: is it charged?"


def test_a_selection_draws_from_it_by_the_same_law() -> None:
    import numpy as np
    from privacy.laws import exponential_masses

    scores, noise = np.array([0, 3, 5, 5, -2]), SimulationNoise("selection")
    law = ExponentialMechanism(Fraction(1)).law(scores, 1)
    masses = exponential_masses(scores.tolist(), Fraction(1), 1)
    assert_follows(BinnedLaw.by_size(masses, DRAWS), [law.draw(noise) for _ in range(DRAWS)])
