"""Plans: what changes their hash, and what cannot be planned."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from pydantic import ValidationError
from support import tables

from pmwpub.domain import Attribute, Domain
from pmwpub.errors import BudgetError, DomainError, FileRefused, PlanError
from pmwpub.mechanisms.pmw_pub.algorithm import Output
from pmwpub.plan_inputs import FAST_MARGINALS, floor_workload
from pmwpub.plans import AssessmentPlan, BestPlan, ErrorPlan, MisfitPlan, PublicInputs, ReleasePlan, WorkloadChoice
from pmwpub.plans.criteria import criteria_of
from pmwpub.privacy.selection import ExponentialMechanism, PermuteAndFlip
from pmwpub.queries.workload import Workload

CHOICE = WorkloadChoice(k=2)


def inputs(*candidates: str) -> PublicInputs:
    return PublicInputs(schema_sha256="s", workload_sha256="w", workload=CHOICE, candidates=candidates or ("a",))


def release(**changes: object) -> ReleasePlan:
    made = {"n": 100, "rows_per_person": 2, "inputs": inputs(), "rho_units": 10**14, "rounds": 5} | changes
    return ReleasePlan(**made)  # type: ignore[arg-type]


def test_each_choice_changes_the_hash_and_equal_plans_share_it() -> None:
    changed = [
        release(n=101), release(rows_per_person=1), release(inputs=inputs("b")), release(rho_units=10**14 + 1),
        release(rounds=6), release(selection="permute-and-flip"), release(output=Output.AVERAGE),
    ]  # fmt: skip
    assert len({plan.sha256 for plan in [release(), *changed]}) == len(changed) + 1
    assert release().sha256 == release().sha256
    assert ReleasePlan.model_validate_json(release().canonical).sha256 == release().sha256


def test_the_same_epsilon_in_other_words_is_the_same_assessment() -> None:
    plans = [
        AssessmentPlan(n=100, rows_per_person=1, inputs=inputs(), epsilon=text) for text in ("0.05", "0.050", "5e-2")
    ]
    assert len({plan.sha256 for plan in plans}) == 1
    assert plans[0].exact_epsilon == Fraction(1, 20)


def test_a_schedule_stays_within_the_plan_and_carries_its_sensitivity() -> None:
    schedule = release().schedule()
    assert schedule.rho <= release().budget
    assert schedule.sensitivity == 2
    assert isinstance(schedule.share.selection, ExponentialMechanism)
    assert isinstance(release(selection="permute-and-flip").schedule().share.selection, PermuteAndFlip)


def test_the_replay_seed_is_public_and_differs_between_draws() -> None:
    assert release().replay_seed(0) == release().replay_seed(0) == release().schedule(0).replay_seed
    assert release().replay_seed(0) != release().replay_seed(1)


def test_what_cannot_be_planned_is_refused() -> None:
    with pytest.raises(PlanError, match="once"):
        inputs("b", "a")
    with pytest.raises(PlanError, match="neither"):
        AssessmentPlan(n=9, rows_per_person=1, inputs=inputs(), epsilon="1", floor=False, start=False)
    for nonsense in ("0", "-1", "nan", "inf", "", "many"):
        with pytest.raises((PlanError, BudgetError)):
            AssessmentPlan(n=9, rows_per_person=1, inputs=inputs(), epsilon=nonsense)
    for changes in ({"rounds": 0}, {"rho_units": 0}, {"n": 0}, {"surprise": 1}):
        with pytest.raises(ValidationError):
            release(**changes)
    with pytest.raises(BudgetError):
        release(rho_units=3, rounds=100).schedule()


def test_a_workload_choice_is_all_or_a_sample() -> None:
    shape = tables.domain(2, 2, 2, 2)
    assert len(WorkloadChoice(k=3).build(shape).marginals) == 4
    assert len(WorkloadChoice(k=3, marginals=2, seed=1).build(shape).marginals) == 2


GOLDEN = {
    WorkloadChoice(k=3): (
        "7c1c916894413bd118aac16d9fca190dd8b2189342bde3d91017938a9e220331",
        "1fbc0e76238430f19f82188b7e21ac07bcf40080f18ca07dc727aa296437b6e6",
        "5de0c57c8b8c6e84b71b9ae81dc1e469008de72784dcef070fb91f3be26d6976",
        "675cc58ad6287496124b737ebfba639c427fec990385454e226ffeccda6f85c8",
    ),
    WorkloadChoice(k=2, marginals=128, seed=9): (
        "8eadc0fa0c339f09ccf21d46278693ffd6a3967e1c389cf9ebfb506ed12e05df",
        "e771a1b6032eeec7d312b79965182078698b7bce8cb97b51d6301446cf7d2440",
        "3da44dda08ec4c3af6b7da19debf1e86ffe2d5a84198cb58a35e05795e87168d",
        "e2dc5fd1350f7e76eaea19936cc1cffa6f40979eb803ae5bc9092ad100529575",
    ),
}
"""Choice -> hashes of itself and of its assessment, best and release plans, as written before marginals were picked."""


@pytest.mark.parametrize("choice", GOLDEN)
def test_plans_that_were_bought_before_keep_their_hash(choice: WorkloadChoice) -> None:
    a, b = "a" * 64, "b" * 64
    made = PublicInputs(schema_sha256="5" * 64, workload_sha256="7" * 64, workload=choice, candidates=(a, b))
    base = {"n": 100, "rows_per_person": 2, "inputs": made}
    plans = (
        choice,
        AssessmentPlan(**base, epsilon="0.05"),
        BestPlan(**base, pools=((a,), (b,)), epsilon="0.05"),
        ReleasePlan(**base, rho_units=10**13, rounds=7),
    )
    assert tuple(plan.sha256 for plan in plans) == GOLDEN[choice]
    assert "names" not in "".join(plan.canonical for plan in plans)
    assert all(type(plan).model_validate_json(plan.canonical) == plan for plan in plans)


def test_hand_picked_marginals_are_one_choice_in_whatever_order_they_were_picked() -> None:
    shape = tables.domain(2, 3, 4)
    x, y, z = shape.names
    one, other = WorkloadChoice.picked([(y, x), (z,)]), WorkloadChoice.picked([[z], [x, y], [y, x]])
    assert one == other
    assert one.sha256 == other.sha256 != WorkloadChoice.picked([(x, y)]).sha256
    assert one.k == 2
    assert one.build(shape).queries == 2 * 3 + 4
    assert WorkloadChoice.model_validate_json(one.canonical) == one


def test_hand_picked_marginals_that_cannot_be_are_refused() -> None:
    shape = tables.domain(2, 3)
    for nothing in ([], [[]], [[*"abcdefghi"]]):
        with pytest.raises(PlanError, match="Pick at least one"):
            WorkloadChoice.picked(nothing)
    with pytest.raises(PlanError, match="not both"):
        WorkloadChoice(k=1, marginals=2, names=(("x",),))
    with pytest.raises(PlanError, match="size of the largest"):
        WorkloadChoice(k=2, names=(("x",),))
    with pytest.raises(DomainError):
        WorkloadChoice.picked([["nowhere"]]).build(shape)


def test_the_fast_setting_takes_a_public_part_of_the_workload() -> None:
    full = WorkloadChoice(k=3).build(tables.domain(*[2] * 9))
    plan = AssessmentPlan(n=9, rows_per_person=1, inputs=inputs(), epsilon="1")
    assert len(full.marginals) == 84
    assert len(plan.workload(full).marginals) == 64
    assert set(plan.workload(full).marginals) <= set(full.marginals)


def test_a_look_at_the_fit_is_one_plan_however_its_columns_and_its_half_width_are_written() -> None:
    base = {"n": 1000, "rows_per_person": 2, "schema_sha256": "5" * 64}
    plans = [
        MisfitPlan(**base, columns=columns, half_width=half_width)  # type: ignore[arg-type]
        for columns, half_width in ((("b", "a"), "0.01"), (("a", "b", "a"), "1/100"), (("a", "b"), "1e-2"))
    ]
    assert len({plan.sha256 for plan in plans}) == 1
    assert (plans[0].columns, plans[0].half_width) == (("a", "b"), "1/100")
    assert MisfitPlan.model_validate_json(plans[0].canonical) == plans[0]
    others = [plans[0].model_copy(update=one) for one in ({"n": 999}, {"columns": ("a",)}, {"half_width": "1/50"})]
    assert len({plan.sha256 for plan in [plans[0], *others]}) == 4
    with pytest.raises(PlanError, match="half-width"):
        MisfitPlan(**base, columns=("a",), half_width="0.0001")  # type: ignore[arg-type]


A, B = "a" * 64, "b" * 64
Plan = AssessmentPlan | BestPlan | ErrorPlan | ReleasePlan
BEFORE_READINGS = (
    "65a01ee0b08e9be72f0d1623e701d1995cdb1a08f473acb07543f2ccbc1f1563",
    "936af440548a093c79e16cfebe237612f6508f7d562d9d87036a421fcb6885e3",
    "fae9d141122b31f98f8c78032d44b4463a3093b57ea353b91cae8d4e64b00814",
    "7f9bfb87fccd67166840e8259a392a2cc1215f24e10ad3c5e4163b722ce904e6",
)
"""Hashes of `plans()`, as written before plans said how files are read."""


def plans(read_as: object = (), private_read_as: str | None = None) -> list[Plan]:
    """One plan of each kind, with no setting at its default but how files are read."""
    made = PublicInputs(
        schema_sha256="5" * 64,
        workload_sha256="7" * 64,
        workload=WorkloadChoice.picked([("x", "y"), ("z",)]),
        candidates=(A, B),
        read_as=read_as,  # type: ignore[arg-type]
    )
    terms = {"n": 100, "rows_per_person": 2, "private_read_as": private_read_as}
    base = terms | {"inputs": made}
    other = {"output": "average", "start": "uniform", "replay": "off"}
    return [
        AssessmentPlan(**base, epsilon="0.05", start=False),
        BestPlan(**base, pools=((A,), (A, B)), epsilon="0.05"),
        ErrorPlan(**terms, release="e" * 64, release_repeat=1, epsilon="0.1"),
        ReleasePlan(**base, rho_units=10**13, rounds=7, selection="permute-and-flip", **other),
    ]


def hashes(made: list[Plan]) -> tuple[str, ...]:
    return tuple(plan.sha256 for plan in made)


def test_a_plan_on_files_that_are_read_by_default_is_written_as_before_plans_said_how_files_are_read() -> None:
    assert hashes(plans()) == hashes(plans({A: "utf-8,comma"}, "comma")) == BEFORE_READINGS
    assert all(plan.earlier is None for plan in plans({B: "utf-8"}, "utf-8,comma"))


OTHER_SETTINGS = (
    "7800c39dc172a1fdb010214ed1254816bed0376b2a15004df9a167bff239852d",
    "351b78186074415db341f21b7c6e940651a933664d80e61ad7c0c8bac24d2bbb",
    "b20319b85a54c43dc72ca8e013d4022d1048292770e0c8e6db9cc1d06f77fef4",
    "5e2215db8b23827269c3fad23e6ea91cd3a627b7c42debb76033ca691ffe1784",
    "01f79319d3b8bcd101be663f45805a9afcd4a8108c0ac4af3629c1c39055e8ec",
)
"""Hashes by commit d59d89b, which gave all those of `GOLDEN` and `BEFORE_READINGS` too."""


def test_plans_of_the_settings_that_are_left_keep_their_hash_too() -> None:
    choice = WorkloadChoice.picked([("x", "y"), ("z",)])
    made = PublicInputs(schema_sha256="5" * 64, workload_sha256="7" * 64, workload=choice, candidates=(A, B))
    base = {"n": 100, "rows_per_person": 2}
    settings = (
        choice,
        AssessmentPlan(**base, inputs=made, epsilon="0.05", floor=False, setting="full"),
        BestPlan(**base, inputs=made, pools=((A,), (B,)), epsilon="0.05", setting="full"),
        ErrorPlan(**base, release="e" * 64, epsilon="0.1"),
        ReleasePlan(**base, inputs=made, rho_units=10**13, rounds=7),
    )
    assert tuple(plan.sha256 for plan in settings) == OTHER_SETTINGS


def test_two_readings_of_the_same_bytes_are_two_plans() -> None:
    ways = [plans(), plans({A: "cp850"}), plans({A: "cp1252"}), plans({B: "cp1252"}), plans({A: "cp1252", B: "cp1252"})]
    for kind, public_tables in enumerate((True, True, False, True)):
        assert len({hashes(way)[kind] for way in ways}) == (len(ways) if public_tables else 1)
    private = [plans(), plans(private_read_as="cp850"), plans(private_read_as="cp1252"), plans({A: "cp1252"}, "cp1252")]
    for kind, public_tables in enumerate((True, True, False, True)):
        assert len({hashes(way)[kind] for way in private}) == (4 if public_tables else 3)


def test_one_reading_has_one_text_which_is_read_back_strictly() -> None:
    made = plans({B: " CP1252 ", A: "tab"}, "bar,latin-1")
    assert hashes(made) == hashes(plans(((A, "utf-8,tab"), (B, "cp1252,comma")), "latin-1,bar"))
    assert f'"read_as":{{"{A}":"utf-8,tab","{B}":"cp1252,comma"}}' in made[0].canonical
    assert all(plan.canonical.endswith('"private_read_as":"latin-1,bar"}') for plan in made)
    for plan in made:
        again = type(plan).model_validate_json(plan.canonical, strict=True)
        assert again == plan
        assert again.canonical == plan.canonical
        assert hash(again) == hash(plan)


def test_the_earlier_plan_is_the_one_that_the_same_settings_had_before() -> None:
    for read_as, private_read_as in (({A: "cp1252"}, None), ((), "cp1252")):
        for plan, before in zip(plans(read_as, private_read_as), BEFORE_READINGS, strict=True):
            unread = isinstance(plan, ErrorPlan) and private_read_as is None
            assert (plan.earlier is None) == unread
            assert (plan.earlier or plan).sha256 == before


def test_a_reading_that_is_none_or_of_no_table_of_the_plan_is_refused() -> None:
    for read_as in ({A: "utf-9"}, {A: "cp1252,latin-1"}, {A: ""}):
        with pytest.raises(FileRefused, match="ENCODING,DELIMITER"):
            plans(read_as)
    with pytest.raises(FileRefused, match="ENCODING,DELIMITER"):
        plans(private_read_as="comma;")
    with pytest.raises(PlanError, match="no others"):
        plans({"c" * 64: "cp1252"})
    with pytest.raises(PlanError, match="once"):
        plans(((A, "cp1252"), (A, "cp850")))


def test_a_workload_is_built_once_for_the_same_choice_and_domain() -> None:
    def domain(levels: tuple[str, ...]) -> Domain:
        return Domain(tuple(Attribute(name, levels) for name in ("a", "b", "c")))

    choice = WorkloadChoice(k=2, marginals=2, seed=5)
    built = choice.build(domain(("0", "1")))
    assert built == Workload.sampled(domain(("0", "1")), 2, 2, 5)
    assert WorkloadChoice(k=2, marginals=2, seed=5).build(domain(("0", "1"))) is built
    assert WorkloadChoice(k=2).build(domain(("0", "1"))) == Workload.all_kway(domain(("0", "1")), 2)
    assert choice.build(domain(("0", "2"))) == Workload.sampled(domain(("0", "2")), 2, 2, 5) != built


def test_a_choice_with_prefixes_is_written_in_one_order_and_one_without_as_before_there_were_any() -> None:
    plain = WorkloadChoice(k=2)
    assert plain.canonical == '{"k":2,"marginals":null,"seed":0}'
    assert plain.sha256 == "8dadb8df81e39902e57034912824eea5c3eabb7aef679da58019b2c4ef1b4553"
    asked = [WorkloadChoice(k=2, prefixes=names) for names in (("b", "a"), ("a", "b", "a"))]
    assert asked[0] == asked[1] != plain
    assert asked[0].canonical == '{"k":2,"marginals":null,"seed":0,"prefixes":["a","b"]}'
    assert WorkloadChoice.model_validate_json(asked[0].canonical, strict=True) == asked[0]
    shape = Domain((Attribute("a", ("0", "1", "2"), 3), Attribute("b", ("0", "1"), 2), Attribute("c", ("0", "1"))))
    assert asked[0].build(shape) == Workload.all_kway(shape, 2, prefixes=["a", "b"])
    picked = WorkloadChoice.picked([["a", "c"]], prefixes=["a"])
    assert picked.build(shape) == Workload.of(shape, [["a", "c"]], prefixes=["a"])
    sampled = WorkloadChoice(k=2, marginals=2, prefixes=("b",))
    assert sampled.build(shape) == Workload.sampled(shape, 2, 2, 0, prefixes=["b"])


def test_a_part_of_a_workload_with_prefixes_has_cells_alone_and_a_sample_has_both() -> None:
    shape = Domain(tuple(Attribute(f"a{j}", ("0", "1", "2"), 3) for j in range(9)))
    full = Workload.all_kway(shape, 3, prefixes=shape.names)
    part = floor_workload(full, "part", (("a0", "a1", "a2"),))
    assert (len(part.marginals), part.prefixes) == (1, ())
    fast = floor_workload(full, "fast", ())
    assert len(fast.tables) == FAST_MARGINALS
    assert fast.prefixes
    assert floor_workload(full, "full", ()) is full


def test_criteria_stand_in_one_order_and_only_where_there_are_some() -> None:
    given = [{"kind": "largest", "within": 0.05}, {"kind": "cell", "levels": {"b": "1", "a": "0"}, "within": "1/50"}]
    criteria = criteria_of([*given, given[0] | {"within": "0.050"}])
    assert [one.within for one in criteria] == ["1/50", "1/20"]
    assert criteria == criteria_of(json.dumps(given[::-1]))
    base = {"n": 9, "rows_per_person": 1, "inputs": inputs(), "rho_units": 1, "rounds": 1}
    plain, held = ReleasePlan(**base), ReleasePlan(**base, criteria=criteria[::-1])  # type: ignore[arg-type]
    assert '"criteria"' not in plain.canonical
    assert ReleasePlan.model_validate_json(held.canonical, strict=True) == held
    assert held.criteria == criteria
    assert plain.sha256 != held.sha256


def test_a_bar_in_words_is_never_narrower_than_the_one_that_is_passed() -> None:
    """3.0049 % is within 3.01 %, not within 3; ends of a mean are not rounded where they are whole."""
    mean = {"kind": "mean", "column": "income", "low": "0", "high": "1234567", "within": "0.030049"}
    largest, cell = {"kind": "largest", "within": "0.010001"}, {"kind": "cell", "levels": {"a": "0"}, "within": "0.02"}
    assert [one.words for one in criteria_of([cell, largest, mean])] == [
        "the share of a = 0 within 2 points",
        "the largest error over the workload within 1.01 points",
        "the mean of income, clipped to 0 to 1234567, within 3.01 %",
    ]


@pytest.mark.parametrize(
    "given",
    [
        "nonsense",
        '{"kind": "largest", "within": "0.1"}',
        [{"kind": "largest", "within": "1"}],
        [{"kind": "largest", "within": "0"}],
        [{"kind": "largest"}],
        [{"kind": "largest", "within": "0.1", "more": 1}],
        [{"kind": "marginal", "columns": [], "within": "0.1"}],
        [{"kind": "cell", "levels": [["a", "0"], ["a", "1"]], "within": "0.1"}],
        [{"kind": "mean", "column": "a", "low": "0", "high": "5", "unit": "2", "within": "0.1"}],
        [{"kind": "mean", "column": "a", "low": "5", "high": "5", "within": "0.1"}],
        [{"kind": "mean", "column": "a", "low": "0", "high": "1e16", "within": "0.1"}],
        [{"kind": "mean", "column": "a", "low": "0", "high": "5", "unit": "0", "within": "0.1"}],
        [{"kind": "mean", "column": "a", "low": "0", "high": "5", "mean": "3", "rows": 5, "within": "0.1"}],
        [{"kind": "mean", "column": "a", "low": "1e395", "high": "1e400", "unit": "1e395", "within": "0.1"}],
        [{"kind": "mean", "column": "a", "low": "0", "high": "1e-390", "unit": "1e-395", "within": "0.1"}],
        '[{"kind": "largest", "within": "0.05", "within": "0.9"}]',
        '[{"kind": "cell", "levels": {"sex": "F", "sex": "M"}, "within": "0.1"}]',
        [{"kind": "largest", "within": f"1/{place + 2}"} for place in range(51)],
        3,
    ],
)
def test_what_is_no_criterion_is_refused_in_words(given: object) -> None:
    with pytest.raises(PlanError):
        criteria_of(given)
