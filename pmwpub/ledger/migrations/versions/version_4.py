"""Version 4: people with accounts: sign-ins, members of populations, and who booked and who marked."""

from __future__ import annotations

from alembic import op
from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from pmwpub.ledger.migrations.append_only import keep

revision = "4"
down_revision = "3"

metadata = MetaData()
for _known in ("populations", "bookings", "marks"):
    Table(_known, metadata, Column("id", Integer, primary_key=True))

people = Table(
    "people",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("issuer", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("created", String(32), nullable=False),
    UniqueConstraint("issuer", "subject"),
    sqlite_autoincrement=True,
)

sign_ins = Table(
    "sign_ins",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("person_id", ForeignKey("people.id"), nullable=False),
    Column("token", String(64), nullable=False, unique=True),
    Column("role", String(16), nullable=False),
    Column("shown", Text, nullable=False),
    Column("issued", BigInteger, nullable=False),
    Column("created", String(32), nullable=False),
    Index("sign_ins_of_person", "person_id"),
    sqlite_autoincrement=True,
)

sign_outs = Table(
    "sign_outs",
    metadata,
    Column("sign_in_id", ForeignKey("sign_ins.id"), primary_key=True, autoincrement=False),
    Column("created", String(32), nullable=False),
)

members = Table(
    "members",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("population_id", ForeignKey("populations.id"), nullable=False),
    Column("person_id", ForeignKey("people.id"), nullable=False),
    Column(
        "standing", String(16), CheckConstraint("standing IN ('owner', 'steward', 'viewer', 'none')"), nullable=False
    ),
    Column("entered_by", ForeignKey("people.id")),
    Column("created", String(32), nullable=False),
    Index("members_of_population", "population_id", "person_id"),
    sqlite_autoincrement=True,
)

booked_by = Table(
    "booked_by",
    metadata,
    Column("booking_id", ForeignKey("bookings.id"), primary_key=True, autoincrement=False),
    Column("person_id", ForeignKey("people.id"), nullable=False),
    Column("role", String(16), nullable=False),
)

marked_by = Table(
    "marked_by",
    metadata,
    Column("mark_id", ForeignKey("marks.id"), primary_key=True, autoincrement=False),
    Column("person_id", ForeignKey("people.id"), nullable=False),
    Column("role", String(16), nullable=False),
)

NEW = (people, sign_ins, sign_outs, members, booked_by, marked_by)
for _table in NEW:
    keep(_table)


def upgrade() -> None:
    """Make the tables that are missing."""
    metadata.create_all(op.get_bind(), tables=list(NEW))
