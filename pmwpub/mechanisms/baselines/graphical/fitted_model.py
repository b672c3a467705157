"""Graphical models fitted to noisy marginals by `mbi` (Private-PGM; the extra `peers`), and what they are fitted to."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np

from pmwpub.errors import MethodRefused
from pmwpub.mechanisms.baselines.graphical.clique_tree import CliqueTree
from pmwpub.mechanisms.baselines.graphical.level_merging import Merging
from pmwpub.mechanisms.baselines.matrix.residual_planner import MarginalAnswers
from pmwpub.mechanisms.baselines.matrix.residuals import Subset
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import NoiseSource
from pmwpub.privacy.vector_gaussian import VectorGaussian
from pmwpub.records import Bools, Floats, Ints

FITS_KEPT = 10
"""JAX's compiled programs are let go after so many fits: about 850 memory maps each on ADULT, and Linux gives a process
65,530, beyond which it crashes. Few fits share a program, so little is compiled anew."""
_FITS = itertools.count(1)
MISSING = "AIM and MST need the extra: pip install 'pmwpub[peers]'."


def available() -> bool:
    """Whether the extra is installed."""
    from importlib.util import find_spec

    return find_spec("mbi") is not None and find_spec("jax") is not None


def library() -> Any:
    """mbi, in double precision; MethodRefused without the extra."""
    if not available():
        raise MethodRefused(MISSING)
    import jax

    # mbi asks for both: doubles for tables of more than 10^5 rows, and no cache for its many small programs.
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_enable_compilation_cache", False)
    import mbi

    return mbi


def _forget_programs() -> None:
    """To be called once a fit."""
    import jax

    if next(_FITS) % FITS_KEPT == 0:
        jax.clear_caches()


def library_version() -> str:
    """Which mbi is installed."""
    return version("mbi")


class Noisy(NamedTuple):
    """A noisy marginal.

    counts  int64 (C,)
    scale   the noise's sigma on one cell, in rows
    cells   int64 (C,)  of how many cells so measured each count is the sum
    """

    subset: Subset
    counts: Ints
    scale: float
    cells: Ints


@dataclass
class NoisyMarginals:
    """Noisy counts of marginals, and the models that they lead to: post-processing throughout.

    shape  the number of levels of each attribute
    n      the public number of rows
    """

    shape: tuple[int, ...]
    n: int
    _measured: list[Noisy] = field(default_factory=list)

    def measure(self, subset: Subset, counts: Ints, measurement: VectorGaussian, noise: NoiseSource) -> None:
        """Add one noisy marginal.

        Privacy: costs `measurement.rho`.
        """
        noisy = measurement.measure(counts.ravel(), noise=noise)
        self._measured.append(Noisy(subset, noisy, float(measurement.scale), np.ones_like(noisy)))

    def rare(self, deviations: float) -> list[Bools]:
        """For each attribute, which levels have a noisy count of fewer deviations, where it was measured alone."""
        found = [np.zeros(size, dtype=bool) for size in self.shape]
        for noisy in self._measured:
            if len(noisy.subset) == 1:
                found[noisy.subset[0]] = noisy.counts < deviations * noisy.scale
        return found

    def merged(self, merging: Merging) -> NoisyMarginals:
        """The same measurements in merged levels, as sums."""
        measured = []
        for subset, counts, scale, _ in self._measured:
            gathered = merging.gathered(subset, counts.reshape([self.shape[a] for a in subset]))
            measured.append(Noisy(subset, gathered.ravel(), scale, merging.cells(subset).ravel()))
        return NoisyMarginals(merging.shape, self.n, measured)

    def model(self, iterations: int, start: Model | None = None) -> Model:
        """The distribution of greatest entropy among those closest to what was measured.

        iterations  of mirror descent, whose first steps are short: after 100 a fit to ADULT has gone a quarter of its
                    way, after 1,000 all of it within the noise
        """
        mbi, shape = library(), self._shape
        import networkx

        _forget_programs()
        lines = [_line(mbi, noisy) for noisy in self._measured]
        loss = mbi.marginal_loss.from_linear_measurements(lines, shape)
        tree, _ = mbi.junction_tree.make_junction_tree(shape, loss.cliques)
        cliques = tuple(networkx.dfs_preorder_nodes(tree))
        # What is measured comes first and takes up what the fit learns, so that a fit with another tree can go on from
        # it. The tree's own cliques are there for their tables alone.
        fitted = mbi.estimation.MirrorDescent().estimate(
            shape,
            replace(loss, cliques=tuple(dict.fromkeys([*loss.cliques, *cliques]))),
            known_total=float(self.n),
            iters=iterations,
            warm_start=None if start is None else start.fitted,
        )
        return Model(fitted, cliques)

    def answers(self, counts: Sequence[Floats], rho: ZCDP) -> MarginalAnswers:
        """What a mechanism releases for rho in all: a model's tables of the workload's marginals."""
        unknown = np.full(len(counts), np.nan)
        answers = np.concatenate([table.ravel() for table in counts])
        return MarginalAnswers(answers, unknown, rho, len(self._measured))

    def size(self, more: Sequence[Subset] = ()) -> float:
        """Megabytes of the junction tree of what was measured and more: what a fit costs in memory and time."""
        mbi = library()
        cliques = [_names(subset) for subset in [*(subset for subset, *_ in self._measured), *more]]
        return float(mbi.junction_tree.hypothetical_model_size(self._shape, cliques))

    @cached_property
    def _shape(self) -> Any:
        return library().Domain([_name(a) for a in range(len(self.shape))], self.shape)


def _line(mbi: Any, noisy: Noisy) -> Any:
    """A measurement as the library knows it. The noise of a sum of c cells has sqrt(c) times the deviation."""
    wider = np.sqrt(noisy.cells)
    query = {} if wider.max() == 1 else {"query": mbi.WeightedQuery(1 / wider)}
    return mbi.LinearMeasurement(noisy.counts / wider, _names(noisy.subset), noisy.scale, **query)


@dataclass(frozen=True, eq=False)
class Model:
    """A fitted distribution over the levels, times n.

    cliques  of its junction tree, downwards
    """

    fitted: Any
    cliques: tuple[tuple[str, ...], ...]

    def counts(self, subset: Subset) -> Floats:
        """Its marginal: float64, in the subset's shape; not negative."""
        return self._tree.marginal(subset) * float(self.fitted.total)

    @cached_property
    def _tree(self) -> CliqueTree:
        """The library eliminates variables anew for each marginal, half a second each; this takes milliseconds."""
        tables = self.fitted.marginals
        return CliqueTree.of(
            (_subset(clique), np.asarray(tables[clique].values, dtype=np.float64)) for clique in self.cliques
        )

    def rounded(self, subset: Subset) -> Ints:
        """The same in whole rows: what scores of private counts are taken against."""
        whole: Ints = np.floor(self.counts(subset) + 0.5).astype(np.int64)
        return whole


def distances(tables: Mapping[Subset, Ints], model: Model, subsets: Sequence[Subset]) -> Ints:
    """The L1 distance between private counts and the model's rounded ones, int64, by subset.

    Privacy: replacing one person's at most k rows moves a table by at most 2 k in all, so each distance by at most 2 k.
    """
    return np.array([int(np.abs(tables[subset] - model.rounded(subset)).sum()) for subset in subsets], dtype=np.int64)


def expected_distance(scale: float, cells: int) -> int:
    """What noise of this scale alone would make of an L1 distance, in whole rows: sqrt(2/pi) sigma times the cells."""
    return math.floor(math.sqrt(2 / math.pi) * scale * cells)


def _name(attribute: int) -> str:
    return f"a{attribute}"


def _subset(names: Sequence[str]) -> Subset:
    return tuple(int(name.removeprefix("a")) for name in names)


def _names(subset: Subset) -> tuple[str, ...]:
    return tuple(map(_name, subset))
