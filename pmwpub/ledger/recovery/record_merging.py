"""What one record of a ledger has that another lacks. Where they differ, the one that leaves less to spend stands."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from pmwpub.errors import StoreUnavailable
from pmwpub.ledger.recovery.witness_lines import BookingLine, ChargeLine, Entry, MarkLine, TermsLine

CONTRADICTED = (
    "The terms of {population!r} have charges, and two records of the ledger have other ones, so one of them was "
    "altered. Restore a newer backup; or move the ledger's file away and run `pmwpub ledger reconcile`, which makes it "
    "anew from the witness, without results. Nothing was changed."
)


def lacking(ours: Sequence[Entry], theirs: Iterable[Entry]) -> list[Entry]:
    """What must be added to `ours` so that it has all of `theirs`: terms, then bookings, then decisions.

    Of a booking that both have, one that costs less in `ours` comes with the charges that are lacking, and one that was
    made at another time with all of its charges: it was drawn twice.
    Raises StoreUnavailable for other terms of a population that has charges.
    """
    held, theirs = {entry.identity for entry in ours}, list(theirs)
    found: list[Entry] = []
    our_terms, their_terms = terms_of(ours), terms_of(theirs)
    we_charged, they_charged = charged_in(ours), charged_in(theirs)
    for name in dict.fromkeys(entry.population for entry in theirs):
        later = later_terms(our_terms[name], their_terms[name], charged=name in we_charged)
        back = later_terms(their_terms[name], our_terms[name], charged=name in they_charged)
        if later is None or back is None:
            raise StoreUnavailable(CONTRADICTED.format(population=name))
        found += later
    booked = {entry.slot: entry for entry in ours if isinstance(entry, BookingLine)}
    for entry in theirs:
        if isinstance(entry, BookingLine) and entry.identity not in held:
            held.add(entry.identity)
            present = booked.get(entry.slot, replace(entry, charges=()))
            charges = _charges_lacking(present, entry)
            booked[entry.slot] = replace(present, charges=present.charges + charges)
            found += [replace(entry, charges=charges)] if charges else []
    return found + [entry for entry in theirs if isinstance(entry, MarkLine) and entry.identity not in held]


def unwitnessed(present: Sequence[Entry], witnessed: Sequence[Entry]) -> list[Entry]:
    """What only `present` knows, where the witness of the same store is there: it is right wherever both speak."""
    vouched, charged = {entry.slot for entry in witnessed}, charged_in(witnessed)
    known_terms = terms_of(witnessed)
    found: list[Entry] = []
    for name, own in terms_of(present).items():
        known = known_terms[name]
        if len(own) > len(known) and later_terms(known, own, charged=name in charged) == own[len(known) :]:
            found += own
    return found + [entry for entry in present if not isinstance(entry, TermsLine) and entry.slot not in vouched]


def terms_of(entries: Iterable[Entry]) -> defaultdict[str, list[TermsLine]]:
    """The terms of each population, oldest first."""
    found: defaultdict[str, list[TermsLine]] = defaultdict(list)
    for entry in entries:
        if isinstance(entry, TermsLine):
            found[entry.population].append(entry)
    return found


def charged_in(entries: Iterable[Entry]) -> set[str]:
    """The populations that have charges."""
    return {entry.population for entry in entries if isinstance(entry, BookingLine)}


def later_terms(ours: Sequence[TermsLine], theirs: Sequence[TermsLine], *, charged: bool) -> list[TermsLine] | None:
    """The terms to add to `ours`; None where they contradict charges that were made under `ours`.

    Terms that follow on ours stand as they are; where both went on differently, the lower total does. After a charge
    only the total changes, downwards.
    """
    common = min(len(ours), len(theirs))
    if [one.identity for one in ours[:common]] == [one.identity for one in theirs[:common]]:
        later = list(theirs[common:])
    else:
        mine, other = ours[-1], theirs[-1]
        lower = min(other, mine, key=lambda one: one.total_units)
        merged = replace(other, place=mine.place, epsilon=lower.epsilon, total_units=lower.total_units)
        later = [] if merged.identity == mine.identity else [merged]
    if charged and ours:
        chain = [ours[-1], *later]
        for before, after in pairwise(chain):
            if after.frozen != before.frozen or after.total_units > before.total_units:
                return None
    return later


def _charges_lacking(ours: BookingLine, theirs: BookingLine) -> tuple[ChargeLine, ...]:
    if ours.created != theirs.created:
        return theirs.charges
    more = Counter(theirs.charges) - Counter(ours.charges) if ours.units < theirs.units else Counter[ChargeLine]()
    return tuple(more.elements())
