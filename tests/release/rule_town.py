"""A town whose rules private and public rows break, and releases of every kind that are bought of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import buying
import numpy as np

from pmwpub.jobs import InlineEngine
from pmwpub.ledger import Ledger, Population
from pmwpub.plans import WorkloadChoice
from pmwpub.release.bundle import Bundle
from pmwpub.service import PrivateTable, Service
from pmwpub.service.bought import releases
from pmwpub.service.inputs import study_store
from pmwpub.service.unchanged_release import publish_unchanged
from pmwpub.tabular.rules.rule_parsing import read_rule
from pmwpub.tabular.schema.table_schema import Schema

NAME, N = "town", 1_500
RULES = ('age < 20 implies work in ("none", "(missing)")  # by law', 'work = "none" implies gain = 0')
PLAIN = Schema.from_json(
    json.dumps(
        {
            "version": 2,
            "missing_tokens": ["", "NA"],
            "columns": [
                {"name": "age", "kind": "numeric", "edges": [0, 20, 40, 60, 80], "outside": "clip", "same": []},
                {
                    "name": "work",
                    "kind": "categorical",
                    "levels": ["none", "part", "full"],
                    "missing": True,
                    "same": [],
                },
                {"name": "gain", "kind": "numeric", "edges": [0, 0, 100, 1000], "outside": "clip", "same": []},
                {"name": "sex", "kind": "categorical", "levels": ["F", "M"], "same": []},
            ],
        }
    )
)
RULED = PLAIN.with_rules([read_rule(text) for text in RULES])


def people(rows: int, seed: int, *, old_part_time: bool = True) -> bytes:
    """Rows of which some break the rules; without old people at work part time where asked."""
    draw, lines = np.random.default_rng(seed), ["age,work,gain,sex"]
    while len(lines) <= rows:
        age, sex = int(draw.integers(-3, 85)), "FM"[draw.integers(2)]
        work = ("none", "part", "full", "NA")[draw.integers(4)]
        if age < 20 and draw.random() < 0.7:
            work = "none"
        gain = "0" if draw.random() < 0.5 else f"{draw.integers(1, 999)}.{draw.integers(10)}"
        if not (age >= 60 and work == "part") or old_part_time:
            lines.append(f"{age},{work},{gain},{sex}")
    return ("\n".join(lines) + "\n").encode()


PUBLIC = {"b.csv": people(500, 1, old_part_time=False), "c.csv": people(400, 2, old_part_time=False)}
PRIVATE = people(N, 3)


def opened(folder: Path, schema: Schema = RULED) -> tuple[Service, PrivateTable]:
    """A service with everything loaded and nothing spent."""
    service = Service(Ledger.open(f"sqlite:///{folder}/ledger.sqlite3"), InlineEngine())
    service.ledger.register(Population(NAME, N, 1, "one resident", Fraction(20), Fraction(1, N * N)))
    for name, body in PUBLIC.items():
        study_store.add_candidate(service, NAME, name, body, attested=True)
    study_store.save_schema(service, NAME, schema)
    study_store.choose_workload(service, NAME, WorkloadChoice(k=2))
    return service, study_store.load_private(service, NAME, PRIVATE)


def bought(service: Service, private: PrivateTable) -> dict[str, Bundle]:
    """A release of each kind."""
    current = study_store.study(service, NAME)
    keys = [one.sha256 for one in current.usable]
    plans: dict[str, Callable[[], object]] = {
        "rounds": lambda: releases.release_plan(service, current, keys[:1], epsilon="2", rounds=5),
        "pooled rounds": lambda: releases.release_plan(service, current, keys, epsilon="2", rounds=5),
        "tables": lambda: releases.table_fit_plan(service, current, keys[:1], epsilon="2"),
        "grown": lambda: releases.table_fit_plan(service, current, keys[:1], epsilon="5", grow=True),
        "learnt pool": lambda: releases.weighted_pool_plan(service, current, keys, epsilon="2"),
    }
    found = {}
    for kind, plan in plans.items():
        outcome = buying.buy(service, private, plan())  # type: ignore[arg-type]
        bundle = releases.released(service, current, outcome.booking).bundle
        assert bundle is not None
        found[kind] = bundle
    unchanged = releases.unchanged_plan(current, keys[:1])
    found["unchanged"] = publish_unchanged(service, current, unchanged, private=private, tick=True).bundle
    return found
