"""The path of five steps: what was chosen so far, in a line, and what comes next. No streamlit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pmwpub.service import Booking, Study
from pmwpub.service.core import kind_of
from pmwpub.service.grant import taken
from pmwpub.ui.wording.chosen_workload import described
from pmwpub.ui.wording.written import counted, loss, plain

PROTECT, PREPARE = "pages/protect.py", "pages/prepare.py"
COMPARE, RELEASE, HAND_OVER = "pages/compare.py", "pages/release.py", "pages/hand_over.py"
RELEASES, COMPARISONS = (
    ("release", "table-fit", "table-fit-pool", "households", "households-pmw-pub"),
    ("assessment", "best"),
)


@dataclass(frozen=True)
class NextStep:
    """What is missing, or what comes next, in words; the page where it is done, and the number of the
    release that it is about."""

    words: str
    page: str
    release: int | None = None


@dataclass(frozen=True)
class PathSoFar:
    """Where a population stands for one session.

    bought    its bookings, oldest first
    published how many public tables were published unchanged, which no booking tells of
    held      how many public tables this session read that nobody stored yet
    steward   whether this session holds its private table
    viewing   whether it is looked at in the stakeholder view
    """

    study: Study
    bought: Sequence[Booking]
    steward: bool
    viewing: bool
    page: str = ""
    published: int = 0
    held: int = 0

    @property
    def line(self) -> str:
        """The choices so far, in a line of inert Markdown."""
        study, terms = self.study, self.study.population
        size = f"n = {terms.n:,}, k = {terms.rows_per_person:,}"
        if study.of_households:
            size = f"n = {terms.n:,} households of 1 to {terms.rows_per_person} persons"
        parts = [f"**{plain(terms.name)}**", size]
        parts.append(self._tables())
        if not self.viewing:
            parts.append("private table loaded" if self.steward else "private table not loaded here")
        if study.choice is not None:
            parts.append(described(study.choice))
        if releases := self._releases():
            parts.append(counted(len(releases), "release"))
        if self.published:
            parts.append(f"{counted(self.published, 'table')} published unchanged")
        parts.append(spent_words(study))
        return " · ".join(parts)

    @property
    def next_step(self) -> NextStep:
        """All that is missing, in the order of the work, else what comes after all that was done."""
        done = [number for number, one in enumerate(self._releases(), 1) if one.status == "done"]
        if self.viewing:
            there = bool(done) or self.published > 0
            if there or self.study.of_households:
                return NextStep("see what was released", HAND_OVER)
            return NextStep("see how the candidates compare", COMPARE)
        if done and self.page == HAND_OVER:
            return NextStep("hand over the release", HAND_OVER, done[-1])
        return self._missing() or (
            NextStep("hand over the release", HAND_OVER, done[-1]) if done else self._after_preparing()
        )

    def _missing(self) -> NextStep | None:
        study = self.study
        unattested = [one.name for one in study.candidates if not one.attested]
        some, schema = bool(study.candidates), study.schema is not None
        place = "below" if self.page == PREPARE else "on Prepare"
        lacking = [
            words
            for lacks, words in (
                (self.held > 0, f"press Store {place} to keep {counted(self.held, 'public table')}"),
                (not some and not self.held, "add public tables"),
                (not schema, "draft a schema"),
                (schema and study.of_households and study.household is None, "say how rows make households"),
                (some and schema and not study.usable, "have a public table fit the schema"),
                (some and len(unattested) == len(study.candidates), f"attest {plain(', '.join(unattested))}"),
                (study.choice is None, "choose the workload"),
                (not self.steward, "load the private table"),
            )
            if lacks
        ]
        return NextStep(", then ".join(lacking), PREPARE) if lacking else None

    def _after_preparing(self) -> NextStep:
        if self.published:
            return NextStep("hand over the published table", HAND_OVER)
        if self.study.of_households:
            return NextStep("choose a release", RELEASE)
        compared = self.page in (COMPARE, RELEASE) or any(kind_of(one) in COMPARISONS for one in self.bought)
        return NextStep("choose a release", RELEASE) if compared else NextStep("compare the candidates", COMPARE)

    def _releases(self) -> list[Booking]:
        return [one for one in self.bought if kind_of(one) in RELEASES]

    def _tables(self) -> str:
        tables = self.study.candidates
        said = counted(len(tables), "candidate")
        unfit, unattested = len(tables) - len(self.study.usable), sum(not one.attested for one in tables)
        lacking = [f"{unfit} without a fit"] if unfit and self.study.schema is not None else []
        lacking += [f"{unattested} not attested"] if unattested else []
        return f"{said} ({', '.join(lacking)})" if lacking else said


def spent_words(study: Study) -> str:
    """ "13 % of the grant taken (ε = 2 at δ = 6.25e-6)"; what is promised is the grant's own (ε, δ)."""
    balance = study.balance
    grant = f"ε = {loss(balance.epsilon_total)} at δ = {loss(balance.delta)}"
    return f"{taken(balance.spent, balance.total)} of the grant taken ({grant})"
