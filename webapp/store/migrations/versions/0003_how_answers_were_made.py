"""Answers keep for whom they were made, what was left out, and how each check came out."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the tables."""
    op.add_column("answers", sa.Column("groups", sa.JSON()))
    op.add_column("answers", sa.Column("made", sa.JSON()))


def downgrade() -> None:
    """Undo the change."""
    op.drop_column("answers", "made")
    op.drop_column("answers", "groups")
