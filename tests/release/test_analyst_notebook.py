"""The notebook beside a release: it runs as it is, shows what the release answers, and no name becomes code in it."""

from __future__ import annotations

import ast
import csv
import io
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import buying
import nbformat
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbclient import NotebookClient
from support.planting import plant
from traitlets.config import Config

from pmwpub.api import SyntheticRelease
from pmwpub.errors import FileRefused, PlanError
from pmwpub.jobs import InlineEngine
from pmwpub.ledger import Ledger, Population
from pmwpub.plans import WorkloadChoice
from pmwpub.release.answers.release_answers import UNCHANGED
from pmwpub.release.bundle import CERTIFICATE, Bundle, pack
from pmwpub.release.notebooks import analyst_notebook as notebooks
from pmwpub.release.notebooks.analyst_notebook import NOTEBOOK, analyst_notebook, assigned
from pmwpub.service import Service
from pmwpub.service.bought import releases
from pmwpub.service.bought.release_files import release_files
from pmwpub.service.inputs import study_store
from pmwpub.service.unchanged_release import publish_unchanged
from pmwpub.tabular.schema.table_schema import Schema

N = 240
QUOTES, MARKUP, FORMULA = "it's \"\\ ```%%bash", "<script>1</script>", "=$\\href{javascript:1}{x}$"
LEVELS = (QUOTES, "'); raise SystemExit(7) #", "<img src=x onerror=1>")
COLUMNS = [QUOTES, MARKUP, FORMULA, "{{ x }}?"]
SCHEMA = Schema.from_json(
    json.dumps(
        {
            "version": 2,
            "missing_tokens": ["", "NA"],
            "columns": [
                {"name": QUOTES, "kind": "categorical", "levels": LEVELS, "same": []},
                {"name": MARKUP, "kind": "categorical", "levels": ["F", "M"], "same": []},
                {"name": FORMULA, "kind": "numeric", "edges": [0, 20, 40, 60], "outside": "clip", "same": []},
                {"name": "{{ x }}?", "kind": "ordered", "levels": ["!ls", "%who", "?"], "same": []},
            ],
        }
    )
)
KINDS = ("rounds", "tables", "learnt pool", "unchanged")
Outputs = dict[str, list[Any]]


def people(rows: int, seed: int) -> bytes:
    draw, text = np.random.default_rng(seed), io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for _ in range(rows):
        last = ("!ls", "%who", "?")[draw.integers(3)]
        writer.writerow([LEVELS[draw.integers(3)], "FM"[draw.integers(2)], draw.integers(60), last])
    return text.getvalue().encode()


PUBLIC = {"b.csv": people(90, 1), "c.csv": people(80, 2)}


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Bundle]:
    """A release of each kind under a schema of hostile names."""
    with Ledger.open(f"sqlite:///{tmp_path_factory.mktemp('town')}/ledger.sqlite3") as ledger:
        service = Service(ledger, InlineEngine())
        ledger.register(Population("town", N, 1, "one resident", Fraction(9), Fraction(1, N * N)))
        for name, body in PUBLIC.items():
            study_store.add_candidate(service, "town", name, body, attested=True)
        study_store.save_schema(service, "town", SCHEMA)
        study_store.choose_workload(service, "town", WorkloadChoice(k=2))
        private = study_store.load_private(service, "town", people(N, 3))
        current = study_store.study(service, "town")
        keys = [one.sha256 for one in current.usable]
        plans = (
            releases.release_plan(service, current, keys[:1], epsilon="2", rounds=4),
            releases.table_fit_plan(service, current, keys[:1], epsilon="2"),
            releases.weighted_pool_plan(service, current, keys, epsilon="2"),
        )
        booked = [buying.buy(service, private, plan).booking for plan in plans]
        found = [releases.released(service, current, booking).bundle for booking in booked]
        unchanged = releases.unchanged_plan(current, keys[:1])
        found.append(publish_unchanged(service, current, unchanged, private=private, tick=True).bundle)
        return {kind: bundle for kind, bundle in zip(KINDS, found, strict=True) if bundle is not None}


def put(bundle: Bundle, folder: Path) -> Path:
    """A release as it is downloaded, all in one archive, with its public tables put beside it."""
    folder.mkdir()
    (archive,) = [
        one for one in release_files(bundle, "all.zip", rows=30, seed=2, cells="labels") if one.name == "all.zip"
    ]
    with zipfile.ZipFile(io.BytesIO(archive.content())) as opened:
        opened.extractall(folder)
    for name, body in PUBLIC.items():
        (folder / f"public {name}").write_bytes(body)
    return folder


def at(folder: Path) -> Any:
    """A cell that empties the kernel's names and goes where a notebook lies."""
    return nbformat.v4.new_code_cell(f"%reset -f\nimport os\nos.chdir({str(folder)!r})")


@pytest.fixture(scope="module")
def folders(bundles: dict[str, Bundle], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    where = tmp_path_factory.mktemp("handed out")
    return {kind: put(bundle, where / kind) for kind, bundle in bundles.items()}


@pytest.fixture(scope="module")
def ran(folders: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outputs]:
    """kind -> cell id -> outputs: every notebook, its cells in order, in one kernel; any error fails."""
    cells, owners = [], []
    for number, (kind, folder) in enumerate(folders.items()):
        there = nbformat.read(folder / NOTEBOOK, as_version=4).cells
        owners += [(kind, "at"), *((kind, cell.id) for cell in there)]
        cells += [at(folder), *({**cell, "id": f"{number}-{cell.id}"} for cell in there)]
    whole = nbformat.from_dict(nbformat.v4.new_notebook(cells=cells))
    own = tmp_path_factory.mktemp("jupyter")
    with pytest.MonkeyPatch.context() as patch:
        for variable in ("JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR", "JUPYTER_CONFIG_DIR", "IPYTHONDIR"):
            patch.setenv(variable, str(own))
        NotebookClient(whole, timeout=120, config=Config(KernelManager={"transport": "ipc"})).execute()
    found: dict[str, Outputs] = {kind: {} for kind in folders}
    for (kind, name), cell in zip(owners, whole.cells, strict=True):
        found[kind][name] = cell.get("outputs", [])
    return found


def printed(outputs: list[Any]) -> str:
    return "".join(one.text for one in outputs if one.output_type == "stream")


def tables(outputs: list[Any]) -> list[str]:
    return [one.data["text/html"] for one in outputs if "text/html" in one.get("data", {})]


@pytest.mark.parametrize("kind", KINDS)
def test_it_runs_from_the_first_cell_to_the_last_and_makes_the_weights_again(
    ran: dict[str, Outputs], kind: str
) -> None:
    rebuilt = printed(ran[kind]["code-rebuild"])
    assert "weights.csv: agrees" in rebuilt
    assert "All that was made again agrees." in rebuilt
    assert "above are these released shares: yes" in printed(ran[kind]["code-answers"])
    files = printed(ran[kind]["code-files"]).splitlines()
    assert len(files) >= 5
    assert all(line.endswith(": agrees") for line in files)


@pytest.mark.parametrize("kind", KINDS)
def test_it_shows_the_intervals_that_the_release_answers(
    ran: dict[str, Outputs], bundles: dict[str, Bundle], folders: dict[str, Path], kind: str
) -> None:
    release = SyntheticRelease.in_folder(folders[kind])
    (asked,) = re.findall(r"^COLUMNS = (.*)$", cell_of(bundles[kind], "code-columns"), re.MULTILINE)
    answers = release.answer(ast.literal_eval(asked))
    covered = sum(one.low is not None for one in answers)
    assert covered == {"rounds": covered, "unchanged": 0}.get(kind, len(answers))
    assert covered > 0 or kind == "unchanged", "a marginal that a round measured is asked first"
    assert (UNCHANGED in printed(ran[kind]["code-answers"])) == (kind == "unchanged")
    (shown,) = tables(ran[kind]["code-answers"])
    assert shown.count("<tr") == len(answers) + 1
    (figure,) = [one.data["application/vnd.plotly.v1+json"] for one in ran[kind]["code-plot"]]
    lines = {line["name"]: line for line in figure["data"]}
    drawn = lines.get("share, with its 95 % interval (noisy)", {"x": [], "error_x": {"array": []}})
    assert sorted(drawn["x"]) == sorted(one.share for one in answers if one.low is not None)
    assert sum(drawn["error_x"]["array"]) == pytest.approx(
        sum(one.high - one.share for one in answers if one.high is not None)
    )
    assert sum(len(line["x"]) for line in lines.values()) == len(answers)


def test_what_was_measured_is_listed_and_a_public_table_has_none(ran: dict[str, Outputs]) -> None:
    assert [len(tables(ran[kind]["code-measured"])) for kind in KINDS] == [1, 1, 1, 0]
    assert tables(ran["rounds"]["code-measured"])[0].count("<tr") == 4 + 1


@pytest.mark.parametrize("kind", KINDS)
def test_markup_in_names_and_levels_is_text_in_every_output(ran: dict[str, Outputs], kind: str) -> None:
    shown = [text for outputs in ran[kind].values() for text in tables(outputs)]
    assert any("&lt;" in text for text in shown)
    for text in shown:
        assert not re.search(r"<script|<img", text)
        assert "mathjax_ignore" in text
    (figure,) = [one.data["application/vnd.plotly.v1+json"] for one in ran[kind]["code-plot"]]
    drawn = json.dumps({"data": figure["data"], "layout": {**figure["layout"], "template": None}})
    assert not re.search(r"<script|<img|\$", drawn)


def cell_of(bundle: Bundle, name: str) -> str:
    (cell,) = [one for one in nbformat.reads(analyst_notebook(bundle).decode(), 4).cells if one.id == name]
    return cell.source


@given(st.lists(st.text(), max_size=4), st.lists(st.text(), max_size=4))
def test_no_text_ends_its_literal_or_its_line(names: list[str], others: list[str]) -> None:
    written = assigned({"NAMES": names, "COLUMNS": others})
    assert written.isascii() or all(one.isprintable() for one in written.splitlines())
    assert len(written.splitlines()) == 2
    found = {}
    for line in ast.parse(written).body:
        assert isinstance(line, ast.Assign)
        found[line.targets[0].id] = ast.literal_eval(line.value)  # type: ignore[attr-defined]
    assert found == {"NAMES": names, "COLUMNS": others}


def names_stay(bundle: Bundle) -> bool:
    """Whether names stand in the one cell alone, as literals, and levels nowhere."""
    cells = nbformat.reads(analyst_notebook(bundle).decode(), 4).cells
    others = "\n".join(cell.source for cell in cells if cell.id != "code-columns")
    try:
        body = ast.parse(cell_of(bundle, "code-columns")).body
        read = {line.targets[0].id: ast.literal_eval(line.value) for line in body}  # type: ignore[attr-defined]
    except (SyntaxError, ValueError, AttributeError):
        return False
    apart = not any(text in others for text in (*COLUMNS, *LEVELS))
    return apart and read["NAMES"] == COLUMNS and (read["NUMERIC"], read["ORDERED"]) == ([FORMULA], COLUMNS[2:])


@pytest.mark.parametrize("kind", KINDS)
def test_names_stand_in_one_cell_and_levels_nowhere(bundles: dict[str, Bundle], kind: str) -> None:
    assert names_stay(bundles[kind])


@pytest.mark.fault("names pasted into the notebook's code")
def test_names_that_are_pasted_are_noticed(bundles: dict[str, Bundle], monkeypatch: pytest.MonkeyPatch) -> None:
    pasted = """name + " = ['" + "', '".join(texts) + "']\""""
    plant(monkeypatch, notebooks, "assigned", 'f"{name} = {list(texts)!r}"', pasted)
    assert not names_stay(bundles["tables"])


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_release_gives_the_same_bytes_without_outputs_or_paths(
    bundles: dict[str, Bundle], folders: dict[str, Path], kind: str
) -> None:
    body = analyst_notebook(bundles[kind])
    assert analyst_notebook(Bundle.from_bytes(bundles[kind].to_bytes())) == body
    assert (folders[kind] / NOTEBOOK).read_bytes() == body
    assert str(Path(sys.prefix)) not in body.decode()
    read = nbformat.reads(body.decode(), as_version=4)
    nbformat.validate(read)
    assert len({cell.id for cell in read.cells}) == len(read.cells)
    for cell in read.cells:
        assert cell.cell_type == "markdown" or (cell.outputs, cell.execution_count) == ([], None)
    assert set(read.metadata) == {"kernelspec"}


def test_the_certificate_names_no_notebook_and_keeps_its_bytes(
    bundles: dict[str, Bundle], folders: dict[str, Path]
) -> None:
    for kind, bundle in bundles.items():
        handed = bundle.files(30, 2)
        assert NOTEBOOK not in handed
        assert (folders[kind] / CERTIFICATE).read_bytes() == handed[CERTIFICATE]
        with_it = SyntheticRelease(bundle).files(30, seed=2)
        assert with_it == {**handed, NOTEBOOK: analyst_notebook(bundle)}


def test_a_notebook_that_cannot_be_made_keeps_no_file_back(
    bundles: dict[str, Bundle], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "nbformat", None)
    files = bundles["rounds"].files(30)
    assert notebooks.with_notebook(bundles["rounds"], files) == files


def test_without_the_package_it_still_checks_files_and_sums_weights(folders: dict[str, Path], tmp_path: Path) -> None:
    """The code cells as a program, in a process that has the standard library alone."""
    cells = nbformat.read(folders["tables"] / NOTEBOOK, as_version=4).cells
    program = "\n\n".join(cell.source for cell in cells if cell.cell_type == "code")
    (tmp_path / "cells.py").write_text(program, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(tmp_path / "cells.py")], cwd=folders["tables"], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "weights.csv: agrees" in done.stdout
    assert re.search(r"^ +\d+\.\d\d%  \(", done.stdout, re.MULTILINE)
    assert done.stdout.count("needs the package pmwpub") == 7


@pytest.mark.parametrize("kind", KINDS)
def test_a_release_opened_from_its_folder_is_the_stored_one(
    bundles: dict[str, Bundle], folders: dict[str, Path], kind: str
) -> None:
    opened, stored = SyntheticRelease.in_folder(str(folders[kind])), SyntheticRelease(bundles[kind])
    assert opened.answer([MARKUP]) == stored.answer([MARKUP])
    assert opened.files(40, seed=9) == stored.files(40, seed=9)
    assert opened.remark == stored.remark


def test_a_folder_without_a_release_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(FileRefused, match="give the folder of a release"):
        SyntheticRelease.in_folder(tmp_path)
    with pytest.raises(PlanError, match="A folder is a path"):
        SyntheticRelease.in_folder(None)  # type: ignore[arg-type]


def test_a_changed_notebook_is_listed_as_one_of_which_nothing_is_stated(
    folders: dict[str, Path], tmp_path: Path, run_check: Callable[[Path], list[str]]
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    for path in folders["tables"].iterdir():
        if not path.name.startswith("public"):
            (folder / path.name).write_bytes(path.read_bytes())
    assert run_check(folder) == []
    (folder / NOTEBOOK).write_bytes((folder / NOTEBOOK).read_bytes().replace(b"import csv", b"import ftplib, csv"))
    assert run_check(folder) == [NOTEBOOK]


@pytest.fixture
def run_check(capsys: pytest.CaptureFixture[str]) -> Callable[[Path], list[str]]:
    from pmwpub.cli import main

    def check(folder: Path) -> list[str]:
        assert main(["certificate", "check", str(folder)]) == 0
        return json.loads(capsys.readouterr().out)["unlisted"]

    return check


def test_the_archive_holds_the_files_and_the_notebook(bundles: dict[str, Bundle]) -> None:
    bundle = bundles["unchanged"]
    offered = {one.name: one for one in release_files(bundle, "all.zip", rows=30, seed=2, cells="labels")}
    assert offered[NOTEBOOK].content() == analyst_notebook(bundle)
    assert offered["all.zip"].content() == pack({**bundle.files(30, 2), NOTEBOOK: analyst_notebook(bundle)})
