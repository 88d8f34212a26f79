"""What models behind a server cost, by collection and day."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the tables."""
    op.create_table(
        "spending",
        sa.Column("collection", sa.Text(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("replies", sa.BigInteger(), nullable=False),
        sa.Column("estimated", sa.BigInteger(), nullable=False),
        sa.Column("tokens_in", sa.BigInteger(), nullable=False),
        sa.Column("tokens_out", sa.BigInteger(), nullable=False),
        sa.Column("nanos", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("collection", "day", "model", name=op.f("pk_spending")),
    )


def downgrade() -> None:
    """Undo the change."""
    op.drop_table("spending")
