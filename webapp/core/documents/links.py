"""The links inside a document to other pages and headings of its collection, and which of them lead nowhere."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from webapp.core.documents.collection import SUFFIXES
from webapp.core.documents.markdown import parse
from webapp.core.documents.model import Document

_INDEXES = ("index", "README", "_index")  # what a link to a folder shows
_GIVEN_ANCHOR = re.compile(r"\{#([^{}\s]+)\}|\b(?:id|name)\s*=\s*[\"']([^\"']+)[\"']")


@dataclass(frozen=True, slots=True)
class Link:
    """A link as the document has it; it stands on that line of the file."""

    address: str
    line: int


def links_of(document: Document) -> Iterator[Link]:
    """Yield the links and pictures of a document that stay in its collection: relative ones and anchors."""
    _, events, offsets = parse(document.text, _body(document))
    for event, place in events:
        tag = event.get("Start") if isinstance(event, dict) else None
        target = (tag.get("Link") or tag.get("Image")) if isinstance(tag, dict) else None
        if target and _is_internal(target["dest_url"]):
            yield Link(target["dest_url"], document.line_at(offsets[place["start"]]))


def anchors_of(document: Document) -> set[str]:
    """Return what a link may name after `#` in a document: its headings and the ids it gives; see `bare`."""
    seen: Counter[str] = Counter()
    anchors = {bare(one or other) for one, other in _GIVEN_ANCHOR.findall(document.text)}
    for heading in _headings(document):
        word = bare(_GIVEN_ANCHOR.sub("", heading))
        anchors.add(f"{word}{seen[word]}" if seen[word] else word)
        seen[word] += 1
    return anchors


def bare(anchor: str) -> str:
    """Return an anchor's letters, marks and digits: tools differ in what they make of the rest."""
    return "".join(char for char in anchor.casefold() if unicodedata.category(char)[0] in "LMN")


def target_path(path: str, address: str) -> str | None:
    """Return the path in the collection that a link in the file at `path` names; None when it leaves the folder."""
    named = unquote(urlsplit(address).path)
    if not named:
        return path
    steps: list[str] = []
    for step in (PurePosixPath(path).parent / named).parts:
        if step == ".." and not steps:
            return None
        if step == "..":
            steps.pop()
        else:
            steps.append(step)
    return "/".join(steps)


def spellings(path: str) -> Iterator[str]:
    """Yield the files that a link to a path may mean: itself, without its ending, as a folder."""
    yield path
    bare = path.removesuffix("/").removesuffix(".html")
    for suffix in sorted(SUFFIXES):
        yield f"{bare}{suffix}"
        yield from (f"{bare}/{index}{suffix}".lstrip("/") for index in _INDEXES)


def broken_links(
    document: Document, find: Callable[[str], Document | None], exists: Callable[[str], bool]
) -> Iterator[tuple[Link, bool]]:
    """Yield the links that lead nowhere, and whether it is the heading alone that is missing.

    `find` gives the document at a path, `exists` tells whether there is any file there.
    """
    anchors: dict[str, set[str]] = {}
    for link in links_of(document):
        path = target_path(document.path, link.address)
        found = next((one for one in spellings(path) if one == document.path or exists(one)), None) if path else None
        if path is None or found is None:
            yield link, False
            continue
        anchor = bare(unquote(urlsplit(link.address).fragment))
        target = document if found == document.path else find(found)
        if anchor and target:
            if target.path not in anchors:
                anchors[target.path] = anchors_of(target)
            if anchor not in anchors[target.path]:
                yield link, True


def _is_internal(address: str) -> bool:
    """An address that begins with a slash is one of a web site, which need not be laid out like the folder."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    outside = parts.scheme or parts.netloc or parts.path.startswith("/") or "@" in parts.path
    return not outside and bool(parts.path or parts.fragment) and not re.search(r"[{}<>]", address)


def _headings(document: Document) -> Iterator[str]:
    """Yield the words of every heading, whatever its level."""
    _, events, _ = parse(document.text, _body(document))
    words: list[str] | None = None
    for event, _ in events:
        kind, value = (event, None) if isinstance(event, str) else next(iter(event.items()))
        if isinstance(value, dict) and "Heading" in value:
            if words is not None:
                yield "".join(words)
            words = [] if kind == "Start" else None
        elif words is not None and kind in ("Text", "Code"):
            words.append(str(value))


def _body(document: Document) -> int:
    """Return the offset of the first line after the head."""
    starts, line = document.line_starts, document.body_line
    return starts[line - 1] if line <= len(starts) else len(document.text)
