"""How the documentation tools write what we ask of a file: one table, and the few rules that are not a renaming.

Known: Zendesk exports, Hugo, Docusaurus, DocFX, Jekyll and 11ty. MkDocs asks for nothing beyond a title.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# What we call it → the keys that may say it, the first one that is there counts.
FIELDS: dict[str, tuple[str, ...]] = {
    "id": ("id",),  # Zendesk: an integer
    "title": ("title", "linkTitle", "sidebar_label"),  # Hugo's and Docusaurus' short titles
    "version": ("version",),
    "status": ("status",),
    "lang": ("lang", "language", "locale"),  # Zendesk: locale
    "audience": ("audience",),
    "updated": ("updated", "updated_at", "last_updated", "lastmod", "last_update", "ms.date", "date"),
    "valid_until": ("valid_until", "expiryDate"),  # Hugo: expiryDate
    "superseded_by": ("superseded_by",),
}

# Flags that take a page out of use: key → words that raise it → the status it then has.
_TRUE = frozenset({"true", "yes", "on", "1"})
_FALSE = frozenset({"false", "no", "off", "0"})
FLAGS: tuple[tuple[str, frozenset[str], str], ...] = (
    ("draft", _TRUE, "draft"),  # Zendesk, Hugo, Docusaurus
    ("published", _FALSE, "draft"),  # Jekyll
    ("unlisted", _TRUE, "archived"),  # Docusaurus
    ("outdated", _TRUE, "superseded"),  # 11ty, Zendesk
    ("deprecated", _TRUE, "superseded"),
)
REDIRECTS = ("redirect_to",)  # Jekyll and 11ty: the page itself is gone
KEYS = frozenset(key for keys in FIELDS.values() for key in keys) | {flag for flag, _, _ in FLAGS}

# Keys by which Docusaurus is known; its ids are unique only within their folder.
_FOLDER_ID_MARKS = frozenset({"sidebar_label", "sidebar_position", "slug", "pagination_next", "pagination_prev"})


def value_of(field: str, values: Mapping[str, Any]) -> tuple[str, Any]:
    """Return the key that says `field` and its value; ("", None) when none does or it is blank."""
    for key in FIELDS[field]:
        value = values.get(key)
        if isinstance(value, dict):  # Docusaurus: last_update: {date: …}
            value = value.get("date")
        if value not in (None, "", "null", "~"):
            return key, value
    return "", None


def status_from_flags(values: Mapping[str, Any]) -> str | None:
    """Return the status that a page's flags give it, None when they leave it in use."""
    for key, raising, status in FLAGS:
        if str(values.get(key, "")).strip().lower() in raising:
            return status
    return "superseded" if any(values.get(key) for key in REDIRECTS) else None


def id_is_local(values: Mapping[str, Any], path: str) -> bool:
    """Say whether a declared id is unique only within its folder."""
    return path.endswith(".mdx") or not _FOLDER_ID_MARKS.isdisjoint(values)
