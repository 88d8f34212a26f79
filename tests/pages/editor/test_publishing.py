"""Publishing on pages: asked for, carried out by a worker, told how it ended; statuses; the history."""

from __future__ import annotations

import re
from html import unescape

import pytest

from tests.client import Client
from tests.pages.editor.conftest import Site
from webapp.core.retrieval.model import Reader, Role
from webapp.services.worker import do_next

FILE = "returns-policy.md"


def words(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def draft_with(editor: Client, site: Site, before: str, after: str) -> str:
    """A draft of the returns policy with a change; its id."""
    address = editor.post("/admin/drafts", {"source": "page", "page": "kc-returns-v3"}).headers["Location"]
    text = (site.folder / FILE).read_text(encoding="utf-8").replace(before, after)
    editor.post(address, {"text": text, "path": FILE})
    return address.rsplit("/", 1)[1]


def published(editor: Client, site: Site, draft: str, **form: str) -> str:
    """Press Publish, let a worker do it, and read how it ended."""
    response = editor.post("/admin/publish", {"draft": draft} | form)
    assert response.status_code == 303
    under_way = editor.get(response.headers["Location"]).text
    assert "hx-trigger" in under_way
    while do_next(site.services):
        pass
    return words(editor.get(response.headers["Location"]).text)


def test_it_is_live_and_in_the_history_with_the_way_back(editor: Client, site: Site) -> None:
    draft = draft_with(editor, site, "for your safety", "for everybody's safety")
    assert "will be replaced" in words(editor.get(f"/admin/publish?draft={draft}").text)
    before = site.live_version()
    assert "It is live" in published(editor, site, draft, message="Kinder words")
    history = editor.get("/admin/publications").text
    assert "Kinder words" in history
    assert f'name="version" value="{before}"' in history
    assert editor.get(f"/admin/drafts/{draft}").status_code == 404
    editor.post("/admin/index", {"collection": "kestrel", "version": before})
    assert site.live_version() == before
    assert "Go back to the version before" not in editor.get("/admin/publications").text


def test_a_fall_is_told_and_a_reason_lets_it_pass(editor: Client, site: Site) -> None:
    draft = draft_with(editor, site, "within 30 days of delivery", "within 45 days of delivery")
    said = published(editor, site, draft)
    assert "an agreed figure would fall" in said
    assert "Lost: How long do I have to return a bike?" in said
    assert "30 days" in (site.folder / FILE).read_text(encoding="utf-8")
    assert "It is live" in published(editor, site, draft, reason="New law")
    assert "New law" in editor.get("/admin/publications").text


def test_the_second_of_two_is_sent_to_the_difference(editor: Client, site: Site) -> None:
    first = draft_with(editor, site, "for your safety", "for everybody's safety")
    other = site.client(Role.ADMIN)
    second = draft_with(other, site, "for your safety", "for the safety of all")
    assert "It is live" in published(editor, site, first)
    assert "The page has changed" in words(other.get(f"/admin/publish?draft={second}").text)
    assert "has changed meanwhile" in published(other, site, second)
    assert "for everybody's safety" in words(other.get(f"/admin/drafts/{second}").text)


def test_what_stops_a_draft_is_said_instead_of_the_button(editor: Client, site: Site) -> None:
    draft = draft_with(editor, site, "status: current", "status: curent")
    page = editor.get(f"/admin/publish?draft={draft}").text
    assert "can't be published like this" in unescape(page)
    assert "Publish now" not in page
    assert "unknown status" in published(editor, site, draft)


def test_pages_are_found_by_words_and_status(editor: Client) -> None:
    assert "1 page Returns policy" in words(editor.get("/admin/pages?words=returns-policy.md").text)
    assert "superseded" in words(editor.get("/admin/pages?status=superseded").text)
    assert "0 pages" in words(editor.get("/admin/pages?words=nothing+of+the+kind").text)


@pytest.mark.parametrize(("form", "said"), [({}, "Choose what is to be done."), ({"act": "restore"}, "Choose what")])
def test_a_status_has_to_be_chosen(editor: Client, form: dict[str, str], said: str) -> None:
    response = editor.post("/admin/pages/kc-returns-v3", form)
    assert response.status_code == 422
    assert said in words(response.text)


def test_superseding_asks_for_the_successor(editor: Client) -> None:
    response = editor.post("/admin/pages/kc-returns-v3", {"act": "supersede", "successor": "nothing"})
    assert response.status_code == 422
    assert "Name the page that counts from now on." in words(response.text)


def test_a_page_is_withdrawn_and_restored(editor: Client, site: Site) -> None:
    before = (site.folder / FILE).read_bytes()
    for act, status in (("withdraw", b"status: withdrawn"), ("restore", b"status: current")):
        page = editor.get("/admin/pages/kc-returns-v3").text
        base = re.search(r'name="base" value="([0-9a-f]{64})"', page)
        assert base
        form = {"act": act, "base": base[1], "reason": "For a test"}
        response = editor.post("/admin/pages/kc-returns-v3", form)
        while do_next(site.services):
            pass
        assert "It is live" in words(editor.get(response.headers["Location"]).text)
        assert status in (site.folder / FILE).read_bytes()
    assert (site.folder / FILE).read_bytes() == before
    assert editor.get("/admin/pages/nothing").status_code == 404


def test_what_would_change_is_asked_for_and_read(editor: Client, site: Site) -> None:
    draft = draft_with(editor, site, "within 30 days of delivery", "within 45 days of delivery")
    asked = editor.post("/admin/change", {"draft": draft, "asked": "5"})
    while do_next(site.services):
        pass
    page = words(editor.get(asked.headers["Location"]).text)
    assert "Answered in other words" in page
    assert "Returning a bike , lines 11-12 (draft)" in page
    assert "How long do I have to return a bike?" in page
    text = (site.folder / FILE).read_text(encoding="utf-8").replace("30 days", "50 days")
    editor.post(f"/admin/drafts/{draft}", {"text": text, "path": FILE})
    assert "The draft was edited since" in words(editor.get(f"/admin/change?draft={draft}").text)


def test_what_a_reader_asked_goes_from_a_result_when_it_is_erased(editor: Client, site: Site) -> None:
    question = "Within how many days of delivery may a bike be returned?"
    answer_id = site.services.desk().ask(question, Reader()).id
    draft = draft_with(editor, site, "within 30 days of delivery", "within 45 days of delivery")
    address = editor.post("/admin/change", {"draft": draft, "asked": "5"}).headers["Location"]
    while do_next(site.services):
        pass
    job = site.services.jobs.latest("kestrel", "change")
    assert job is not None
    assert question not in str(job.result)
    assert question in words(editor.get(address).text)
    site.services.history.erase(answer_id)
    page = words(editor.get(address).text)
    assert question not in page
    assert "How long do I have to return a bike?" in page


def test_it_is_in_the_readers_language(site: Site) -> None:
    client = site.client(Role.EDITOR, language="bn")
    address = client.post("/admin/drafts", {"source": "page", "page": "kc-returns-v3"}).headers["Location"]
    draft = address.rsplit("/", 1)[1]
    for path in ("/admin/drafts", address, f"/admin/change?draft={draft}", f"/admin/publish?draft={draft}"):
        main = client.get(path).text.partition("<main")[2]
        assert not re.search(r">\s*(Publish|Save|Discard|Find|Begin|Write|Preview)\b", main), path
