"""A machine like a hardened container: each disk read-only, no home, 256 MB of temporary space, a volume for a store.

A mount namespace of its own holds it, so that nothing outside changes; making one needs root, or a system that gives
user namespaces.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PACKAGES = Path(__file__).resolve().parents[2]
BOX, VOLUME, NO_HOME = "/mnt", "/mnt/volume", "/nonexistent"
MEGABYTES = 256

NAMESPACE = ("unshare", "--mount") if os.geteuid() == 0 else ("unshare", "--user", "--map-root-user", "--mount")
"""The command before a command that gives it mounts of its own."""

FURNISH = f"""
set -eu
mount --make-rprivate /
mount --bind "$1" {BOX}
mount -t tmpfs -o size={MEGABYTES}m tmpfs {VOLUME}
mount -t tmpfs -o size={MEGABYTES}m tmpfs /tmp
while read -r _ place _ options _; do
  case "$place,$options" in
    /proc*|/sys*|/dev,*|/dev/pts,*|/tmp,*|{VOLUME},*|*,ro,*|*,ro) ;;
    *) mount -o remount,bind,ro "$place" ;;
  esac
done < /proc/self/mounts
cd /
shift
exec "$@"
"""


@cache
def refusal() -> str:
    """Why no such machine can be made here; empty where it can."""
    ran = subprocess.run([*NAMESPACE, "mount", "--make-rprivate", "/"], capture_output=True, text=True)
    return ran.stderr.strip()


@dataclass(frozen=True)
class ReadOnlyMachine:
    """Runs programs on it.

    box  a folder that they find, read-only, at `BOX`; the volume lies at `VOLUME`, empty at each start
    """

    box: Path

    def command(self, *arguments: str) -> list[str]:
        """The command that runs another one there."""
        (self.box / "volume").mkdir(exist_ok=True)
        return [*NAMESPACE, "sh", "-c", FURNISH, "sh", str(self.box), *arguments]

    def environment(self, **own: str) -> dict[str, str]:
        """What its programs are told: the package's place, no home, no name, and nowhere to keep compiled code."""
        return {"PATH": os.environ["PATH"], "PYTHONPATH": str(PACKAGES), "HOME": NO_HOME, **own}

    def shell(self, script: str, **own: str) -> subprocess.CompletedProcess[str]:
        """Run a script of `sh`, in which `$python` is this interpreter."""
        return subprocess.run(
            self.command("sh", "-c", script),
            env=self.environment(python=sys.executable, **own),
            capture_output=True,
            text=True,
        )
