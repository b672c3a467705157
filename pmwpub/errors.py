"""The errors that pmwpub raises on purpose.

Every message says what was needed, what came, and what to do; none holds a cell of a private table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Made = TypeVar("Made")


class PmwPubError(Exception):
    """Base of every error that pmwpub raises on purpose."""


class DomainError(PmwPubError):
    """An attribute, a domain or a table of codes is malformed, or two domains differ."""


class SchemaError(PmwPubError):
    """A schema file is malformed or contradicts itself, or a table does not fit it."""


class RuleBroken(PmwPubError):
    """A row that was about to be released breaks a rule of the schema: a fault of this program."""


class FileRefused(PmwPubError):
    """A file cannot be read as a table.

    line        the 1-based line number, where there is one
    suggestion  the reading options (`ReadOptions` of `tabular.files.text.read_options`) under which it would read, for
                somebody to confirm; of a private file for the steward only, like the message
    """

    def __init__(self, message: str, *, line: int | None = None, suggestion: Any = None) -> None:
        super().__init__(message if line is None else f"Line {line}: {message}")
        self.line = line
        self.suggestion = suggestion


class ExportRefused(PmwPubError):
    """A file is no export of a population, was damaged or altered, or is meant for another store; nothing changed."""


class WorkloadError(PmwPubError):
    """A workload is empty, too large, or names attributes that the domain lacks."""


class BudgetError(PmwPubError):
    """A privacy parameter is out of range, or a share of a budget would be zero."""


class MechanismError(PmwPubError):
    """A private primitive was handed values that it cannot treat exactly."""


class BoundError(PmwPubError):
    """An argument of one of the paper's bounds is out of its range."""


class PlanError(PmwPubError):
    """A plan contradicts itself or the tables that it is to run on."""


class StillToChoose(PlanError):
    """Something that a plan needs was not chosen yet; nobody made a mistake."""


class MethodRefused(PmwPubError):
    """A method cannot run here: it would need more memory or time than allowed, or does not fit the workload.

    Nothing was charged. The message rests on public sizes only.
    """


class SolverError(PmwPubError):
    """A linear program could not be solved to a bound that can be proved."""


class CertificateError(PmwPubError):
    """A release's files contradict its certificate, or the certificate itself."""


class LedgerError(PmwPubError):
    """Base of what the ledger refuses."""


class Overspent(LedgerError):
    """A charge would exceed what the population has left."""


class UnknownPopulation(LedgerError):
    """No population of that name is registered."""


class PopulationExists(LedgerError):
    """A population of that name is registered already, with other terms, or one whose name looks like it."""


class PopulationFrozen(LedgerError):
    """n, k, delta and a larger total cannot be set after the first charge."""


class PopulationClosed(LedgerError):
    """The population was retired or moved to another server: nothing more is bought or changed here."""


class StewardNeeded(LedgerError):
    """Only a population's steward may do this: a session that is no viewer's and, after a charge, holds its table."""


class TableBlocked(LedgerError):
    """The private table stands registered under another population; a recorded decision is needed."""


class StoreUnavailable(LedgerError):
    """The ledger's database cannot be opened, read or written; nothing was released."""


class NoResult(PmwPubError):
    """The charge was made but no result is stored; the charge stays and nothing is drawn again."""


class JobCancelled(PmwPubError):
    """Somebody stopped the work before it was over."""


class JobFailed(PmwPubError):
    """Work cannot be run, or broke off: its task is unknown, its engine was shut down, or its workers are gone."""


class JobUnresolved(PmwPubError):
    """The work came to its end without a result."""


class SettingRefused(PmwPubError):
    """An environment variable has a value that is none of its own."""


class ViewersOnly(PmwPubError):
    """The service is for viewers alone: nothing is loaded, changed or bought."""


class OperatorNeeded(PmwPubError):
    """Only an operator of the server may see this."""


class OverlapUndecided(PlanError):
    """A purchase needs the steward's word that no public table was made from the private one; nothing was charged."""


class QueueFull(PmwPubError):
    """Too many jobs wait already."""


class NotReady(PmwPubError):
    """What a purchase needs of this machine was not tried yet, or did not work; nothing was charged."""


def tried(make: Callable[[], Made]) -> tuple[Made | None, str]:
    """What is made and "", or None and the kind of the error that stopped it, whatever it is.

    For what follows a charge and a draw and is no part of the result: nothing that fails there may lose the result.
    """
    try:
        return make(), ""
    except Exception as failure:  # noqa: BLE001 - see above
        return None, type(failure).__name__
