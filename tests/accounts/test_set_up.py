"""Accounts that are set up in part are refused when the server starts, in words."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from accounts.staff import CLIENT, SECRET, SECRETS
from streamlit.runtime.secrets import AttrDict

from pmwpub.accounts.account_rules import CLAIM, AccountRules
from pmwpub.errors import SettingRefused
from pmwpub.ui.app import signing_in
from pmwpub.ui.app.signing_in import check_accounts, providers, sign_in_of

ROOT = Path(__file__).resolve().parents[2]
RULES = AccountRules.declared({"PMWPUB_ACCOUNTS_CLAIM": "roles"})
WHOLE = {"redirect_uri": "https://x/oauth2callback", "cookie_secret": SECRET, "client_id": CLIENT}


def given(monkeypatch: pytest.MonkeyPatch, section: dict[str, object]) -> None:
    monkeypatch.setattr(signing_in, "get_secrets_auth_section", lambda: AttrDict(section))


def test_both_halves_or_none_start(monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, {})
    check_accounts(None)
    given(monkeypatch, WHOLE)
    check_accounts(RULES)


@pytest.mark.parametrize(
    ("rules", "section", "said"),
    [
        (None, WHOLE, "PMWPUB_ACCOUNTS_CLAIM is missing"),
        (RULES, {}, r"\[auth\] with a client_id is missing"),
        (RULES, {"cookie_secret": SECRET}, r"\[auth\] with a client_id is missing"),
        (RULES, WHOLE | {"cookie_secret": "short"}, "32 random characters"),
        (RULES, WHOLE | {"redirect_uri": "https://x/"}, "/oauth2callback"),
    ],
)
def test_half_of_the_accounts_is_refused(
    monkeypatch: pytest.MonkeyPatch, rules: AccountRules | None, section: dict[str, object], said: str
) -> None:
    given(monkeypatch, section)
    with pytest.raises(SettingRefused, match=said):
        check_accounts(rules)


def test_without_authlib_nothing_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, WHOLE)
    monkeypatch.setattr(signing_in, "is_authlib_installed", lambda: False)
    with pytest.raises(SettingRefused, match="Authlib"):
        check_accounts(RULES)


def test_each_provider_knows_the_server_by_its_own_client_id(monkeypatch: pytest.MonkeyPatch) -> None:
    section = {key: value for key, value in WHOLE.items() if key != "client_id"}
    given(monkeypatch, section | {"north": {"client_id": "n"}, "south": {"client_id": "s"}, "note": {"a": "b"}})
    assert providers() == {"north": "n", "south": "s"}
    assert RULES is not None
    token = {"iss": "i", "sub": "s", "iat": 1, "exp": 10**11, "is_logged_in": True, "aud": "n"}
    assert sign_in_of(RULES, token | {"provider": "north"}) is not None
    assert sign_in_of(RULES, token | {"provider": "south"}) is None
    assert sign_in_of(RULES, token) is None


def test_a_server_with_half_of_the_accounts_does_not_start(tmp_path: Path) -> None:
    secrets = tmp_path / "secrets.toml"
    secrets.write_text(SECRETS.format(secret=SECRET, client=CLIENT, provider="http://localhost:1"))
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true", "--server.port", "0"]
    environment = {**os.environ, "PMWPUB_STORE": f"sqlite:///{tmp_path}/ledger.sqlite"}
    ended = subprocess.run(
        [*command, "--secrets.files", str(secrets)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=90,
    )
    assert ended.returncode != 0
    assert "PMWPUB_ACCOUNTS_CLAIM is missing" in ended.stdout + ended.stderr
    assert not list(tmp_path.glob("ledger*"))


@pytest.mark.parametrize("flag", ["--check", "--headless"])
@pytest.mark.parametrize(
    ("claim", "whole", "said"),
    [("roles", False, "[auth] with a client_id is missing"), ("", True, f"{CLAIM} is missing")],
)
def test_the_command_refuses_half_of_the_accounts_before_anything_is_served(
    tmp_path: Path, flag: str, claim: str, whole: bool, said: str
) -> None:
    ended = _app(tmp_path, claim, flag, whole=whole)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not list(tmp_path.glob("ledger*"))


def test_the_command_finds_both_halves_where_a_server_would(tmp_path: Path) -> None:
    """It goes on to the store, which cannot be made there."""
    ended = _app(tmp_path, "roles", "--check", whole=True, PMWPUB_STORE="sqlite:////nowhere/ledger.sqlite")
    assert ended.returncode == 2
    assert "cannot be made" in ended.stderr


def _app(folder: Path, claim: str, flag: str, *, whole: bool, **more: str) -> subprocess.CompletedProcess[str]:
    """`pmwpub app` in a folder without secrets, or where a variable of Streamlit's names the file of them."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PMWPUB_STORE": f"sqlite:///{folder}/ledger.sqlite",
        CLAIM: claim,
    }
    if whole:
        secrets = folder / "named.toml"
        secrets.write_text(SECRETS.format(secret=SECRET, client=CLIENT, provider="http://localhost:1"))
        environment["STREAMLIT_SECRETS_FILES"] = str(secrets)
    command = [sys.executable, "-m", "pmwpub.cli", "app", flag]
    return subprocess.run(command, cwd=folder, env=environment | more, capture_output=True, text=True, timeout=90)
