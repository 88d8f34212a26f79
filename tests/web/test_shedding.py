from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.client import Client
from tests.conftest import SHOP, Desks, make_settings, write_files
from webapp.app import create_app
from webapp.services.root import Services
from webapp.web.errors import RETRY_SECONDS
from webapp.web.metrics import count_together
from webapp.web.shedding import CALM_SECONDS, STALL, Gate, threads_needed

QUESTION = "Within how many days can I return a lamp?"
ASKED = {"question": QUESTION}


@pytest.fixture
def narrow(tmp_path: Path, shared_desks: Desks) -> Iterator[Desks]:
    """An installation that works on one question and one page at a time, and lets one more of each wait."""
    write_files(tmp_path / "corpus" / "shop", SHOP)
    settings = make_settings(tmp_path, threads=1, queue=1, queue_seconds=0.2)
    services = Services.open(settings)
    services.desk().index("section")
    yield Desks(tmp_path, settings, services, create_app(settings, services), {})
    services.close()


class Held:
    """Questions that are being answered until they are let go."""

    def __init__(self, desks: Desks, monkeypatch: pytest.MonkeyPatch) -> None:
        self._desks, self.statuses = desks, list[int]()
        self._go, self._begun = threading.Event(), threading.Semaphore(0)
        answer = desks.services.desk()._answer

        def slowly(*args: object) -> object:
            self._begun.release()
            assert self._go.wait(20)
            return answer(*args)  # type: ignore[arg-type]

        monkeypatch.setattr(desks.services.desk(), "_answer", slowly)
        self._threads: list[threading.Thread] = []

    def ask(self, question: str = QUESTION, in_stages: bool = False) -> None:
        client = self._desks.client()
        client.csrf_token()

        def ask() -> None:
            asked = {"question": question}
            post = partial(client.post_json, "/api/v1/ask/stages") if in_stages else partial(client.post, "/ask")
            self.statuses.append(post(asked).status_code)

        self._threads.append(threading.Thread(target=ask))
        self._threads[-1].start()

    def begun(self) -> None:
        assert self._begun.acquire(timeout=20)

    def let_go(self) -> None:
        self._go.set()
        for thread in self._threads:
            thread.join(20)


@pytest.fixture
def held(narrow: Desks, monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    held = Held(narrow, monkeypatch)
    held.ask()
    held.begun()
    yield held
    held.let_go()


def test_what_can_not_be_taken_on_is_refused_with_when_to_come_back(narrow: Desks, held: Held) -> None:
    refused = narrow.client().post("/ask", ASKED)
    assert refused.status_code == 503
    assert refused.headers["Retry-After"] == str(RETRY_SECONDS)
    assert "Very busy" in refused.text
    assert refused.headers["X-Request-Id"] in refused.text
    assert refused.headers["Content-Security-Policy"]
    again = narrow.client().post("/ask", ASKED)
    assert again.headers["X-Request-Id"] not in (refused.headers["X-Request-Id"], "")
    assert again.headers["X-Request-Id"] in again.text
    nonces = [set(re.findall(r"nonce[-=]\"?([\w-]{20,})", f"{one.text}{one.headers}")) for one in (refused, again)]
    assert [len(one) for one in nonces] == [1, 1], "the page's scripts have the nonce of its own policy"
    assert nonces[0] != nonces[1]
    held.let_go()
    assert held.statuses == [303]
    assert narrow.client().post("/ask", ASKED).status_code == 303


def test_it_is_said_in_the_readers_language_and_as_json_to_programs(narrow: Desks, held: Held) -> None:
    bangla = Client(narrow.app, "bn").post("/ask", ASKED)
    assert 'lang="bn"' in bangla.text
    assert "ব্যস্ত" in bangla.text
    fragment = narrow.client().post("/ask", ASKED, headers={"HX-Request": "true"})
    assert "<html" not in fragment.text
    program = narrow.client().post_json("/api/v1/ask", ASKED)
    assert (program.status_code, program.headers["Retry-After"]) == (503, str(RETRY_SECONDS))
    assert program.json == {
        "error": "service_unavailable",
        "message": "More has been asked than we can answer now. Please try again in a few seconds.",
        "request_id": program.headers["X-Request-Id"],
    }


def test_pages_do_not_wait_behind_questions_and_machines_are_always_answered(narrow: Desks, held: Held) -> None:
    assert narrow.client().get("/").status_code == 200
    assert narrow.client().get("/readyz").status_code == 200
    narrow.client().post("/ask", ASKED)
    figures = narrow.client().get("/metrics").text
    assert 'evidencedesk_turned_away_total{gate="questions"} 1.0' in figures
    assert 'evidencedesk_queue{gate="questions"} 0.0' in figures


@pytest.mark.parametrize("path", ["/healthzX", "/readyz/x", "/metrics.json", "/staticX", "/static"])
def test_only_those_addresses_pass_by_the_gates(narrow: Desks, path: str) -> None:
    gate = narrow.app.wsgi_app._gates["pages"]  # type: ignore[attr-defined]
    gate.seconds = 0
    assert gate.enter()
    assert narrow.client().get(path).status_code == 503
    free = [narrow.client().get(address).status_code for address in ("/healthz", "/healthz/", "/static/app.css")]
    gate.leave()
    assert free == [200, 200, 200]
    assert narrow.client().get(path).status_code == 404


def test_who_waits_a_moment_gets_in(narrow: Desks, held: Held) -> None:
    narrow.app.wsgi_app._gates["questions"].seconds = 20  # type: ignore[attr-defined]
    held.ask("What does delivery cost?")
    threading.Timer(0.05, held.let_go).start()
    held.begun()
    held.let_go()
    assert held.statuses == [303, 303]


def test_a_reply_in_pieces_keeps_its_place_to_the_end(narrow: Desks) -> None:
    stream = narrow.app.test_client().post("/api/v1/ask/stages", json=ASKED)
    assert narrow.client().post_json("/api/v1/ask", ASKED).status_code == 503
    stream.close()
    assert narrow.client().post_json("/api/v1/ask", ASKED).status_code == 200


def test_a_mistake_gives_its_place_back(narrow: Desks) -> None:
    for _ in range(3):
        assert narrow.client().post_json("/api/v1/ask", {}).status_code == 400
    assert narrow.client().post_json("/api/v1/ask", ASKED).status_code == 200


@pytest.mark.parametrize("in_stages", [False, True])
def test_many_who_ask_the_same_at_once_are_all_answered_by_one(narrow: Desks, held: Held, in_stages: bool) -> None:
    """Two may be at work: whoever waits for the same answer takes no place, and as long as it takes."""
    gate = narrow.app.wsgi_app._gates["questions"]  # type: ignore[attr-defined]
    gate.leave()  # a second place
    gate.room = 5
    for _ in range(5):
        held.ask(in_stages=in_stages)
    until = time.monotonic() + 20
    while gate._waiting < 5 and time.monotonic() < until:
        time.sleep(0.01)
    time.sleep((STALL + 1) * gate.seconds)  # longer than anybody waits for a place
    held.let_go()
    assert sorted(held.statuses) == [200 if in_stages else 303] * 5 + [303]
    figures = narrow.client().get("/metrics").text
    assert 'evidencedesk_questions_known_total{collection="shop"} 5.0' in figures


class TestGate:
    def test_no_more_than_so_many_are_inside_or_wait(self) -> None:
        lengths: list[int] = []
        gate = Gate(at_once=3, room=5, seconds=5, told=lengths.append)
        inside, most, entered = 0, 0, list[bool]()
        lock = threading.Lock()

        def come() -> None:
            nonlocal inside, most
            if got_in := gate.enter():
                with lock:
                    inside += 1
                    most = max(most, inside)
                time.sleep(0.1)
                with lock:
                    inside -= 1
                gate.leave()
            entered.append(got_in)

        crowd = [threading.Thread(target=come) for _ in range(20)]
        for one in crowd:
            one.start()
        for one in crowd:
            one.join()
        assert most == 3
        assert 8 <= entered.count(True) < 20
        assert max(lengths) == 5
        assert lengths[-1] == 0

    def test_nobody_waits_longer_than_said(self) -> None:
        gate = Gate(at_once=1, room=1, seconds=0.05)
        assert gate.enter()
        start = time.monotonic()
        assert not gate.enter()
        assert 0.04 < time.monotonic() - start < 5
        gate.leave()
        assert gate.enter()

    @pytest.mark.parametrize("busy", [False, True])
    def test_a_stall_is_waited_out_and_a_queue_that_stays_is_not(self, busy: bool) -> None:
        gate = Gate(at_once=1, room=2, seconds=0.5)
        assert gate.enter()
        first = threading.Thread(target=gate.enter)
        if busy:
            gate.seconds = 60
            first.start()
            time.sleep(CALM_SECONDS + 0.2)
            gate.seconds = 0.5
        threading.Timer(0.8, gate.leave).start()
        start = time.monotonic()
        came_in = gate.enter()
        assert came_in is not busy
        assert not busy or time.monotonic() - start < 0.8
        if busy:
            first.join()

    def test_who_stands_aside_lets_another_in_and_comes_back(self) -> None:
        gate = Gate(at_once=1, room=1, seconds=0.05)
        assert gate.enter()
        with gate.aside():
            assert gate.enter()
            assert not gate.enter(), "there is room for one who waits"
            gate.leave()
        assert not gate.enter(), "its place is its own again"
        gate.leave()
        assert gate.enter()

    def test_a_reader_who_goes_while_the_work_stands_aside_leaves_as_many_places_as_there_were(self) -> None:
        gate = Gate(at_once=1, room=1, seconds=0.05)
        assert gate.enter()
        with gate.aside():
            gate.leave()
        assert gate.enter()
        assert not gate.enter()

    def test_what_fails_while_it_stands_aside_comes_back_all_the_same(self) -> None:
        gate = Gate(at_once=1, room=1, seconds=0.05)
        assert gate.enter()
        with pytest.raises(ValueError, match="no"), gate.aside():
            raise ValueError("no")
        assert not gate.enter()
        gate.leave()
        assert gate.enter()

    def test_without_room_to_wait_nobody_stands_aside(self) -> None:
        gate = Gate(at_once=1, room=0, seconds=0.05)
        assert gate.enter()
        with gate.aside():
            assert not gate.enter()


def test_a_thread_is_always_free_to_refuse(tmp_path: Path) -> None:
    settings = make_settings(tmp_path, threads=8, queue=16)
    assert threads_needed(settings) > (8 + 16) + (6 + 16)


def test_processes_count_together(tmp_path: Path, desks: Desks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prometheus_client.values.ValueClass", None)  # put back afterwards
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", "")
    count_together(tmp_path)
    first, second = (create_app(desks.settings, desks.services) for _ in range(2))
    Client(first).post("/ask", ASKED)
    said = Client(second).get("/metrics").text
    assert 'evidencedesk_questions_total{collection="shop",outcome="answered",reason="ok"} ' in said
    assert "evidencedesk_index_age_seconds" in said
