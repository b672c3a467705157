"""A population's terms, in words, and the form that changes them."""

from __future__ import annotations

import streamlit as st

from pmwpub.errors import PmwPubError
from pmwpub.numerals import as_fraction
from pmwpub.service import Population, Study
from pmwpub.service.budget_left import left
from pmwpub.service.terms import (
    OUTSIDE,
    PERSONS_ALLOWED,
    ROWS_ALLOWED,
    amend,
    as_typed,
    changes_in_words,
    delta_as_typed,
    delta_of,
    protects_households,
    unit_of,
    warnings_of,
)
from pmwpub.ui.app.frame import Badge, panel
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session
from pmwpub.ui.households.unit_choice import CONSEQUENCE, HOMES, LARGEST, terms_in_words
from pmwpub.ui.protect.registering import MOST, ROWS
from pmwpub.ui.widgets import agreeing, number_fields
from pmwpub.ui.widgets.text_table import text_table
from pmwpub.ui.wording.written import exact, loss, plain

UNTIL = "The terms stay as they are until it is put right."
BEFORE = "Until the first charge all terms but the name may change; from then on only the total ε may, downwards."
AFTER = (
    "Charges were made: only the total ε may still change, and only fall, not below what is spent. It never rises "
    "again. What was bought stays, and a certificate that was given out keeps the total that it states, which holds on."
)
LET_GO = "The private table was checked against the earlier terms and is let go here: load it again."


def terms_panel(session: Session, study: Study) -> None:
    """Say who is protected, and by how much; whoever may change it gets a form that does."""
    population = study.population
    with panel("What is protected", Badge.PUBLIC):
        text_table(
            {
                "Protected": population.unit,
                **(terms_in_words(population) if study.of_households else _of_persons(study)),
                "Total ε": exact(population.epsilon),
                "δ": loss(population.delta),
            },
            border="horizontal",
            hide_header=True,
        )
        if study.of_households:
            with st.expander("What follows from protecting households"):
                st.markdown(CONSEQUENCE)
        st.caption(OUTSIDE)
        if session.may_change(study) and not study.demo and service().ledger.owns(population.name):
            with st.expander("Change the terms"):
                _form(session, study)


def _of_persons(study: Study) -> dict[str, str]:
    """The terms that a population of households has in other words."""
    population, by_id = study.population, study.rows_beyond is not None
    return {
        "Rows of the private table, n": f"{population.n:,}",
        "Most rows of one person that count, k"
        if by_id
        else "Most rows of one person, k": f"{population.rows_per_person:,}",
        "Neighbours": _neighbours(population.rows_per_person, by_id=by_id),
    }


def _form(session: Session, study: Study) -> None:
    """Draw the terms in force, to be typed over; a press changes them at once, or says why not."""
    before, charged = study.population, study.balance.spent.units > 0
    form = _key(before, "form")
    with st.form(f"{form} {charged}", enter_to_submit=False, border=False):
        st.caption(AFTER if charged else BEFORE)
        typed = {} if charged else _all_but_epsilon(before)
        typed["epsilon"] = st.text_input("Total ε", value=as_typed(before.epsilon), key=_key(before, "epsilon"))
        above = st.container()
        if st.form_submit_button("Change the terms", key="change the terms"):
            with above:
                _change(session, study, typed)
        with above:
            agreeing.ask(form)


def _all_but_epsilon(before: Population) -> dict[str, str]:
    first, second = st.columns(2)
    homes, k = protects_households(before), f"{before.rows_per_person:,}"
    n_label, k_label = (HOMES, LARGEST) if homes else (ROWS, MOST)
    typed = {
        "n": first.text_input(n_label, value=f"{before.n:,}", key=_key(before, "n")),
        "rows_per_person": second.text_input(k_label, value=k, key=_key(before, "k")),
    }
    if not homes:  # of households the words follow from H
        typed["unit"] = first.text_input("Who is protected", value=before.unit, key=_key(before, "unit"))
    return typed | {
        "delta": second.text_input("δ (1/n² follows n)", value=delta_as_typed(before), key=_key(before, "delta"))
    }


def _key(before: Population, part: str) -> str:
    """The key of a field that begins with the terms in force; under other terms it is another field."""
    return f"amend {part} {before}"


def _change(session: Session, study: Study, typed: dict[str, str]) -> None:
    """Amend the terms to what was typed, and say on the next run what changed; or say on this run why not."""
    before = study.population
    form = _key(before, "form")
    try:
        after = _meant(before, typed)
        said = changes_in_words(before, after)
        if said and not agreeing.agreed(form, _to_be_ticked(study, after)):
            return
        fields = dict.fromkeys((*typed, "unit"))
        changes = {field: getattr(after, field) for field in fields if getattr(after, field) != getattr(before, field)}
        amend(service(), before.name, changes, private=session.private, viewing=session.presenting)
    except PmwPubError as refusal:
        agreeing.forget(form)
        st.error(plain(str(refusal)), icon=":material/block:")
        return
    session.tell("success" if said else "info", plain(" ".join(said)) or "The terms are the same as before.")
    if session.private is not None and {"n", "rows_per_person"} & set(changes):
        session.hold(None)
        session.tell("warning", LET_GO)
    st.rerun()


def _meant(before: Population, typed: dict[str, str]) -> Population:
    """The terms that stand in the fields; those without a field stay."""
    n, k, delta = before.n, before.rows_per_person, before.delta
    homes = "n" in typed and protects_households(before)
    if "n" in typed:
        named, most, allowed = (HOMES, LARGEST, PERSONS_ALLOWED) if homes else (ROWS, MOST, ROWS_ALLOWED)
        n = number_fields.as_whole(typed["n"], named, *ROWS_ALLOWED, so=UNTIL)
        k = number_fields.as_whole(typed["rows_per_person"], most, *allowed, so=UNTIL)
        delta = delta_of(typed["delta"], n)
    unit = unit_of(n, k) if homes else typed.get("unit", before.unit)
    return Population(before.name, n, k, unit, as_fraction(typed["epsilon"]), delta)


def _to_be_ticked(study: Study, after: Population) -> tuple[str, ...]:
    """The sentences to be ticked: what terms warn of, and that a total that falls after a charge never rises again."""
    spent = study.balance.spent
    if not spent.units:
        return warnings_of(after)
    if after.epsilon >= study.population.epsilon or spent > after.total:
        return ()  # the ledger refuses that, and says why
    rest = after.total - spent
    falls = (
        f"The total ε falls from {exact(study.population.epsilon)} to {exact(after.epsilon)} and never rises again; "
        f"ε = {left(rest, after.delta)} of it will be left at δ = {loss(after.delta)}."
    )
    return (falls, *warnings_of(after))


def _neighbours(k: int, *, by_id: bool) -> str:
    if by_id:
        return (
            f"All rows of one ID are replaced by as many of another, of which {k:,} count. How many an ID has is not "
            "protected."
        )
    rows = "row is replaced by another" if k == 1 else f"at most {k:,} rows are replaced by as many"
    return f"One person's {rows}; n, the number of rows, is public."
