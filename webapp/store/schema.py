"""The tables. A change here needs a migration; a test compares the two."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

REVISION = "0007"  # the newest migration: a database that has it is opened without loading Alembic

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class Moment(sa.types.TypeDecorator[datetime]):
    """An aware moment, kept as UTC; databases without time zones give it back aware all the same."""

    impl = sa.DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> datetime | None:
        """Turn an aware moment into UTC without a zone."""
        return value.astimezone(UTC).replace(tzinfo=None) if value else None

    def process_result_value(self, value: datetime | None, dialect: Any) -> datetime | None:
        """Give the zone back."""
        return value.replace(tzinfo=UTC) if value else None


snapshots = sa.Table(
    "snapshots",
    metadata,
    sa.Column("hash", sa.String(64), primary_key=True),  # sha256 over text and details
    sa.Column("collection", sa.Text, nullable=False),
    sa.Column("document_id", sa.Text, nullable=False),
    sa.Column("path", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("details", sa.JSON, nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    # By hash: a tree holds no keys as long as a document's id may be.
    sa.Index("ix_snapshots_document_id", "document_id", postgresql_using="hash"),
)

answers = sa.Table(
    "answers",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("once", sa.String(64), unique=True),  # the form's token with the question, hashed
    sa.Column("collection", sa.Text, nullable=False),
    sa.Column("question", sa.Text),  # this and what follows the next blank line: None once erased
    sa.Column("lang", sa.String(35), nullable=False),
    sa.Column("abstained", sa.Boolean, nullable=False),
    sa.Column("reason", sa.String(40), nullable=False),
    sa.Column("index_version", sa.Text, nullable=False),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("role", sa.String(20), nullable=False),
    sa.Column("groups", sa.JSON),  # of whoever asked; None: it was not kept then
    sa.Column("asker", sa.String(64), index=True),  # hash of a cookie or an account; None: nobody can be told
    sa.Column("follows", sa.String(32), index=True),  # the answer whose question was asked along
    sa.Column("created_at", Moment, nullable=False, index=True),
    sa.Column("erased_at", Moment),
    sa.Column("erased_why", sa.String(20)),
    sa.Column("body", sa.Text),  # the Answer, as JSON
    sa.Column("prompt", sa.JSON),
    sa.Column("raw_reply", sa.Text),
    sa.Column("prompt_hash", sa.String(64), nullable=False),
    sa.Column("detail", sa.Text),
    sa.Column("milliseconds", sa.JSON, nullable=False),
    sa.Column("tokens_in", sa.Integer, nullable=False),
    sa.Column("tokens_out", sa.Integer, nullable=False),
    sa.Column("made", sa.JSON),  # what was left out, and how each check came out
)

citations = sa.Table(
    "citations",
    metadata,
    sa.Column("answer_id", sa.ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("marker", sa.Integer, primary_key=True),
    sa.Column("document_id", sa.Text, nullable=False),
    sa.Column("chunk_id", sa.Text, nullable=False),
    sa.Column("first_line", sa.Integer, nullable=False),
    sa.Column("last_line", sa.Integer, nullable=False),
    sa.Column("snapshot", sa.ForeignKey("snapshots.hash"), nullable=False, index=True),
    sa.Index("ix_citations_document_id", "document_id", postgresql_using="hash"),
)

feedback = sa.Table(
    "feedback",
    metadata,
    sa.Column("answer_id", sa.ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("reader", sa.String(64), primary_key=True, index=True),  # hash of a cookie or an account: one vote each
    sa.Column("good", sa.Boolean, nullable=False),
    sa.Column("reason", sa.String(20)),
    sa.Column("words", sa.Text),
    sa.Column("created_at", Moment, nullable=False),
)

# What stored answers are found by. A row goes when its answer is erased.
searchable = sa.Table(
    "searchable",
    metadata,
    # When it was made, in microseconds since 1970 (later by one where that is taken): the order of the list.
    sa.Column("position", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=False),
    sa.Column("answer_id", sa.ForeignKey("answers.id", ondelete="CASCADE"), nullable=False, unique=True),
    sa.Column("collection", sa.Text, nullable=False),
    sa.Column("lang", sa.String(35), nullable=False),
    sa.Column("reason", sa.String(40), nullable=False),
    sa.Column("index_version", sa.Text, nullable=False),
    sa.Column("words", sa.Text, nullable=False),  # searched terms of question and answer, a blank between two
)

# What is known of a question that the pages left open: its meaning, and that an editor has put it aside.
gap_questions = sa.Table(
    "gap_questions",
    metadata,
    sa.Column("answer_id", sa.ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("embedder", sa.Text),
    sa.Column("vector", sa.LargeBinary),  # 32-bit floats; None: not yet known
    sa.Column("dismissed_at", Moment),
)

accounts = sa.Table(
    "accounts",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("email", sa.String(320), nullable=False, unique=True),  # lower case
    sa.Column("role", sa.String(20), nullable=False),
    sa.Column("groups", sa.JSON, nullable=False),
    sa.Column("password", sa.Text),  # argon2; None until the invitation is taken up
    sa.Column("subject", sa.Text, unique=True),  # who that is at the organisation's sign-in: issuer, blank, subject
    sa.Column("disabled", sa.Boolean, nullable=False),
    sa.Column("failed_attempts", sa.Integer, nullable=False),
    sa.Column("locked_until", Moment),
    sa.Column("created_at", Moment, nullable=False),
)

links = sa.Table(
    "links",
    metadata,
    sa.Column("token", sa.String(64), primary_key=True),  # sha256: the link itself is never kept
    sa.Column("account_id", sa.ForeignKey("accounts.id", ondelete="CASCADE")),  # None: makes the first admin
    sa.Column("expires_at", Moment, nullable=False),
)

sessions = sa.Table(
    "sessions",
    metadata,
    sa.Column("token", sa.String(64), primary_key=True),  # sha256 of the cookie's value
    sa.Column("account_id", sa.ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("seen_at", Moment, nullable=False),
    sa.Column("device", sa.String(80)),  # browser and system in words; None: it was not kept then
)

# Who may use the API beside people who are signed in.
api_keys = sa.Table(
    "api_keys",
    metadata,
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("key", sa.String(64), nullable=False, unique=True),  # sha256: the key itself is never kept
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("scopes", sa.JSON, nullable=False),  # ask, feedback
    sa.Column("collection", sa.Text),  # None: every collection
    sa.Column("origins", sa.JSON, nullable=False),  # pages that may use it; none: programs alone
    sa.Column("per_minute", sa.Integer, nullable=False),
    sa.Column("per_day", sa.Integer, nullable=False),
    sa.Column("created_by", sa.Text, nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("revoked_at", Moment),
)

key_days = sa.Table(
    "key_days",
    metadata,
    sa.Column("key_id", sa.ForeignKey("api_keys.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("day", sa.Date, primary_key=True),  # UTC
    sa.Column("requests", sa.Integer, nullable=False),
)

# What models behind a server were used for, and what that costs, by collection and day.
spending = sa.Table(
    "spending",
    metadata,
    sa.Column("collection", sa.Text, primary_key=True),
    sa.Column("day", sa.Date, primary_key=True),  # UTC
    sa.Column("model", sa.Text, primary_key=True),
    sa.Column("replies", sa.BigInteger, nullable=False),
    sa.Column("estimated", sa.BigInteger, nullable=False),  # of them: those whose server didn't say how many tokens
    sa.Column("tokens_in", sa.BigInteger, nullable=False),
    sa.Column("tokens_out", sa.BigInteger, nullable=False),
    sa.Column("nanos", sa.BigInteger, nullable=False),  # money, in billionths, at the prices of then
)

_RUNNING = sa.text("state = 'running'")

jobs = sa.Table(
    "jobs",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("collection", sa.Text, nullable=False),
    sa.Column("kind", sa.String(40), nullable=False),
    sa.Column("arguments", sa.JSON, nullable=False),
    sa.Column("state", sa.String(20), nullable=False),  # waiting, running, done, failed, cancelled
    sa.Column("stage", sa.String(40), nullable=False),
    sa.Column("done", sa.Integer, nullable=False),
    sa.Column("of", sa.Integer, nullable=False),
    sa.Column("cancelling", sa.Boolean, nullable=False),
    sa.Column("result", sa.JSON),
    sa.Column("problem", sa.Text),  # why it failed, in words for whoever asked
    sa.Column("asked_by", sa.ForeignKey("accounts.id", ondelete="SET NULL")),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("started_at", Moment),
    sa.Column("seen_at", Moment),  # when its worker last said that it lives
    sa.Column("ended_at", Moment),
    sa.Index("ix_jobs_collection_created_at", "collection", "created_at"),
    sa.Index("ix_jobs_state", "state"),
    # One runs at a time for each collection, whoever else starts one at the same moment.
    sa.Index("ux_jobs_running", "collection", unique=True, sqlite_where=_RUNNING, postgresql_where=_RUNNING),
)

drafts = sa.Table(
    "drafts",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("collection", sa.Text, nullable=False),
    sa.Column("author_id", sa.ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False),
    sa.Column("path", sa.Text, nullable=False),  # in the collection's folder, where it will be written
    sa.Column("base", sa.String(64)),  # sha256 of the file it was begun from; None: a new page
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("questions", sa.JSON, nullable=False),  # labelled questions that are to join the golden set with it
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("updated_at", Moment, nullable=False),
    sa.Index("ix_drafts_collection_author_id", "collection", "author_id"),
)

publications = sa.Table(
    "publications",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("collection", sa.Text, nullable=False),
    sa.Column("path", sa.Text, nullable=False),
    sa.Column("document_id", sa.Text, nullable=False),
    sa.Column("act", sa.String(20), nullable=False),  # publish, supersede, withdraw, restore
    sa.Column("author", sa.Text, nullable=False),
    sa.Column("message", sa.Text, nullable=False),
    sa.Column("override", sa.Text),  # why it went live although a figure fell
    sa.Column("before", sa.Text),  # index versions
    sa.Column("after", sa.Text),
    sa.Column("figures", sa.JSON, nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Index("ix_publications_collection_created_at", "collection", "created_at"),
)

runs = sa.Table(
    "runs",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("collection", sa.Text, nullable=False),
    sa.Column("index_version", sa.Text, nullable=False),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("questions", sa.Integer, nullable=False),
    sa.Column("figures", sa.JSON, nullable=False),  # as `evaluate` gives them, without the rows
    sa.Column("rows", sa.JSON, nullable=False),
    sa.Column("author", sa.Text, nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Index("ix_runs_collection_created_at", "collection", "created_at"),
)

proposals = sa.Table(
    "proposals",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("collection", sa.Text, nullable=False),
    sa.Column("question", sa.Text, nullable=False),
    sa.Column("origin", sa.String(20), nullable=False),  # reader, agent, gap
    sa.Column("answer_id", sa.ForeignKey("answers.id", ondelete="SET NULL")),
    sa.Column("label", sa.JSON),  # what is known of the right place: document, lines, fact
    sa.Column("note", sa.Text, nullable=False),
    sa.Column("state", sa.String(20), nullable=False),  # open, taken, dismissed
    sa.Column("created_at", Moment, nullable=False),
    sa.Index("ix_proposals_collection_state", "collection", "state"),
)

# How often something was done in a span of time: who, what and which span stand in the key, as a keyed hash.
rates = sa.Table(
    "rates",
    metadata,
    sa.Column("key", sa.String(64), primary_key=True),
    sa.Column("count", sa.Integer, nullable=False),
    sa.Column("over_at", Moment, nullable=False, index=True),
)

# What the machines that share the database sign cookies with: more than one of late, and they don't take each other's.
signers = sa.Table(
    "signers",
    metadata,
    sa.Column("fingerprint", sa.String(64), primary_key=True),
    sa.Column("seen_at", Moment, nullable=False),
)
