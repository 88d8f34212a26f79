"""An instance that can't be written to, started like that: what is there is read, whoever would change something is
told that it could not be kept, and nothing is lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

import pytest

from tests.client import Client
from tests.closed import closed_to_writing
from tests.conftest import PASSWORD, Desks
from webapp.app import create_app
from webapp.core.retrieval.model import Reader, Role
from webapp.services import accounts, worker
from webapp.services.backup import back_up, check
from webapp.services.root import Services

QUESTION = {"question": "Within how many days can I return a lamp?"}


@dataclass
class Closed:
    """An installation that began in a closed folder, two browsers, and the address of an answer given before."""

    services: Services
    reader: Client
    editor: Client
    given: str


@pytest.fixture
def closed(desks: Desks, monkeypatch: pytest.MonkeyPatch) -> Iterator[Closed]:
    for card in desks.services.collections():
        desks.services.desk(card.name).ensure_index()
    given = desks.client().post("/ask", QUESTION).headers["Location"]
    people = desks.services.accounts
    token = people.accept(people.invite("editor@lamps.example", Role.EDITOR), "", PASSWORD)
    desks.services.close()
    monkeypatch.setattr(accounts, "_SEEN_AGAIN", timedelta())  # that they are here is noted with every page
    with closed_to_writing(desks.settings.instance):
        services = Services.open(desks.settings)
        services.leave_building()
        app = create_app(desks.settings, services)
        yield Closed(services, Client(app), Client(app).enter(token), given)
        services.close()


def test_what_is_there_is_read(closed: Closed) -> None:
    for path in ("/", "/sources/returns", "/readyz", "/metrics", "/asked"):
        assert closed.reader.get(path).status_code == 200, path
    assert "45 days" in closed.reader.get(closed.given).text
    for path in ("/agent/", "/admin/index", "/admin/pages", "/admin/drafts", "/admin/evaluation", "/admin/contract"):
        assert closed.editor.get(path).status_code == 200, path


def test_whoever_would_change_something_is_told_that_it_was_not_kept(closed: Closed) -> None:
    live = closed.services.desk().live().manifest.id
    tried = [
        closed.reader.post("/ask", QUESTION),
        closed.reader.post(f"{closed.given}/feedback", {"vote": "up"}),
        closed.editor.post("/admin/index", {"version": live}),
        closed.editor.post("/admin/index/build", {"a": "paragraph"}),
        closed.editor.post("/admin/drafts", {"source": "page", "page": "bulbs"}),
        closed.editor.post("/sign-out"),
    ]
    for response in tried:
        assert (response.status_code, "This could not be kept" in response.text) == (503, True), response.request.path
        assert "45 days" not in response.text
    program = closed.reader.post_json("/api/v1/ask", QUESTION)
    assert (program.status_code, program.json["error"]) == (503, "service_unavailable")  # type: ignore[index]


def test_questions_go_on_with_the_last_index_when_the_files_change(closed: Closed, desks: Desks) -> None:
    page = desks.shop / "returns.md"
    page.write_text(page.read_text(encoding="utf-8").replace("45 days", "60 days"), encoding="utf-8")
    assert "45 days" in closed.services.desk().try_out(QUESTION["question"], Reader())[0].answer
    assert "45 days" in closed.reader.get(closed.given).text
    assert closed.reader.get("/readyz").get_json()["problems"] == {"index shop": "older than the files"}


def test_a_worker_says_so_once_and_goes_on(closed: Closed, desks: Desks, caplog: pytest.LogCaptureFixture) -> None:
    worker._complained_at.clear()
    for _ in range(3):
        worker.work_once(closed.services)
    assert [record.message for record in caplog.records].count("no job could be done") == 1


def test_a_backup_can_be_made_of_it(desks: Desks) -> None:
    desks.services.desk().ensure_index()
    desks.client().post("/ask", QUESTION)
    desks.services.close()
    with closed_to_writing(desks.settings.instance, deep=False):
        assert desks.services.store.damage() == ""
        back_up(desks.settings, desks.folder / "backup")
    assert check(desks.folder / "backup").files > 3
