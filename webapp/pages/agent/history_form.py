"""What agents look for among the answers: read from the address, and offered by the form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from webapp.pages.customer.wording import language_name
from webapp.services.history import OUTCOMES, Search
from webapp.web.context import collection_titles, services
from webapp.web.i18n import gettext
from webapp.web.source_view import parse_ranges

_LAST_LINE = 10**9
Choice = tuple[str, str]  # value, words


@dataclass(frozen=True, slots=True)
class Form:
    """Values of the search form: what was given, and what there is to choose from."""

    given: Mapping[str, str]
    collections: tuple[Choice, ...]
    outcomes: tuple[Choice, ...]
    languages: tuple[Choice, ...]
    versions: tuple[Choice, ...]
    ratings: tuple[Choice, ...]
    orders: tuple[Choice, ...]
    narrowed: bool  # more than words is asked for: the form is shown unfolded


FIELDS = ("q", "collection", "outcome", "asked_in", "version", "document", "lines", "rating", "since", "until", "order")


def read_search(query: Mapping[str, str]) -> Search:
    """Read what is looked for; what can't be read counts as not given."""
    given = _given(query)
    return Search(
        words=given.get("q", ""),
        collection=given.get("collection", ""),
        outcome=given.get("outcome", ""),
        lang=given.get("asked_in", ""),
        index_version=given.get("version", ""),
        document=given.get("document", ""),
        lines=parse_ranges(given.get("lines", ""), _LAST_LINE),
        rating=given.get("rating", ""),
        since=_day(given.get("since", "")),
        until=_day(given.get("until", "")),
        oldest_first=given.get("order") == "oldest",
    )


def search_address(query: Mapping[str, str]) -> dict[str, Any]:
    """Return the part of an address that says what is looked for."""
    return _given(query)


def form(query: Mapping[str, str]) -> Form:
    """Return the form as it was sent."""
    given, offered = _given(query), services().history.offered()
    return Form(
        given=given,
        collections=(_any(), *collection_titles()),
        outcomes=(_any(), *outcome_choices()),
        languages=(_any(), *((lang, language_name(lang)) for lang in offered.languages)),
        versions=(_any(), *((name, name) for name in offered.versions[::-1])),
        ratings=(_any(), ("up", gettext("found helpful")), ("down", gettext("found unhelpful"))),
        orders=(("newest", gettext("newest first")), ("oldest", gettext("oldest first"))),
        narrowed=bool(given.keys() - {"q"}),
    )


def outcome_choices() -> Iterator[Choice]:
    """Yield every outcome with its words, the codes of the reasons beside them: staff know them."""
    words = {
        "answered": gettext("answered"),
        "abstained": gettext("no answer, for whatever reason"),
        "no_evidence": gettext("nothing deals with it"),
        "weak_evidence": gettext("found, but not enough"),
        "model_abstained": gettext("the passages do not answer it"),
        "unknown_citation": gettext("a source that was not found was cited"),
        "uncited_statement": gettext("a statement without a source"),
        "unsupported_number": gettext("a number that stands in no source"),
        "unsupported_statement": gettext("a statement that no source supports"),
        "conflicting_sources": gettext("sources contradict each other"),
        "truncated": gettext("the reply was cut short"),
        "invalid_json": gettext("the reply could not be read"),
        "invalid_schema": gettext("the reply had another form"),
        "model_unavailable": gettext("the model could not be reached"),
    }
    return ((code, words[code]) for code in OUTCOMES)


def _any() -> Choice:
    return "", gettext("any")


def _given(query: Mapping[str, str]) -> dict[str, str]:
    return {name: query[name].strip() for name in FIELDS if query.get(name, "").strip()}


def _day(given: str) -> date | None:
    try:
        return date.fromisoformat(given)
    except ValueError:
        return None
