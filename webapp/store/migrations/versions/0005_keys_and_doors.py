"""Keys of the API; who an account is at the organisation's sign-in; what a session was begun with."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the tables."""
    op.create_table(
        "api_keys",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("collection", sa.Text()),
        sa.Column("origins", sa.JSON(), nullable=False),
        sa.Column("per_minute", sa.Integer(), nullable=False),
        sa.Column("per_day", sa.Integer(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("revoked_at", sa.DateTime()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_keys")),
        sa.UniqueConstraint("key", name=op.f("uq_api_keys_key")),
    )
    op.create_table(
        "key_days",
        sa.Column("key_id", sa.String(length=16), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("requests", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["key_id"], ["api_keys.id"], name=op.f("fk_key_days_key_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("key_id", "day", name=op.f("pk_key_days")),
    )
    op.add_column("sessions", sa.Column("device", sa.String(length=80)))
    with op.batch_alter_table("accounts") as accounts:
        accounts.add_column(sa.Column("subject", sa.Text()))
        accounts.create_unique_constraint(op.f("uq_accounts_subject"), ["subject"])


def downgrade() -> None:
    """Undo the change."""
    with op.batch_alter_table("accounts") as accounts:
        accounts.drop_constraint(op.f("uq_accounts_subject"), type_="unique")
        accounts.drop_column("subject")
    op.drop_column("sessions", "device")
    for table in ("key_days", "api_keys"):
        op.drop_table(table)
