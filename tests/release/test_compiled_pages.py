"""A compiled page is kept where there is a place, is never an old one, and is not needed."""

from __future__ import annotations

from pathlib import Path

import pytest
from jinja2 import DictLoader, Environment
from jinja2.compiler import CodeGenerator

from pmwpub.release import report
from pmwpub.release.compiled_pages import CompiledPages


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """The names of the pages that were compiled."""
    names: list[str | None] = []
    begin = CodeGenerator.visit_Template

    def noted(self: CodeGenerator, node: object, frame: object = None) -> None:
        names.append(self.name)
        begin(self, node, frame)  # type: ignore[arg-type]

    monkeypatch.setattr(CodeGenerator, "visit_Template", noted)
    return names


def page(folder: Path, text: str, how: str = "as before") -> str:
    """A page in a program of its own; `how` is the text of the module that compiles it."""
    module = folder / "compiling.py"
    module.write_text(how)
    (folder / "__pycache__").mkdir(exist_ok=True)
    made = Environment(loader=DictLoader({"p": text}), autoescape=True, bytecode_cache=CompiledPages.beside(module))
    return made.get_template("p").render(name="<b>")


def test_a_page_is_compiled_once_and_anew_where_it_or_how_it_is_compiled_changed(
    tmp_path: Path, compiled: list[str | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.pycache_prefix", None)
    seen = []
    for text, how in (("{{ name }}",) * 2, ("{{ name }}",) * 2, ("{{ name }}!", "{{ name }}"), ("{{ name }}", "other")):
        seen.append((page(tmp_path, text, how), len(compiled)))
    assert seen == [("&lt;b&gt;", 1), ("&lt;b&gt;", 1), ("&lt;b&gt;!", 2), ("&lt;b&gt;", 3)]


@pytest.mark.parametrize("trouble", [PermissionError, FileNotFoundError, OSError])
def test_where_it_cannot_be_kept_it_is_compiled_all_the_same(
    tmp_path: Path, compiled: list[str | None], monkeypatch: pytest.MonkeyPatch, trouble: type[OSError]
) -> None:
    def refused(**_: object) -> None:
        raise trouble("no place")

    monkeypatch.setattr("tempfile.NamedTemporaryFile", refused)
    assert [page(tmp_path, "{{ name }}") for _ in range(2)] == ["&lt;b&gt;"] * 2
    assert len(compiled) == 2


def test_the_reports_own_pages_still_escape_what_they_are_given() -> None:
    for name in report.TEMPLATES.values():
        assert report.template(name).environment.autoescape is True
