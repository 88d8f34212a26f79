"""What recall is measured on: everything where that is quick, else what concerns the page."""

from __future__ import annotations

import pytest

from tests.client import Client
from tests.pages.editor.conftest import Site
from webapp.core.retrieval.model import Role
from webapp.pages.editor import recall
from webapp.pages.editor.labels import read_labels
from webapp.pages.editor.recall import NEAREST, Scope, scope_for
from webapp.services.worker import do_next


def scope(site: Site, page: str = "kc-returns-v3") -> Scope:
    desk = site.services.desk()
    document = next(one for one in desk.files().documents if one.id == page)
    return scope_for(desk, document, read_labels(site.folder).questions)


def test_a_small_collection_is_searched_whole(site: Site) -> None:
    found = scope(site)
    assert found.whole
    assert found.questions == read_labels(site.folder).questions
    assert found.beside == site.services.desk().files().documents


def test_of_a_large_one_the_questions_about_the_page_and_its_nearest_pages(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recall, "SMALL", 100)
    found = scope(site)
    assert not found.whole
    assert found.questions
    assert all("kc-returns-v3" in {label.document for label in one.labels} for one in found.questions)
    assert 0 < len(found.beside) <= NEAREST
    assert "kc-returns-v3" not in {one.id for one in found.beside}


def test_the_page_says_so(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recall, "SMALL", 100)
    page = site.client(Role.EDITOR).get("/admin/chunking?page=kc-giftcards-v1&measure=1").text
    assert "about this page, searched in it and the" in page


def test_without_questions_nothing_has_to_be_searched(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recall, "SMALL", 100)
    (site.folder / "golden.jsonl").unlink()
    assert scope(site).questions == ()


def test_what_takes_too_long_for_a_request_is_read_by_a_worker_first(
    site: Site, editor: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webapp.pages.editor.recall.AT_ONCE", 0)
    address = "/admin/chunking?page=kc-returns-v3&setting=paragraph&setting=fixed,size%3D60,overlap%3D5&measure=1"
    for _ in range(2):  # looked at again it is the same work
        page = editor.get(address).text
        assert "New chunks are being read for their meaning, in the background." in page
        assert 'hx-trigger="load delay:1s"' in page
    assert [job.kind for job in site.services.jobs.active("kestrel")] == ["vectors"]
    assert do_next(site.services)
    assert "Too close to call on" in editor.get(address).text
