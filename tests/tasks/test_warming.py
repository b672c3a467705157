"""Warming up: every compiled loop that a release, an assessment and a count use is on disk afterwards."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WARM = "from pmwpub.tasks.warming import warm; warm(None, lambda *_, **__: None)"
ONLY_LOADED = """
import numba.core.dispatcher as dispatcher

make = dispatcher.Dispatcher.compile

def load(self, signature):
    found = make(self, signature)
    if sum(self.stats.cache_misses.values()):
        raise SystemExit(f"{self.py_func.__name__} was not in the cache")
    return found

dispatcher.Dispatcher.compile = load
"""


def run(program: str, cache: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    return subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def test_nothing_is_compiled_twice(tmp_path: Path) -> None:
    cold = run(ONLY_LOADED + WARM, tmp_path)
    assert "was not in the cache" in cold.stderr, "the check itself must notice a compilation"
    assert run(WARM, tmp_path).returncode == 0
    warm = run(ONLY_LOADED + WARM, tmp_path)
    assert warm.returncode == 0, warm.stderr


NO_PLACE = """
from numba.core import caching
for kind in (caching.CompileResultCacheImpl, caching.CacheImpl):
    kind._locator_classes = []
"""
FULL_DISK = """
from numba.core import caching

def full(*_):
    raise OSError(28, "No space left on device")

caching.IndexDataCacheFile.save = full
"""


def test_where_no_cache_has_a_place_the_loops_are_compiled_without(tmp_path: Path) -> None:
    """As in a container: the package is read-only, and its user has no home."""
    done = run(NO_PLACE + WARM, tmp_path)
    assert done.returncode == 0, done.stderr
    assert not list(tmp_path.iterdir()), "the check itself: nothing could be cached"


def test_where_the_cache_cannot_be_written_the_loops_are_compiled_all_the_same(tmp_path: Path) -> None:
    done = run(FULL_DISK + WARM, tmp_path)
    assert done.returncode == 0, done.stderr
    assert not list(tmp_path.rglob("*.nbc"))
