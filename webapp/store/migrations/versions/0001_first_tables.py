"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the tables."""
    op.create_table(
        "accounts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("email", sa.String(length=320), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("groups", sa.JSON(), nullable=False),
        sa.Column("password", sa.Text()),
        sa.Column("disabled", sa.Boolean(), nullable=False),
        sa.Column("failed_attempts", sa.Integer(), nullable=False),
        sa.Column("locked_until", sa.DateTime()),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accounts")),
        sa.UniqueConstraint("email", name=op.f("uq_accounts_email")),
    )
    op.create_table(
        "answers",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("once", sa.String(length=64)),
        sa.Column("collection", sa.Text(), nullable=False),
        sa.Column("question", sa.Text()),
        sa.Column("lang", sa.String(length=35), nullable=False),
        sa.Column("abstained", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.String(length=40), nullable=False),
        sa.Column("index_version", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("erased_at", sa.DateTime()),
        sa.Column("erased_why", sa.String(length=20)),
        sa.Column("body", sa.Text()),
        sa.Column("prompt", sa.JSON()),
        sa.Column("raw_reply", sa.Text()),
        sa.Column("prompt_hash", sa.String(length=64), nullable=False),
        sa.Column("detail", sa.Text()),
        sa.Column("milliseconds", sa.JSON(), nullable=False),
        sa.Column("tokens_in", sa.Integer(), nullable=False),
        sa.Column("tokens_out", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_answers")),
        sa.UniqueConstraint("once", name=op.f("uq_answers_once")),
    )
    op.create_index(op.f("ix_answers_created_at"), "answers", ["created_at"])
    op.create_table(
        "snapshots",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("collection", sa.Text(), nullable=False),
        sa.Column("document_id", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_snapshots")),
    )
    op.create_index(op.f("ix_snapshots_document_id"), "snapshots", ["document_id"])
    op.create_table(
        "citations",
        sa.Column("answer_id", sa.String(length=32), nullable=False),
        sa.Column("marker", sa.Integer(), nullable=False),
        sa.Column("document_id", sa.Text(), nullable=False),
        sa.Column("chunk_id", sa.Text(), nullable=False),
        sa.Column("first_line", sa.Integer(), nullable=False),
        sa.Column("last_line", sa.Integer(), nullable=False),
        sa.Column("snapshot", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["answer_id"], ["answers.id"], name=op.f("fk_citations_answer_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["snapshot"], ["snapshots.hash"], name=op.f("fk_citations_snapshot")),
        sa.PrimaryKeyConstraint("answer_id", "marker", name=op.f("pk_citations")),
    )
    op.create_index(op.f("ix_citations_document_id"), "citations", ["document_id"])
    op.create_table(
        "feedback",
        sa.Column("answer_id", sa.String(length=32), nullable=False),
        sa.Column("reader", sa.String(length=64), nullable=False),
        sa.Column("good", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.String(length=20)),
        sa.Column("words", sa.Text()),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["answer_id"], ["answers.id"], name=op.f("fk_feedback_answer_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("answer_id", "reader", name=op.f("pk_feedback")),
    )
    op.create_table(
        "links",
        sa.Column("token", sa.String(length=64), nullable=False),
        sa.Column("account_id", sa.Integer()),
        sa.Column("expires_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_links_account_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("token", name=op.f("pk_links")),
    )
    op.create_table(
        "sessions",
        sa.Column("token", sa.String(length=64), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("seen_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_sessions_account_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("token", name=op.f("pk_sessions")),
    )
    op.create_index(op.f("ix_sessions_account_id"), "sessions", ["account_id"])


def downgrade() -> None:
    """Change them back."""
    for table in ("sessions", "links", "feedback", "citations", "snapshots", "answers", "accounts"):
        op.drop_table(table)
