"""What a page must be, whatever was put into it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

import html5lib

from tests.client import check_ids, check_labels
from tests.hostile.attempts import FILLED_IN

_NEVER = {"iframe", "object", "embed", "applet", "base", "frame", "frameset", "math", "style", "template", "animate"}
_ADDRESSES = {"src", "action", "formaction", "data", "poster", "srcset", "background", "ping", "xlink:href"}
_FETCHES = re.compile(r"hx-(?:get|post|put|patch|delete)")
_OWN = re.compile(r"(?:/(?![/\\])|[#?]|$)")
_MAY_LEAD_TO = re.compile(r"(?:/(?![/\\])|[#?]|$|https?://|mailto:)")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def assert_inert(html: str) -> None:
    """Fail when the page runs, fetches, frames, fills in or turns round anything that it was given."""
    parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
    elements = list((parser.parse(html) if "<html" in html else parser.parseFragment(html)).iter())
    check_ids(elements)
    check_labels(elements)
    assert not [problem for one in elements if isinstance(one.tag, str) for problem in _problems(one)]
    assert not _CONTROLS.search(html), "a control or reordering sign reached the page"
    assert FILLED_IN not in html, "braces were filled in"


def _problems(element: Element) -> Iterator[str]:
    if element.tag in _NEVER:
        yield f"<{element.tag}>"
    if element.tag == "script" and not element.get("src", "").startswith("/static/"):
        yield f"a script from {element.get('src', 'the page')}"
    if element.tag == "link" and not element.get("href", "").startswith("/static/"):
        yield f"a link to {element.get('href')}"
    for name, value in element.attrib.items():
        if name.startswith("on") or name == "style" or name.startswith("hx-on"):
            yield f"{name} on <{element.tag}>"
        if (name in _ADDRESSES or _FETCHES.fullmatch(name)) and not _OWN.match(value):
            yield f"{name}={value}"
        if name == "href" and not _MAY_LEAD_TO.match(value):
            yield f"href={value}"
        if name == "http-equiv":
            yield f"http-equiv={value}"
