"""The tables of the store, and the triggers that keep them append-only."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from pmwpub.ledger.migrations.append_only import keep

VERSION = 4
"""The version of the store. Each version has a file in `migrations.versions`, which brings older stores to it."""

metadata = MetaData()


def _created() -> Column[str]:
    return Column("created", String(32), nullable=False)


def _population() -> Column[int]:
    return Column("population_id", ForeignKey("populations.id"), nullable=False)


store = Table(
    "store",
    metadata,
    Column("version", Integer, primary_key=True, autoincrement=False),
)

secrets = Table(
    "secrets",
    metadata,
    Column("id", Integer, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
    Column("secret", LargeBinary, nullable=False),
)

populations = Table(
    "populations",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(200), nullable=False, unique=True),
    _created(),
    sqlite_autoincrement=True,
)

terms = Table(
    "terms",
    metadata,
    Column("id", Integer, primary_key=True),
    _population(),
    Column("n", BigInteger, nullable=False),
    Column("rows_per_person", BigInteger, nullable=False),
    Column("unit", Text, nullable=False),
    Column("epsilon", Text, nullable=False),
    Column("delta", Text, nullable=False),
    Column("total_units", BigInteger, CheckConstraint("total_units > 0"), nullable=False),
    _created(),
    Index("terms_of_population", "population_id"),
    sqlite_autoincrement=True,
)

bookings = Table(
    "bookings",
    metadata,
    Column("id", Integer, primary_key=True),
    _population(),
    Column("plan_sha256", String(64), nullable=False),
    Column("repeat", Integer, nullable=False),
    Column("plan_json", Text, nullable=False),
    _created(),
    UniqueConstraint("population_id", "plan_sha256", "repeat"),
    sqlite_autoincrement=True,
)

charges = Table(
    "charges",
    metadata,
    Column("id", Integer, primary_key=True),
    _population(),
    Column("booking_id", ForeignKey("bookings.id"), nullable=False),
    Column("purpose", Text, nullable=False),
    Column("mechanism", Text, nullable=False),
    Column("sensitivity", Text, nullable=False),
    Column("scale", Text, nullable=False),
    Column("units", BigInteger, CheckConstraint("units > 0"), nullable=False),
    _created(),
    Index("charges_of_population", "population_id"),
    Index("charges_of_booking", "booking_id"),
    sqlite_autoincrement=True,
)

outcomes = Table(
    "outcomes",
    metadata,
    Column("booking_id", ForeignKey("bookings.id"), primary_key=True, autoincrement=False),
    Column("status", String(16), CheckConstraint("status IN ('done', 'no result')"), nullable=False),
    _created(),
)

results = Table(
    "results",
    metadata,
    Column("booking_id", ForeignKey("outcomes.booking_id"), primary_key=True, autoincrement=False),
    Column("sha256", String(64), nullable=False),
    Column("body", LargeBinary, nullable=False),
)

marks = Table(
    "marks",
    metadata,
    Column("id", Integer, primary_key=True),
    _population(),
    Column("kind", Text, nullable=False),
    Column("note", Text, nullable=False),
    _created(),
    Index("marks_of_population", "population_id"),
    sqlite_autoincrement=True,
)

fingerprints = Table(
    "fingerprints",
    metadata,
    Column("booking_id", ForeignKey("bookings.id"), primary_key=True, autoincrement=False),
    _population(),
    Column("digest", LargeBinary, nullable=False),
    Index("fingerprints_by_digest", "digest"),
)

views = Table(
    "views",
    metadata,
    Column("booking_id", ForeignKey("bookings.id"), primary_key=True, autoincrement=False),
    Column("digest", LargeBinary, primary_key=True),
    _population(),
    Index("views_by_digest", "digest"),
)

acknowledgements = Table(
    "acknowledgements",
    metadata,
    Column("id", Integer, primary_key=True),
    _population(),
    Column("other_id", ForeignKey("populations.id"), nullable=False),
    Column("digest", LargeBinary, nullable=False),
    _created(),
    UniqueConstraint("population_id", "other_id", "digest"),
    sqlite_autoincrement=True,
)

loads = Table(
    "loads",
    metadata,
    Column("id", Integer, primary_key=True),
    _population(),
    Column("digest", LargeBinary, nullable=False),
    Column("views", LargeBinary, nullable=False),
    _created(),
    sqlite_autoincrement=True,
)

blobs = Table(
    "blobs",
    metadata,
    Column("sha256", String(64), primary_key=True),
    Column("body", LargeBinary, nullable=False),
)

documents = Table(
    "documents",
    metadata,
    Column("id", Integer, primary_key=True),
    _population(),
    Column("kind", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("sha256", ForeignKey("blobs.sha256"), nullable=False),
    _created(),
    Index("documents_by_key", "population_id", "kind", "key"),
    Index("documents_by_blob", "sha256"),
    sqlite_autoincrement=True,
)

APPEND_ONLY = (
    store,
    secrets,
    populations,
    terms,
    bookings,
    charges,
    outcomes,
    results,
    marks,
    fingerprints,
    views,
    acknowledgements,
    loads,
)
"""Every table but the public documents, which may be deleted."""


for _table in APPEND_ONLY:
    keep(_table)
