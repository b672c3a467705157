"""Version 2: loads of private tables, for the operator's record."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, ForeignKey, Integer, LargeBinary, MetaData, String, Table

from pmwpub.ledger.migrations.append_only import keep

revision = "2"
down_revision = "1"

metadata = MetaData()
populations = Table("populations", metadata, Column("id", Integer, primary_key=True))
loads = Table(
    "loads",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("population_id", ForeignKey("populations.id"), nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("views", LargeBinary, nullable=False),
    Column("created", String(32), nullable=False),
    sqlite_autoincrement=True,
)
keep(loads)


def upgrade() -> None:
    """Make the table if it is missing."""
    metadata.create_all(op.get_bind(), tables=[loads])
