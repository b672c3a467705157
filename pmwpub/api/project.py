"""A population with its public tables, for programs: assess them, look at the fit, and buy releases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from pmwpub.api.arguments import (
    engine_settings,
    kind_words,
    number_text,
    of_kind,
    switch,
    table_names,
    whole_number,
)
from pmwpub.api.synthetic_release import SyntheticRelease
from pmwpub.errors import PlanError
from pmwpub.jobs import InlineEngine
from pmwpub.ledger import Ledger, PlanKey
from pmwpub.plans import UnchangedPlan, WorkloadChoice
from pmwpub.plans.criteria import criteria_of
from pmwpub.privacy.budget import Number, as_fraction
from pmwpub.release.bundle import Bundle
from pmwpub.release.certificates.unchanged_certificate import UnchangedCertificate
from pmwpub.service import Assessed, Policy, PrivateTable, Service, Study, adopting, purchases
from pmwpub.service.accepting import acceptances
from pmwpub.service.accepting.acceptances import Acceptance
from pmwpub.service.bought import assessments, misfit_shares, releases
from pmwpub.service.bought.engine_choice import ChosenPlan, chosen_plan
from pmwpub.service.bought.misfit_shares import FitSeen
from pmwpub.service.inputs import reviewing, study_store
from pmwpub.service.purchases import AcceptancePurchase, AssessmentPurchase, MisfitPurchase, Offer
from pmwpub.service.unchanged_release import publish_unchanged
from pmwpub.service.weighing.total_purchase import BoughtTotal, TotalPurchase, bought_total, total_plan
from pmwpub.tabular.files.reading import from_frame
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.wording import draws_in_words, no_result, values_in_words

if TYPE_CHECKING:
    from pmwpub.tabular.files.reading import Frame

UNDECIDED = (
    "Say overlap_acknowledged=True if no public table was made from the private one. Rows that a public table shares "
    "with it, more than chance explains, need that word, and so does every purchase in a shared service. Nothing was "
    "stored or charged."
)


class Project:
    """A registered population with its schema, public tables and workload.

    What is bought is bought under this schema and workload, whatever is chosen elsewhere for the population meanwhile.
    The public tables are held in memory until a private table was compared with them, and stored then.
    The policy is the environment's; see `service.policy`.
    Raises a PmwPubError for an unknown population, or for tables that cannot be read.
    """

    def __init__(
        self, ledger: Ledger, population: str, *, schema: Schema, public: Mapping[str, Frame], workload: WorkloadChoice
    ) -> None:
        of_kind(Ledger, ledger, "A ledger (pmwpub.Ledger)")
        self._schema = of_kind(Schema, schema, "A schema (pmwpub.Schema)")
        self._workload = of_kind(WorkloadChoice, workload, "A workload (pmwpub.WorkloadChoice)")
        self._service = Service(ledger, InlineEngine(), policy=Policy.declared("localhost").beside(ledger))
        self._population = population
        ledger.population(population)
        if not isinstance(public, Mapping):
            raise PlanError(f"Public tables are given as a mapping of name to data frame; {kind_words(public)} came.")
        self._offers = {name: Offer(name, from_frame(frame), attested=True) for name, frame in public.items()}
        adopting.adopt(self._service, population, schema, workload)

    def assess(
        self,
        private: Frame,
        *,
        epsilon: Number,
        only: str | Iterable[str] | None = None,
        overlap_acknowledged: bool | None = None,
    ) -> dict[str, Assessed]:
        """A noisy floor and start for each public table, at `epsilon` each: all of them are bought, or none.

        epsilon               a text, or a number, which stands for the decimal that it prints as
        only                  the names of some of the tables, or of one
        overlap_acknowledged  whether no public table was made from the private one; needed where they share more rows
                              than chance explains, and for every purchase in a shared service

        Of a table whose plan has no result, or is being drawn by another program, the numbers are None, and
        `outcome.status` says which.

        Raises OverlapUndecided or Overspent before anything is charged.

        Privacy: charged to the population before anything is drawn; a plan that was sent before is not drawn again.
        """
        names, price = list(self._offers) if only is None else table_names(only), number_text(epsilon)
        loaded, keys, current = self._prepared(private, names, overlap_acknowledged)
        with values_in_words():
            plans = [AssessmentPurchase(assessments.assessment_plan(current, [key], epsilon=price)) for key in keys]
        outcomes = purchases.buy(self._service, loaded, plans, tick=overlap_acknowledged, current=current)
        return {
            name: assessments.assessed(self._service, current, outcome.booking)
            for name, outcome in zip(names, outcomes, strict=True)
        }

    def misfits(
        self,
        private: Frame,
        *,
        columns: str | Iterable[str] | None = None,
        half_width: Number = "0.01",
        rules: bool = False,
        repeat: int = 0,
    ) -> FitSeen:
        """Noisy shares of the private rows that the schema does not fit, in some columns and in any of them.

        columns     names of attributes; None for those that public facts call risky, as many as are sold together
        half_width  of the 95 % interval around each share; it decides the price, k^2 (c + 1)/(2 sigma^2) in rho
        rules       whether the rows that break a rule of the schema are counted too, as one column more

        Raises PlanError where the price is above a twentieth of the grant, before anything is charged; Overspent;
        NoResult where the charge was made and no result is stored, or not yet.

        Privacy: charged to the population before anything is drawn; a plan that was sent before is not drawn again.
        """
        repeat = whole_number(repeat, "The number of a draw")
        loaded, _, current = self._prepared(private, [], None)
        risky = [risk.column for risk in reviewing.risky(self._service, current)]
        with values_in_words():
            width = number_text(half_width, "A half-width")
            wanted = purchases.proposed_columns(current, risky, width) if columns is None else table_names(columns)
            plan = misfit_shares.misfit_plan(current, wanted, half_width=width, rules=switch(rules, "rules"))
        with draws_in_words():
            (outcome,) = purchases.buy(self._service, loaded, [MisfitPurchase(plan)], repeat=repeat, current=current)
        found = misfit_shares.fit_seen(self._service, outcome.booking)
        if found.overall is None:
            raise no_result(found.outcome, again="The next `repeat`")
        return found

    def weight_total(self, private: Frame, *, epsilon: Number, repeat: int = 0) -> BoughtTotal:
        """The noisy total of the private rows' weights, of which releases give shares, where the schema declares none.

        Raises SchemaError where the schema weighs no rows, PlanError where it declares the total or the noise would
        hide it, before anything is charged; Overspent; NoResult where the charge was made and no result is stored.

        Privacy: charged to the population before anything is drawn; a plan that was sent before is not drawn again.
        """
        price, repeat = number_text(epsilon), whole_number(repeat, "The number of a draw")
        loaded, _, current = self._prepared(private, [], None)
        with values_in_words(), draws_in_words():
            wanted = [TotalPurchase(total_plan(self._service, current, epsilon=price))]
            (outcome,) = purchases.buy(self._service, loaded, wanted, repeat=repeat, current=current)
        found = bought_total(self._service, outcome.booking)
        if found.total is None:
            raise no_result(found.outcome, again="The next `repeat`")
        return found

    def release(
        self,
        private: Frame,
        public: str | Iterable[str],
        *,
        epsilon: Number,
        engine: str | None = None,
        rounds: int | None = None,
        grow: bool = False,
        three_way: bool = False,
        ranges: Sequence[str] = (),
        repeat: int = 0,
        overlap_acknowledged: bool | None = None,
        criteria: Sequence[Mapping[str, object]] = (),
        free_table_acknowledged: bool = False,
    ) -> SyntheticRelease:
        """A synthetic release with one public table, or a pool of several.

        engine                "pmw-pub", "table-fit", "table-fit-pool" (table fit with several public tables, whose
                              weights are learnt from the noisy tables), or "unchanged": the public table itself, for
                              which nothing is charged. Where none is named: PMW^Pub if `rounds` is given, table fit if
                              `grow`, `three_way` or `ranges` is; else a stored release of these inputs; else what
                              simulations on public tables advise. `chosen` says which, and why
        rounds                T of PMW^Pub, 25 where nothing is said; the others have none
        grow                  of table fit: whether rows are added where noisy tables show people of whom no public row
                              tells
        three_way             of table fit: whether tables of three columns are measured too; this pays for few columns
                              or many people
        ranges                of table fit: ordered columns of which coarse tables are measured too, for ranges and
                              quantiles of columns in many bins
        overlap_acknowledged  as in `assess`
        criteria              by which `accept` holds it against the private table once it is stored, such as
                              {"kind": "largest", "within": "0.05"}; they stand in its plan
        free_table_acknowledged  whether the release is bought although all that is known says that the public table
                              unchanged, which is free, is as good; without it such a release is refused

        Raises PlanError, OverlapUndecided or Overspent before anything is drawn, NoResult where the charge was made and
        no result is stored, or not yet: its words say which.

        Privacy: charged to the population before anything is drawn; a plan that was sent before is not drawn again.
        """
        names, price = table_names(public), number_text(epsilon)
        settings, repeat = engine_settings(engine, rounds), whole_number(repeat, "The number of a draw")
        if not names:
            raise PlanError("Name the public table, or the pool of several, that the release begins with.")
        loaded, keys, current = self._prepared(private, names, overlap_acknowledged)
        with values_in_words():
            wanted = criteria_of(criteria)
            chosen = chosen_plan(
                self._service,
                current,
                keys,
                settings,
                engine=engine,
                epsilon=price,
                grow=switch(grow, "`grow`"),
                three_way=switch(three_way, "`three_way`"),
                ranges=table_names(ranges),
                criteria=wanted,
            )
        with draws_in_words():
            bundle = self._bought(chosen, loaded, current, repeat, overlap_acknowledged, free_table_acknowledged)
            return SyntheticRelease(bundle, chosen.why)

    def accept(
        self, private: Frame, released: SyntheticRelease, *, half_widths: Number = "0.5", repeat: int = 0
    ) -> Acceptance:
        """Whether a release meets the criteria of its plan: a noisy number for each, and the verdict that follows.

        half_widths  of the numbers' 95 % intervals, as a part of their bars; it decides the price

        A criterion is passed only where the noisy number and its half-width together lie within the bar. Not passing
        refunds nothing. A mean that the release made one that no noise measures is stated so, and the others are sold;
        not all are passed then. Raises PlanError for a release without criteria, or none that can be measured;
        Overspent; NoResult where the charge was made and no result is stored, or not yet.

        Privacy: charged to the population before anything is drawn; a plan that was sent before is not drawn again.
        """
        repeat = whole_number(repeat, "The number of a draw")
        finished = of_kind(SyntheticRelease, released, "A release, as `release` returns it,")
        part, stated = as_fraction(number_text(half_widths, "A half-width")), finished.bundle.certificate
        if isinstance(stated, UnchangedCertificate):
            raise PlanError("A public table unchanged was not bought, so no criteria stand in a plan of it.")
        loaded, _, current = self._prepared(private, [], None)
        key = PlanKey(stated.plan_sha256, stated.repeat)
        plan = acceptances.acceptance_plan(self._service, self._population, key, part=part)
        with draws_in_words():
            wanted = [AcceptancePurchase(plan)]
            (outcome,) = purchases.buy(self._service, loaded, wanted, repeat=repeat, current=current)
        found = acceptances.accepted(self._service, outcome.booking)
        if found.attempts is None:
            raise no_result(found.outcome, again="The next `repeat`")
        return found

    def _bought(
        self, chosen: ChosenPlan, loaded: PrivateTable, current: Study, repeat: int, tick: bool | None, free_tick: bool
    ) -> Bundle:
        """The files of a chosen plan; a public table unchanged is not bought, and has one draw."""
        service, plan = self._service, chosen.plan
        if isinstance(plan, UnchangedPlan):
            if repeat:
                raise PlanError("A public table unchanged has no draws; leave `repeat` out. Nothing was charged.")
            return publish_unchanged(service, current, plan, private=loaded, tick=tick, why=chosen.why).bundle
        bought = [purchases.purchase_of(plan)]
        (outcome,) = purchases.buy(
            service, loaded, bought, repeat=repeat, tick=tick, free_tick=free_tick, current=current
        )
        found = releases.released(service, current, outcome.booking)
        if found.bundle is None:
            raise no_result(found.outcome, again="The next `repeat`")
        return found.bundle

    def _prepared(
        self, private: Frame, names: Sequence[str], tick: bool | None
    ) -> tuple[PrivateTable, list[str], Study]:
        """The private table; the SHA-256 of the named tables, once they were compared with it and stored; what is
        public."""
        service, population = self._service, self._population
        unknown = [name for name in names if not isinstance(name, str) or name not in self._offers]
        if unknown:
            known = ", ".join(self._offers) or "none"
            raise PlanError(f"No public table {unknown[0]!r} is among this project's; they are: {known}.")
        offers = [self._offers[name] for name in names]
        adopting.adopt(service, population, self._schema, self._workload)
        loaded = study_store.load_private(service, population, from_frame(private).content)
        shared = purchases.offer(service, population, {one.name: one.table for one in offers}, loaded)
        purchases.decided(shared, tick, answers=service.policy.answers, refusal=UNDECIDED)
        keys = purchases.store(service, population, offers, loaded)
        return loaded, keys, adopting.adopted(service, population, self._schema, self._workload)
