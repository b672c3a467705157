"""The certificate of a public table that is published as it is: it cost nothing, and says so."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field

from pmwpub.plans import UnchangedPlan
from pmwpub.queries.workload import Workload
from pmwpub.release.certificates.certificate_parts import OF_WHOM, Origin, Stated, public_part

MECHANISM = "the public table unchanged: no private row was read for it, and nothing was charged"


class UnchangedCertificate(Stated):
    """The certificate of a public table unchanged, of version 2 like that of table fit; `engine` tells them apart.

    Its epsilon, delta and rho are 0: what is released is a function of public things. It has no charge and no draw.
    """

    ORDER: ClassVar[tuple[str, ...]] = (
        *("version", "engine", "epsilon", "delta", "rho", "neighbours", "outside_the_guarantee", "statement"),
        *OF_WHOM,
        *("mechanism", "workload", "workload_sha256", "queries"),
        *("schema_sha256", "rules", "candidate", "plan", "plan_sha256", "settings_from", "remarks", "rows", "row_seed"),
        *("cells", "files", "versions"),
    )

    version: Annotated[int, Field(ge=2, le=2)] = 2
    engine: Literal["unchanged"] = "unchanged"
    epsilon: Annotated[float, Field(ge=0, le=0)] = 0.0
    delta: Literal["0"] = "0"
    rho: Literal["0.000000000000000"] = "0.000000000000000"
    mechanism: str = MECHANISM

    @classmethod
    def of(cls, plan: UnchangedPlan, workload: Workload, origin: Origin) -> Self:
        """The certificate before its files are named.

        Raises pydantic's ValidationError, a ValueError, for what cannot be stated.
        """
        return cls.stating(**public_part(plan, workload, origin))
