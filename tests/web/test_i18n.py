from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from flask import Flask

from tests.client import Client
from tests.conftest import Desks
from webapp.web import i18n


@pytest.fixture
def app(shared_desks: Desks) -> Flask:
    return shared_desks.app


@pytest.mark.parametrize(
    ("path", "header", "expected"),
    [
        ("/", None, "en"),
        ("/", "bn", "bn"),
        ("/", "bn-BD,en;q=0.5", "bn"),
        ("/", "fr,de", "en"),
        ("/?lang=bn", "en", "bn"),
        ("/?lang=xx", "bn", "bn"),
        ("/?lang=../../etc", None, "en"),
    ],
)
def test_whose_language_is_spoken(app: Flask, path: str, header: str | None, expected: str) -> None:
    with app.test_request_context(path, headers={"Accept-Language": header} if header else {}):
        assert i18n.current_language() == expected


def test_a_choice_is_remembered(app: Flask) -> None:
    client = Client(app)
    assert '<html lang="bn">' in client.get("/?lang=bn").text
    assert '<html lang="bn">' in client.get("/sign-in").text
    assert '<html lang="en">' in client.get("/?lang=en").text
    assert '<html lang="en">' in client.get("/").text


def test_what_depends_on_the_language_says_so_to_caches(client: Client) -> None:
    assert {"Accept-Language", "Cookie"} <= set(client.get("/").headers["Vary"].split(", "))


def test_a_number_that_stands_in_a_template_is_in_each_readers_digits(app: Flask) -> None:
    template = app.jinja_env.from_string("{{ 10|number }} {{ 0.5|percent }}")
    said = []
    for lang in ("en", "bn"):
        with app.test_request_context(f"/?lang={lang}"):
            said.append(template.render())
    assert said == ["10 50%", "১০ ৫০%"]


@pytest.mark.parametrize(
    ("value", "english", "bangla"),
    [
        (0, "0", "০"),
        (2026, "2026", "২০২৬"),
        (-7, "-7", "-৭"),
        (1234567, "1,234,567", "১২,৩৪,৫৬৭"),
        (0.75, "0.75", "০.৭৫"),
        ("1.10", "1.10", "১.১০"),
        ("v2 (b)", "v2 (b)", "v২ (b)"),
    ],
)
def test_numbers(app: Flask, value: float | str, english: str, bangla: str) -> None:
    for lang, expected in (("en", english), ("bn", bangla)):
        with app.test_request_context(f"/?lang={lang}"):
            assert i18n.number(value) == expected


@pytest.mark.parametrize(("lang", "expected"), [("en", "26%"), ("bn", "২৬%")])
def test_shares(app: Flask, lang: str, expected: str) -> None:
    with app.test_request_context(f"/?lang={lang}"):
        assert i18n.percent(0.256) == expected


@pytest.mark.parametrize(
    ("lang", "day", "moment"),
    [("en", "29 Nov 2026", "29 Nov 2026, 21:03 UTC"), ("bn", "২৯ নভে ২০২৬", "২৯ নভে ২০২৬, ২১:০৩ UTC")],
)
def test_days_and_moments(app: Flask, lang: str, day: str, moment: str) -> None:
    with app.test_request_context(f"/?lang={lang}"):
        assert i18n.date(date(2026, 11, 29)) == day
        assert i18n.date(datetime(2026, 11, 29, 21, 3, tzinfo=UTC)) == day
        assert i18n.datetime(datetime(2026, 11, 29, 21, 3, tzinfo=UTC)) == moment


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/", "/?lang=bn"),
        ("/sources/a b?lines=1-2&lines=4&lang=en", "/sources/a%20b?lines=1-2&lines=4&lang=bn"),
        ("/x?q=%26%3D%22%3C", "/x?q=%26%3D%22%3C&lang=bn"),
    ],
)
def test_the_same_page_in_another_language(app: Flask, path: str, expected: str) -> None:
    with app.test_request_context(path):
        assert i18n.language_url("bn") == expected


def test_a_page_that_came_from_a_form_leads_home(app: Flask) -> None:
    with app.test_request_context("/ask", method="POST"):
        assert i18n.language_url("bn") == "/?lang=bn"


def test_the_languages_under_their_own_names(app: Flask) -> None:
    with app.app_context():
        assert i18n.languages_offered() == [("en", "English"), ("bn", "বাংলা")]
