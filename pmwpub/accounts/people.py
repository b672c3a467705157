"""People with accounts: who they are, their role on a server, and what each is to a population."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import urlsplit

MAX_SUBJECT = 24
"""Letters of a subject that is shown whole."""


class Role(StrEnum):
    """What a person is on a server. The order is the rule for several roles: the first one counts.

    An operator runs the server and is trusted with all that it holds; may do what a steward may, too.
    A steward registers populations, and works on those that he or she owns or is a member of.
    A viewer sees what is released of the populations that he or she is a member of.
    """

    OPERATOR = "operator"
    STEWARD = "steward"
    VIEWER = "viewer"

    @property
    def works(self) -> bool:
        """Whether private tables may be loaded, and anything changed, bought or simulated, in this role."""
        return self is not Role.VIEWER


def lesser(one: Role | None, other: Role | None) -> Role | None:
    """The role that may do less; none at all is the least."""
    return None if one is None or other is None else max(one, other, key=list(Role).index)


class Standing(StrEnum):
    """What a person is to one population; NONE is who was a member once."""

    OWNER = "owner"
    STEWARD = "steward"
    VIEWER = "viewer"
    NONE = "none"

    @property
    def works(self) -> bool:
        """Whether a person of this standing works on the population, where the role allows it."""
        return self in (Standing.OWNER, Standing.STEWARD)


@dataclass(frozen=True)
class Account:
    """A person, as the provider of accounts knows him or her.

    issuer, subject  the two claims that never change, and that tell people apart
    shown            a name or an e-mail address for other people to read; it decides nothing
    """

    issuer: str
    subject: str
    shown: str = field(default="", compare=False)

    @property
    def short(self) -> str:
        """Who this is in a few letters: the subject, a long one by its two ends, and the issuer's host."""
        subject = self.subject if len(self.subject) <= MAX_SUBJECT else f"{self.subject[:10]}…{self.subject[-10:]}"
        return f"{subject} at {urlsplit(self.issuer).netloc or self.issuer}"


@dataclass(frozen=True)
class Actor:
    """Who acts now, and in which role; what a record says of who did something."""

    account: Account
    role: Role

    @property
    def words(self) -> str:
        """The name that is shown, where there is one to be shown; else the role."""
        return self.account.shown or self.account.subject or str(self.role)


@dataclass(frozen=True)
class SignIn:
    """One sign-in: a token that the provider issued, checked, and what it says.

    token   a hash that tells this token from any other
    role    the role that its claim means; None for a person who has none here
    issued  when it was issued, in seconds since 1970, by the provider's clock
    ends    when it ends, likewise
    """

    account: Account
    token: str
    role: Role | None
    issued: int
    ends: int


@dataclass(frozen=True)
class Visitor:
    """Whoever uses a server with accounts: with a sign-in that holds now, or with none, who sees nothing.

    Where a ledger has no visitor, the program itself acts: a command, a worker, or a server of a single user.
    """

    sign_in: SignIn | None = None
