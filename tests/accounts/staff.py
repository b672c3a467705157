"""A server with accounts, a real OpenID provider beside it, and people who come with a token or without."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPResponse
from pathlib import Path

import pytest
from browser.conftest import Server
from browser.plain_client import PlainClient, visiting
from jobs.waiting import until
from streamlit.auth_util import set_cookie_with_chunks
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from pmwpub.accounts.people import Account

CLIENT, SECRET = "pmwpub-here", "s" * 40
SECRETS = """
[auth]
redirect_uri = "http://localhost:{{port}}/oauth2callback"
cookie_secret = "{secret}"
client_id = "{client}"
client_secret = "of the client"
server_metadata_url = "{provider}/.well-known/openid-configuration"
"""


@dataclass
class Provider:
    """`oidc_provider_mock` as a program of its own: whoever signs in there says who he or she is."""

    port: int

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"

    def put(self, subject: str, **claims: object) -> None:
        """Say what the provider knows of a person; a claim such as "aud" or "exp" stands in the token as it is."""
        body = json.dumps(claims).encode()
        request = urllib.request.Request(
            f"{self.url}/users/{subject}", body, {"Content-Type": "application/json"}, method="PUT"
        )
        with urllib.request.urlopen(request) as answer:
            assert answer.status == 204


@dataclass
class Staff:
    """The server with its provider, and tokens as the provider would issue them, signed as Streamlit signs them."""

    server: Server
    provider: Provider
    now: int = field(default_factory=lambda: int(time.time()))

    def cookies(self, person: str, *roles: str, **claims: object) -> str:
        """The cookies of somebody who signed in a minute ago, for an hour."""
        said = {
            "iss": self.provider.url,
            "sub": f"sub-{person}",
            "aud": CLIENT,
            "iat": self.now - 60,
            "exp": self.now + 3600,
            "nonce": f"{person} {roles}",
            "email": person,
            "email_verified": True,
            "roles": list(roles),
            "is_logged_in": True,
            "provider": "default",
            "origin": self.server.url,
        }
        return signed(said | claims)

    def account(self, person: str) -> Account:
        """Who somebody with these cookies is."""
        return Account(self.provider.url, f"sub-{person}")

    def visit(self, person: str, *roles: str, **claims: object) -> AbstractContextManager[PlainClient]:
        """A session of a person, without a browser."""
        return visiting(self.server.url, account=self.cookies(person, *roles, **claims))

    def sign_out(self, account: str) -> None:
        """Sign out as a browser with these cookies does, without going on to the provider."""
        request = urllib.request.Request(f"{self.server.url}/auth/logout", headers={"Cookie": account})
        with urllib.request.build_opener(_Staying).open(request) as answer:
            assert answer.status == 302


class _Staying(urllib.request.HTTPErrorProcessor):
    """Follows no redirection."""

    def http_response(self, request: urllib.request.Request, response: HTTPResponse) -> HTTPResponse:
        return response


def signed(claims: dict[str, object], secret: str = SECRET) -> str:
    """The cookies in which Streamlit hands these claims to a browser."""
    found: dict[str, str] = {}

    def put(name: str, value: str) -> None:
        found[name] = create_signed_value(secret, name, value).decode()

    set_cookie_with_chunks(
        put, lambda name, value: create_signed_value(secret, name, value), USER_COOKIE_NAME, claims, cookie_attr_size=99
    )
    return "; ".join(f"{name}={value}" for name, value in found.items())


@contextmanager
def provided() -> Iterator[Provider]:
    """A provider that runs."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        provider = Provider(free.getsockname()[1])
    command = [sys.executable, "-W", "ignore", "-m", "oidc_provider_mock", "--port", str(provider.port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            assert until(lambda: _answers(provider))
            yield provider
        finally:
            process.terminate()


def _answers(provider: Provider) -> bool:
    try:
        with urllib.request.urlopen(f"{provider.url}/.well-known/openid-configuration", timeout=2) as answer:
            return answer.status == 200
    except OSError:
        return False


@contextmanager
def employed(folder: Path, **environment: str) -> Iterator[Staff]:
    """A server with accounts and its provider, in a folder of their own."""
    with provided() as provider, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PMWPUB_ACCOUNTS_CLAIM", "roles")
        for name, value in environment.items():
            patch.setenv(name, value)
        secrets = folder / "secrets.toml"
        secrets.write_text(SECRETS.format(secret=SECRET, client=CLIENT, provider=provider.url))
        os.chmod(secrets, 0o600)
        server = Server(folder, options=("--secrets.files", str(secrets)))
        server.start()
        try:
            yield Staff(server, provider)
        finally:
            server.stop()
