"""A small site: a folder of documents, served by the real application, and answers made by hand."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from tests.client import Client
from tests.pages.word_counts import add_embedder
from webapp.app import create_app
from webapp.core.answering.model import Answer, Citation, Quote, Reason, Statement, Trace
from webapp.core.retrieval.model import Reader, Role
from webapp.services.copies import snapshot_of
from webapp.services.root import Services
from webapp.settings import Settings
from webapp.store.kept import Kept

CONFIG = """
title = { en = "Bikes & <b>Co</b>", bn = "সাইকেল" }
languages = ["en", "bn"]
embedder = "word-counts-of-pages"
strategy = "paragraph"
groups = ["staff"]
staff_see_groups = true
fallback = { en = "Our pages don't say.", bn = "আমাদের পাতায় নেই।" }
contact = { en = "Write to help@bikes.example.", bn = "help@bikes.example ঠিকানায় লিখুন।" }
[examples]
en = ["How long can I keep it?", "What does a <b>helmet</b> cost?"]
bn = ["চাঁদে কি জাদুঘর আছে?"]
"""

HEAD = "---\nid: {id}\ntitle: {title}\nversion: {version}\nstatus: {status}\nlang: {lang}\n{more}---\n\n"
PLAIN = {"version": "1", "status": "current", "lang": "en", "more": ""}

# What differs from PLAIN in the head, then the body, which begins on line 9 (10 with something more in the head).
DOCUMENTS: dict[str, tuple[dict[str, str], str]] = {
    "returns": (
        {"title": "Returns", "version": "3"},
        "## Bikes\nReturn a bike in **30\ndays**. Keep [the box](https://box.example). See [copies](copies.md).\n",
    ),
    "returns-2": (
        {"title": "Returns", "version": "2", "status": "superseded", "more": "superseded_by: returns\n"},
        "## Bikes\nReturn a bike in 14 days.\n",
    ),
    "copies": (
        {"title": "Copies", "version": "1.10"},
        "## A\nSame words here.\n\n## B\nSame words here.\n\n## C\nSame words here.\n",
    ),
    "hostile": (
        {"title": "'<script>alert(1)</script>'"},
        "## <img src=x onerror=alert(2)>\n<svg onload=alert(3)></svg> Oil it. ![pic](https://remote.example/p.png)\n",
    ),
    "code": ({"title": "Code"}, "## Sample\n\n```\nif\u00a0x:\n\ty = 1\n\t\tz = 2\n```\n"),
    "secret": ({"title": "Pay of staff", "more": "audience: [staff]\n"}, "## Pay\nStaff get paid on Fridays.\n"),
    "draft": ({"title": "Draft of plans", "status": "draft"}, "## Plans\nWe plan a shop.\n"),
    "long": ({"title": "Long"}, "".join(f"## Part {n}\nPart {n} tells a thing.\n\n" for n in range(1, 61))),
    "ferot": (
        {"title": "ফেরত", "version": "2", "lang": "bn"},
        "## সাইকেল\nত্রিশ দিনের মধ্যে ফেরত দিন । বাক্স রাখুন।\n",
    ),
}


def write_documents(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "collection.toml").write_text(CONFIG, encoding="utf-8")
    for id_, (head, body) in DOCUMENTS.items():
        (folder / f"{id_}.md").write_text(HEAD.format(id=id_, **(PLAIN | head)) + body, encoding="utf-8")


@dataclass
class Site:
    """The application with its services, and what tests do to it."""

    services: Services
    folder: Path
    client: Client
    made: list[Answer] = field(default_factory=list)  # answers that were asked for

    def quote(self, marker: int, document_id: str, words: str, after: str = "") -> Quote:
        """A quote of the first place of these words after those."""
        document = self.document(document_id)
        start = document.text.index(words, document.text.index(after))
        first, last = document.line_at(start), document.line_at(start + len(words) - 1)
        text = " ".join(words.split())
        return Quote(marker=marker, text=text, first_line=first, last_line=last, start=start, end=start + len(words))

    def cite(self, marker: int, document_id: str, lines: tuple[int, int], heading: str) -> Citation:
        document = self.document(document_id)
        return Citation(
            marker=marker,
            chunk_id=f"{document_id}:c{marker}",
            document_id=document_id,
            title=document.title,
            version=document.version,
            status="current",
            lang=document.lang,
            updated=None,
            heading=heading,
            first_line=lines[0],
            last_line=lines[1],
            label=f"{heading}, lines {lines[0]}-{lines[1]}",
        )

    def keep(self, statements: Sequence[Statement], citations: Sequence[Citation], **given: Any) -> str:
        """Keep an answer as if it had been given; return its address."""
        desk = self.services.desk()
        fields: dict[str, Any] = {
            "question": "How long?",
            "lang": "en",
            "abstained": not statements,
            "reason": Reason.OK if statements else Reason.NO_EVIDENCE,
            "confidence": "high" if statements else None,
            "created_at": datetime.now(UTC),
        }
        answer = Answer(
            id=hashlib.sha256(repr((statements, citations, sorted(given.items()))).encode()).hexdigest()[:22],
            collection=desk.name,
            index_version=desk.live().manifest.id,
            model="extractive",
            answer="Our pages don't say." if not statements else " ".join(one.text for one in statements),
            statements=tuple(statements),
            citations=tuple(citations),
            **(fields | given),
        )
        copies = {one.document_id: snapshot_of(desk.live(), one.document_id) for one in citations}
        self.services.store.answers.add(Kept(answer, Trace(None, "", "", ""), "customer", copies))
        return f"/answers/{answer.id}"

    def keep_returns(self, **given: Any) -> str:
        """Keep the answer that most tests look at."""
        quote = self.quote(1, "returns", "Return a bike in **30\ndays**.")
        quote = quote.model_copy(update={"text": "Return a bike in 30 days."})
        statement = Statement(text="Return a bike in 30 days.", markers=(1,), quotes=(quote,))
        return self.keep([statement], [self.cite(1, "returns", (10, 11), "Bikes")], **given)

    def document(self, document_id: str) -> Any:
        document = self.services.desk().document(document_id, Reader(Role.ADMIN))
        assert document
        return document

    def keep_copies(self) -> str:
        """Keep an answer with three citations of one document, the last copy first."""
        places = ((1, "C", 16), (2, "A", 10), (3, "B", 13))
        citations = [self.cite(marker, "copies", (line, line), heading) for marker, heading, line in places]
        quotes = [self.quote(marker, "copies", "Same words here.", f"## {heading}") for marker, heading, _ in places]
        statements = [
            Statement(text=f"Claim {quote.marker}.", markers=(quote.marker,), quotes=(quote,)) for quote in quotes
        ]
        return self.keep(statements, citations)

    def edit(self, document_id: str, old: str, new: str) -> None:
        """Change a document and let the index follow."""
        file = self.folder / f"{document_id}.md"
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new), encoding="utf-8")
        deadline = time.monotonic() + 10
        while self.services.desk().ensure_index() is None:  # a slow folder is not looked at all the time
            assert time.monotonic() < deadline
            time.sleep(0.01)

    def as_role(self, role: Role) -> Client:
        """A browser in which somebody of that role is signed in."""
        accounts = self.services.accounts
        session = accounts.accept(accounts.invite("a@bikes.example", role), "a@bikes.example", "a long password here")
        return Client(self.client.app).enter(session)


@pytest.fixture
def make_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Site]]:
    """Make a site of the test documents; `language` is the browser's."""
    add_embedder(monkeypatch)
    opened: list[Services] = []

    def make(language: str = "en", **settings: Any) -> Site:
        folder = tmp_path / "bikes"
        write_documents(folder)
        wanted = Settings(
            instance=tmp_path / "instance",
            collection=str(folder),
            secret_key=SecretStr("k" * 40),
            ask_rate="1000 per minute",
            **settings,
        )
        services = Services.open(wanted, alone=True)
        opened.append(services)
        services.desk().ensure_index()
        site = Site(services, folder, Client(create_app(wanted, services), language))
        services.observe(lambda answer, _: site.made.append(answer))
        return site

    yield make
    for services in opened:
        services.close()


@pytest.fixture
def site(make_site: Callable[..., Site]) -> Site:
    return make_site()


@pytest.fixture
def bangla_site(make_site: Callable[..., Site]) -> Site:
    return make_site("bn")
