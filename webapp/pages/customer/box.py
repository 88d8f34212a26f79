"""The question box: what every page needs that has one."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from flask import abort

from webapp.core.answering.model import Followed
from webapp.core.retrieval.model import Role
from webapp.services.desk import Desk
from webapp.services.model import UnknownCollection
from webapp.web.access import current_reader
from webapp.web.context import services
from webapp.web.i18n import current_language, ngettext
from webapp.web.security import allow_frames


@dataclass(frozen=True, slots=True)
class QuestionBox:
    """Values of the question box of one collection."""

    collection: str
    once: str  # sent along with the question: a second press of the same form makes no second answer
    pages: int  # that answers can come from
    looking: str  # said while the answer is on its way
    examples: tuple[str, ...]
    examples_lang: str
    external_model: str  # name of the service that questions are sent to; "" when nothing leaves this machine
    external_search: str  # host that they are sent to so that pages are found; "" likewise
    filters: Mapping[str, tuple[str, ...]]  # values to choose from, by the collection's filter
    chosen: Mapping[str, str]
    earlier: Followed | None = None  # the question that the next one may lean on
    follow: bool = False  # and does, by choice


def open_desk(collection: str | None) -> Desk:
    """Return the desk of that collection (None: the default one), or end the request with 404.

    The reply may be shown in a frame where the collection says so, but never what staff see.
    """
    try:
        desk = services().desk(collection)
    except UnknownCollection:
        abort(404)
    if current_reader().role is Role.CUSTOMER:
        allow_frames(desk.config.framed_by)
    return desk


def question_box(desk: Desk, chosen: Mapping[str, str] | None = None) -> QuestionBox:
    """Return a fresh question box for the current reader, with the filters that were chosen before."""
    count = desk.current_count(current_reader())
    lang, asked = examples(desk)
    return QuestionBox(
        collection=desk.name,
        once=fresh_token(),
        pages=count,
        looking=ngettext("Looking through %(count)s page…", "Looking through %(count)s pages…", count),
        examples=asked,
        examples_lang=lang,
        external_model=desk.external_model,
        external_search=desk.external_search,
        filters=desk.filters(current_reader()),
        chosen=chosen or {},
    )


def fresh_token() -> str:
    """Return what makes one form of this box another than the next."""
    return secrets.token_urlsafe(16)


def examples(desk: Desk) -> tuple[str, tuple[str, ...]]:
    """Return the examples, and their language: the reader's, else one that the collection has, main one first."""
    for lang in dict.fromkeys((current_language(), *desk.config.languages, *desk.config.examples)):
        if found := desk.examples(current_reader(), lang):
            return lang, found
    return "", ()
