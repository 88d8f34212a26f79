"""What is slow on purpose, or the same for every test, is done once: new databases, templates, addresses, hashes of
passwords.

Programs that tests start, and databases on a server, take the long way.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest
import sqlalchemy as sa
from argon2 import PasswordHasher
from flask import Flask
from jinja2 import FileSystemBytecodeCache
from werkzeug.routing import Rule

from webapp.store.database import Database, migrate, open_database


def copy_new_databases(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let a new SQLite database be a copy of one that the migrations have made in that folder."""
    made = folder / "migrated.db"
    open_database(f"sqlite:///{made}").engine.dispose()
    patch.setattr("webapp.store.database.migrate", _copying(made))


def keep_compiled_templates(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let every application that a test makes take the templates that another has compiled."""
    patch.setitem(Flask.jinja_options, "bytecode_cache", FileSystemBytecodeCache(str(folder)))


def keep_compiled_addresses(patch: pytest.MonkeyPatch) -> None:
    """Let every application that a test makes take the functions that put addresses together from another one."""
    compile_, compiled = Rule._compile_builder, dict[tuple[str, str, str, bool], Callable[..., Any]]()

    def compile_once(rule: Rule, append_unknown: bool = True) -> Callable[..., Any]:
        key = (str(rule.rule), repr(rule._trace), repr(rule.defaults), append_unknown)
        if key not in compiled:
            compiled[key] = compile_(rule, append_unknown)
        return compiled[key]

    patch.setattr(Rule, "_compile_builder", compile_once)


def hash_quickly(patch: pytest.MonkeyPatch) -> None:
    """Let passwords be hashed in a moment. tests/services/test_accounts.py looks at what is kept without this."""
    patch.setattr("webapp.services.accounts.PasswordHasher", lambda: PasswordHasher(1, 8, 1))


def _copying(made: Path) -> Callable[[Database], None]:
    def copy_or_migrate(database: Database) -> None:
        if database.on_server or sa.inspect(database.engine).get_table_names():
            migrate(database)
            return
        with closing(sqlite3.connect(made)) as source, closing(database.engine.raw_connection()) as new:
            source.backup(cast(sqlite3.Connection, new.driver_connection))

    return copy_or_migrate
