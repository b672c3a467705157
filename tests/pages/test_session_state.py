"""What a session knows is one typed value; beside it Streamlit's dictionary holds the entries of widgets alone."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest

from pmwpub.ui.app import state
from pmwpub.ui.app.coming_and_pressing import Arrival

ROOT = Path(__file__).resolve().parents[2]
STATE = ROOT / "pmwpub" / "ui" / "app" / "state.py"
KEYS = STATE.with_name("widget_keys.py")
METHODS = {"get", "pop", "setdefault"}


@cache
def _declared() -> set[str]:
    """The names of `widget_keys.py` that are keys, or make them."""
    names = set()
    for node in ast.parse(KEYS.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("WidgetKey("):
            names.update(ast.unparse(target) for target in node.targets)
        elif isinstance(node, ast.FunctionDef) and node.returns is not None:
            names.update({node.name} if ast.unparse(node.returns) == "WidgetKey" else ())
    return names


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def _imported_keys(tree: ast.AST) -> set[str]:
    """How a module spells the declared keys: after `widget_keys.`, or by a name that it imports from there."""
    spelt = {f"widget_keys.{name}" for name in _declared()}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "pmwpub.ui.app.widget_keys":
            spelt.update(alias.asname or alias.name for alias in node.names if alias.name in _declared())
    return spelt


def _is_key(key: ast.expr, spelt: set[str]) -> bool:
    return ast.unparse(key.func if isinstance(key, ast.Call) else key) in spelt


def _key_names(function: ast.FunctionDef, spelt: set[str]) -> set[str]:
    """The names in a function that hold a declared key: parameters of that type, and what is only ever given one."""
    parameters = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    typed = {
        one.arg for one in parameters if one.annotation and "WidgetKey" in ast.unparse(one.annotation).split(" | ")
    }
    given: dict[str, int] = Counter()
    bound: dict[str, int] = Counter()
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and _is_key(node.value, spelt):
            given.update(target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound[node.id] += 1
    return {name for name in typed | set(given) if given[name] == bound[name]}


def _keys_used(tree: ast.AST) -> Iterator[tuple[ast.AST, ast.expr | None]]:
    """Each mention of Streamlit's dictionary with the key that is looked up; None where it is used in another way."""
    parents = {child: parent for parent in ast.walk(tree) for child in ast.iter_child_nodes(parent)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and any(alias.name == "session_state" for alias in node.names):
            yield node, None
        if (
            not isinstance(node, ast.Attribute)
            or node.attr != "session_state"
            or ast.unparse(node) != "st.session_state"
        ):
            continue
        parent = parents[node]
        call = parents.get(parent)
        if isinstance(parent, ast.Subscript):
            yield node, parent.slice
        elif isinstance(parent, ast.Compare) and parent.comparators == [node]:
            yield node, parent.left
        elif isinstance(parent, ast.Attribute) and parent.attr in METHODS and isinstance(call, ast.Call) and call.args:
            yield node, call.args[0]
        else:
            yield node, None


def _loose(source: str) -> list[str]:
    """The lines that use Streamlit's dictionary under a key that is not declared."""
    if "session_state" not in source:
        return []
    tree = ast.parse(source)
    spelt = _imported_keys(tree)
    held = {}
    for function in _functions(tree):  # an inner function comes after the one around it
        held.update({node: _key_names(function, spelt) for node in ast.walk(function)})
    return [
        source.splitlines()[node.lineno - 1].strip()
        for node, key in _keys_used(tree)
        if key is None or not (_is_key(key, spelt) or ast.unparse(key) in held.get(node, set()))
    ]


def _sources() -> list[Path]:
    return [*sorted((ROOT / "pmwpub").rglob("*.py")), *sorted((ROOT / "pages").glob("*.py")), ROOT / "app.py"]


def test_beside_the_session_only_declared_widget_keys_stand_in_streamlit_s_dictionary() -> None:
    found = {str(path): _loose(path.read_text(encoding="utf-8")) for path in _sources() if path != STATE}
    assert not {path: lines for path, lines in found.items() if lines}


def test_the_session_itself_is_all_that_its_module_keeps_there() -> None:
    keys = [key and ast.unparse(key) for _, key in _keys_used(ast.parse(STATE.read_text(encoding="utf-8")))]
    assert set(keys) == {"_SESSION"}
    assert '_SESSION = "pmwpub session"\n' in STATE.read_text(encoding="utf-8")


def test_declared_widget_keys_differ() -> None:
    """One key for two widgets would hand the entries of one to the other."""
    texts = [
        ast.literal_eval(node.value.args[0])
        for node in ast.parse(KEYS.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and ast.unparse(node.targets[0]).isupper()
    ]
    assert len(set(texts)) == len(texts) > 5


@pytest.mark.parametrize(
    "use",
    [
        'st.session_state["pools"] = []',
        'st.session_state.setdefault(f"pools of {name}", [])',
        'found = "picks" in st.session_state',
        "st.session_state[name] = 1",
        "st.session_state.pools = []",
        "st.session_state.clear()",
        "state = st.session_state",
        "st.session_state[widget_keys.UNDECLARED] = 1",
        "mine = widget_keys.ROUNDS; mine = 'pools'; st.session_state[mine] = 1",
        "key = 'pools'; st.session_state[key] = 1",
        "for key in ('pools',): st.session_state[key] = 1",
    ],
)
def test_a_loose_key_is_seen(use: str) -> None:
    assert _loose(f"def draw(name: str, key: WidgetKey) -> None:\n    {use}\n")


def test_a_dictionary_that_is_imported_by_name_is_seen() -> None:
    assert _loose("from streamlit import session_state\n")


@pytest.mark.parametrize(
    "use",
    [
        "st.session_state[widget_keys.ROUNDS] = 1",
        "st.session_state.get(widget_keys.variant(name))",
        "mine = widget_keys.schema_grid(1)\n    found = mine in st.session_state",
        "st.session_state[key] = 1",
    ],
)
def test_a_declared_key_passes(use: str) -> None:
    assert not _loose(f"def draw(name: str, key: WidgetKey | None) -> None:\n    {use}\n")


class Switched(Exception):
    """Streamlit ends a run where it turns to another page."""


class Address(dict[str, str]):
    """The parameters of an address, as Streamlit has them."""

    def to_dict(self) -> dict[str, str]:
        return dict(self)


def test_a_cold_deep_link_goes_by_app_and_reaches_its_page_once(monkeypatch: pytest.MonkeyPatch) -> None:
    turned: list[tuple[str, object]] = []

    def turn(page: str, query_params: object = None) -> None:
        turned.append((page, query_params))
        raise Switched

    kept: dict[str, object] = {}
    monkeypatch.setattr(state, "st", SimpleNamespace(session_state=kept, query_params=Address(k="v"), switch_page=turn))
    with pytest.raises(Switched):
        state.enter("pages/prepare.py")
    with pytest.raises(Switched):
        state.start({"pages/prepare.py"})
    session = state.enter("pages/prepare.py")
    assert turned == [("app.py", None), ("pages/prepare.py", {"k": "v"})]
    assert kept == {"pmwpub session": session}
    assert session.arrival == Arrival(started=True, target=None)
    session.arrival.target = ("pages/operators.py", {"k": "v"})
    with pytest.raises(Switched):
        state.start({"pages/prepare.py"})
    assert turned[2:] == [("pages/protect.py", {"k": "v"})], "a page that is not offered to this session is none"
