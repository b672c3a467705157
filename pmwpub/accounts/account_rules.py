"""Which claim of a token says a person's role, which of its values mean what, and how long a sign-in lasts."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from pmwpub.accounts.people import Account, Role, SignIn
from pmwpub.errors import SettingRefused

CLAIM = "PMWPUB_ACCOUNTS_CLAIM"
HOURS = "PMWPUB_ACCOUNTS_HOURS"
OF_ROLES = {role: f"PMWPUB_ACCOUNTS_{role.upper()}" for role in Role}
"""The variable that lists the values of the claim that mean each role."""

NAMES = (CLAIM, *OF_ROLES.values(), HOURS)
MOST_HOURS = 720
MAX_SHOWN = 200


@dataclass(frozen=True)
class AccountRules:
    """How a token is read.

    claim   the claim that has the roles: its whole name, or a path such as "realm_access.roles"
    values  the values of the claim that mean each role; of several roles the first in the order of `Role` counts
    hours   how long a sign-in lasts after the token was issued; None where the token's own end counts
    """

    claim: str
    values: Mapping[Role, frozenset[str]]
    hours: int | None = None

    @classmethod
    def declared(cls, environment: Mapping[str, str]) -> Self | None:
        """The rules that an environment declares; None without accounts. SettingRefused for half of them."""
        claim = environment.get(CLAIM, "")
        if not claim:
            stray = next((name for name in NAMES if environment.get(name, "")), None)
            if stray is not None:
                raise SettingRefused(f"{stray} is for a server with accounts: {CLAIM} names the claim of the roles.")
            return None
        if claim != claim.strip() or not claim.isprintable():
            raise SettingRefused(f"{CLAIM} is the name of a claim, without spaces around it; {claim[:40]!r} came.")
        values = {role: _listed(environment, name, role) for role, name in OF_ROLES.items()}
        named = [value for own in values.values() for value in own]
        twice = next((value for value in named if named.count(value) > 1), None)
        if twice is not None:
            raise SettingRefused(f"{twice[:40]!r} stands for two roles; a value of {CLAIM} means one.")
        return cls(claim, values, _hours(environment.get(HOURS, "")))

    def role_of(self, claims: Mapping[str, object]) -> Role | None:
        """The role that a token means: the highest of those that its claim names; None for none."""
        given = _found(claims, self.claim)
        said = {given} if isinstance(given, str) else set()
        if isinstance(given, list | tuple):
            said = {one for one in given if isinstance(one, str)}
        return next((role for role in Role if said & self.values[role]), None)

    def sign_in_of(self, claims: Mapping[str, object], audience: str, moment: float) -> SignIn | None:
        """What a token says, whose signature was checked; None where it is nobody's, not for us, or over.

        audience  the client id under which the provider knows this server
        moment    now, in seconds since 1970
        """
        issuer, subject = claims.get("iss"), claims.get("sub")
        issued, expires = _seconds(claims.get("iat")), _seconds(claims.get("exp"))
        if claims.get("is_logged_in") is not True or not _is_for(claims, audience):
            return None
        if not isinstance(issuer, str) or not isinstance(subject, str) or not issuer or not subject:
            return None
        if issued is None or expires is None:
            return None
        ends = expires if self.hours is None else issued + self.hours * 3600
        if moment >= ends:
            return None
        account = Account(issuer, subject, _shown(claims, subject))
        return SignIn(account, _token(claims), self.role_of(claims), issued, ends)


def _listed(environment: Mapping[str, str], name: str, role: Role) -> frozenset[str]:
    given = environment.get(name, "") or str(role)
    values = [value.strip() for value in given.split(",")]
    if not all(values) or not given.isprintable():
        raise SettingRefused(f"{name} lists values of {CLAIM} with commas between them; {given[:40]!r} came.")
    return frozenset(values)


def _hours(given: str) -> int | None:
    if not given:
        return None
    if not re.fullmatch(r"[0-9]{1,3}", given, re.ASCII) or not 1 <= int(given) <= MOST_HOURS:
        raise SettingRefused(f"{HOURS} is a whole number from 1 to {MOST_HOURS}; {given[:40]!r} came.")
    return int(given)


def _found(claims: Mapping[str, object], claim: str) -> object:
    """The claim of that whole name, else what a path leads to: names of claims may have dots in them."""
    if claim in claims:
        return claims[claim]
    found: object = claims
    for part in claim.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def _is_for(claims: Mapping[str, object], audience: str) -> bool:
    """Whether a token was issued for this server: it is its audience, and where a party is named, that party."""
    given = claims.get("aud")
    meant = [given] if isinstance(given, str) else given
    return isinstance(meant, list) and audience in meant and claims.get("azp", audience) == audience


def _seconds(given: object) -> int | None:
    return int(given) if isinstance(given, int | float) and not isinstance(given, bool) else None


def _shown(claims: Mapping[str, object], subject: str) -> str:
    """An e-mail address that the provider says it verified, else a name that is not like one, else the subject.

    People choose their names at many providers: one that could be read as somebody's address is passed over.
    """
    email = claims.get("email")
    if claims.get("email_verified") is True and _is_line(email):
        return str(email).strip()[:MAX_SHOWN]
    for given in (claims.get("preferred_username"), claims.get("name")):
        if _is_line(given) and "@" not in unicodedata.normalize("NFKC", str(given)):
            return str(given).strip()[:MAX_SHOWN]
    return subject[:MAX_SHOWN]


def _is_line(given: object) -> bool:
    return isinstance(given, str) and given.strip() != "" and given.isprintable()


def _token(claims: Mapping[str, object]) -> str:
    """A hash of what tells tokens of one person apart: the provider repeats the nonce that each sign-in begins with."""
    own = [claims.get(name) for name in ("iss", "sub", "nonce", "iat", "exp", "jti", "sid", "at_hash")]
    return hashlib.sha256(json.dumps(own, sort_keys=True, default=str).encode()).hexdigest()
