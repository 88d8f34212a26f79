"""What a place of the engine postgres holds: rows of three small lists. Each change of them is one transaction."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import Any, LiteralString

import psycopg

from webapp.core.retrieval.engine import Manifest
from webapp.core.retrieval.engines import _postgres_tables as tables
from webapp.core.retrieval.engines._postgres_segment import PostgresSegment
from webapp.core.retrieval.engines._postgres_servers import Connection, Servers
from webapp.core.retrieval.engines._postgres_writer import PostgresWriter

_FOUND: LiteralString = """
SELECT name, number, about FROM evidencedesk_index.segments WHERE place = %s AND name = ANY(%s)
AND (sealed OR %s) AND to_regclass('evidencedesk_segment_' || number || '.chunks') IS NOT NULL
"""
_NEW: LiteralString = """
INSERT INTO evidencedesk_index.segments (place, name, number)
VALUES (%s, %s, nextval('evidencedesk_index.numbers')) RETURNING number
"""
_FILLED: LiteralString = """
UPDATE evidencedesk_index.segments SET about = %s, lengths = %s, sums = %s WHERE place = %s AND name = %s
"""
_LENT: tuple[LiteralString, ...] = (
    """
    INSERT INTO evidencedesk_index.segments (place, name, number, sealed, about, lengths, sums)
    SELECT %(to)s, name, number, sealed, about, lengths, sums
    FROM evidencedesk_index.segments WHERE place = %(place)s AND sealed
    """,
    """
    INSERT INTO evidencedesk_index.versions SELECT %(to)s, id, manifest FROM evidencedesk_index.versions
    JOIN evidencedesk_index.live USING (place) WHERE place = %(place)s AND id = version
    """,
    "INSERT INTO evidencedesk_index.live SELECT %(to)s, version FROM evidencedesk_index.live WHERE place = %(place)s",
)
_ALL: LiteralString = "SELECT name, number, sealed FROM evidencedesk_index.segments WHERE place = %s"
_DROPPED: LiteralString = "DELETE FROM evidencedesk_index.segments WHERE place = %s AND name = %s"
_ANYWHERE: LiteralString = "SELECT 1 FROM evidencedesk_index.segments WHERE number = %s LIMIT 1"
_SWITCHED: LiteralString = """
INSERT INTO evidencedesk_index.live VALUES (%s, %s) ON CONFLICT (place) DO UPDATE SET version = excluded.version
"""


class Place:
    """Where the versions of one collection stand."""

    def __init__(self, servers: Servers, name: str) -> None:
        self.servers = servers
        self.name = name

    def make(self) -> None:
        """Make the lists of all places, where there are none yet."""
        with self.servers.locked("lists"):  # two that make them at once would be in each other's way
            self._write((tables.LISTS, ()))

    def _write(self, *statements: tuple[LiteralString, Sequence[Any]]) -> None:
        def work(connection: Connection) -> None:
            with connection.transaction():
                for statement, values in statements:
                    connection.execute(statement, values or None)

        self.servers.write(work)

    def _look(self, statement: LiteralString, *values: Any) -> list[tuple[Any, ...]]:
        """Read the lists; before anything is built in the database there are none."""

        def work(connection: Connection) -> list[tuple[Any, ...]]:
            try:
                return connection.execute(statement, values).fetchall()
            except psycopg.errors.UndefinedTable:
                return []

        return self.servers.look(work)

    def live(self) -> str:
        """Return the id of the live version, "" when there is none."""
        found = self._look("SELECT version FROM evidencedesk_index.live WHERE place = %s", self.name)
        return str(found[0][0]) if found else ""

    def manifests(self) -> dict[str, str]:
        """Return the manifests of the versions by id, as JSON, newest first."""
        found = self._look("SELECT id, manifest FROM evidencedesk_index.versions WHERE place = %s", self.name)
        return dict(sorted(found, reverse=True))

    def segments(self, names: Sequence[str], even_unsealed: bool = False) -> dict[str, PostgresSegment]:
        """Return those of the segments that are sealed and there: the same ones to everybody in this process."""
        found = {}
        for name, number, about in self._look(_FOUND, self.name, list(names), even_unsealed):
            segment = self.servers.opened.get(number)
            if segment is None:
                segment = PostgresSegment(self.servers, name, number, json.loads(about))
                self.servers.opened[number] = segment
            found[name] = segment
        return found

    def reserve(self, name: str) -> int:
        """Begin a segment; return the number that it goes by in the database."""
        return self.servers.write(lambda connection: _number(connection.execute(_NEW, (self.name, name))))

    def fill(self, name: str, writer: PostgresWriter) -> None:
        """Note what a segment that is written says about itself."""
        values = (json.dumps(writer.about()), writer.lengths(), json.dumps(writer.sums()), self.name, name)
        self._write((_FILLED, values))

    def seal(self, manifest: Manifest, wrote: bool) -> None:
        """Keep a version, with the segment that it wrote, if any."""
        sealing = "UPDATE evidencedesk_index.segments SET sealed = true WHERE place = %s AND name = %s AND %s"
        keeping = "INSERT INTO evidencedesk_index.versions VALUES (%s, %s, %s)"
        place, id_ = self.name, manifest.id
        self._write((sealing, (place, id_, wrote)), (keeping, (place, id_, manifest.model_dump_json())))

    def switch(self, version: str) -> None:
        """Make a version the live one."""
        self._write((_SWITCHED, (self.name, version)))

    def forget(self, versions: Sequence[str], even_live: bool = False) -> None:
        """Remove versions; the database refuses to remove the live one unless told to."""
        live = "DELETE FROM evidencedesk_index.live WHERE place = %s AND version = ANY(%s) AND %s"
        all_ = "DELETE FROM evidencedesk_index.versions WHERE place = %s AND id = ANY(%s)"
        self._write((live, (self.name, list(versions), even_live)), (all_, (self.name, list(versions))))

    def lend(self, other: Place) -> None:
        """Give another place, which is empty, the live version. Nothing is copied but its rows in the lists."""
        values = {"place": self.name, "to": other.name}

        def work(connection: Connection) -> None:
            with connection.transaction():
                for statement in _LENT:
                    connection.execute(statement, values)

        self.servers.write(work)

    def clear(self) -> None:
        """Remove all that is here."""
        self.forget(list(self.manifests()), even_live=True)
        self.drop_segments(keep=())

    def drop_segments(self, keep: Collection[str]) -> None:
        """Remove all segments but those; be alone here. One that somebody reads at great length goes the next time."""
        for name, number, _ in self._look(_ALL, self.name):
            if name not in keep:
                self._drop_segment(name, number)

    def drop_unsealed(self) -> None:
        """Remove what killed builds have left; be alone here."""
        self.drop_segments([name for name, _, sealed in self._look(_ALL, self.name) if sealed])

    def _drop_segment(self, name: str, number: int) -> None:
        def work(connection: Connection) -> None:
            with suppress(psycopg.errors.LockNotAvailable), connection.transaction():
                connection.execute("SET LOCAL lock_timeout = '5s'; LOCK TABLE evidencedesk_index.segments")
                connection.execute(_DROPPED, (self.name, name))
                if not connection.execute(_ANYWHERE, (number,)).fetchone():
                    connection.execute(tables.filled("DROP SCHEMA IF EXISTS {schema} CASCADE", number))

        self.servers.write(work)


def _number(cursor: psycopg.Cursor[tuple[Any, ...]]) -> int:
    found = cursor.fetchone()
    assert found is not None  # the statement returns a row
    return int(found[0])
