"""Rules and public tables: rows that are left out, which they are, and what public rows suggest."""

from __future__ import annotations

import numpy as np
import pytest
from tabular.rules.people_schema import PLAIN, under

from pmwpub.errors import DomainError, FileRefused
from pmwpub.records import Distribution, Support
from pmwpub.tabular.coding.decode import weights_csv
from pmwpub.tabular.coding.encode import encode_public
from pmwpub.tabular.coding.public_values import PublicValues
from pmwpub.tabular.files.reading import TextTable, read_table
from pmwpub.tabular.private_pass import encode_private
from pmwpub.tabular.rules.broken_rows import BrokenRows, broken_rows
from pmwpub.tabular.rules.kept_rules import with_fitting
from pmwpub.tabular.rules.rule_parsing import read_rule
from pmwpub.tabular.rules.rule_suggestions import suggested

CHILD, GAIN = 'age < 20 implies work = "none"', 'gain > 0 implies work != "none"'
LINES = [
    "age,work,school,gain,year",
    "5,none,low,0,1999-01-01",
    "7,full,low,0,1999-01-01",  # a child with work
    "30,full,high,40,2005-01-01",
    "31,none,high,40,2005-01-01",  # a gain without work
    "12,part,low,,1999-01-01",  # a child with work, and a cell without a level
    "8,none,low,600,1999-01-01",  # a gain without work
    "NA,full,low,0,1999-01-01",
    "9,part,low,1000,1999-01-01",  # a child with work
]


def people(lines: list[str] = LINES) -> TextTable:
    return read_table("\n".join(lines).encode())


def test_public_rows_that_break_a_rule_are_left_out_and_counted() -> None:
    found = encode_public(people(), under(CHILD, GAIN))
    assert (len(found.dataset), found.dropped, found.broken, found.by_rule) == (3, 1, 4, (2, 2))
    plain = encode_public(people(), PLAIN)
    assert (len(plain.dataset), plain.dropped, plain.broken, plain.by_rule) == (7, 1, 0, ())
    assert np.array_equal(found.dataset.codes, plain.dataset.codes[[0, 2, 5]])


def test_the_rows_that_were_left_out_are_named_on_demand() -> None:
    assert broken_rows(people(), under(CHILD, GAIN)) == (BrokenRows(2, (2, 8)), BrokenRows(2, (4, 6)))
    (first, _) = broken_rows(people(), under(CHILD, GAIN), first=1)
    assert first.words == "rows 2 and 1 more"
    assert broken_rows(people(), PLAIN) == ()


def test_a_table_of_which_no_row_is_left_is_refused_in_words() -> None:
    with pytest.raises(FileRefused, match=r"Each of the 1 rows .* breaks a rule of the schema, most often “age < 20"):
        encode_public(people([LINES[0], LINES[2]]), under(CHILD))


def test_numbers_of_rows_that_were_left_out_are_in_no_pool() -> None:
    pools = PublicValues.of([people()], under(CHILD, GAIN)).bins
    assert sorted(text for pool in pools.values() for text in pool) == ["0", "30", "40", "5"]


def test_a_table_that_plays_the_private_one_keeps_its_rows() -> None:
    found = encode_public(people(), under(CHILD, GAIN), ruled=False)
    assert (len(found.dataset), found.broken, found.by_rule) == (7, 0, ())
    assert found.dataset.domain == under(CHILD, GAIN).domain


def test_private_rows_are_encoded_as_without_rules() -> None:
    ours = encode_private(people(), under(CHILD, GAIN), n=8, rows_per_person=1)
    theirs = encode_private(people(), PLAIN, n=8, rows_per_person=1)
    assert np.array_equal(ours.dataset.codes, theirs.dataset.codes)
    assert (ours.broken, ours.by_rule, ours.unplaced) == (0, (), theirs.unplaced)


def test_weights_of_a_row_that_breaks_a_rule_are_not_written() -> None:
    support = Support.of(encode_public(people(), PLAIN).dataset)
    schema = under(CHILD)
    with pytest.raises(DomainError, match="breaks a rule"):
        weights_csv(Distribution.empirical(Support(schema.domain, support.codes, support.multiplicity)), schema)


def test_levels_that_many_rows_should_have_together_and_none_has_are_suggested() -> None:
    """Of 100 rows 40 are young and 40 have full work: 16 were to be expected; half of 100 rows more make it 36."""
    first = [f"{5 if i < 40 else 30},{'full' if i >= 60 else 'none'},low,0,1999-01-01" for i in range(100)]
    more = [f"{5 if i < 50 else 30},{'full' if i >= 60 else 'none'},low,0,1999-01-01" for i in range(100)]
    supports = [Support.of(encode_public(people([LINES[0], *lines]), PLAIN).dataset) for lines in (first, more)]
    assert suggested(supports[:1], PLAIN) == ()
    (one,) = suggested(supports, PLAIN)
    assert one.rule.text == 'age = "[0, 20)" implies work != "full"'
    assert one.expected == pytest.approx(16 + 20)
    assert suggested(supports, PLAIN, least=36.1) == ()
    assert len(suggested(supports, PLAIN, least=1, most=1)) == 1


def test_what_a_rule_excludes_already_is_not_suggested() -> None:
    lines = [f"{5 if i < 100 else 30},{'none' if i % 2 or i < 100 else 'full'},low,0,1999-01-01" for i in range(400)]
    table = people([LINES[0], *lines])
    support = Support.of(encode_public(table, PLAIN).dataset)
    assert [one.rule.text for one in suggested([support], PLAIN)] == ['age = "[0, 20)" implies work != "full"']
    ruled = under(CHILD)
    assert suggested([Support.of(encode_public(table, ruled).dataset)], ruled) == ()


def test_rules_go_on_as_far_as_they_fit() -> None:
    ruled = under(CHILD, GAIN)
    assert with_fitting(PLAIN, ruled.rules) == ruled
    assert with_fitting(PLAIN.without_column("gain"), ruled.rules).rules == ruled.rules[:1]
    assert with_fitting(ruled, [read_rule(CHILD)]) is ruled
