"""Changing what a file's head says of its status, and no other byte of the file."""

from __future__ import annotations

import codecs
import json
import re

from webapp.core.documents.errors import DocumentError
from webapp.core.documents.front_matter import FrontMatter, read_front_matter
from webapp.core.documents.lines import line_starts
from webapp.core.documents.model import Status

_PLAIN = re.compile(r"[\w./-]+")
_ENTRY = r"(?:\A|(?<=[\r\n]))(?P<key>{indent}['\"]?{key}['\"]?[ \t]*[:=][ \t]*)(?P<value>{value})"
_VALUE = r"'[^'\r\n]*'|\"[^\"\r\n]*\"|[^\s#'\"](?:[^\r\n#]*[^\s#])?|"
_NEXT_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")
_JSON_ENTRY = r"(?P<key>\"{key}\"\s*:\s*)(?P<value>\"(?:[^\"\\]|\\.)*\")(?P<comma>\s*,)?"


def with_status(data: bytes, status: Status, superseded_by: str | None = None) -> bytes:
    """Return the file with another status; a superseded one names its successor, any other none.

    Raises DocumentError for a head that can't be read or says it in a way that is not known here, and for a file that
    is not UTF-8.
    """
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    try:
        text = data[len(mark) :].decode("utf-8")
    except UnicodeDecodeError as error:
        raise DocumentError("only a file in UTF-8 can be changed here; save it as UTF-8 first") from error
    text = _with(text, "status", status.value)
    text = _with(text, "superseded_by", superseded_by) if superseded_by else _without(text, "superseded_by")
    said = read_front_matter(text).values
    if (said.get("status"), said.get("superseded_by")) != (status.value, superseded_by):
        raise DocumentError("the head can't be changed by itself; edit the page instead", 1)
    return mark + text.encode("utf-8")


def _with(text: str, key: str, value: str) -> str:
    """Return the text whose head says the value for the key: in place of what it said, or on a line of its own."""
    head = read_front_matter(text)
    if not head.body:
        end = _line_end(text)
        return f"---{end}{key}: {_yaml(value)}{end}---{end}{text}"
    found = _entry(head, key) if key in head.values else None
    if not found:
        return _inserted(text, head, key, value)
    blank = "" if found["key"][-1].isspace() or found["value"] else " "
    at, end_at = head.start + found.start("value"), head.start + found.end("value")
    return text[:at] + blank + _written(text, head, value) + text[end_at:]


def _without(text: str, key: str) -> str:
    """Return the text without the line, or the JSON entry, that says the key."""
    head = read_front_matter(text)
    found = _entry(head, key) if head.body else None
    if not found:
        return text
    start = head.start + found.start()
    line = _NEXT_LINE.match(text, start)
    assert line is not None  # it also matches nothing
    return text[:start] + text[head.start + found.end() if _is_json(head) else line.end() :]


def _entry(head: FrontMatter, key: str) -> re.Match[str] | None:
    """Find where a key is said; one that is indented counts only when none begins its line."""
    name = re.escape(key)
    if _is_json(head):
        return re.search(_JSON_ENTRY.format(key=name), head.head)
    patterns = (_ENTRY.format(indent=indent, key=name, value=_VALUE) for indent in ("", r"[ \t]+"))
    return next(filter(None, (re.search(pattern, head.head) for pattern in patterns)), None)


def _inserted(text: str, head: FrontMatter, key: str, value: str) -> str:
    """Add a line at the head's end; in JSON, an entry at its beginning."""
    value = _written(text, head, value)
    if _is_json(head):
        at = head.start + 1
        return f'{text[:at]}"{key}": {value}{"," if head.values else ""}{text[at:]}'
    at = head.start + len(head.head)
    return f"{text[:at]}{key}{' = ' if _is_toml(text, head) else ': '}{value}{_line_end(text)}{text[at:]}"


def _written(text: str, head: FrontMatter, value: str) -> str:
    return json.dumps(value, ensure_ascii=False) if _is_json(head) or _is_toml(text, head) else _yaml(value)


def _is_json(head: FrontMatter) -> bool:
    return head.head.startswith("{")


def _is_toml(text: str, head: FrontMatter) -> bool:
    return text[: head.start].lstrip().startswith("+++")


def _yaml(value: str) -> str:
    escaped = value.replace("'", "''")
    return value if _PLAIN.fullmatch(value) else f"'{escaped}'"


def _line_end(text: str) -> str:
    """Return how the file ends its lines."""
    starts = line_starts(text)
    return "\r\n" if len(starts) > 1 and text[: starts[1]].endswith("\r\n") else "\n"
