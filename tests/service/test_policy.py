"""Who is answered: the policy of a service by its address and its environment."""

from __future__ import annotations

import pytest

from pmwpub.errors import SettingRefused, ViewersOnly
from pmwpub.service import Mode, Policy

HERE = ("localhost", "LOCALHOST", "127.0.0.1", "127.8.9.10", "::1", "[::1]")
ELSEWHERE = (None, "", "0.0.0.0", "::", "192.0.2.7", "stats.example.org", "localhost.example.org", "unix:/tmp/socket")


@pytest.mark.parametrize("address", HERE)
def test_a_loopback_address_is_a_single_users_unless_it_is_declared_shared(address: str) -> None:
    assert Policy.declared(address, {}) == Policy(Mode.SINGLE_USER)
    assert Policy.declared(address, {"PMWPUB_MODE": "single-user"}).answers
    assert not Policy.declared(address, {"PMWPUB_MODE": "shared"}).answers


@pytest.mark.parametrize("address", ELSEWHERE)
def test_any_other_address_without_a_declaration_is_shared_and_never_a_single_users(address: str | None) -> None:
    assert Policy.declared(address, {}).mode is Mode.SHARED
    with pytest.raises(SettingRefused, match="loopback"):
        Policy.declared(address, {"PMWPUB_MODE": "single-user"})


@pytest.mark.parametrize("variable", ["PMWPUB_MODE", "PMWPUB_VIEWERS_ONLY"])
@pytest.mark.parametrize("value", ["true", "yes", "single", "Shared", " 1", "2"])
def test_an_unknown_value_is_refused_and_never_means_a_full_server(variable: str, value: str) -> None:
    with pytest.raises(SettingRefused, match=variable):
        Policy.declared("localhost", {variable: value})


def test_viewers_only_is_declared_by_one_and_refuses_what_changes_anything() -> None:
    Policy.declared("localhost", {"PMWPUB_VIEWERS_ONLY": "0"}).refuse_viewers()
    with pytest.raises(ViewersOnly, match="Nothing was charged"):
        Policy.declared("localhost", {"PMWPUB_VIEWERS_ONLY": "1"}).refuse_viewers()


def test_with_accounts_a_server_is_shared_at_any_address_and_never_a_single_users() -> None:
    accounts = {"PMWPUB_ACCOUNTS_CLAIM": "roles"}
    assert not Policy.declared("localhost", accounts).answers
    with pytest.raises(SettingRefused, match="declares accounts"):
        Policy.declared("localhost", accounts | {"PMWPUB_MODE": "single-user"})
