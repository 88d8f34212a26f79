"""Hostile pages: text in every view of them, in every list, and in every answer that quotes them."""

from __future__ import annotations

import re

import pytest

from tests.hostile.attempts import ATTEMPTS, Attempt
from tests.hostile.conftest import EACH, Hostile
from webapp.core.retrieval.model import Role


def test_every_hostile_page_is_indexed(hostile: Hostile) -> None:
    files = hostile.services.desk().files()
    assert [problem for problem in files.problems if problem.held_back] == []
    assert {one.name for one in ATTEMPTS} <= {document.id for document in files.documents}


@EACH
def test_a_page_is_text_in_every_view(hostile: Hostile, attempt: Attempt) -> None:
    nobody = hostile.client()
    for view in ("text", "lines", "file"):
        page = nobody.get(f"/sources/{attempt.name}?view={view}&lines=7-9")
        assert page.status_code == 200
        assert page.mimetype == "text/html" or view == "file"


@EACH
def test_an_answer_that_quotes_a_page_shows_its_words_as_text(hostile: Hostile, attempt: Attempt) -> None:
    asker, agent = hostile.client(), hostile.client(Role.AGENT)
    address = hostile.ask(asker, f"How much does the item {attempt.name} weigh in grams?")
    for page in (asker.get(address), agent.get(f"/agent{address}")):
        assert page.status_code == 200


@pytest.mark.parametrize("kind", ["script-18", "braces-2", "marker-1", "bidi-1", "terminal-2"])
def test_a_page_is_text_where_editors_compare_it(hostile: Hostile, kind: str) -> None:
    editor = hostile.client(Role.EDITOR)
    for path in (f"/admin/chunking?page={kind}", f"/admin/pages/{kind}"):
        page = editor.get(path)
        assert page.status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        *("/", "/agent/search?q=item", "/admin/pages", "/admin/index", "/admin/conflicts", "/admin/chunking"),
        *("/admin/evaluation", "/admin/evaluation/questions", "/admin/contract", "/admin/publications"),
        *("/admin/drafts", "/admin/gaps", "/admin/change", "/agent/"),
    ],
)
def test_hostile_titles_are_text_in_every_list(hostile: Hostile, path: str) -> None:
    page = hostile.client(Role.EDITOR).get(path)
    assert page.status_code in {200, 302, 404}


@pytest.mark.parametrize("name", ["link-10", "link-15", "link-16", "script-34"])
def test_nothing_remote_is_loaded_by_any_view(hostile: Hostile, name: str) -> None:
    page = hostile.client().get(f"/sources/{name}?view=text").text
    assert re.findall(r"(?:src|href|srcset|poster)=\"[^\"]*spy", page) == []
    assert "<img" not in page
