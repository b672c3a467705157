"""Where nothing can be written but one volume: a purchase works, or is refused in words before any charge."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from support.read_only_machine import MEGABYTES, VOLUME, ReadOnlyMachine, refusal

ON_VOLUME = f"sqlite:///{VOLUME}/ledger.sqlite"
READY_SECONDS = 240
REGISTER = "$python -m pmwpub.cli ledger register town --n 60 --epsilon 3"
RELEASE = (
    "$python -m pmwpub.cli release --population town --schema /mnt/schema.json --private /mnt/private.csv "
    "--public /mnt/public.csv -k 2 --epsilon 1 --rounds 2 --overlap-acknowledged"
)
SHOW = "$python -m pmwpub.cli ledger show town"

pytestmark = pytest.mark.skipif(bool(refusal()), reason=f"No mount namespace can be made here: {refusal()}")


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> ReadOnlyMachine:
    box = tmp_path_factory.mktemp("box")
    for name, ages in {"private": "b" * 60, "public": "ab" * 20}.items():
        rows = "".join(f"{age},{row % 2}\n" for row, age in enumerate(ages))
        (box / f"{name}.csv").write_text(f"age,sex\n{rows}")
    command = [sys.executable, "-m", "pmwpub.cli", "schema", "draft", f"{box}/public.csv", "-o", f"{box}/schema.json"]
    subprocess.run(command, check=True, capture_output=True)
    return ReadOnlyMachine(box)


def test_the_machine_is_what_its_name_says(machine: ReadOnlyMachine) -> None:
    places = f"/ /root /var/tmp /dev/shm /mnt {Path(sys.executable).parent} {Path(__file__).parent}"
    ran = machine.shell(f"for p in {places}; do touch $p/x && echo $p; done; cd; touch {VOLUME}/x /tmp/x && df -m /tmp")
    assert ran.stdout.splitlines()[1].split()[1] == str(MEGABYTES)
    assert ran.stderr.count("Read-only file system") == len(places.split())


def test_a_purchase_works_where_the_store_alone_can_be_written(machine: ReadOnlyMachine) -> None:
    """Temporary space is full, and not needed. Nobody compiled code for such a processor, and it has no place there: it
    is made anew before the charge."""
    ran = machine.shell(
        f"head -c {MEGABYTES + 1}M /dev/zero 2>/dev/null >/tmp/filled; df -m --output=avail /tmp | tail -n 1; "
        f"{REGISTER} >&2 && {RELEASE} -o {VOLUME}/out >&2 && {SHOW} && "
        f"$python -m pmwpub.cli certificate check {VOLUME}/out >&2",
        PMWPUB_STORE=ON_VOLUME,
        NUMBA_CPU_NAME="generic",
    )
    assert ran.returncode == 0, ran.stderr
    left, shown = ran.stdout.split("\n", 1)
    assert int(left) == 0
    assert [one["status"] for one in json.loads(shown)["charges"]] == ["done"]


@pytest.mark.parametrize(
    ("before", "release", "words"),
    [
        ("true", f"{RELEASE} -o /mnt/out", "cannot be made: Read-only file system. Nothing was charged."),
        ("true", f"PMWPUB_WITNESS=/mnt/witness {RELEASE} -o {VOLUME}/out", "witness"),
        (f"head -c {MEGABYTES}M /dev/zero >{VOLUME}/filled", f"{RELEASE} -o {VOLUME}/out", "check the disk. Nothing"),
    ],
    ids=["output", "witness", "full volume"],
)
def test_what_cannot_be_written_is_refused_before_any_charge(
    machine: ReadOnlyMachine, before: str, release: str, words: str
) -> None:
    script = f"{REGISTER} >/dev/null || exit 9; {before} 2>/dev/null; {release}; echo $?; rm -f {VOLUME}/filled; {SHOW}"
    ran = machine.shell(script, PMWPUB_STORE=ON_VOLUME)
    status, shown = ran.stdout.split("\n", 1)
    assert status == "2", ran.stderr
    assert words in ran.stderr
    assert "Traceback" not in ran.stderr
    assert json.loads(shown)["charges"] == []


@pytest.mark.parametrize("there", [False, True], ids=["no store yet", "a store"])
def test_a_store_on_a_read_only_disk_is_refused_in_words(machine: ReadOnlyMachine, tmp_path: Path, there: bool) -> None:
    for file in machine.box.glob("*.*"):
        shutil.copy(file, tmp_path)
    if there:
        command = [sys.executable, "-m", "pmwpub.cli", "--store", f"sqlite:///{tmp_path}/kept.sqlite"]
        command += ["ledger", "register", "town", "--n", "60", "--epsilon", "3"]
        subprocess.run(command, check=True, capture_output=True)
    begin = RELEASE + f" -o {VOLUME}/out" if there else REGISTER
    ran = ReadOnlyMachine(tmp_path).shell(begin, PMWPUB_STORE="sqlite:////mnt/kept.sqlite")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("pmwpub: ")
    assert "Traceback" not in ran.stderr


def test_the_app_is_ready_there_once_its_workers_did_all_kinds_of_paid_work(machine: ReadOnlyMachine) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = machine.command(sys.executable, "-m", "pmwpub.cli", "app", "--headless", "--port", str(port))
    server = subprocess.Popen(
        command, env=machine.environment(PMWPUB_STORE=ON_VOLUME), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    try:
        found = _ready(server, f"http://localhost:{port}/ready")
    finally:
        server.send_signal(signal.SIGINT)
        _, words = server.communicate(timeout=90)
    assert found == {"ready": True, "store": True, "witness": True, "workers": True, "warm": True}, words


def _ready(server: subprocess.Popen[bytes], address: str) -> dict[str, bool]:
    """What the server last said of itself, until it says that it is ready or its time is over."""
    found: dict[str, bool] = {}
    deadline = time.monotonic() + READY_SECONDS
    while server.poll() is None and time.monotonic() < deadline and not found.get("ready"):
        time.sleep(0.5)
        try:
            with urllib.request.urlopen(address, timeout=30) as answer:
                found = json.loads(answer.read())
        except urllib.error.HTTPError as refused:
            found = json.loads(refused.read())
        except OSError:
            continue
    return found
