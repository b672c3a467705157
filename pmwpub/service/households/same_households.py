"""Which rows are one household's: all that is bought for a population means the same households, or its charges would
not add up.

A household is all rows of one id. By ids of another column one household may meet several of before: a charge of rho
for each of these is one of m² rho, and not of rho, for a household that meets m of them. And where other tokens stand
for no id, what was a household of its own is nobody's, or the other way round.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from pmwpub.errors import PlanError, SchemaError
from pmwpub.ledger import Agreement
from pmwpub.service.core import Service
from pmwpub.service.inputs.study import Study
from pmwpub.tabular.households.household_schema import HouseholdRule, HouseholdSchema
from pmwpub.tabular.schema.table_schema import Schema

OTHER_IDS = (
    "What was bought for this population before protects the households whose ids are in the column {before}; this "
    "is about those of the column {now}. One of them may meet several of the others, so the charges would not add up "
    "to one promise. Take the earlier column, or register another population. Nothing was charged or changed."
)
OTHER_NOBODY = (
    "For what was bought for this population before, a row has no household where its id is {before}; by this "
    "schema's missing tokens, where it is {now}. These are not the same households, so the charges would not add up "
    "to one promise. Take the earlier missing tokens, or register another population. Nothing was charged or changed."
)
UNKNOWN_NOBODY = (
    "The schema of something that was bought for this population is new here, or cannot be read, so nobody knows "
    "whether the same households are meant. Nothing was charged or changed; send the same again."
)

RULED = '"household":'
"""In the text of each plan that says how rows make households; the error of a release means its release's."""

Nobody = frozenset[str]
"""The ids that name no household, but blank ones, which never do."""


def nobody_of(persons: Schema) -> Nobody:
    """Of a persons' schema: its missing tokens, as `reading_households.coded_persons` compares them."""
    return frozenset(token for token in persons.missing_tokens if token.strip())


def same_households(service: Service, current: Study, rule: HouseholdRule | None) -> list[Agreement]:
    """That all other plans mean the same households; PlanError where one does not.

    rule  how the loaded table's rows were grouped; None where they are persons', of which nothing is asked

    Schemas are read now, for within a booking nothing else is read. A plan of a schema that came since is refused.
    """
    if rule is None or current.schema is None:
        return []
    own, known = nobody_of(current.schema), _nobody_by_schema(service, current.population.name)

    def check_column(text: str) -> None:
        before = json.loads(text)["household"]["id"]
        if before != rule.id:
            raise PlanError(OTHER_IDS.format(before=repr(before), now=repr(rule.id)))

    def check_nobody(text: str) -> None:
        before = known.get(json.loads(text)["inputs"]["schema_sha256"])
        if before is None:
            raise PlanError(UNKNOWN_NOBODY)
        if before != own:
            raise PlanError(OTHER_NOBODY.format(before=_told(before), now=_told(own)))

    column = f'{RULED}{{"id":{json.dumps(rule.id, ensure_ascii=False)},'
    return [
        Agreement(check_column, about=(RULED,), settled=column),
        Agreement(check_nobody, about=(RULED,), settled=f'"schema_sha256":"{current.schema.sha256}"'),
    ]


def bought_ids(service: Service, population: str) -> tuple[str, ...]:
    """The columns of household ids by which something was bought: none before a charge, and else one.

    Stores of before this was asked may have several. A function of plans, which are public.
    """
    return tuple(dict.fromkeys(column for column, _ in _bought(service, population)))


def refuse_other_households(service: Service, population: str, schema: HouseholdSchema) -> None:
    """Raise PlanError where what was bought means other households; it is asked again with each charge."""
    service.ledger.forget()
    bought, now = _bought(service, population), (schema.rule.id, nobody_of(schema.persons))
    alike = [sha256 for column, sha256 in bought if column == now[0]]
    if bought and not alike:
        columns = ", ".join(map(repr, bought_ids(service, population)))
        raise PlanError(OTHER_IDS.format(before=columns, now=repr(now[0])))
    known = _nobody_by_schema(service, population) if alike else {}
    before = [known[sha256] for sha256 in alike if sha256 in known]
    if before and now[1] not in before:
        raise PlanError(OTHER_NOBODY.format(before=_told(before[0]), now=_told(now[1])))


def _bought(service: Service, population: str) -> list[tuple[str, str]]:
    """(column of ids, hash of the persons' schema) of each different rule and schema by which something was bought."""
    texts = [one.plan_json for one in service.ledger.bookings(population) if RULED in one.plan_json]
    said = map(json.loads, texts)
    return list(dict.fromkeys((one["household"]["id"], one["inputs"]["schema_sha256"]) for one in said))


def _nobody_by_schema(service: Service, population: str) -> Mapping[str, Nobody]:
    """Of each schema that the population ever had, by its hash; what this program cannot read is not known."""
    versions = service.ledger.document_versions(population, "schema", "current")
    found = (_read_once(service, body) for body in dict.fromkeys(body for _, body in versions))
    return {sha256: nobody for sha256, nobody in found if sha256}


def _read_once(service: Service, body: bytes) -> tuple[str, Nobody]:
    """A schema's hash and who is nobody by it; no hash where this program cannot read it."""

    def read() -> tuple[str, Nobody]:
        try:
            schema = Schema.from_json(body)
        except SchemaError:
            return "", frozenset()
        return schema.sha256, nobody_of(schema)

    return service.cache(f"nobody:{hashlib.sha256(body).hexdigest()}", read)


def _told(nobody: Nobody) -> str:
    return " or ".join(["blank", *map(repr, sorted(nobody))])
