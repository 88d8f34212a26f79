"""The engine postgres: indexes in a database that many machines share."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, Field

from webapp.core.registry import PartUnavailable
from webapp.core.retrieval.engine import Engine
from webapp.core.retrieval.engines.base import engines


class PostgresOptions(BaseModel, frozen=True, extra="forbid"):
    """Where the database is."""

    url: str = Field("", description="Address of the primary")
    replica: str = Field("", description="Address of a read replica that searches go to; none: to the primary")


@engines.register("postgres", "A PostgreSQL database with pgvector, for many machines", PostgresOptions)
def _in_database(options: PostgresOptions, home: Path) -> Engine:
    if not options.url:
        raise PartUnavailable("the engine postgres needs a database; set EVIDENCEDESK_INDEX_URL to its address")
    try:
        from webapp.core.retrieval.engines._postgres_engine import PostgresEngine
        from webapp.core.retrieval.engines._postgres_servers import servers_of
    except ImportError as error:
        raise PartUnavailable("the engine postgres needs psycopg; run: pip install 'evidencedesk[postgres]'") from error
    return PostgresEngine(servers_of(options.url, options.replica), home.name)
