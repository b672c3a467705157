"""What `deploy/Containerfile` asks of a container engine, done here with namespaces: there is no engine in a test.

A root of its own in which everything is read-only but a volume and small temporary space, another user without a home
and without capabilities, and a network, processes and mounts of its own. What the image would hold is bound into it:
the installed wheel at `SITE`, and this machine's Python and libraries in the places that they have here.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
SITE, VOLUME = "/srv/site", "/volume"
COMMAND = "$python -m pmwpub.cli"
"""The installed command; `$python` is this interpreter, which looks for packages at `SITE` first."""

USER = "10001"
NAMESPACES = ("unshare", "--mount", "--pid", "--fork", "--kill-child", "--net", "--ipc", "--uts")

BUILD = rf"""
set -eu
root=$1 site=$2 deploy=$3 tls=$4 script=$5 outside=$6
shift 6
mount --make-rprivate /
ip link set lo up
mount -t tmpfs -o size=4m,mode=0755 tmpfs "$root"
cd "$root"
mkdir -p usr proc dev/shm tmp .{VOLUME} .{SITE} etc/nginx etc/pmwpub/tls
for name in bin sbin lib lib64; do
  if [ -L "/$name" ]; then cp -d "/$name" "$name"
  elif [ -d "/$name" ]; then mkdir "$name"; mount --rbind "/$name" "$name"; fi
done
mount --bind /usr usr
for place in "$@"; do
  if [ ! -e "./$place" ]; then mkdir -p "./$place"; mount --bind "$place" "./$place"; fi
done
mount --bind "$site" .{SITE}
echo '127.0.0.1 localhost' > etc/hosts
echo 'app:x:{USER}:{USER}::/nonexistent:/bin/false' > etc/passwd
: > etc/nginx/nginx.conf
mount --bind "$deploy/nginx.conf" etc/nginx/nginx.conf
mount --bind "$tls" etc/pmwpub/tls
for name in null zero random urandom; do : > "dev/$name"; mount --bind "/dev/$name" "dev/$name"; done
ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/1 dev/stdout
ln -s /proc/self/fd/2 dev/stderr
mount -t proc proc proc
mount -t tmpfs -o size=64m,mode=1777,noexec,nosuid,nodev tmpfs tmp
mount -t tmpfs -o size=64m,mode=1777,noexec,nosuid,nodev tmpfs dev/shm
mount -t tmpfs -o size=64m,mode=0700,uid={USER},gid={USER} tmpfs .{VOLUME}
while read -r _ place _ options _; do
  case "$place,$options" in
    "$root"/proc,*|"$root"/tmp,*|"$root"/dev/shm,*|"$root"{VOLUME},*) ;;
    "$root"*,rw*) mount -o remount,bind,ro "$place" ;;
  esac
done < /proc/self/mounts
inside() {{
  chroot "$root" setpriv --reuid {USER} --regid {USER} --clear-groups --no-new-privs --bounding-set=-all \
    --inh-caps=-all "$@"
}}
cd /
[ -z "$outside" ] || sh -c "$outside" &
inside sh -c "cd {SITE}; $script"
wait
"""


@cache
def refusal() -> str:
    """Why no such container can be made here; empty where it can."""
    if os.geteuid() != 0:
        return "another user's processes can be started by root alone"
    missing = [name for name in ("unshare", "setpriv", "ip", "chroot") if shutil.which(name) is None]
    if missing:
        return f"missing: {', '.join(missing)}"
    ran = subprocess.run(
        [*NAMESPACES, "sh", "-c", "mount --make-rprivate / && mount -t proc proc /proc && ip link set lo up"],
        capture_output=True,
        text=True,
    )
    return ran.stderr.strip()


def variables() -> dict[str, str]:
    """The variables that the image sets, as its last stage has them."""
    last = re.split(r"^FROM .*$", (DEPLOY / "Containerfile").read_text(), flags=re.MULTILINE)[-1]
    declared = re.search(r"^ENV ((?:.*\\\n)*.*)$", last, re.MULTILINE)
    assert declared is not None
    return dict(one.split("=", 1) for one in declared[1].replace("\\\n", " ").split())


@dataclass(frozen=True)
class Container:
    """Runs scripts in such containers, each in a new one.

    site   the unpacked wheel, with what was compiled when it was built
    place  a folder of the test's own
    """

    site: Path
    place: Path

    def environment(self, **own: str) -> dict[str, str]:
        """The image's variables, but that loops are compiled for this machine's processor, as other tests have them."""
        ours = {name: value for name, value in variables().items() if name not in ("NUMBA_CPU_NAME", "PATH")}
        path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        return {**ours, "PATH": path, "python": sys.executable, "PYTHONPATH": SITE, **own}

    def shell(self, script: str, outside: str = "", **own: str) -> subprocess.CompletedProcess[str]:
        """Run a script of `sh` inside to its end, and at once one on the same network but outside of the root."""
        root = self.place / "root"
        root.mkdir(exist_ok=True)
        (self.place / "tls").mkdir(exist_ok=True)
        python = dict.fromkeys([sys.base_prefix, sys.prefix])
        arguments = [str(root), str(self.site), str(DEPLOY), str(self.place / "tls"), script, outside, *python]
        out, err = self.place / "out", self.place / "err"
        with out.open("w") as stdout, err.open("w") as stderr:
            for stream in (out, err):
                stream.chmod(0o666)  # as an engine hands streams to a container's user
            ran = subprocess.run(
                [*NAMESPACES, "sh", "-c", BUILD, "sh", *arguments], env=self.environment(**own),
                stdout=stdout, stderr=stderr, stdin=subprocess.DEVNULL,
            )  # fmt: skip
        return subprocess.CompletedProcess(ran.args, ran.returncode, out.read_text(), err.read_text())
