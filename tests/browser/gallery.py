"""Every page that a person can come to, in every state it has: a site that holds them all, and the list of them."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from flask import Flask, abort, request
from pydantic import SecretStr

from tests.client import Client
from tests.conftest import PASSWORD, SCHOOL, write_files
from webapp.app import create_app
from webapp.core.retrieval.model import Role
from webapp.paths import shared
from webapp.services.root import Services
from webapp.services.worker import do_next
from webapp.settings import Settings

NOBODY, ADMIN = "nobody", "admin"
QUESTION, BANGLA, OPEN = "How long do I have to return a bike?", "ডেলিভারি পেতে কত দিন লাগে?", "Can I pay in instalments?"
ELSEWHERE = "গিফট কার্ডের মেয়াদ কত দিন?"  # answered, in Bangla, from a page in English
BROKEN = (
    '{"id": "gone", "question": "Where was it?", "answerable": true, "document": "kc-gone", '
    '"fact": "Gift cards expire 24 months after purchase"}\n'
)
LONG_WORD = "Fahrradrückgabeversicherungsbedingungsänderungsmitteilung" * 2
DRAFT = (
    "---\nid: punctures\ntitle: Mending\nstatus: current\nlang: en\n---\n\n"
    f"## {LONG_WORD}\nWe mend. [Gone](nowhere.md)\n"
)


@dataclass(frozen=True, slots=True)
class Scene:
    """A page in one of its states, before somebody. The state is reached when what was pressed `shows` something."""

    path: str
    who: str = ADMIN
    fill: tuple[tuple[str, str], ...] = ()
    press: str = ""
    shows: str = "[aria-invalid=true], .error, .notice.warning"
    focus: str = ""


@dataclass(frozen=True, slots=True)
class Gallery:
    """The site, the scenes of each of its routes, and the cookie with which the administrator has signed in."""

    app: Flask
    services: Services
    scenes: Mapping[str, tuple[Scene, ...]]
    cookie: str


def paint(folder: Path, vectors: Path) -> Gallery:
    """Make the site in an empty folder; `vectors` is a cache in which kestrel's texts are."""
    site = Painter(folder, vectors)
    return Gallery(site.app, site.services, site.scenes(), site.cookie())


class Painter:
    """Fills a site with all that its pages can show, mostly through its own forms."""

    def __init__(self, folder: Path, vectors: Path) -> None:
        self.pages = folder / "corpus" / "kestrel"
        shutil.copytree(shared("corpus") / "kestrel", self.pages)
        write_files(folder / "corpus" / "school", SCHOOL)  # where every list is empty
        shutil.copytree(vectors, folder / "instance" / "vectors")
        _shorten(self.pages / "golden.jsonl")
        self.services = Services.open(_settings(folder))
        self.app = create_app(self.services.settings, self.services)
        self.app.before_request_funcs[None].insert(0, _fail)
        self.nobody, self.admin = Client(self.app), Client(self.app)
        accounts = self.services.accounts
        self.admin.enter(accounts.accept(accounts.invite("ada@bikes.example", Role.ADMIN), "", PASSWORD))
        self.invitation = accounts.invite("bela@bikes.example", Role.AGENT, frozenset())
        for desk in self.services.desks():
            desk.ensure_index()

    def scenes(self) -> dict[str, tuple[Scene, ...]]:
        """Bring everything about, then say where it is to be seen: by route, as tests/web/test_routes.py names them."""
        answers = {question: self._ask(question) for question in (QUESTION, BANGLA, ELSEWHERE, OPEN)}
        erased = self._ask("When do gift cards expire?")
        self.nobody.post(f"{answers[OPEN]}/feedback", {"vote": "down", "reason": "other", "words": LONG_WORD})
        self.admin.post("/ask", {"question": OPEN})
        runs = [self._evaluate() for _ in range(2)]
        self._edit("within 30 days", "within 45 days")
        published = self._publish("lessons-bn.md", "kc-lessons-bn-v1")
        self.admin.post(f"/agent{answers[QUESTION]}/golden")
        self.admin.post(f"/agent{erased}/erase")
        draft, change = self._draft()
        self._key()
        jobs = self._jobs()
        return (
            self._for_readers(answers, erased)
            | self._for_agents(answers)
            | self._for_writers(draft, change, published)
            | self._for_measuring(runs)
            | {"GET /admin/jobs/<job_id>": tuple(Scene(f"/admin/jobs/{job}") for job in jobs)}
        )

    def cookie(self) -> str:
        """The administrator's session, as a browser sends it."""
        kept = self.admin._client.get_cookie("evidencedesk")
        assert kept
        return str(kept.value)

    def _ask(self, question: str) -> str:
        return str(self.nobody.post("/ask", {"question": question}).headers["Location"])

    def _edit(self, old: str, new: str) -> None:
        file = self.pages / "returns-policy.md"
        file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
        self.services.desk().ensure_index()

    def _evaluate(self) -> str:
        self.services.jobs.ask("kestrel", "evaluate", {"author": "ada@bikes.example"})
        self._work()
        return self.services.store.runs.latest("kestrel")[0].id

    def _publish(self, file: str, page: str) -> str:
        begun = self.admin.post("/admin/drafts", {"source": "page", "page": page}).headers["Location"]
        text = (self.pages / file).read_text(encoding="utf-8") + "\n"
        self.admin.post(begun, {"text": text, "path": file})
        job = self.admin.post("/admin/publish", {"draft": begun.rsplit("/", 1)[1], "message": "A line more"})
        self._work()
        return str(job.headers["Location"])

    def _draft(self) -> tuple[str, str]:
        begun = self.admin.post("/admin/drafts", {"source": "new", "text": DRAFT, "path": "punctures.md"})
        draft = begun.headers["Location"].rsplit("/", 1)[1]
        change = self.admin.post("/admin/change", {"draft": draft, "asked": "3"}).headers["Location"]
        self._work()
        return draft, str(change)

    def _key(self) -> None:
        origins = f"https://shop.example\nhttps://{'very-' * 10}long.example"
        form = {"name": LONG_WORD[:100], "scopes": ["ask"], "origins": origins, "per_minute": "30", "per_day": "1000"}
        assert self.admin.post("/admin/keys", form).status_code == 200

    def _jobs(self) -> tuple[str, str, str, str]:
        """One that failed, one that was called off, one under way and one that waits; none of them will be done."""
        jobs, ids = self.services.jobs, []
        for strategy in ("section", "sentence", "fixed"):
            ids.append(jobs.ask("school", "index", {"strategy": strategy}).id)
            claimed = jobs.claim(("school",))
            assert claimed
            if strategy == "section":
                jobs.failed(claimed, "The disk is full: make room, then try again.")
            elif strategy == "sentence":
                jobs.cancelled(claimed)
            else:
                jobs.report(claimed, "embedding", 1200, 4800)
        waiting = jobs.ask("kestrel", "index", {"strategy": "section"})
        return ids[0], ids[1], ids[2], waiting.id

    def _work(self) -> None:
        while do_next(self.services):
            pass

    def _for_readers(self, answers: Mapping[str, str], erased: str) -> dict[str, tuple[Scene, ...]]:
        policy = "kc-returns-v3"
        pages = ("/sources/", "/c/kestrel/sources/")
        views = ("?lines=11-12", "?lines=11-12&view=text", f"?answer={answers[QUESTION].rsplit('/', 1)[1]}&n=1")
        sources = [tuple(Scene(f"{page}{policy}{view}", NOBODY) for view in views) for page in pages]
        box = (("#question", "!?"),)
        return {
            "GET /": (Scene("/", NOBODY), Scene("/", NOBODY, box, ".ask.first button"), Scene("/")),
            "GET /c/<collection>/": (Scene("/c/school/", NOBODY),),
            "GET /answers/<answer_id>": (
                *(Scene(address, NOBODY) for address in answers.values()),
                Scene(answers[QUESTION], NOBODY, focus=".marker"),
                Scene(answers[ELSEWHERE], NOBODY, press="#vote-down", shows="#feedback details[open]"),
                Scene(erased, NOBODY),
                Scene(answers[QUESTION]),
                Scene(answers[OPEN]),
            ),
            "GET /asked": (Scene("/asked", NOBODY), Scene("/asked")),
            "GET /sources/<path:document_id>": (*sources[0], Scene("/sources/kc-returns-v2", NOBODY)),
            "GET /c/<collection>/sources/<path:document_id>": sources[1],
            "GET /sign-in": (
                Scene("/sign-in", NOBODY),
                Scene("/sign-in", NOBODY, (("#email", "x@y.example"), ("#password", "wrong")), "main form button"),
            ),
            "GET /sign-in/<token>": (
                Scene(f"/sign-in/{self.invitation}", NOBODY),
                Scene(f"/sign-in/{self.invitation}", NOBODY, (("[name=password]", "short"),), "main form button"),
                Scene("/sign-in/over", NOBODY),
            ),
            "GET /sessions": (Scene("/sessions"),),
        }

    def _for_agents(self, answers: Mapping[str, str]) -> dict[str, tuple[Scene, ...]]:
        return {
            "GET /agent/": (Scene("/agent/"),),
            "GET /agent/answers": (Scene("/agent/answers"), Scene("/agent/answers?q=zeppelin")),
            "GET /agent/answers/<answer_id>": (
                Scene(f"/agent{answers[QUESTION]}"),
                Scene(f"/agent{answers[QUESTION]}?done=golden"),
                Scene(f"/agent{answers[QUESTION]}", press=".actions > form button", shows=".again"),
                Scene(f"/agent{answers[OPEN]}"),
            ),
            "GET /agent/search": tuple(
                Scene(f"/agent/search{query}") for query in ("", "?q=bike", "?q=x&status=draft", "?collection=school")
            ),
            "GET /agent/diff": tuple(
                Scene(f"/agent/diff?document={query}")
                for query in ("kc-returns-v3", "kc-returns-v2&one=now&other=page:kc-returns-v3", "kc-shops-v1")
            ),
            "GET /agent/answers/<answer_id>/erase": (Scene(f"/agent{answers[BANGLA]}/erase"),),
        }

    def _for_writers(self, draft: str, change: str, published: str) -> dict[str, tuple[Scene, ...]]:
        settings = "setting=paragraph&setting=section"
        key, make = (("#name", "Shop"),), "form[action='/admin/keys'] button"
        return {
            "GET /admin/": (Scene("/admin/"),),
            "GET /admin/index": _both("/admin/index"),
            "GET /admin/conflicts": _both("/admin/conflicts"),
            "GET /admin/gaps": (*_both("/admin/gaps"), Scene("/admin/gaps?aside=1"), Scene("/admin/gaps?done=aside")),
            "GET /admin/drafts": (*_both("/admin/drafts"), Scene("/admin/drafts?done=discarded")),
            "GET /admin/drafts/<draft_id>": (Scene(f"/admin/drafts/{draft}"), Scene(f"/admin/drafts/{draft}?saved=1")),
            "GET /admin/drafts/<draft_id>/preview": (Scene(f"/admin/drafts/{draft}/preview"),),
            "GET /admin/change": (Scene(f"/admin/change?draft={draft}"), Scene(change)),
            "GET /admin/publish": (Scene(f"/admin/publish?draft={draft}"), Scene(published)),
            "GET /admin/pages": (*_both("/admin/pages"), Scene("/admin/pages?words=zeppelin")),
            "GET /admin/pages/<path:document_id>": tuple(
                Scene(f"/admin/pages/{page}") for page in ("kc-returns-v3", "kc-returns-v2")
            ),
            "GET /admin/publications": _both("/admin/publications"),
            "GET /admin/chunking": (
                Scene(f"/admin/chunking?page=kc-returns-v3&{settings}"),
                Scene(f"/admin/chunking?page=kc-returns-v3&{settings}#a-c0"),
                Scene(f"/admin/chunking?page=kc-returns-v3&{settings},size%3D3"),
                Scene(f"/admin/chunking?draft={draft}&{settings}"),
            ),
            "GET /admin/accounts": (
                Scene("/admin/accounts"),
                Scene("/admin/accounts", fill=(("#email", "ada@bikes.example"),), press="form:has(#email) button"),
            ),
            "GET /admin/keys": (
                Scene("/admin/keys"),
                Scene("/admin/keys", fill=(*key, ("#origins", "https://shop.example")), press=make, shows="pre.secret"),
                Scene("/admin/keys", fill=(*key, ("#origins", "nowhere")), press=make),
            ),
        }

    def _for_measuring(self, runs: list[str]) -> dict[str, tuple[Scene, ...]]:
        place = "/admin/evaluation"
        lines = "question=Why&document=kc-returns-v3&first=11&last=12"
        return {
            f"GET {place}": _both(place),
            f"GET {place}/runs/<run_id>": (
                Scene(f"{place}/runs/{runs[0]}"),
                Scene(f"{place}/runs/{runs[1]}?question=return-bike&limit=1"),
            ),
            f"GET {place}/compare": (
                Scene(f"{place}/compare"),
                Scene(f"{place}/compare?first={runs[0]}&second={runs[1]}"),
            ),
            f"GET {place}/questions": (*_both(f"{place}/questions"), Scene(f"{place}/questions?removed=1")),
            f"GET {place}/questions/edit": (
                Scene(f"{place}/questions/edit"),
                Scene(f"{place}/questions/edit?id=return-bike"),
                Scene(f"{place}/questions/edit", press="main form button"),
            ),
            f"GET {place}/questions/lines": (Scene(f"{place}/questions/lines?{lines}"),),
            f"GET {place}/proposals": _both(f"{place}/proposals"),
            "GET /admin/contract": _both("/admin/contract"),
        }


CODES = (400, 403, 404, 410, 413, 429, 500, 503)
FAILURES = (Scene("/nothing", NOBODY), *(Scene(f"/fails/{code}", NOBODY) for code in CODES))


def _both(path: str) -> tuple[Scene, Scene]:
    """A page of a collection in which something is, and of one in which nothing is."""
    return Scene(path), Scene(f"{path}?collection=school")


def _fail() -> None:
    """Pages that fail, as any page may."""
    place, _, code = request.path.rpartition("/")
    if place == "/fails":
        abort(int(code))


def _shorten(golden: Path) -> None:
    lines = golden.read_text(encoding="utf-8").splitlines(keepends=True)
    golden.write_text("".join([*lines[:4], lines[-1].rstrip("\n") + "\n", BROKEN]), encoding="utf-8")


def _settings(folder: Path) -> Settings:
    return Settings(
        instance=folder / "instance",
        corpus=folder / "corpus",
        collection="kestrel",
        secret_key=SecretStr("k" * 40),
        ask_rate="10000 per minute",
        sign_in_rate="10000 per minute",
    )
