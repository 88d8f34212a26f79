"""Lists that can grow, a page at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import request, url_for


@dataclass(frozen=True, slots=True)
class Pages:
    """Where in a list the reader is; the addresses are "" at its ends."""

    number: int
    previous: str
    next: str


def page_number(name: str = "page") -> int:
    """Return the number in the address; what can't be read is the first page."""
    given = request.args.get(name, "")
    return max(1, int(given)) if given.isdecimal() and len(given) < 7 else 1


def pages(endpoint: str, number: int, more: bool, values: Mapping[str, Any]) -> Pages:
    """Return the addresses of the pages before and after that one; `values` are the rest of the address."""
    previous = url_for(endpoint, page=number - 1, **values) if number > 1 else ""
    return Pages(number, previous, url_for(endpoint, page=number + 1, **values) if more else "")
