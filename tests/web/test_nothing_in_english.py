"""U09: in Bangla nothing is left in English on any page, but names, codes and what people and
documents say themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from xml.etree.ElementTree import Element

import html5lib
import pytest

from tests.conftest import Desks
from tests.web.lived_in import addresses

WORD = re.compile(r"[A-Za-z]{2,}(?:['-][A-Za-z]+)*")
NAMES = {"EvidenceDesk", "English", "JSON", "CSV", "UTC", "API", "Markdown", "UTF", "https"}
REQUEST = re.compile(r"\b[0-9a-f]{12}\b")  # its id, on error pages
SPOKEN = ("aria-label", "alt", "title", "placeholder")
# What is nobody's words: code, addresses, what was typed, and what is marked as of another language or direction.
SILENT = {"script", "style", "code", "pre", "textarea", "kbd"}


def english(element: Element) -> Iterator[str]:
    """Yield the Latin words that the element says in the page's own language."""
    if element.tag in SILENT or element.get("lang", "bn") != "bn" or element.get("dir") == "auto":
        return
    said = [element.text or "", *(element.get(name, "") for name in SPOKEN)]
    for child in element:
        yield from english(child)
        said.append(child.tail or "")
    yield from (word for text in said for word in WORD.findall(text) if word not in NAMES)


def words_of(html: str, known: Set[str]) -> set[str]:
    body = html5lib.parse(REQUEST.sub("", html), namespaceHTMLElements=False).find("body")
    return set(english(body)) - known if body is not None else set()


def names_in(desks: Desks) -> set[str]:
    """What files, pages, people and their devices are called."""
    files = [file for file in desks.settings.corpus.rglob("*") if file.is_file()]
    heads = (file.read_text(encoding="utf-8").partition("\n## ")[0] for file in files)
    people = (account.email for account in desks.services.accounts.all())
    folders = (folder.name for folder in desks.settings.corpus.iterdir())
    parts = ("e5-small", desks.settings.model, "zyxolite-draft")
    return set(WORD.findall(" ".join([*heads, *people, *folders, *parts, *(file.name for file in files)])))


@pytest.mark.parametrize("reader", ["nobody", "agent", "insider"])
def test_u09_no_page(lived_in: Desks, reader: str) -> None:
    client, known = lived_in.client(reader, language="bn"), names_in(lived_in)
    left = {}
    for path in ["/", "/asked", "/sign-in", "/sessions", "/nowhere", *addresses(lived_in)]:
        response = client.get(path)
        if response.mimetype == "text/html" and response.status_code in (200, 404):
            left[path] = words_of(response.text, known)
    assert {path: words for path, words in left.items() if words} == {}
