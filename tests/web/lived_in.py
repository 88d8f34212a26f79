"""An installation in which a week has passed: asked, voted, written, published, removed, evaluated, much of it by
people in a group about documents that are closed to everybody else."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path

from tests.client import Client
from tests.conftest import PASSWORD, Desks, _install
from webapp.core.retrieval.model import Reader, Role
from webapp.services.history import Search
from webapp.services.worker import do_next
from webapp.store.feedback import Vote
from webapp.web.access import EDITORS, RIGHTS, STAFF

SIGN = "zyxolite"  # stands in all that is closed, and nowhere else: too long to come up in a token by chance
HEAD = "---\nid: {id}\ntitle: Zyxolite {id}\nversion: 1\nstatus: {status}\nlang: en\naudience: staff\n---\n\n"
BODY = "## Storing Zyxolite\nZyxolite is stored at 7 degrees in the zyxolite cellar.\n"
# Says in the same words what an open page says, so that conflicts, repeats and nearest pages would name it.
CLOSED = {
    "zyxolite-store.md": HEAD.format(id="zyxolite-store", status="current") + BODY,
    "zyxolite-old.md": HEAD.format(id="zyxolite-old", status="superseded").replace(
        "\n---\n\n", "\nsuperseded_by: zyxolite-store\n---\n\n"
    )
    + BODY.replace("7", "9"),
    "zyxolite-returns.md": HEAD.format(id="zyxolite-returns", status="current")
    + "## Returning a lamp\nYou can return a lamp within 99 days of delivery for a full refund, zyxolite or not.\n",
    "zyxolite-held.md": HEAD.format(id="zyxolite-held", status="current") + "## Held\nZyxolite comes and goes.\n",
}
INSIDER = Reader(Role.ADMIN, frozenset({"staff"}))
ASKED = "At how many degrees is zyxolite stored?"
LABELS = (
    {"id": "open", "question": "Within how many days can I return a lamp?", "document": "returns", "lines": [10, 10]},
    {"id": "zyxolite-1", "question": ASKED, "document": "zyxolite-store", "lines": [11, 11], "fact": "7 degrees"},
    {
        "id": "zyxolite-2",
        "question": "Where is zyxolite kept?",
        "document": "zyxolite-store",
        "fact": "no longer there: zyxolite",
    },
    {
        "id": "zyxolite-3",
        "question": "What is a zyxolite bin?",
        "document": "zyxolite-gone",
        "fact": "zyxolite of a page that is gone",
    },
)
FACTS = ({"fact": "7 degrees in the zyxolite cellar", "document": "zyxolite-store"},)


def lines_of(rows: Sequence[Mapping[str, object]]) -> str:
    return "".join(json.dumps({"answerable": True, "lang": "en", **row}) + "\n" for row in rows)


@contextmanager
def lived_in_desks(folder: Path, vectors: Path) -> Iterator[Desks]:
    """Give the installation; no text that is in `vectors` is embedded again."""
    shutil.copytree(vectors, folder / "instance" / "vectors")
    desks = _install(folder)
    write(desks.shop, CLOSED)
    write(desks.shop, {"golden.jsonl": lines_of(LABELS), "facts.jsonl": "\n".join(map(json.dumps, FACTS)) + "\n"})
    accounts = desks.services.accounts
    people = {
        "insider": (Role.ADMIN, frozenset({"staff"})),
        "editor": (Role.EDITOR, frozenset[str]()),
        "agent": (Role.AGENT, frozenset[str]()),
        "admin": (Role.ADMIN, frozenset[str]()),
    }
    desks.sessions = {
        name: accounts.accept(accounts.invite(f"{name}@lamps.example", role, groups), "", PASSWORD)
        for name, (role, groups) in people.items()
    }
    desks.services.desk().ensure_index()
    live_through(desks)
    yield desks
    desks.services.close()


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def live_through(desks: Desks) -> None:
    """What those in the group do in a week: ask, vote, write, publish, remove, evaluate."""
    services, insider = desks.services, desks.client("insider")
    member = Reader(groups=frozenset({"staff"}))
    answer = services.desk().ask(ASKED, member)
    assert any(one.document_id.startswith(SIGN) for one in answer.citations)
    services.feedback.cast(answer.id, member, "a reader", Vote(False, "wrong", "zyxolite melts at 7 degrees"))
    for act in ("golden", "report"):
        insider.post(f"/agent/answers/{answer.id}/{act}", {"note": "zyxolite: look at this"})
    publish(desks, insider, "zyxolite-gone.md", HEAD.format(id="zyxolite-gone", status="current") + BODY)
    publish(desks, insider, "zyxolite-lived.md", HEAD.format(id="zyxolite-lived", status="current") + BODY)
    (desks.shop / "zyxolite-gone.md").unlink()
    write(desks.shop, {"zyxolite-held.md": CLOSED["zyxolite-held.md"].replace("status: current", "status: zyxolited")})
    services.desk().ensure_index()
    insider.post("/admin/evaluation", {"collection": "shop"})
    work(desks)
    own = "---\nid: own\ntitle: Own\nstatus: current\nlang: en\n---\n\n" + BODY.replace("yxolite", "inc")
    for client, text, path in ((insider, CLOSED["zyxolite-store.md"].replace("-store", "-draft"), "zyxolite-draft.md"),
                               (desks.client("editor"), own, "own.md")):  # fmt: skip
        client.post("/admin/change", {"draft": begin(client, text, path)})
        work(desks)


def work(desks: Desks) -> None:
    while do_next(desks.services):
        pass


def begin(client: Client, text: str, path: str) -> str:
    address = client.post("/admin/drafts", {"source": "text", "text": text, "path": path}).headers["Location"]
    return address.partition("?")[0].rpartition("/")[2]


def publish(desks: Desks, client: Client, path: str, text: str) -> None:
    form = {"draft": begin(client, text, path), "message": f"Add {path}", "reason": "zyxolite has to be known"}
    assert client.post("/admin/publish", form).status_code == 303
    work(desks)
    assert (desks.shop / path).exists()


def addresses(desks: Desks) -> list[str]:
    """Every page that staff may get, with each thing it can be about."""
    examples = {
        "collection": ["shop"],
        "document_id": ["returns", "zyxolite-store", "zyxolite-gone"],
        "answer_id": [one.answer.id for one in desks.services.history.page(Search(), INSIDER).found],
        "job_id": jobs(desks),
        "run_id": [run.id for run in desks.services.store.runs.latest("shop", 10)],
        "draft_id": ["made-up"],
    }
    adapter = desks.app.url_map.bind("localhost")
    paths = []
    for rule in desks.app.url_map.iter_rules():
        wanted = RIGHTS[rule.endpoint] in (STAFF, EDITORS) or rule.endpoint in ("source.show", "answer.show")
        if wanted and "GET" in (rule.methods or set()):
            names = sorted(rule.arguments)
            for values in product(*(examples[name] for name in names)):
                paths.append(adapter.build(rule.endpoint, dict(zip(names, values, strict=True))))
    return [path + query for path in paths for query in queries(desks, path)]


def jobs(desks: Desks) -> list[str]:
    latest = (desks.services.jobs.latest("shop", kind) for kind in ("index", "change", "publish", "evaluate"))
    return [job.id for job in latest if job]


QUERIES = {
    "/agent/search": ("q=store+degrees+returning+lamp", "q=return&by=words", "status=superseded", "audience=staff"),
    "/agent/diff": ("document=returns", "document=zyxolite-store"),
    "/agent/answers": ("q=stored", "rating=down", "document=zyxolite-store"),
    "/admin/chunking": ("page=returns", "page=zyxolite-store"),
    "/admin/evaluation/questions": ("kind=broken", "words=stored"),
    "/admin/evaluation/questions/edit": ("id=zyxolite-1", "id=open"),
    "/admin/evaluation/questions/lines": ("id=zyxolite-1&document=zyxolite-store", "document=returns"),
    "/admin/pages": ("words=store", "status=superseded"),
}


def queries(desks: Desks, path: str) -> list[str]:
    about_jobs = [f"job={job}" for job in jobs(desks)] if path in WITH_JOBS else []
    return ["", *(f"?collection=shop&{query}" for query in [*QUERIES.get(path, ()), *about_jobs])]


WITH_JOBS = ("/admin/index", "/admin/change", "/admin/publish", "/admin/evaluation", "/admin/gaps")
