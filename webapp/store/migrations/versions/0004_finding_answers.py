"""Stored answers are found by their words and by who asked; questions that were left open are grouped by meaning."""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

from webapp.store.words import kept_words, position_of

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

# Terms are told apart by blanks alone: which characters make a word was decided when they were written down.
_SQLITE = (
    """CREATE VIRTUAL TABLE searchable_index USING fts5(
        words, content='searchable', content_rowid='position', detail='none',
        tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co Cf Cn Cs'")""",
    """CREATE TRIGGER searchable_added AFTER INSERT ON searchable BEGIN
        INSERT INTO searchable_index(rowid, words) VALUES (new.position, new.words);
    END""",
    """CREATE TRIGGER searchable_removed AFTER DELETE ON searchable BEGIN
        INSERT INTO searchable_index(searchable_index, rowid, words) VALUES ('delete', old.position, old.words);
    END""",
)
_POSTGRES = (
    "CREATE INDEX ix_searchable_words ON searchable USING gin (array_to_tsvector(string_to_array(words, ' ')))",
)
_BATCH = 500


def upgrade() -> None:
    """Change the tables."""
    op.add_column("answers", sa.Column("asker", sa.String(length=64)))
    op.add_column("answers", sa.Column("follows", sa.String(length=32)))
    op.create_index(op.f("ix_answers_asker"), "answers", ["asker"])
    op.create_index(op.f("ix_answers_follows"), "answers", ["follows"])
    searchable = op.create_table(
        "searchable",
        sa.Column(
            "position",
            sa.BigInteger().with_variant(sa.Integer, "sqlite"),
            primary_key=True,
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("answer_id", sa.String(length=32), nullable=False),
        sa.Column("collection", sa.Text(), nullable=False),
        sa.Column("lang", sa.String(length=35), nullable=False),
        sa.Column("reason", sa.String(length=40), nullable=False),
        sa.Column("index_version", sa.Text(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["answer_id"], ["answers.id"], name=op.f("fk_searchable_answer_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_searchable")),
        sa.UniqueConstraint("answer_id", name=op.f("uq_searchable_answer_id")),
    )
    op.create_table(
        "gap_questions",
        sa.Column("answer_id", sa.String(length=32), nullable=False),
        sa.Column("embedder", sa.Text()),
        sa.Column("vector", sa.LargeBinary()),
        sa.Column("dismissed_at", sa.DateTime()),
        sa.ForeignKeyConstraint(
            ["answer_id"], ["answers.id"], name=op.f("fk_gap_questions_answer_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("answer_id", name=op.f("pk_gap_questions")),
    )
    for statement in _SQLITE if op.get_bind().dialect.name == "sqlite" else _POSTGRES:
        op.execute(statement)
    _take_in_answers(searchable)


def downgrade() -> None:
    """Undo the change."""
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TABLE searchable_index")
    for table in ("gap_questions", "searchable"):
        op.drop_table(table)
    for column in ("follows", "asker"):
        op.drop_index(op.f(f"ix_answers_{column}"), "answers")
        op.drop_column("answers", column)


def _take_in_answers(searchable: sa.Table) -> None:
    """Make the answers that are there findable."""
    answers = sa.table(
        "answers",
        *map(sa.column, ("id", "collection", "lang", "reason", "index_version", "follows", "body")),
        sa.column("created_at", sa.DateTime),
        sa.column("erased_at", sa.DateTime),
    )
    connection = op.get_bind()
    kept = sa.select(answers).where(answers.c.erased_at.is_(None)).order_by(answers.c.created_at, answers.c.id)
    last = 0
    # Of this query alone: Alembic goes on with the connection.
    in_batches = {
        "stream_results": True,
        "yield_per": _BATCH,
    }
    with connection.execute(kept, execution_options=in_batches) as rows:
        for batch in rows.partitions():
            for row in batch:
                body = json.loads(row.body)
                last = max(position_of(row.created_at), last + 1)
                same = {name: row._mapping[name] for name in ("collection", "lang", "reason", "index_version")}
                words = kept_words(body["question"], body["answer"])
                connection.execute(
                    searchable.insert().values(same | {"position": last, "answer_id": row.id, "words": words})
                )
                if body.get("follows"):
                    which = answers.c.id == row.id
                    connection.execute(answers.update().where(which).values(follows=body["follows"]["answer_id"]))
