"""Front matter in our terms, whatever tool wrote it."""

from __future__ import annotations

from datetime import date

import pytest

from webapp.core.documents.config import CollectionConfig
from webapp.core.documents.errors import DocumentError
from webapp.core.documents.metadata import parse_date
from webapp.core.documents.model import Document, Status
from webapp.core.documents.reading import document_from_bytes
from webapp.core.documents.versions import version_key


def read(head: str, path: str = "help/page.md", body: str = "Text.\n", **settings: object) -> Document:
    text = f"---\n{head}\n---\n{body}" if head else body
    return document_from_bytes(text.encode(), path, CollectionConfig.model_validate(settings))


@pytest.mark.parametrize("word", ["current", "Current ", "CURRENT", "published", "Final", "active", '" current "'])
def test_words_for_current(word: str) -> None:
    assert read(f"status: {word}").status is Status.CURRENT


@pytest.mark.parametrize("status", list(Status))
def test_every_status_is_known(status: Status) -> None:
    assert read(f"status: {status.value.title()}").status is status


@pytest.mark.parametrize("word", ["curent", "live", "true", "on"])
def test_unknown_status_is_refused_by_name_and_line(word: str) -> None:
    with pytest.raises(DocumentError, match=f"unknown status '{word}'") as caught:
        read(f"id: a\nstatus: {word}")
    assert caught.value.line == 3


def test_missing_status_is_what_the_collection_says() -> None:
    assert read("id: a").status is Status.CURRENT
    with pytest.raises(DocumentError, match="no status"):
        read("id: a", status_when_missing="held_back")


@pytest.mark.parametrize(
    ("head", "status"),
    [
        ("draft: true", Status.DRAFT),
        ("draft: false", Status.CURRENT),
        ("published: false", Status.DRAFT),
        ("outdated: true", Status.SUPERSEDED),
        ("redirect_to: /new/page", Status.SUPERSEDED),
        ("redirect_from:\n  - /old", Status.CURRENT),
        ("unlisted: true", Status.ARCHIVED),
        ("status: current\ndraft: true", Status.DRAFT),
        ("status: withdrawn\ndraft: true", Status.WITHDRAWN),
    ],
)
def test_flags_take_a_page_out_of_use(head: str, status: Status) -> None:
    assert read(head).status is status


def test_zendesk_export() -> None:
    document = read("title: Buy\nid: 360012345678\nlocale: en-us\nupdated_at: 2024-05-01T10:00:00Z\ndraft: false")
    assert (document.id, document.lang, document.updated) == ("360012345678", "en", date(2024, 5, 1))


def test_hugo_page() -> None:
    document = read("title: Buy\nlastmod: 2024-05-01\nexpiryDate: 2030-01-31\nweight: 3\naliases: [/a, /b]")
    assert (document.updated, document.valid_until) == (date(2024, 5, 1), date(2030, 1, 31))


def test_docusaurus_ids_count_in_their_folder() -> None:
    assert read("id: intro\nsidebar_label: Start", "docs/guide/a.md").id == "docs/guide/intro"
    assert read("id: intro", "docs/api/b.mdx").id == "docs/api/intro"
    assert read("sidebar_label: Start").title == "Start"


def test_docfx_page() -> None:
    assert read("title: Buy\nms.date: 05/31/2024\nms.topic: how-to").updated == date(2024, 5, 31)


def test_missing_id_and_title_come_from_path_and_heading() -> None:
    document = read("", "guide/Opening hours.md", "Intro.\n\n### First *words* {#x}\n\nText.\n")
    assert (document.id, document.title) == ("guide/Opening hours", "First words")
    assert read("", "guide/opening-hours.md").title == "opening-hours"


@pytest.mark.parametrize(
    ("head", "audience"),
    [
        ("", {"public"}),
        ("audience: staff", {"staff"}),
        ("audience: staff, editors", {"staff", "editors"}),
        ("audience: [staff, 'night shift']", {"staff", "night shift"}),
        ("audience:\n  - staff", {"staff"}),
        ("audience: []", {"public"}),
    ],
)
def test_audience(head: str, audience: set[str]) -> None:
    assert read(head).audience == audience


def test_attributes_are_the_declared_filters() -> None:
    document = read("borough: North\ntags: [a, b]\nother: x", filters=["borough", "tags", "absent"])
    assert document.attributes == {"borough": "North", "tags": "a, b"}


def test_value_that_must_be_one_is_not_a_list() -> None:
    with pytest.raises(DocumentError, match="title must be one value") as caught:
        read("id: a\ntitle: [a, b]")
    assert caught.value.line == 3


def test_language_that_is_none_is_refused() -> None:
    with pytest.raises(DocumentError, match="'plain english' is not a language") as caught:
        read("lang: plain english")
    assert caught.value.line == 2


@pytest.mark.parametrize(
    ("head", "lang"), [("language: de-AT", "de"), ("language: Python", "en"), ("locale: pt_BR", "pt")]
)
def test_language_by_other_keys_counts_where_it_is_one(head: str, lang: str) -> None:
    assert read(head).lang == lang


def test_several_versions_are_one_word() -> None:
    assert read("version: [1.10, 2]").version == "1.10, 2"


def test_valid_until_that_is_no_day_is_refused() -> None:
    with pytest.raises(DocumentError, match="valid_until 'soon' is not a date"):
        read("valid_until: soon")


@pytest.mark.parametrize(
    "word",
    [
        "2024-05-31",
        "2024/05/31",
        "05/31/2024",
        "31.05.2024",
        "May 31, 2024",
        "31 May 2024",
        "2024-05-31 10:00",
        "2024-05-31T10:00:00+06:00",
    ],
)
def test_days_however_written(word: str) -> None:
    assert parse_date(word) == date(2024, 5, 31)


@pytest.mark.parametrize("word", ["", "soon", "2024-13-40", "5"])
def test_words_that_are_no_day(word: str) -> None:
    assert parse_date(word) is None


def test_versions_are_judged_by_their_numbers() -> None:
    versions = ["1.10", "1.9", "2", "1.9b", "", "v1.11"]
    assert sorted(versions, key=version_key) == ["", "1.9", "1.9b", "1.10", "v1.11", "2"]
