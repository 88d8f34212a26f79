"""Many machines on one database: rates, signing keys, one running job a collection; keys of any length on a server."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_TERMS = "array_to_tsvector(string_to_array(words, ' '))"  # kept beside the words: making them anew is what takes long
_BY_DOCUMENT = ("snapshots", "citations")
_RUNNING = sa.text("state = 'running'")


def upgrade() -> None:
    """Change the tables."""
    on_server = op.get_bind().dialect.name != "sqlite"
    op.create_table(
        "rates",
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("over_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_rates")),
        prefixes=["UNLOGGED"] if on_server else [],  # no disk is waited for; what a crash forgets is a minute's count
    )
    op.create_index(op.f("ix_rates_over_at"), "rates", ["over_at"])
    op.create_table(
        "signers",
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("seen_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("fingerprint", name=op.f("pk_signers")),
    )
    op.execute("UPDATE jobs SET state = 'waiting' WHERE state = 'running'")  # a worker that lives does it again
    op.create_index(
        "ux_jobs_running", "jobs", ["collection"], unique=True, sqlite_where=_RUNNING, postgresql_where=_RUNNING
    )
    op.create_index(op.f("ix_citations_snapshot"), "citations", ["snapshot"])
    op.create_index(op.f("ix_feedback_reader"), "feedback", ["reader"])
    if on_server:
        _index_documents("hash")
        op.execute("DROP INDEX ix_searchable_words")
        op.execute(f"ALTER TABLE searchable ADD COLUMN terms tsvector GENERATED ALWAYS AS ({_TERMS}) STORED")
        op.execute("CREATE INDEX ix_searchable_terms ON searchable USING gin (terms)")


def downgrade() -> None:
    """Undo the change."""
    if op.get_bind().dialect.name != "sqlite":
        op.execute("ALTER TABLE searchable DROP COLUMN terms")
        op.execute(f"CREATE INDEX ix_searchable_words ON searchable USING gin ({_TERMS})")
        _index_documents("btree")
    op.drop_index(op.f("ix_feedback_reader"), "feedback")
    op.drop_index(op.f("ix_citations_snapshot"), "citations")
    op.drop_index("ux_jobs_running", "jobs")
    for table in ("signers", "rates"):
        op.drop_table(table)


def _index_documents(kind: str) -> None:
    for table in _BY_DOCUMENT:
        name = op.f(f"ix_{table}_document_id")
        op.drop_index(name, table)
        op.create_index(name, table, ["document_id"], postgresql_using=kind)
