"""Hostile questions, names, votes and drafts: text on every page that shows them, and obeyed by none."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest

from tests.hostile.attempts import ATTEMPTS, Attempt
from tests.hostile.conftest import CLOSED, EACH, Browser, Hostile, abstains, hostile_page
from webapp.core.answering.prompt import system_rules
from webapp.core.retrieval.model import Role

KINDS = sorted({one.kind for one in ATTEMPTS})


def test_there_are_at_least_a_hundred_attempts_in_both_languages() -> None:
    assert len({one.text for one in ATTEMPTS}) >= 100
    assert sum(bool(re.search(r"[\u0980-\u09ff]", one.text)) for one in ATTEMPTS) >= 10


@EACH
def test_a_question_is_text_on_its_pages_and_opens_nothing_in_the_prompt(hostile: Hostile, attempt: Attempt) -> None:
    asker = hostile.client()
    address = hostile.ask(asker, f"How much does item {attempt.name} weigh? {attempt.text}")
    assert asker.get(address).status_code == 200
    assert hostile.client(Role.AGENT).get(f"/agent{address}").status_code == 200
    request = hostile.model.requests[-1]
    assert re.findall(r'<evidence source="([^"]*)">\n', request.user) == [hit.chunk.id for hit in request.evidence]
    for mark in ("<evidence", "</evidence>"):
        assert request.user.count(mark) == len(request.evidence)
    assert request.user.count("<question>") == request.user.count("</question>") == 1
    assert request.system == system_rules()
    assert not any(word in request.user for word in CLOSED)


@EACH
def test_a_vote_is_text_where_it_is_shown(hostile: Hostile, attempt: Attempt) -> None:
    asker = hostile.client()
    address = hostile.ask(asker, "What does the brass lamp cost?")
    vote = {"vote": "down", "reason": "other", "words": attempt.text}
    assert asker.post(f"{address}/feedback", vote, headers={"HX-Request": "true"}).status_code == 200
    assert hostile.client(Role.AGENT).get(f"/agent{address}").status_code == 200


@EACH
def test_a_draft_is_text_in_editor_and_preview(hostile: Hostile, attempt: Attempt) -> None:
    editor = hostile.client(Role.EDITOR)
    begun = editor.post("/admin/drafts", {"source": "new", "text": hostile_page(attempt), "path": "new.md"})
    draft = begun.headers["Location"]
    assert editor.get(draft).status_code == 200
    assert editor.get(f"{draft}/preview").status_code == 200
    editor.post(f"{draft}/discard")


@pytest.mark.parametrize("kind", KINDS)
def test_a_draft_is_text_where_it_is_compared(hostile: Hostile, kind: str) -> None:
    editor = hostile.client(Role.EDITOR)
    text = "".join(f"## {one.line}\n{one.text}\n\n" for one in ATTEMPTS if one.kind == kind)
    begun = editor.post("/admin/drafts", {"source": "new", "text": f"---\ntitle: A\n---\n\n{text}", "path": "new.md"})
    draft = begun.headers["Location"].rsplit("/", 1)[1]
    assert editor.get(f"/admin/chunking?draft={draft}").status_code == 200
    editor.post(f"/admin/drafts/{draft}/discard")


@pytest.mark.parametrize("kind", KINDS)
def test_a_name_leads_nowhere_and_is_text(hostile: Hostile, kind: str) -> None:
    editor, services = hostile.client(Role.EDITOR), hostile.services
    author = services.accounts.of_session(hostile.sessions[Role.EDITOR])
    assert author
    before = {file.relative_to(hostile.folder) for file in hostile.folder.rglob("*")}
    for one in (one for one in ATTEMPTS if one.kind == kind):
        upload = {"source": "upload", "path": one.text, "file": (io.BytesIO(b"## A\nWords.\n"), one.line)}
        response = editor.post("/admin/drafts", upload)
        if response.status_code == 303:
            begun = [(hostile.folder / draft.path).resolve() for draft in services.drafts.of(author, services.desk())]
            assert all(file.is_relative_to(hostile.folder.resolve()) for file in begun), one.text
            editor.post(f"{response.headers['Location']}/discard")
        else:
            assert response.status_code == 422
    assert {file.relative_to(hostile.folder) for file in hostile.folder.rglob("*")} == before


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_searched_for_and_signed_in_with_is_text(hostile: Hostile, kind: str) -> None:
    agent, nobody = hostile.client(Role.AGENT), hostile.client()
    text = " ".join(one.line for one in ATTEMPTS if one.kind == kind)[:1500]
    assert agent.get("/agent/search", query_string={"q": text, "by": text, "version": text}).status_code == 200
    assert agent.get("/agent/answers", query_string={"q": text, "reason": text}).status_code == 200
    assert nobody.post("/sign-in", {"email": text, "password": text, "next": text}).status_code == 422


def test_lists_and_exports_hold_them_all_as_text(hostile: Hostile) -> None:
    asker, editor = hostile.client(), hostile.client(Role.EDITOR)
    for attempt in ATTEMPTS:
        address = hostile.ask(asker, f"{attempt.text} a", abstains)
        if attempt.number <= 2:
            asker.post(f"{address}/feedback", {"vote": "down", "reason": "other", "words": attempt.text})
            editor.post(f"/agent{address}/golden")
    for path in ("/asked", "/agent/answers", "/admin/gaps", "/admin/evaluation/proposals"):
        _read_on(asker if path == "/asked" else editor, path)
    rows = list(csv.reader(io.StringIO(editor.get("/agent/answers.csv").text.removeprefix("\ufeff"), newline="")))
    assert len({len(row) for row in rows}) == 1
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@"))]
    lines = editor.get("/agent/answers.jsonl").text.split("\n")
    assert len([json.loads(line) for line in lines if line]) == len(rows) - 1


def _read_on(client: Browser, path: str) -> None:
    """Check a list to its last page."""
    following: str | None = path
    while following:
        page = client.get(following).text
        found = re.search(r'<a[^>]*href="([^"]+)"[^>]*rel="next"|<a[^>]*rel="next"[^>]*href="([^"]+)"', page)
        following = (found[1] or found[2]).replace("&amp;", "&") if found else None
