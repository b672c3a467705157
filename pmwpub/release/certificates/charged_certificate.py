"""What the certificate of a release states beyond the public things, because it was charged."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from pmwpub.privacy.budget import ZCDP
from pmwpub.queries.workload import Workload
from pmwpub.release.certificates.certificate_parts import (
    LedgerTotal,
    PlannedRelease,
    Provenance,
    Stated,
    decimal_rho,
    public_part,
)


class Charged(Stated):
    """What the certificate of a release states that was charged; `ledger_total` is the sum, this release included.

    attempts_with_criteria  how many releases with criteria the ledger held by then, this one included; None, and not
                            written, where the plan has no criteria
    """

    repeat: Annotated[int, Field(ge=0)]
    charge_id: Annotated[int, Field(ge=0)]
    charged_at: str = ""
    ledger_total: LedgerTotal
    budget: LedgerTotal | None = None
    attempts_with_criteria: Annotated[int, Field(ge=1)] | None = None


def common(plan: PlannedRelease, workload: Workload, provenance: Provenance, rho: ZCDP) -> dict[str, object]:
    """The values that every certificate of a charged plan states, key by key."""
    return public_part(plan, workload, provenance) | {
        "epsilon": provenance.epsilon,
        "delta": provenance.delta,
        "rho": decimal_rho(rho.units),
        "repeat": provenance.repeat,
        "charge_id": provenance.charge_id,
        "charged_at": provenance.charged_at,
        "ledger_total": provenance.ledger_total,
        "budget": provenance.budget,
        "attempts_with_criteria": provenance.attempts,
    }
