"""The remark on what was chosen after private numbers were seen."""

from __future__ import annotations

from pmwpub.ledger import Mark
from pmwpub.ledger.recovery import vouching
from pmwpub.service.purchases.caveats import PRIVATE_NUMBERS_SEEN, SEEN, UNVOUCHED, noted, remarks_from, with_remarks

ROWS = [{"id": 1, "rho": 0.1}, {"id": 2, "rho": 0.1}, {"id": 7, "rho": 0.1}]


def _seen(note: str) -> Mark:
    return Mark(PRIVATE_NUMBERS_SEEN, note, "2026-01-01T00:00:00")


def test_charges_after_the_first_look_carry_the_remark_and_those_before_it_do_not() -> None:
    marks = [Mark("demo", "generated", ""), _seen(noted("errors", 2)), _seen(noted("marginals", 7))]
    assert [row["remark"] for row in with_remarks(ROWS, marks)] == ["", "", SEEN]


def test_without_a_look_no_charge_carries_a_remark() -> None:
    assert [row["remark"] for row in with_remarks(ROWS, [Mark("demo", noted("x", 0), "")])] == ["", "", ""]


def test_a_look_of_unknown_place_counts_for_every_charge() -> None:
    assert [row["remark"] for row in with_remarks(ROWS, [_seen("errors")])] == [SEEN] * 3


def test_the_order_of_clocks_does_not_matter_and_the_rows_are_otherwise_unchanged() -> None:
    late = Mark(PRIVATE_NUMBERS_SEEN, noted("errors", 1), "1999-01-01T00:00:00")
    found = with_remarks(ROWS, [late])
    assert [row["remark"] for row in found] == ["", SEEN, SEEN]
    assert [{key: row[key] for key in ("id", "rho")} for row in found] == ROWS


def test_the_same_look_twice_is_one_remark() -> None:
    marks = [_seen(noted("errors", 1)), _seen(noted("errors", 1)), _seen(noted("errors", 2))]
    assert len(remarks_from(marks)) == 2


def test_where_nothing_vouches_for_the_ledger_every_charge_and_every_later_plan_says_so() -> None:
    for kind in (vouching.UNVOUCHED, vouching.UNWITNESSED):
        marks = [_seen(noted("errors", 2)), Mark(kind, "put back", "")]
        assert [row["remark"] for row in with_remarks(ROWS, marks)] == [UNVOUCHED, UNVOUCHED, f"{SEEN}; {UNVOUCHED}"]
        assert remarks_from(marks) == (*remarks_from(marks[:1]), UNVOUCHED)
        assert remarks_from([marks[1], marks[1]]) == (UNVOUCHED,)
