"""A desk whose pages are hostile, a second one that is closed to its readers, and a model that obeys whoever speaks."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml
from flask import Flask
from pydantic import SecretStr
from werkzeug.test import TestResponse

from tests.client import Client
from tests.hostile.attempts import ATTEMPTS, Attempt
from tests.hostile.inert import assert_inert
from tests.pages.word_counts import WordCounts, add_embedder
from webapp.app import create_app
from webapp.core.answering.model import ModelReply, ModelRequest
from webapp.core.answering.models.base import models
from webapp.core.answering.sufficiency import Calibration
from webapp.core.registry import NoOptions, Part
from webapp.core.retrieval.model import Outcome, Role, Sufficiency
from webapp.services.root import Services
from webapp.settings import Settings

KEY = "a-signing-key-that-no-page-may-show"
STAFF_WORD, VAULT_WORD = "Quetzalcoatl", "Xylophagous"  # stand only on what readers may not see
DRAFT_WORD = "Ouagadougou"  # on a draft: staff may read it, customers not
PRICE = "The brass lamp costs 1040 coins."

_CONFIG = f"""
title = "Lamps"
languages = ["en", "bn"]
embedder = "{WordCounts.name}"
strategy = "section"
groups = ["staff"]
contact = "Write to help@lamps.example."
"""
_PAGES = {
    "prices.md": f"---\nid: prices\ntitle: Prices\nlang: en\n---\n\n## Lamps\n{PRICE}\n",
    "secret.md": "---\nid: secret\ntitle: Staff pay\nlang: en\naudience: staff\n---\n\n"
    f"## Pay\nStaff are paid by the {STAFF_WORD} rule, 77 coins a day.\n",
    "plans.md": "---\nid: plans\ntitle: Plans\nlang: en\nstatus: draft\n---\n\n"
    f"## Plans\nA shop opens in {DRAFT_WORD}.\n",
}
_VAULT = {"plans.md": f"---\nid: plans\ntitle: Vault\nlang: en\n---\n\n## Vault\nThe vault holds {VAULT_WORD} coins.\n"}

CLOSED = (STAFF_WORD, VAULT_WORD, KEY)
EACH = pytest.mark.parametrize("attempt", ATTEMPTS, ids=[one.name for one in ATTEMPTS])

Behaviour = Callable[[ModelRequest], str]


def honest(request: ModelRequest) -> str:
    """Answer with the first sentence of the best chunk, citing it."""
    chunk = request.evidence[0].chunk
    return reply(chunk.sentences[0].text, chunk.id)


def abstains(_: ModelRequest) -> str:
    """Say that the evidence answers nothing."""
    return json.dumps({"status": "abstained", "confidence": "low", "statements": []})


def reply(text: str, *cited: str) -> str:
    """Return a reply of one statement, in the form that is asked for."""
    statement = {"text": text, "cited_ids": list(cited)}
    return json.dumps({"status": "answered", "confidence": "high", "statements": [statement]})


@dataclass
class Scripted:
    """A model that does what the test says, and remembers what it was asked."""

    name: str = "scripted"
    external: bool = False
    behaviour: Behaviour = honest
    requests: list[ModelRequest] = field(default_factory=list)

    def reply(self, request: ModelRequest) -> ModelReply:
        self.requests.append(request)
        return ModelReply(self.behaviour(request))


# Nonces, ids, times: what differs from page to page and can't be markup. Reading a page strictly takes as long as
# making it, so one that has been read is not read again. (Digits of references stay: `&#60;` is markup.)
_VARYING = re.compile(r"[\w-]{16,}|(?<![#\w])\d+(?!\w)")
_CHECKED: set[str] = set()


class Browser(Client):
    """Checks every page that it gets: nothing in it acts, and nothing that is closed to its reader stands there."""

    token = ""

    def csrf_token(self) -> str:
        """A browser's session has one token for good."""
        self.token = self.token or super().csrf_token()
        return self.token

    def _checked(self, response: TestResponse) -> TestResponse:
        if response.mimetype == "text/html" and response.status_code not in (302, 303):
            like = _VARYING.sub("0", response.text)
            if like not in _CHECKED:
                assert_inert(response.text)
                _CHECKED.add(like)
        shown = [word for word in CLOSED if word in response.text]
        assert not shown
        return response


@dataclass
class Hostile:
    """The installation under attack."""

    app: Flask
    services: Services
    model: Scripted
    folder: Path
    sessions: dict[Role, str] = field(default_factory=dict)
    browsers: dict[Role | None, Browser] = field(default_factory=dict)

    def client(self, role: Role | None = None) -> Browser:
        """The browser of nobody, or of somebody of that role who belongs to no group."""
        if role not in self.browsers:
            self.browsers[role] = Browser(self.app)
            if role is not None:
                self.browsers[role].enter(self.sessions[role])
        return self.browsers[role]

    def ask(self, client: Browser, question: str, behaviour: Behaviour = honest) -> str:
        """Ask through the form, of a model that behaves so; return the answer's address."""
        self.model.behaviour = behaviour
        response = client.post("/ask", {"question": question})
        assert response.status_code == 303, response.text
        return str(response.headers["Location"])


def hostile_page(attempt: Attempt) -> str:
    """Return a page that carries the attempt wherever a page can carry text."""
    head = {"id": attempt.name, "title": f"Thing {attempt.line}", "lang": "en", "version": attempt.line[:40]}
    shown = yaml.safe_dump(head | {"note": attempt.text, attempt.line: "a key"}, allow_unicode=True)
    return (
        f"---\n{shown}---\n\n## Heading {attempt.line}\nThe item {attempt.name} weighs {attempt.number} grams. "
        f"{attempt.line}\n\n{attempt.text}\n\n> {attempt.line}\n\n| a | {attempt.line.replace('|', '')} |\n|--|--|\n"
        f"| b | c |\n\n```\n{attempt.line}\n```\n"
    )


def _write(folder: Path, files: dict[str, str]) -> None:
    folder.mkdir(parents=True)
    (folder / "collection.toml").write_text(_CONFIG, encoding="utf-8")
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hostile]:
    """The installation, with the gate open: whatever is found counts as enough, so that the model is always asked."""
    place, model = tmp_path_factory.mktemp("hostile"), Scripted()
    _write(place / "corpus" / "desk", _PAGES | {one.file_name: hostile_page(one) for one in ATTEMPTS})
    _write(place / "corpus" / "vault", _VAULT)
    with pytest.MonkeyPatch.context() as patch:
        add_embedder(patch)
        models.all()
        patch.setitem(models._parts, model.name, Part(model.name, "For tests: scripted", NoOptions, lambda _: model))
        patch.setattr(Calibration, "judge", lambda *_: Sufficiency(0.9, 0.5, Outcome.ANSWER))
        settings = Settings(
            instance=place / "instance",
            corpus=place / "corpus",
            collection="desk",
            model=model.name,
            secret_key=SecretStr(KEY),
            sign_in_rate="1000 per minute",
            answer_cache=0,  # each behaviour of the model is tried on questions asked before
        )
        services = Services.open(settings)
        for desk in services.desks():
            desk.ensure_index()
        site = Hostile(create_app(settings, services), services, model, place / "corpus" / "desk")
        for role in (Role.AGENT, Role.EDITOR, Role.ADMIN):
            email = f"{role.value}@lamps.example"
            site.sessions[role] = services.accounts.accept(services.accounts.invite(email, role), "", "a long password")
        yield site
        services.close()
