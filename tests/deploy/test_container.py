"""The main job where the container's conditions hold: nothing to write but a volume, nobody's user, one way in."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support import container_visitor, proxy
from support.container import COMMAND, ROOT, SITE, VOLUME, Container, refusal
from support.installed_app import built_wheel, unpacked

REGISTER = f"{COMMAND} ledger register town --n 60 --epsilon 3"
RELEASE = (
    f"{COMMAND} release --population town --schema {SITE}/schema.json --private {SITE}/private.csv "
    f"--public {SITE}/public.csv -k 2 --epsilon 1 --rounds 2 --overlap-acknowledged -o {VOLUME}/out"
)
LOOPS = """
import json, sys
from pmwpub.tasks.warming import warm
warm(None, lambda done, total, note="", part=None: None)
kernels = [one for name, one in sys.modules.items() if name.startswith("pmwpub.") and name.endswith("kernels")]
stats = [made.stats for module in kernels for made in vars(module).values() if hasattr(made, "stats")]
print(json.dumps([sum(sum(getattr(one, kind).values()) for one in stats) for kind in ("cache_hits", "cache_misses")]))
"""

pytestmark = pytest.mark.skipif(bool(refusal()), reason=f"No container can be made here: {refusal()}")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, unpacked and compiled as the Containerfile does it, with tables for a release beside it."""
    place = tmp_path_factory.mktemp("image")
    site = unpacked(built_wheel(place), place / "site")
    for compiled in ROOT.glob("pmwpub/**/__pycache__/*.nb[ic]"):  # what is compiled already is not compiled again
        folder = site / compiled.parent.relative_to(ROOT)
        folder.mkdir(exist_ok=True)
        shutil.copy(compiled, folder)
    for name, ages in {"private": "b" * 60, "public": "ab" * 20}.items():
        rows = "".join(f"{age},{row % 2}\n" for row, age in enumerate(ages))
        (site / f"{name}.csv").write_text(f"age,sex\n{rows}")
    _here(site, "schema", "draft", f"{site}/public.csv", "-o", f"{site}/schema.json")
    found = _here(site, "app", "--check", PMWPUB_STORE=f"sqlite:///{place}/thrown-away.sqlite")
    assert json.loads(found)["ready"] is True
    return site


def _here(site: Path, *arguments: str, **own: str) -> str:
    """Run a command of the wheel where its folder can still be written."""
    ran = subprocess.run(
        [sys.executable, "-m", "pmwpub.cli", *arguments], cwd=site, env={"PYTHONPATH": str(site), **own},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return ran.stdout


@pytest.fixture
def container(site: Path, tmp_path: Path) -> Container:
    return Container(site, tmp_path)


def test_the_container_is_what_its_name_says(container: Container) -> None:
    places = f"/ {SITE} /usr /etc /dev /proc /tmp /dev/shm {VOLUME}"
    ran = container.shell(
        f"id -u; grep -h CapEff /proc/self/status; for p in {places}; do touch $p/x 2>/dev/null && echo $p; done; "
        "ls /sys/class/net /nonexistent 2>/dev/null; ls /proc | grep -c '^[0-9]'"
    )
    user, capabilities, *writable, processes = ran.stdout.split("\n")[:-1]
    assert (user, capabilities.split()[1]) == ("10001", "0" * 16)
    assert writable == ["/tmp", "/dev/shm", VOLUME]
    assert int(processes) < 10, "it sees its own processes alone"


def test_loops_that_the_image_holds_are_read_and_none_is_compiled(container: Container) -> None:
    read, made = json.loads(container.shell('exec $python -c "$LOOPS"', LOOPS=LOOPS).stdout)
    assert read > 10
    assert made == 0


def test_a_loop_that_the_image_lacks_is_compiled_and_the_work_done_all_the_same(site: Path, tmp_path: Path) -> None:
    lacking = shutil.copytree(site, tmp_path / "site")
    gone = [*lacking.glob("pmwpub/queries/__pycache__/counting_kernels.add_cells-*.nbi")]
    assert len(gone) == 1
    gone[0].unlink()
    _, made = json.loads(Container(lacking, tmp_path).shell('exec $python -c "$LOOPS"', LOOPS=LOOPS).stdout)
    assert made > 0


def test_a_release_is_made_there_by_command_and_checked(container: Container) -> None:
    ran = container.shell(
        f"{REGISTER} >&2 && {RELEASE} >&2 && {COMMAND} ledger show town && {COMMAND} certificate check {VOLUME}/out >&2"
    )
    assert ran.returncode == 0, ran.stderr
    assert [one["status"] for one in json.loads(ran.stdout)["charges"]] == ["done"]


@pytest.mark.skipif(bool(proxy.refusal()), reason=f"No proxy can be started here: {proxy.refusal()}")
def test_people_reach_the_app_through_its_proxy_and_no_log_says_which_session_was_theirs(container: Container) -> None:
    place = container.place
    (place / "tls").mkdir()
    proxy.certify(place / "tls")
    (place / "tls" / "tls.key").chmod(0o644)
    visitor = f"{sys.executable} {container_visitor.__file__} >{place}/saw 2>{place}/said"
    ran = container.shell(
        f"{COMMAND} app --headless --port 8501 & app=$!; nginx -e /dev/stderr -g 'daemon off;' & proxy=$!; "
        "while [ ! -e /etc/pmwpub/tls/seen ]; do sleep 0.2; done; "
        "echo ending >&2; kill -INT $app; wait $app; kill $proxy; wait",
        outside=f"PYTHONPATH={ROOT} SSL_CERT_FILE={place}/tls/tls.crt {visitor}; touch {place}/tls/seen",
        STREAMLIT_SERVER_CORS_ALLOWED_ORIGINS=container_visitor.ADDRESS,
    )
    assert (place / "said").read_text() == ""
    saw = json.loads((place / "saw").read_text())
    assert saw["ready"] == {"ready": True, "store": True, "witness": True, "workers": True, "warm": True}, ran.stderr
    assert saw["page"] == 200
    assert saw["secure"] == [1]
    assert saw["another site"] == "InvalidStatus"
    assert "Open the demo" in saw["buttons"]
    assert saw["upload"] == 204
    assert " PUT upload 204 204 " in ran.stdout
    assert saw["session"] not in ran.stdout + ran.stderr
    assert "Traceback" not in ran.stderr.partition("ending")[0]
