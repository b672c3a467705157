"""Taking public candidates in, with a verdict on each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from pmwpub.errors import PmwPubError
from pmwpub.service import CandidateFacts, PrivateTable, Study, purchases
from pmwpub.service.inputs import study_store
from pmwpub.service.inputs.file_reading import ReadOptions
from pmwpub.service.inputs.shared_rows import NOT_COMPARED, NOTHING_ALIKE
from pmwpub.service.inputs.uploaded_files import unpacked
from pmwpub.service.purchases import Offer
from pmwpub.ui.app.frame import Badge, panel, refusals
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session
from pmwpub.ui.widgets.read_as import confirm_reading
from pmwpub.ui.widgets.reading_progress import progress_bar
from pmwpub.ui.wording.weighed_candidates import weighed_candidates
from pmwpub.ui.wording.written import plain

ATTEST = "I attest that none of these files was made from the private data"
DEMO = "The demo runs on bundled, generated tables and takes no uploads. Register a population for your own files."
FORMATS = "CSV, also as .csv.gz, or Parquet"
COMPARED_HERE = "Compared, in this session's memory, with the private table that it holds:"


def facts_table(candidates: Sequence[CandidateFacts]) -> None:
    """What is known of the candidates for free; columns in which nothing stands are left out."""
    known: dict[str, Sequence[object]] = {
        "candidate": [one.name for one in candidates],
        "rows": [one.rows for one in candidates],
        "distinct rows": [None if one.support is None else len(one.support) for one in candidates],
        "rows dropped": [one.dropped for one in candidates],
        "rows left out by rules": [one.broken for one in candidates],
        "rows without weight": [one.weightless for one in candidates],
        "worth in equal rows": [one.support.people if one.support and one.weighed_by else None for one in candidates],
        "columns ignored": [", ".join(one.ignored) for one in candidates],
        "fits the schema": ["yes" if one.support is not None else "no" for one in candidates],
        "attested": ["yes" if one.attested else "no" for one in candidates],
        "read as": ["" if one.options is None else one.options.words for one in candidates],
    }
    st.dataframe(
        {name: values for name, values in known.items() if any(values)},
        hide_index=True,
        width="stretch",
        column_config=dict.fromkeys(
            [name for name in known if "rows" in name], st.column_config.NumberColumn(format="localized")
        ),
        alt="The public candidates with their sizes and how they fit the schema.",
    )
    if weighed := weighed_candidates([one for one in candidates if one.support is not None]):
        st.caption(plain(weighed))


def candidates_panel(session: Session, study: Study, *, changeable: bool) -> None:
    """The candidates, a form to add some, attesting and removing."""
    with panel("Public candidates", Badge.PUBLIC):
        changes = changeable and not study.demo
        if study.candidates:
            facts_table(study.candidates)
            _lacking(study, changeable=changes)
        else:
            st.caption(
                "None yet. A candidate is a public table about similar people, with the private table's columns."
            )
        if study.demo:
            st.caption(DEMO)
        elif changes:
            if not session.shelf.offers:
                _upload(session, study)
            confirm_reading(
                session,
                "candidate",
                lambda held, options: _hold(session, study, held.name, held.content, held.attested, options),
            )
            offers_part(session, study)
            _change(study)


def _lacking(study: Study, *, changeable: bool) -> None:
    """Say in full which candidates do not fit, and which are offered nowhere for want of the steward's word, unless
    that word is asked for below."""
    for one in study.candidates:
        if study.schema is not None and one.support is None:
            st.warning(f"**{plain(one.name)}** does not fit the schema. {plain(one.problem)}", icon=":material/block:")
    unattested = [plain(one.name) for one in study.candidates if not one.attested]
    if unattested and not changeable:
        st.warning(f"Not attested, and therefore offered nowhere: {', '.join(unattested)}.", icon=":material/draw:")


def _upload(session: Session, study: Study) -> None:
    with st.form("candidates", clear_on_submit=True):
        files = st.file_uploader(f"Add public tables ({FORMATS})", accept_multiple_files=True)
        attested = st.checkbox(ATTEST)
        pressed = st.form_submit_button("Add", key="add candidates")
    # Below the form, for reading may draw a bar with a button, which no form takes.
    if pressed and not files:
        st.warning("Choose a file above first; nothing was added.")
    elif pressed:
        for file, shown in zip(files, told_apart([file.name for file in files]), strict=True):
            _hold(session, study, file.name, file.getvalue(), attested, shown=shown)
        st.rerun()


def told_apart(names: Sequence[str]) -> list[str]:
    """File names for the verdicts: "a.csv", or "a.csv (2 of 3)" where several came under one name."""
    came = Counter(names)
    places = [names[: place + 1].count(name) for place, name in enumerate(names)]
    return [
        name if came[name] == 1 else f"{name} ({nth} of {came[name]})" for name, nth in zip(names, places, strict=True)
    ]


def _hold(
    session: Session,
    study: Study,
    name: str,
    content: bytes,
    attested: bool,
    options: ReadOptions | None = None,
    *,
    shown: str = "",
) -> None:
    """Read a table and hold it in this session, nothing stored; where another way of reading may help, hold its bytes;
    else refuse it. The verdict calls it `shown`."""
    shown = shown or name
    try:
        content = content if options is not None else unpacked(name, content)
        with progress_bar(f"Reading {shown}…") as progress:
            found = Offer.read(
                name,
                content,
                options,
                attested=attested,
                label=shown,
                named=study.schema is not None,
                progress=progress,
            )
        purchases.offer(service(), study.population.name, {name: found.table}, session.holding(study))
    except PmwPubError as refusal:
        if not session.shelf.keep("candidate", name, content, refusal, options, attested=attested):
            session.tell("error", f"**{plain(shown)}** was refused. {plain(str(refusal))} Nothing was charged.")
        return
    session.shelf.offers.append(found)


def offers_part(session: Session, study: Study) -> None:
    """The public files that this session read: what each shares with the private table here, and Store or give up."""
    offers = session.shelf.offers
    if not offers:
        return
    with st.container(border=True):
        private = session.holding(study)
        st.markdown(f"**Read, not stored yet.** {NOT_COMPARED if private is None else COMPARED_HERE}")
        if not _shared(session, study, offers, private):
            return
        for place, one in enumerate(offers):
            row = st.container(horizontal=True, vertical_alignment="center")
            row.markdown(f"{plain(one.label)}: {len(one.table):,} rows", width="stretch")
            if row.button("Give up", key=f"give up {place} {one.table.sha256}"):
                session.shelf.offers = [other for other in offers if other is not one]
                st.rerun()
        wanted = _attested(offers)
        if st.button("Store", type="primary", key="store offers", help="From then on every viewer sees these tables."):
            session.shelf.offers, session.shelf.shared = [], (None, ())
            _store(session, study, wanted)
            if private is not None:
                session.private = study_store.compared_again(service(), private)
            st.rerun()


def _attested(offers: Sequence[Offer]) -> Sequence[Offer]:
    """The files, with the word that may have been forgotten in the form: it is asked for once more, above Store."""
    lacking = [one for one in offers if not one.attested]
    if not lacking:
        return offers
    names = ", ".join(plain(one.label) for one in lacking)
    st.markdown(f"Nobody attested yet that {names} {'was' if len(lacking) == 1 else 'were'} not made from the private "
               "data. Without that word nothing can be bought on it.")  # fmt: skip
    if st.checkbox(ATTEST, key=f"attest offers {' '.join(one.table.sha256 for one in lacking)}"):
        return [replace(one, attested=True) for one in offers]
    return offers


def _shared(session: Session, study: Study, offers: Sequence[Offer], private: PrivateTable | None) -> bool:
    """What the held files share with the private table, for its steward alone; compared once for the same files.

    False where they are refused together.
    """
    if private is None:
        return True
    files = {one.label: one.table for one in offers}
    asked, shelf = (private.rows, private.schema_sha256, *(one.table.sha256 for one in offers)), session.shelf
    with refusals():
        if shelf.shared[0] != asked:
            shelf.shared = asked, purchases.offer(service(), study.population.name, files, private)
        for one in shelf.shared[1]:
            st.warning(plain(one.warning), icon=":material/content_copy:")
        if not shelf.shared[1]:
            st.caption(NOTHING_ALIKE)
        return True
    return False


def _store(session: Session, study: Study, offers: Sequence[Offer]) -> None:
    """Store each file on the steward's word, and say what became of it."""
    for one in offers:
        known = next((facts for facts in study.candidates if facts.sha256 == one.table.sha256), None)
        try:
            with progress_bar(f"Storing {one.label}…") as progress:
                purchases.store(service(), study.population.name, [one], session.holding(study), progress)
        except PmwPubError as refusal:
            session.tell("error", f"**{plain(one.label)}** was refused. {plain(str(refusal))} Nothing was charged.")
            continue
        now = study_store.study(service(), study.population.name).candidate(one.table.sha256)
        if known is None and study.schema is None:
            session.tell("success", f"**{plain(one.label)}** was read and stored. Draft a schema next, or load one.")
        elif known is None and now.problem:
            words = f"**{plain(one.label)}** was read and stored, but does not fit the schema. {plain(now.problem)}"
            session.tell("warning", words)
        elif known is None:
            session.tell("success", f"**{plain(one.label)}** was read and stored as a public candidate.")
        else:
            word = "; it is attested now" if one.attested and not known.attested else ""
            words = f"**{plain(one.label)}** has the bytes of {plain(known.name)}, a candidate already{word}."
            session.tell("info", words)


def _change(study: Study) -> None:
    """The word on each table, to be given or taken back, and its removal; those that have it are folded away."""
    lacking = [one for one in study.candidates if not one.attested]
    for one in lacking:
        st.info(f"**{plain(one.name)}** is not attested: nothing can be bought on it until you tick below.")
        _word(study, one)
    attested = [one for one in study.candidates if one.attested]
    if attested:
        with st.expander("Take a word back, or remove a table"):
            for one in attested:
                _word(study, one)


def _word(study: Study, one: CandidateFacts) -> None:
    """The word on one table, and the button that removes it."""
    name = study.population.name
    row = st.container(horizontal=True, vertical_alignment="center")
    label = f"{plain(one.name)} was not made from the private data"
    attested = row.checkbox(
        label, value=one.attested, key=f"attest {one.sha256} {one.attested}", width="stretch", wrap=True
    )
    if attested != one.attested:
        study_store.attest(service(), name, one.sha256, attested=attested)
        st.rerun()
    if row.button("Remove", key=f"remove {one.sha256}", help="Deletes the stored file; what was bought stays."):
        study_store.remove_candidate(service(), name, one.sha256)
        st.rerun()
