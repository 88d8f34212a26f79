"""Run by Alembic for every command; the connection is handed over by `webapp.store.database.migrate`."""

from __future__ import annotations

from alembic import context

from webapp.store.schema import metadata


def run() -> None:
    """Run the migrations on the connection that was handed over. SQLite changes a table by copying it."""
    connection = context.config.attributes["connection"]
    context.configure(connection=connection, target_metadata=metadata, render_as_batch=True, transactional_ddl=True)
    with context.begin_transaction():
        context.run_migrations()


run()
