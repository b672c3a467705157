"""What is tried before a charge is all that the plan needs afterwards, also where only plans of its kind are tried."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pmwpub.errors import PlanError
from pmwpub.jobs.task_names import TASKS
from pmwpub.tasks.warming import TRIED, warm

ROOT = Path(__file__).resolve().parents[2]
BUY = """
import sys
import buying
import numba.core.dispatcher as dispatcher
from browser.stage import service_on
from pmwpub.ledger import Ledger, Population
from pmwpub.plans import WorkloadChoice
from pmwpub.plans.criteria import criteria_of
from pmwpub.service.accepting import acceptances
from pmwpub.service.bought import assessments, best_candidate, misfit_shares, release_errors, releases
from pmwpub.service.households import household_loading, household_questions, household_releases
from pmwpub.service.inputs import demo, study_store
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.households.household_schema import HouseholdSchema, household_unit
from support import households

kind, store = sys.argv[1:]
compiling, booking = dispatcher.Dispatcher.compile, Ledger.book_all
charged, late = [], []

def compiled(self, signature):
    if charged:
        late.append(self.py_func.__name__)
    return compiling(self, signature)

def booked(self, *given, **named):
    found = booking(self, *given, **named)
    charged.append(found)
    return found

def planned(service, name, current):
    first, second = (facts.sha256 for facts in current.usable[:2])
    match kind:
        case "assess":
            return assessments.assessment_plan(current, [first], epsilon="0.05")
        case "best":
            return best_candidate.best_plan(current, [[first], [second]], epsilon="0.05")
        case "table-fit":
            plan = releases.table_fit_plan(service, current, [first], epsilon="0.5")
            mean = {"kind": "mean", "column": "age", "low": "0", "high": "100", "within": "0.5"}
            wanted = criteria_of([{"kind": "largest", "within": "0.5"}, mean])
            return plan.model_copy(update={"criteria": wanted})
        case "table-fit, growing":
            return releases.table_fit_plan(service, current, [first], epsilon="0.25", grow=True)
        case "table-fit, three-way":
            return releases.table_fit_plan(service, current, [first], epsilon="0.25", three_way=True)
        case "table-fit-pool":
            return releases.weighted_pool_plan(service, current, [first, second], epsilon="0.25")
        case "misfits":
            return misfit_shares.misfit_plan(current, current.schema.domain.names[:2], half_width="0.1")
        case "release":
            return releases.release_plan(service, current, [first], epsilon="0.5", rounds=3)
        case "acceptance":
            done = [one for one in releases.releases(service, current) if one.plan.criteria][0].outcome.booking
            return acceptances.acceptance_plan(service, name, done.key)
        case "error":
            done = releases.releases(service, current)[0].outcome.booking
            return release_errors.error_plan(service, name, done.key, epsilon="0.05")

def opened(service):
    names = [one.name for one in service.ledger.populations()]
    return (names[0], demo.reload_demo(service, names[0])) if names else demo.open_demo(service)

def homes_of(service):
    schema, choice = HouseholdSchema.from_json(households.schema_text()), WorkloadChoice(k=2)
    if "homes" not in [one.name for one in service.ledger.populations()]:
        service.ledger.register(Population("homes", 60, 4, household_unit(4), "9", "1e-4"))
    household_loading.adopt_households(service, "homes", schema, choice)
    text = [households.csv_of(households.homes(*some)).encode() for some in ((60, 1), (50, 2))]
    key = study_store.add_candidate(service, "homes", "b.csv", text[1], attested=True)
    private = household_loading.load_households(service, "homes", read_table(text[0]), schema)
    current = study_store.study(service, "homes")
    asked = {"epsilon": "1", "private": private}
    if kind == "households":
        plan = household_releases.household_plan(service, current, schema, [key], **asked)
    elif kind == "households-pmw-pub":
        plan = household_releases.household_round_plan(service, current, schema, [key], **asked, settings={"rounds": 2})
    else:
        plan = household_questions.household_assessment_plan(current, schema, key, epsilon="1/2", private=private)
    return "homes", private, current, plan

with service_on(store) as service:
    if kind.startswith("household"):
        name, private, current, plan = homes_of(service)
    else:
        name, private = opened(service)
        current = study_store.study(service, name)
        plan = planned(service, name, current)
    dispatcher.Dispatcher.compile, Ledger.book_all = compiled, booked
    outcome = buying.buy(service, private, plan, current=current, tick=True)
    assert outcome.status == "done", outcome
    print(charged[0][0].fresh, late)
"""


def bought(kind: str, folder: Path) -> str:
    """Buy one in a program of its own, on the store of a folder; what it prints."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")])}
    command = [sys.executable, "-c", BUY, kind, f"sqlite:///{folder}/ledger.sqlite3"]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


def test_no_loop_is_compiled_or_loaded_after_the_charge(tmp_path: Path) -> None:
    """Each kind in a program that tried no other; the error is that of the release before it."""
    kinds = [*TRIED, "table-fit, growing", "table-fit, three-way"]
    for kind in ("household-best", "household-error"):
        kinds.remove(kind)  # what is tried for them is what is tried for an assessment of households
    kinds.remove("weight-total")  # of rows that are weighed, as the demo's are not; its sum is taken by no loop
    assert {kind: bought(kind, tmp_path) for kind in kinds} == dict.fromkeys(kinds, "True []")


WIDE = """
import numba.core.dispatcher as dispatcher
from pmwpub.tasks.warming import TRIED, MadeUp, warm

compiling, late = dispatcher.Dispatcher.compile, []

def compiled(self, signature):
    late.append(self.py_func.__name__)
    return compiling(self, signature)

warm(None, lambda *_, **__: None)
dispatcher.Dispatcher.compile = compiled
made_up = MadeUp.of(2, 3, 300)
for tried in TRIED.values():
    tried(made_up, lambda *_, **__: None)
print(made_up.source.support.codes.dtype, late)
"""


def test_no_loop_is_compiled_or_loaded_for_a_column_of_more_levels_than_a_byte_holds() -> None:
    """300 levels, of which queries ask; what is tried has one that nothing asks of."""
    run = subprocess.run([sys.executable, "-c", WIDE], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == "uint16 []"


def test_every_task_that_is_not_free_can_be_tried() -> None:
    free = {"simulation", "household-simulation", "compare", "engines", "replicates", "warm"}
    assert set(TASKS) - set(TRIED) == free


def test_what_is_no_kind_of_work_on_private_counts_is_not_tried() -> None:
    with pytest.raises(PlanError, match="something else came"):
        warm(("simulation",), lambda *_, **__: None)
