"""People of a server with accounts, each with a sign-in that holds."""

from __future__ import annotations

from dataclasses import dataclass

from pmwpub.accounts.people import Account, Role, SignIn, Visitor

ISSUER = "https://accounts.example"


@dataclass(frozen=True)
class Guest(Visitor):
    """A visitor with a sign-in, for whom that is known to be there."""

    sign_in: SignIn


def guest(name: str, role: Role | None, *, issued: int = 1000, token: str = "") -> Guest:
    """A person of that name in a role; the subject is another word than what is shown."""
    return Guest(SignIn(Account(ISSUER, f"sub-{name}", name), token or f"{name}-{role}-{issued}", role, issued, 10**9))


def steward(name: str) -> Guest:
    return guest(name, Role.STEWARD)


def viewer(name: str) -> Guest:
    return guest(name, Role.VIEWER)


def operator(name: str) -> Guest:
    return guest(name, Role.OPERATOR)
