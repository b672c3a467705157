"""What the environment sets: every variable of the program with its bounds. What is none of them is refused.

A misspelt name or value must never mean the default in silence: `PMWPUB_VIEWERS_ONLY=true` would be a server on which
everybody buys. Streamlit's own settings (address, port, `server.maxUploadSize`) stand in `.streamlit/config.toml`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Self

from pmwpub.accounts import account_rules
from pmwpub.accounts.account_rules import AccountRules
from pmwpub.errors import SettingRefused

MODE = "PMWPUB_MODE"
VIEWERS_ONLY = "PMWPUB_VIEWERS_ONLY"
STORE = "PMWPUB_STORE"
WITNESS = "PMWPUB_WITNESS"
DASK = "PMWPUB_DASK"
WORKERS = "PMWPUB_WORKERS"
QUEUE = "PMWPUB_QUEUE"
QUEUE_PAID = "PMWPUB_QUEUE_PAID"
QUEUE_SESSION = "PMWPUB_QUEUE_SESSION"
WORKER_MEMORY = "PMWPUB_WORKER_MEMORY"
SIMULATED_ROWS = "PMWPUB_SIMULATED_ROWS"
SIGNING_KEY = "PMWPUB_SIGNING_KEY"
NAMES = (
    STORE,
    WITNESS,
    MODE,
    VIEWERS_ONLY,
    DASK,
    WORKERS,
    QUEUE,
    QUEUE_PAID,
    QUEUE_SESSION,
    WORKER_MEMORY,
    SIMULATED_ROWS,
    SIGNING_KEY,
    *account_rules.NAMES,
)
"""What an operator may set."""

WORKSHOP = frozenset(
    {
        "PMWPUB_DATA",
        "PMWPUB_PAPER",
        "PMWPUB_AUDIT",
        "PMWPUB_CHROMIUM",
        "PMWPUB_LAST_TRY",
        "PMWPUB_REQUIRE_BROWSER",
        "PMWPUB_ROC_VALIDATOR",
        "PMWPUB_TEST_POSTGRES",
    }
)
"""Of the tests and benchmarks; the program reads none of them."""

_ADDRESS = re.compile(r"(?:(?:tcp|tls|ws|wss|ucx)://)?[^\s/:@]+:[0-9]{1,5}|(?:tcp|tls)://\[[0-9a-fA-F:]+\]:[0-9]{1,5}")


@dataclass(frozen=True)
class Settings:
    """How much of the machine the program takes, and where its simulations run.

    workers         processes that work; one of two or more is kept for what is paid for
    queue           jobs that wait at most
    queue_paid      of these places, those that only paid jobs take
    queue_session   free jobs of one browser session, in line or at work, at most
    worker_memory   MB of data that one worker may hold; 0 is no limit
    simulated_rows  the largest n that simulations on public tables draw
    dask            the address of a Dask scheduler for simulations; "" is this machine
    accounts        how the tokens of people's accounts are read; None without accounts
    """

    workers: int = 2
    queue: int = 20
    queue_paid: int = 5
    queue_session: int = 3
    worker_memory: int = 0
    simulated_rows: int = 10_000_000
    dask: str = ""
    accounts: AccountRules | None = None

    def __post_init__(self) -> None:
        if self.queue_paid >= self.queue:
            raise SettingRefused(f"{QUEUE_PAID} is below {QUEUE}, {self.queue}; {self.queue_paid} came.")

    @classmethod
    def declared(cls, environment: Mapping[str, str] = os.environ) -> Self:
        """The settings that an environment declares. SettingRefused for a name or value that is none."""
        _refuse_strangers(environment)
        witness(environment)
        signing_key(environment)
        return cls(
            _whole(environment, WORKERS, cls.workers, 1, 64),
            _whole(environment, QUEUE, cls.queue, 2, 1000),
            _whole(environment, QUEUE_PAID, cls.queue_paid, 1, 999),
            _whole(environment, QUEUE_SESSION, cls.queue_session, 1, 1000),
            worker_memory(environment),
            _whole(environment, SIMULATED_ROWS, cls.simulated_rows, 1, 10**9),
            _dask(environment),
            AccountRules.declared(environment),
        )


def worker_memory(environment: Mapping[str, str] = os.environ) -> int:
    """MB of data that one worker may hold; 0 is no limit. Below 512 MB no worker could begin.

    SettingRefused for a limit on a system that keeps none.
    """
    found = _whole(environment, WORKER_MEMORY, Settings.worker_memory, 512, 1_000_000)
    if found and find_spec("resource") is None:
        raise SettingRefused(f"{WORKER_MEMORY} cannot be kept on this system: it has no limits for a process.")
    return found


def witness(environment: Mapping[str, str] = os.environ) -> Path | None:
    """The file of the store's witness, if one is named. SettingRefused for one that depends on the current folder."""
    return _whole_path(environment, WITNESS)


def signing_key(environment: Mapping[str, str] = os.environ) -> Path | None:
    """The file of the key that downloads are signed with, if one is named. SettingRefused as `witness` does."""
    return _whole_path(environment, SIGNING_KEY)


def _whole_path(environment: Mapping[str, str], name: str) -> Path | None:
    given = environment.get(name, "")
    if given and not Path(given).is_absolute():
        raise SettingRefused(f"{name} is the whole path of a file; {given[:40]!r} came.")
    return Path(given) if given else None


def switch(environment: Mapping[str, str], name: str) -> bool:
    """Whether a variable is 1; 0 or nothing is off. SettingRefused for anything else."""
    given = environment.get(name, "")
    if given not in ("", "0", "1"):
        raise SettingRefused(f"{name} is 1 or 0; {given[:40]!r} came.")
    return given == "1"


def _refuse_strangers(environment: Mapping[str, str]) -> None:
    known = WORKSHOP.union(NAMES)
    strangers = sorted(name for name in environment if name.upper().startswith("PMWPUB_") and name not in known)
    if strangers:
        raise SettingRefused(
            f"{strangers[0][:60]!r} is no setting, and is not passed over: it could be a misspelt one. "
            f"There are {', '.join(NAMES)}."
        )


def _whole(environment: Mapping[str, str], name: str, default: int, least: int, most: int) -> int:
    given = environment.get(name, "")
    if not given:
        return default
    if not re.fullmatch(r"[0-9]{1,10}", given, re.ASCII) or not least <= int(given) <= most:
        raise SettingRefused(f"{name} is a whole number from {least:,} to {most:,}; {given[:40]!r} came.")
    return int(given)


def _dask(environment: Mapping[str, str]) -> str:
    given = environment.get(DASK, "")
    if given and not _ADDRESS.fullmatch(given):
        raise SettingRefused(f"{DASK} is a scheduler's address such as tcp://host:8786; {given[:40]!r} came.")
    return given
