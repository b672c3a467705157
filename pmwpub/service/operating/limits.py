"""The settings in force on a server: every variable, what it is set to, and what that means."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from pmwpub import settings
from pmwpub.accounts import account_rules
from pmwpub.accounts.account_rules import AccountRules
from pmwpub.ledger.live.store_health import store_name
from pmwpub.ledger.store_files.store_address import store_url, witness_path
from pmwpub.service.core import Service
from pmwpub.service.operating.operators import refuse_others
from pmwpub.settings import Settings

MEANINGS: Mapping[str, str] = {
    settings.STORE: "where the store is; no password is shown",
    settings.WITNESS: "the witness of the store",
    settings.MODE: "to whom comparisons of tables are answered",
    settings.VIEWERS_ONLY: "1: what is stored is shown, and nothing else",
    settings.DASK: "where simulations run",
    settings.WORKERS: "processes that work",
    settings.QUEUE: "jobs that wait at most",
    settings.QUEUE_PAID: "of these places, those for paid jobs alone",
    settings.QUEUE_SESSION: "free jobs of one session",
    settings.WORKER_MEMORY: "MB of data that one worker may hold",
    settings.SIMULATED_ROWS: "the most rows that a simulation draws",
    settings.SIGNING_KEY: "the key that certificates are signed with",
    account_rules.CLAIM: "the claim of a token that has the role",
    **{name: f"its values that mean the role {role}" for role, name in account_rules.OF_ROLES.items()},
    account_rules.HOURS: "hours that a sign-in lasts",
}


@dataclass(frozen=True)
class Limit:
    """One setting.

    value     what is in force, whether it was declared or not
    declared  whether the environment says so
    """

    variable: str
    value: str
    declared: bool
    meaning: str


def limits(service: Service, environment: Mapping[str, str] = os.environ) -> list[Limit]:
    """Every setting of the program. SettingRefused for an environment that is none.

    Privacy: addresses of store and witness are for the operator alone; a password is shown to nobody.
    """
    refuse_others(service)
    values = _values(service, environment)
    return [Limit(name, values[name], bool(environment.get(name, "")), MEANINGS[name]) for name in MEANINGS]


def _values(service: Service, environment: Mapping[str, str]) -> dict[str, str]:
    declared = Settings.declared(environment)
    witness = witness_path(store_url(None))
    return {
        settings.STORE: store_name(service.ledger),
        settings.WITNESS: "none" if witness is None else str(witness),
        settings.MODE: str(service.policy.mode),
        settings.VIEWERS_ONLY: "1" if service.policy.viewers_only else "0",
        settings.DASK: declared.dask or "this machine",
        settings.WORKERS: f"{declared.workers:,}",
        settings.QUEUE: f"{declared.queue:,}",
        settings.QUEUE_PAID: f"{declared.queue_paid:,}",
        settings.QUEUE_SESSION: f"{declared.queue_session:,}",
        settings.WORKER_MEMORY: f"{declared.worker_memory:,}" if declared.worker_memory else "no limit",
        settings.SIMULATED_ROWS: f"{declared.simulated_rows:,}",
        settings.SIGNING_KEY: str(settings.signing_key(environment) or "none"),
        **_of_accounts(declared.accounts),
    }


def _of_accounts(rules: AccountRules | None) -> dict[str, str]:
    if rules is None:
        return dict.fromkeys(account_rules.NAMES, "no accounts")
    return {
        account_rules.CLAIM: rules.claim,
        **{name: ", ".join(sorted(rules.values[role])) for role, name in account_rules.OF_ROLES.items()},
        account_rules.HOURS: "as the token says" if rules.hours is None else f"{rules.hours:,}",
    }
