"""Changing one number of a collection.toml, and no other byte of it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from contextlib import suppress

_TABLE = re.compile(r"^[ \t]*\[", re.MULTILINE)
_KEY = re.compile(r"^[\w-]+[ \t]*=.*(?:\r\n|\n)", re.MULTILINE)


def with_number(text: str, key: str, value: float) -> str:
    """Return the text of a collection.toml with that number under a top-level key.

    Raises ValueError when the file is no TOML, or has the key in a way that isn't understood.
    """
    wanted = tomllib.loads(text) | {key: value}
    for changed in _candidates(text, key, value):
        with suppress(tomllib.TOMLDecodeError):
            if tomllib.loads(changed) == wanted:
                return changed
    raise ValueError(f"write it into collection.toml by hand: {key} = {value}")


def _candidates(text: str, key: str, value: float) -> Iterator[str]:
    """Yield the text with the number in place of the old one, after the last key of its head, and at its top."""
    table = _TABLE.search(text)
    end_of_head = table.start() if table else len(text)
    head, rest = text[:end_of_head], text[end_of_head:]
    old = re.compile(rf"^([ \t]*{re.escape(key)}[ \t]*=[ \t]*)[^\s#]+", re.MULTILINE)
    yield old.sub(lambda found: f"{found[1]}{value}", head, count=1) + rest
    line = f"{key} = {value}" + ("\r\n" if "\r\n" in text else "\n")
    for last in list(_KEY.finditer(head))[-1:]:
        yield head[: last.end()] + line + head[last.end() :] + rest
    yield line + text
