"""Each command under the name that the parser has for it as `run`; what it does stands in its own module.

A command takes the parsed arguments, reads files, calls the service, and returns what is printed as JSON.
"""

from __future__ import annotations

from pmwpub.cli.acknowledge import acknowledge as acknowledge
from pmwpub.cli.assess import assess as assess
from pmwpub.cli.certificate_check import check_certificate as check_certificate
from pmwpub.cli.error import error as error
from pmwpub.cli.evaluate import evaluate as evaluate
from pmwpub.cli.ledger_commands import amend_terms as amend_terms
from pmwpub.cli.ledger_commands import attempts as attempts
from pmwpub.cli.ledger_commands import backup_ledger as backup_ledger
from pmwpub.cli.ledger_commands import migrate_ledger as migrate_ledger
from pmwpub.cli.ledger_commands import reconcile_ledger as reconcile_ledger
from pmwpub.cli.ledger_commands import register as register
from pmwpub.cli.ledger_commands import restore_ledger as restore_ledger
from pmwpub.cli.ledger_commands import show_ledger as show_ledger
from pmwpub.cli.release import release as release
from pmwpub.cli.schema_draft import draft_schema as draft_schema
