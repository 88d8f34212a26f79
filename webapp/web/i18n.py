"""The reader's language: chosen in the address, remembered in a cookie, else the browser's; numbers and dates in it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date as Date
from datetime import datetime as DateTime
from functools import cache, wraps
from typing import Any
from urllib.parse import quote, urlencode

import flask_babel
from babel import Locale
from babel.support import NullTranslations
from flask import Flask, Response, current_app, g, has_request_context, request
from flask_babel import Babel, format_date, format_datetime, format_decimal, format_percent
from jinja2 import pass_context

from webapp.paths import PACKAGE

_CHOICE = "lang"  # of the address and of the cookie
_YEAR = 365 * 24 * 3600
_DIGITS = {"bn": str.maketrans("0123456789", "০১২৩৪৫৬৭৮৯")}  # CLDR's default digits, which Babel doesn't print
_UNGROUPED = 10_000  # years and line numbers read best without a separator


def init_i18n(app: Flask, languages: tuple[str, ...]) -> None:
    """Set up translations, filters and the language switch."""
    app.config.update(LANGUAGES=languages, BABEL_TRANSLATION_DIRECTORIES=str(PACKAGE / "translations"))
    Babel(app, default_locale=languages[0], locale_selector=current_language)
    app.jinja_env.install_gettext_callables(_in_page, _of_count_in_page, newstyle=True)  # type: ignore[attr-defined]
    app.jinja_env.filters.update(
        {words.__name__: _for_each_reader(words) for words in (number, percent, date, datetime)}
    )
    app.jinja_env.globals.update(
        current_language=current_language, languages=languages_offered, language_url=language_url
    )
    app.after_request(_remember)
    app.url_defaults(_carry_on)


def _for_each_reader(words: Callable[[Any], str]) -> Callable[..., str]:
    """Make a filter that is asked again for every page: of `0|percent` Jinja would keep what the first reader got."""

    @pass_context
    @wraps(words)
    def asked(_context: object, value: Any) -> str:
        return words(value)

    return asked


def current_language() -> str:
    """Return the code of the language that this request's reader wants."""
    if not has_request_context():
        return str(current_app.config["LANGUAGES"][0])
    language: str | None = g.get("language")
    if language is None:
        known: tuple[str, ...] = current_app.config["LANGUAGES"]
        language = g.language = _chosen(known) or _of_browser(known) or known[0]
    return language


def language_in_address() -> str | None:
    """Return the language that the address names and nothing else remembers: a browser that keeps no cookie, as in
    another site's frame, finds it in our addresses again."""
    chosen = request.args.get(_CHOICE) if has_request_context() and not request.cookies else None
    return chosen if chosen in current_app.config["LANGUAGES"] else None


def languages_offered() -> list[tuple[str, str]]:
    """Return code and own name of each language of the interface."""
    return [(code, _own_name(code)) for code in current_app.config["LANGUAGES"]]


@cache
def _own_name(code: str) -> str:
    return Locale.parse(code).get_display_name(code) or code


def language_url(code: str) -> str:
    """Return the address of this page in another language. Pages that came from a form have no address of their own."""
    kept = [(name, value) for name, value in request.args.items(multi=True) if name != _CHOICE]
    path = request.path if request.method in ("GET", "HEAD") else "/"
    return f"{quote(request.script_root + path)}?{urlencode([*kept, (_CHOICE, code)])}"


def gettext(message: str, **values: object) -> str:
    """Return the message in the reader's language, its %(named)s places filled."""
    words = _in_page(message)
    return words % values if values else words


def ngettext(one: str, many: str, count: int, **values: object) -> str:
    """Return the message that fits the count, which stands in it as %(count)s in the reader's digits."""
    return str(flask_babel.ngettext(one, many, count, count=number(count), **values))


def _in_page(message: str) -> str:
    return str(_catalogue().ugettext(message))


def _of_count_in_page(one: str, many: str, count: int) -> str:
    return str(_catalogue().ungettext(one, many, count))


def _catalogue() -> NullTranslations:
    """The words in this request's language: looked up once, where Flask-Babel would for each of a page's."""
    catalogue: NullTranslations | None = g.get("catalogue")
    if catalogue is None:
        catalogue = g.catalogue = flask_babel.get_translations()
    return catalogue


def number(value: float | str) -> str:
    """Write a number, or the digits in a text such as a version, as the reader's language does."""
    if isinstance(value, str):
        return _digits(value)
    plain = isinstance(value, int) and abs(value) < _UNGROUPED
    return _digits(str(value) if plain else format_decimal(value))


def lines_words(first: int, last: int) -> str:
    """Name lines of a file: `line 15`, `lines 11-12`."""
    if first == last:
        return gettext("line %(line)s", line=number(first))
    return gettext("lines %(first)s-%(last)s", first=number(first), last=number(last))


def percent(value: float) -> str:
    """Write a share of one as a percentage."""
    return _digits(format_percent(value))


def date(value: Date | DateTime) -> str:
    """Write a day, such as 29 Nov 2026."""
    return _digits(format_date(value, "d MMM y"))


def datetime(value: DateTime) -> str:
    """Write a moment, such as 29 Nov 2026, 21:03 (UTC)."""
    return _digits(format_datetime(value, "d MMM y, HH:mm")) + " UTC"


def _digits(text: str) -> str:
    return text.translate(_DIGITS.get(current_language(), {}))


def _carry_on(endpoint: str, values: dict[str, Any]) -> None:
    lang = language_in_address()
    if lang and endpoint != "static":
        values.setdefault(_CHOICE, lang)


def _chosen(known: tuple[str, ...]) -> str | None:
    choices = (request.args.get(_CHOICE), request.cookies.get(_CHOICE))
    return next((choice for choice in choices if choice in known), None)


def _of_browser(known: tuple[str, ...]) -> str | None:
    """A browser that wants bn-BD most is glad of bn, more than of what it wants less."""
    wanted = (tag.replace("_", "-").split("-")[0].lower() for tag in request.accept_languages.values())
    return next((tag for tag in wanted if tag in known), None)


def _remember(response: Response) -> Response:
    asked = request.args.get(_CHOICE)
    if asked and asked in current_app.config["LANGUAGES"] and request.endpoint != "static":
        response.set_cookie(
            _CHOICE, asked, _YEAR, httponly=True, samesite="Lax", secure=current_app.config["SESSION_COOKIE_SECURE"]
        )
    if request.endpoint != "static":
        response.vary.update(("Accept-Language", "Cookie"))
    return response
