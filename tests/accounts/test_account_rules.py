"""Which tokens are anybody's here, and which role they mean."""

from __future__ import annotations

import pytest

from pmwpub.accounts.account_rules import AccountRules
from pmwpub.accounts.people import Account, Role
from pmwpub.errors import SettingRefused
from pmwpub.settings import Settings

GIVEN = {
    "PMWPUB_ACCOUNTS_CLAIM": "realm_access.roles",
    "PMWPUB_ACCOUNTS_OPERATOR": "it",
    "PMWPUB_ACCOUNTS_STEWARD": "stats-a, stats-b",
    "PMWPUB_ACCOUNTS_HOURS": "8",
}
TOKEN = {
    "is_logged_in": True,
    "iss": "https://accounts.example",
    "sub": "248289",
    "aud": "pmwpub",
    "iat": 1000,
    "exp": 1300,
    "nonce": "n",
    "email": "ada@stats.example",
    "email_verified": True,
    "realm_access": {"roles": ["stats-b"]},
}


def rules(**changed: str) -> AccountRules:
    found = AccountRules.declared(GIVEN | changed)
    assert found is not None
    return found


def test_without_a_claim_there_are_no_accounts_and_a_server_with_one_has_them() -> None:
    assert Settings.declared({}).accounts is None
    assert Settings.declared(GIVEN).accounts == AccountRules(
        "realm_access.roles",
        {
            Role.OPERATOR: frozenset({"it"}),
            Role.STEWARD: frozenset({"stats-a", "stats-b"}),
            Role.VIEWER: frozenset({"viewer"}),
        },
        8,
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PMWPUB_ACCOUNTS_CLAIM", " roles"),
        ("PMWPUB_ACCOUNTS_CLAIM", "ro\nles"),
        ("PMWPUB_ACCOUNTS_STEWARD", "stats,,it"),
        ("PMWPUB_ACCOUNTS_CLAIM", ""),
        ("PMWPUB_ACCOUNTS_HOURS", "0"),
        ("PMWPUB_ACCOUNTS_HOURS", "721"),
        ("PMWPUB_ACCOUNTS_HOURS", "½"),
        ("PMWPUB_ACCOUNT_CLAIM", "roles"),
    ],
)
def test_half_of_the_settings_or_a_value_that_is_none_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(SettingRefused, match=name):
        Settings.declared(GIVEN | {name: value})


def test_a_value_of_the_claim_means_one_role() -> None:
    with pytest.raises(SettingRefused, match="'it' stands for two roles"):
        Settings.declared(GIVEN | {"PMWPUB_ACCOUNTS_VIEWER": "it"})


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("it", Role.OPERATOR),
        (["viewer", "it"], Role.OPERATOR),
        (["viewer", "stats-a", "unknown"], Role.STEWARD),
        (["viewer"], Role.VIEWER),
        ("stats-a viewer", None),
        (["IT"], None),
        ([], None),
        ({"it": True}, None),
        (1, None),
        ([["it"]], None),
    ],
)
def test_of_several_roles_the_highest_counts_and_an_unknown_value_means_none(said: object, meant: Role | None) -> None:
    assert rules().role_of({"realm_access": {"roles": said}}) is meant
    assert (
        rules(PMWPUB_ACCOUNTS_CLAIM="https://example.org/roles").role_of({"https://example.org/roles": said}) is meant
    )


def test_a_token_for_this_server_says_who_it_is_and_in_which_role() -> None:
    found = rules().sign_in_of(TOKEN, "pmwpub", 1299)
    assert found is not None
    assert (found.account, found.account.shown) == (Account("https://accounts.example", "248289"), "ada@stats.example")
    assert (found.role, found.issued, found.ends) == (Role.STEWARD, 1000, 1000 + 8 * 3600)


@pytest.mark.parametrize("said", [False, None, "true", 1])
def test_an_address_that_is_not_said_to_be_verified_is_not_shown_as_a_persons(said: object) -> None:
    found = rules().sign_in_of(TOKEN | {"email_verified": said, "name": "Ada"}, "pmwpub", 1001)
    assert found is not None
    assert found.account.shown == "Ada"
    unsaid = {name: value for name, value in TOKEN.items() if name != "email_verified"}
    found = rules().sign_in_of(unsaid | {"name": "Ada"}, "pmwpub", 1001)
    assert found is not None
    assert found.account.shown == "Ada"


@pytest.mark.parametrize("chosen", ["Alice@x.org", "alice＠x.org", "  "])
@pytest.mark.parametrize("claim", ["preferred_username", "name"])
def test_a_name_of_ones_own_choice_is_not_shown_where_it_looks_like_an_address(claim: str, chosen: str) -> None:
    unsaid = {name: value for name, value in TOKEN.items() if not name.startswith("email")}
    found = rules().sign_in_of(unsaid | {claim: chosen}, "pmwpub", 1001)
    assert found is not None
    assert found.account.shown == "248289"


@pytest.mark.parametrize(
    "wrong",
    [
        {"aud": "another"},
        {"aud": ["another", "third"]},
        {"aud": None},
        {"aud": ["another", "pmwpub"], "azp": "another"},
        {"aud": "another", "azp": "pmwpub"},
        {"is_logged_in": "yes"},
        {"is_logged_in": False},
        {"iss": ""},
        {"sub": 5},
        {"iat": "1000"},
        {"exp": True},
    ],
)
def test_a_token_for_somebody_else_or_of_another_form_is_nobodys(wrong: dict[str, object]) -> None:
    assert rules().sign_in_of(TOKEN, "pmwpub", 1001) is not None
    assert rules().sign_in_of(TOKEN | wrong, "pmwpub", 1001) is None


def test_a_sign_in_ends_with_its_token_or_after_the_declared_hours() -> None:
    own = AccountRules("roles", rules().values)
    assert own.sign_in_of(TOKEN, "pmwpub", 1299) is not None
    assert own.sign_in_of(TOKEN, "pmwpub", 1300) is None
    assert rules().sign_in_of(TOKEN, "pmwpub", 1000 + 8 * 3600 - 1) is not None
    assert rules().sign_in_of(TOKEN, "pmwpub", 1000 + 8 * 3600) is None


def test_two_sign_ins_of_one_person_within_a_second_are_two() -> None:
    tokens = [rules().sign_in_of(TOKEN | {"nonce": nonce}, "pmwpub", 1001) for nonce in ("n", "n", "m")]
    assert len({one.token for one in tokens if one is not None}) == 2
