"""What an operator is told, and that nobody else is told any of it: each function asks for the role at each call."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import pytest
from jobs.waiting import until
from service.conftest import bench_of, csv_of

from pmwpub import settings
from pmwpub.accounts import account_rules
from pmwpub.accounts.account_rules import AccountRules
from pmwpub.accounts.people import Account, Role, SignIn, Standing, Visitor
from pmwpub.errors import OperatorNeeded, PmwPubError
from pmwpub.jobs import PAID, Engine, InlineEngine
from pmwpub.jobs.task_names import TASKS
from pmwpub.ledger import Charge, Ledger, PlanKey, Population
from pmwpub.privacy.budget import ZCDP
from pmwpub.service import Policy, Service
from pmwpub.service.core import job_key
from pmwpub.service.inputs.demo import open_demo
from pmwpub.service.operating import job_lines, known_people, limits, registered_populations, server_health, table_loads
from pmwpub.service.policy import Mode

ASKED: tuple[Callable[[Service], Any], ...] = (
    known_people.people,
    registered_populations.populations,
    table_loads.loads,
    table_loads.shared_tables,
    job_lines.jobs,
    server_health.health,
    limits.limits,
)
"""Everything that the operator's page asks."""

TABLE, OTHER = csv_of(30, 1), csv_of(30, 2)
RULES = AccountRules("roles", {role: frozenset({str(role)}) for role in Role})
_tokens = itertools.count(1)


def account(who: str) -> Account:
    """A person of that name."""
    return Account("https://accounts.example", who, who.title())


def signed_in(who: str, role: Role | None) -> SignIn:
    """A new sign-in of a person, later than any before."""
    number = next(_tokens)
    return SignIn(account(who), f"{number:064x}", role, number, 2**40)


@dataclass
class Town:
    """A server with accounts: its service, and who acts on it now."""

    service: Service
    visitor: Visitor | None = None

    @contextmanager
    def as_(self, sign_in: SignIn | None) -> Iterator[Ledger]:
        """The ledger while somebody acts by a sign-in."""
        before, self.visitor = self.visitor, Visitor(sign_in)
        try:
            self.service.ledger.admit()
            yield self.service.ledger
        finally:
            self.visitor = before


@pytest.fixture
def town(url: str) -> Iterator[Town]:
    """Ada owns "north" and "south", Ben owns "west"; each loaded tables; Ada's one table was charged twice."""
    with Ledger.open(url) as ledger:
        town = Town(Service(ledger, InlineEngine(), policy=Policy(Mode.SHARED, accounts=RULES)))
        ledger.visited_by(lambda: town.visitor)
        with town.as_(signed_in("ada", Role.STEWARD)):
            for name in ("north", "south"):
                register(ledger, name)
                ledger.loaded(name, TABLE)
                charge(ledger, name, TABLE)
        with town.as_(signed_in("ben", Role.STEWARD)):
            register(ledger, "west")
            ledger.loaded("west", TABLE)
            ledger.loaded("west", OTHER)
        yield town


def register(ledger: Ledger, name: str) -> None:
    ledger.register(Population(name, 30, 1, "one resident", Fraction(1), Fraction(1, 1000)))


def charge(ledger: Ledger, name: str, table: bytes) -> None:
    made = Charge("release", "PMW^Pub", "1", "2", ZCDP(10**13))
    handle = ledger.handle(name, table)
    ledger.book(name, PlanKey("a" * 64), "{}", [made], table=handle, refuse_elsewhere=False)


@pytest.mark.parametrize("asked", ASKED)
def test_nobody_but_an_operator_is_told_anything(asked: Callable[[Service], Any], town: Town) -> None:
    for sign_in in (None, signed_in("ada", Role.STEWARD), signed_in("vera", Role.VIEWER), signed_in("nick", None)):
        with town.as_(sign_in), pytest.raises(OperatorNeeded) as refusal:
            asked(town.service)
        assert str(refusal.value) == "This is for the operators of this server."
    with pytest.raises(OperatorNeeded):
        asked(town.service)  # the program itself, which is how a server without accounts asks for every session
    with town.as_(signed_in("olga", Role.OPERATOR)):
        asked(town.service)


@pytest.mark.parametrize("asked", ASKED)
def test_a_role_that_was_taken_away_or_a_sign_in_that_ended_counts_at_the_next_call(
    asked: Callable[[Service], Any], town: Town
) -> None:
    first = signed_in("olga", Role.OPERATOR)
    with town.as_(first):
        asked(town.service)
    later = signed_in("olga", Role.STEWARD)
    with town.as_(later), pytest.raises(OperatorNeeded):
        asked(town.service)
    with town.as_(first), pytest.raises(OperatorNeeded):
        asked(town.service)
    other = signed_in("otto", Role.OPERATOR)
    with town.as_(other) as ledger:
        asked(town.service)
        ledger.sign_out(other)
        with pytest.raises(OperatorNeeded):
            asked(town.service)


def test_people_are_listed_with_their_latest_role_and_what_is_theirs(town: Town) -> None:
    with town.as_(signed_in("vera", Role.VIEWER)):
        pass
    with town.as_(signed_in("ada", Role.STEWARD)) as ledger:
        ledger.enter_member("south", account("vera"), Standing.VIEWER)
        ledger.enter_member("south", account("ben"), Standing.STEWARD)
    with town.as_(signed_in("ben", Role.VIEWER)):
        pass
    with town.as_(signed_in("nick", None)):
        pass
    with town.as_(signed_in("olga", Role.OPERATOR)):
        found = {one.shown: (one.role, one.owns, one.member_of) for one in known_people.people(town.service)}
    assert found == {
        "Ada": ("steward", ("north", "south"), ()),
        "Ben": ("viewer", ("west",), ("south",)),
        "Vera": ("viewer", (), ("south",)),
        "Nick": ("none", (), ()),
        "Olga": ("operator", (), ()),
    }


def test_populations_are_listed_with_owner_grant_and_state(town: Town) -> None:
    register(town.service.ledger, "nobody's")
    with town.as_(signed_in("ada", Role.STEWARD)) as ledger:
        retired = ledger.retire("south").time[:10]
    with town.as_(signed_in("olga", Role.OPERATOR)):
        found = registered_populations.populations(town.service)
    assert [(one.name, one.owners, one.charges, one.state) for one in found] == [
        ("north", ("Ada",), 1, "in use"),
        ("south", ("Ada",), 1, f"retired on {retired}"),
        ("west", ("Ben",), 0, "nothing charged"),
        ("nobody's", (), 0, "nothing charged"),
    ]
    assert found[2].taken == "0 %"
    assert found[2].promise == "ε = 1 at δ = 0.001"


def test_the_operator_is_told_of_every_load_and_an_owner_of_his_own_as_if_there_were_no_others(town: Town) -> None:
    with town.as_(signed_in("olga", Role.OPERATOR)):
        found = table_loads.loads(town.service)
        assert [(one.population, one.charged_under, one.loaded_under, one.elsewhere) for one in found] == [
            ("west", (), (), False),
            ("west", ("north", "south"), ("north", "south"), True),
            ("south", ("north", "south"), ("north", "west"), True),
            ("north", ("north", "south"), ("south", "west"), True),
        ]
        assert table_loads.shared_tables(town.service) == [("north", "south")]
    with town.as_(signed_in("ada", Role.STEWARD)):
        (adas,) = table_loads.own_loads(town.service, "north")
        assert (adas.charged_under, adas.loaded_under) == (("north", "south"), ("south",))
        assert table_loads.own_loads(town.service, "west") == []
    with town.as_(signed_in("ben", Role.STEWARD)):
        bens = table_loads.own_loads(town.service, "west")
    assert [(one.population, one.charged_under, one.loaded_under) for one in bens] == [("west", (), ())] * 2
    assert not any(one.elsewhere for one in bens), "one table of Ben's is Ada's too, and he is not told"


def test_what_is_said_where_no_load_is_recorded_is_so(url: str) -> None:
    """A shared server records a load of somebody's own table, and none of a demo's."""
    assert "Each such load is recorded" in table_loads.NOTHING_RECORDED
    assert "those of a demo's generated table are not" in table_loads.NOTHING_RECORDED
    with Ledger.open(url) as ledger:
        service = Service(ledger, InlineEngine(), policy=Policy(Mode.SHARED))
        open_demo(service)
        assert ledger.attempts() == []
        bench = bench_of(service, url)
        assert [one.population for one in ledger.attempts()] == [bench.name]


def test_whoever_owns_nothing_or_owned_it_once_is_told_of_no_load(town: Town) -> None:
    with town.as_(signed_in("vera", Role.STEWARD)):
        assert table_loads.own_loads(town.service, "north") == []
    with town.as_(signed_in("ada", Role.STEWARD)) as ledger:
        ledger.enter_member("north", account("vera"), Standing.OWNER)
        ledger.enter_member("north", account("ada"), Standing.STEWARD)
        assert table_loads.own_loads(town.service, "north") == []
        assert [one.loaded_under for one in table_loads.own_loads(town.service, "south")] == [()]
    with town.as_(signed_in("ada", Role.VIEWER)):
        assert table_loads.own_loads(town.service, "south") == [], "owners look on where their role does"
    with town.as_(None):
        assert table_loads.own_loads(town.service, "south") == []
    assert table_loads.own_loads(town.service, "south") == [], "nor is anybody without accounts"


def test_jobs_are_named_by_kind_and_population_without_progress_and_without_whose_they_are(town: Town) -> None:
    engine = Engine(1, tasks={"release": "jobs.sample_tasks:count", "simulation": "jobs.sample_tasks:count"})
    service = replace(town.service, engine=engine)
    try:
        key = job_key("north", PlanKey("a" * 64))

        def begin(task: str, key: str, claim: Any = None) -> None:
            extra = {} if claim is None else {"claim": claim}
            engine.submit(task, (100_000, 0.02), key=key, on_done=lambda _: None, on_failed=lambda _: None, **extra)

        begin("release", key, PAID)
        assert until(lambda: engine.place(key) == 0)
        begin("simulation", "simulation:west:secret of a session")
        with town.as_(signed_in("olga", Role.OPERATOR)):
            found = job_lines.jobs(service)
            states = {one.name: one.state for one in registered_populations.populations(service)}
        assert found == [
            job_lines.JobFacts("release by PMW^Pub", True, "north", 0),
            job_lines.JobFacts("simulation", False, "", 1),
        ]
        assert states["north"] == "1 at work or in line"
    finally:
        engine.shutdown()


def test_every_task_has_a_name_for_people() -> None:
    assert set(job_lines.KINDS) == set(TASKS) - {"warm"}


def test_health_names_what_is_wrong_and_no_password(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    with town.as_(signed_in("olga", Role.OPERATOR)):
        assert [(one.name, one.well) for one in server_health.health(town.service)] == [
            ("store", True),
            ("witness", True),
            ("workers", True),
            ("warm-up", True),
        ]

        def broken(_: object) -> None:
            raise PmwPubError("The disk is full.")

        monkeypatch.setattr(server_health, "check_store", broken)
        store = server_health.health(town.service)[0]
    assert store == server_health.HealthPart("store", False, "The disk is full.")


def test_the_limits_say_how_tokens_are_read(town: Town) -> None:
    given = {account_rules.CLAIM: "groups", account_rules.OF_ROLES[Role.STEWARD]: "survey staff, census staff"}
    with town.as_(signed_in("olga", Role.OPERATOR)):
        found = {one.variable: one.value for one in limits.limits(town.service, given)}
    assert found[account_rules.CLAIM] == "groups"
    assert found[account_rules.OF_ROLES[Role.OPERATOR]] == "operator"
    assert found[account_rules.OF_ROLES[Role.STEWARD]] == "census staff, survey staff"
    assert found[account_rules.HOURS] == "as the token says"


def test_the_limits_are_all_settings_as_they_are_in_force_without_a_password(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {settings.QUEUE: "12", settings.WORKER_MEMORY: "600"}
    database = town.service.ledger._database
    monkeypatch.setattr(database, "name", "postgresql://operator:***@host/ledger?password=hunter2")
    with town.as_(signed_in("olga", Role.OPERATOR)):
        found = {one.variable: (one.value, one.declared) for one in limits.limits(town.service, given)}
    assert set(found) == set(settings.NAMES), "each has a meaning"
    assert found[settings.QUEUE] == ("12", True)
    assert found[settings.WORKER_MEMORY] == ("600", True)
    assert found[settings.WORKERS] == ("2", False)
    assert found[settings.MODE] == ("shared", False)
    assert found[account_rules.CLAIM] == ("no accounts", False)
    assert found[settings.STORE] == ("postgresql://operator:***@host/ledger", False)
