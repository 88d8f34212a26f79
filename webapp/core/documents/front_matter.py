"""The head of a file: found, read and kept as typed (dates, 1.10, 10:30, on, no and y stay the words they are)."""

from __future__ import annotations

import json
import re
import textwrap
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, time
from typing import Any

import yaml

from webapp.core.documents.conventions import KEYS
from webapp.core.documents.errors import DocumentError

_Base: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # the base loaders leave every scalar a string

_EOL = r"[ \t]*(?:\r\n?|\n|\Z)"
_OPENING = re.compile(rf"\s*(?P<rule>---|\+\+\+){_EOL}")
_CLOSING = {
    "---": re.compile(rf"(?:(?<=\n)|(?<=\r))(?:---|\.\.\.){_EOL}"),
    "+++": re.compile(rf"(?:(?<=\n)|(?<=\r))\+\+\+{_EOL}"),
}
_JSON_OPENING = re.compile(r"\s*(?=\{\s*[\"}])")
_REST_OF_LINE = re.compile(_EOL)
_KEY_LINE = re.compile(r"\s*+(?:#[^\r\n]*+\s++)*+['\"]?[\w.-]+['\"]?[ \t]*[:=]")
_LINE_START = r"(?:\A|(?<=[\r\n]))"
_PLAIN_PAIR = re.compile(r"^(?P<key>[\w.-]+):[ \t]+(?P<value>[^\s'\"|>&*!\[{#][^\r\n]*)$", re.MULTILINE)
_COMMENT = re.compile(r"\s#.*")
_DEEP_KEY = re.compile(r"(?:\.[\w-]{1,99}+){99}")  # the parser's time grows with the square of its parts
_NO_TEXT = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff]")  # what neither pages nor files can hold
_INDENTED_BY_TAB = re.compile(r"^ *\t[ \t]*", re.MULTILINE)
_LOOSE_PAIR = re.compile(r"(?P<key>[\w.-]+)[ \t]*:(?:[ \t]++(?P<value>.*))?$")
_TITLES = frozenset({"title", "sidebar_label", "linkTitle", "description"})  # where " #" is no comment


class _Loader(_Base):  # type: ignore[misc]
    """Reads no mapping that says two things of what matters: the last of them would count, unseen."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        mapping: dict[Any, Any] = super().construct_mapping(node, deep)
        if len(mapping) < len(node.value):
            said: dict[str, str] = {}
            for key, value in node.value:
                if key.value in KEYS and said.setdefault(key.value, str(value.value)) != str(value.value):
                    raise DocumentError(f"{key.value} is said twice, and differently; keep one", key.start_mark.line)
        return mapping


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What the head says, and where the body begins. `head` is its raw text, from offset `start` of the file."""

    values: Mapping[str, Any] = field(default_factory=dict)
    head: str = ""
    start: int = 0
    body: int = 0

    def offset_of(self, key: str) -> int:
        """Return the file offset of the line that sets `key`, else of the head's first line."""
        found = re.search(rf"{_LINE_START}[ \t]*['\"]?{re.escape(key)}['\"]?[ \t]*[:=]", self.head)
        return self.start + (found.start() if found else 0)


def read_front_matter(text: str) -> FrontMatter:
    """Return the file's front matter; empty when it has none. Raises DocumentError, with the line."""
    opening = _OPENING.match(text)
    if opening:
        return _between_rules(text, opening)
    opening = _JSON_OPENING.match(text)
    return _json_head(text, opening.end()) if opening else FrontMatter()


def _between_rules(text: str, opening: re.Match[str]) -> FrontMatter:
    rule, start = opening["rule"], opening.end()
    closing = _CLOSING[rule].search(text, start)
    if closing is None:
        if _KEY_LINE.match(text, start):
            line = _line_at(text, opening.start("rule"))
            raise DocumentError(f"the front matter opened by {rule} is never closed; add a closing {rule}", line)
        return FrontMatter()  # a thematic break
    head = text[start : closing.start()]
    read = _read_toml if rule == "+++" else _read_yaml
    values = read(head.replace("\r\n", "\n").replace("\r", "\n"), _line_at(text, start))
    if values is None:
        return FrontMatter()  # prose between two thematic breaks
    return FrontMatter(values, head, start, closing.end())


def _json_head(text: str, start: int) -> FrontMatter:
    try:
        given, end = json.JSONDecoder(parse_int=str, parse_float=str).raw_decode(text, start)
        values: Mapping[str, Any] = _as_typed(given)
    except (json.JSONDecodeError, RecursionError) as error:
        at = _line_at(text, getattr(error, "pos", start))
        raise DocumentError("the JSON front matter can't be read; check its commas and quotes", at) from error
    rest = _REST_OF_LINE.match(text, end)
    if rest is None:
        return FrontMatter()
    return FrontMatter(values, text[start:end], start, rest.end())


def _read_toml(head: str, line: int) -> Mapping[str, Any] | None:
    try:
        if _DEEP_KEY.search(head):
            raise ValueError("a key is nested too deeply")
        values: Mapping[str, Any] = _as_typed(tomllib.loads(head, parse_float=str))
    except (ValueError, RecursionError) as error:
        found = re.search(r"at line (\d+)", str(error))
        at = line + int(found[1]) - 1 if found else line
        why = error if found else "a number in it is too long, or it is nested too deeply"
        raise DocumentError(f"the TOML front matter can't be read: {why}", at) from error
    return values


def _read_yaml(head: str, line: int) -> Mapping[str, Any] | None:
    """Return what the YAML says: strictly read, else with tabs and bare colons repaired, else line by line."""
    attempts: tuple[Callable[[str], str], ...] = (_quote_pairs, _untab)
    head = textwrap.dedent(head)
    for repair in attempts:
        head = repair(head)
        try:
            values = yaml.load(head, Loader=_Loader)
        except DocumentError as error:
            raise DocumentError(str(error), line + error.line) from error
        except (yaml.YAMLError, ValueError, RecursionError):
            continue
        if values is None or values == "":
            return {}
        return _as_typed(values) if isinstance(values, dict) else None
    return _read_loosely(head, line)


def _quote_pairs(head: str) -> str:
    """Quote plain values that YAML would refuse for their colon, and titles that it would end at a ` #`."""

    def quote(pair: re.Match[str]) -> str:
        key, value, comment = pair["key"], pair["value"].rstrip(), ""
        if key not in _TITLES and (remark := _COMMENT.search(value)):
            value, comment = value[: remark.start()].rstrip(), remark[0]
        if ": " in value or value.endswith(":") or _COMMENT.search(value):
            escaped = value.replace("'", "''")
            return f"{key}: '{escaped}'{comment}"
        return pair[0]

    return _PLAIN_PAIR.sub(quote, head)


def _untab(head: str) -> str:
    """Put blanks for tabs in indentation and after keys, where YAML refuses them."""
    return _INDENTED_BY_TAB.sub(lambda tabs: tabs[0].replace("\t", "  "), head).replace("\t", " ")


def _read_loosely(head: str, line: int) -> dict[str, Any] | None:
    """Read `key: value` lines; indented lines and list items belong to the key before. Raises DocumentError.

    What does not begin with such a line, and says nothing that is asked for, is prose.
    """
    values: dict[str, Any] = {}
    key = ""
    for number, text in enumerate(re.split(r"\r\n?|\n", head), start=line):
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        pair = _LOOSE_PAIR.match(text)
        if pair:
            key = pair["key"]
            values[key] = _unquote(pair["value"] or "")
        elif key and text[0] in " \t-":
            values[key] = _continued(values[key], text.strip())
        elif not key and not _says_something(head):
            return None
        else:
            raise DocumentError("the front matter can't be read here; write it as `key: value`", number)
    return values


def _says_something(head: str) -> bool:
    pairs = (_LOOSE_PAIR.match(line.strip()) for line in head.split("\n"))
    return any(pair and pair["key"] in KEYS for pair in pairs)


def _continued(value: Any, more: str) -> Any:
    if more.startswith("- "):
        items = value if isinstance(value, list) else [value] if value else []
        items.append(_unquote(more[2:]))
        return items
    return value if isinstance(value, list) else f"{value} {more}".strip()


def _unquote(value: str) -> str:
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
        return value[1:-1]
    return value


def _as_typed(value: Any, depth: int = 0) -> Any:
    """Return what any head says in one form: words, and lists and mappings of words.

    What is nested deeper says nothing that is asked for, and could be endless: aliases of YAML multiply.
    """
    if isinstance(value, dict | list) and depth > 1:
        return ""
    if isinstance(value, dict):
        return {str(key): _as_typed(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_typed(item, depth + 1) for item in value]
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date | time):
        return value.isoformat()
    return "" if value is None else _NO_TEXT.sub("\ufffd", str(value))


def _line_at(text: str, offset: int) -> int:
    return 1 + len(re.findall(r"\r\n?|\n", text[:offset]))
