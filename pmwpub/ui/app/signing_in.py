"""Who the person at this browser is: the token that the provider of accounts signed, as Streamlit hands it on.

Without accounts nobody is asked, and whoever reaches the server is its user.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping

import streamlit as st
from streamlit import config
from streamlit.auth_util import get_secrets_auth_section, is_authlib_installed
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pmwpub.accounts.account_rules import CLAIM, AccountRules
from pmwpub.accounts.acting import declared_acting
from pmwpub.accounts.people import SignIn, Visitor
from pmwpub.errors import SettingRefused

DEFAULT = "default"
SECRETS_FILES = "STREAMLIT_SECRETS_FILES"
LEAST_SECRET = 32
"""Characters of the secret that signs the cookies of people who signed in."""

HALF = (
    f"Accounts take both: [auth] in Streamlit's secrets, which names the provider, and {CLAIM}, which names the claim "
    "of the roles. {missing} is missing. Nothing was started: a server with half of them would take everybody in, or "
    "nobody."
)


def check_accounts(rules: AccountRules | None) -> None:
    """Raise SettingRefused, when the server starts, for accounts that are set up in part."""
    section = get_secrets_auth_section()
    if rules is None:
        if section:
            raise SettingRefused(HALF.format(missing=CLAIM))
        return
    if not section or not providers():
        raise SettingRefused(HALF.format(missing="[auth] with a client_id"))
    if len(str(section.get("cookie_secret", ""))) < LEAST_SECRET:
        raise SettingRefused(f"cookie_secret in [auth] signs who people are: {LEAST_SECRET} random characters or more.")
    if not str(section.get("redirect_uri", "")).endswith("/oauth2callback"):
        raise SettingRefused("redirect_uri in [auth] is this server's address with /oauth2callback behind it.")
    if not is_authlib_installed():
        raise SettingRefused("Accounts take Authlib: pip install 'pmwpub[accounts]'.")


def check_before_serving(rules: AccountRules | None) -> None:
    """The same in a program that is no server yet: of Streamlit's variables, a server reads this one as it starts."""
    named = os.environ.get(SECRETS_FILES, "").split()
    if named:
        config.set_option("secrets.files", named)
    check_accounts(rules)


def providers() -> dict[str, str]:
    """The providers of accounts by their names in the secrets, each with the client id that it knows this server by."""
    section = get_secrets_auth_section()
    named = {name: own for name, own in section.items() if isinstance(own, Mapping) and "client_id" in own}
    alone = {DEFAULT: section} if "client_id" in section else {}
    return {name: str(own["client_id"]) for name, own in {**alone, **named}.items()}


def sign_in_of(rules: AccountRules, claims: Mapping[str, object]) -> SignIn | None:
    """The sign-in of somebody whose signed cookie has these claims, if it holds now."""
    audience = providers().get(str(claims.get("provider")))
    return None if audience is None else rules.sign_in_of(claims, audience, time.time())


def visitor(rules: AccountRules | None) -> Visitor | None:
    """Who acts here; None where the program itself does, or nobody signs in.

    With accounts that is who is declared to act, else the person of this run of a page; outside of a run it is nobody.
    """
    if rules is None:
        return None
    for acting in declared_acting():
        return acting
    if get_script_run_ctx(suppress_warning=True) is None:
        return Visitor()
    return Visitor(sign_in_of(rules, st.user.to_dict()))


def token(rules: AccountRules | None) -> str:
    """What tells this run's sign-in from any other; "" for none."""
    acting = visitor(rules)
    return "" if acting is None or acting.sign_in is None else acting.sign_in.token
