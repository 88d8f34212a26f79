"""Rates that several processes count together."""

from __future__ import annotations

import sqlalchemy as sa

from tests.client import Client
from tests.conftest import Desks, make_settings
from webapp.app import create_app
from webapp.services.root import Services

THERE = {"REMOTE_ADDR": "192.0.2.7"}
QUESTION = {"question": "Within how many days can I return a lamp?"}


def test_processes_that_share_the_database_count_together(desks: Desks) -> None:
    settings = make_settings(desks.folder, ask_rate="3 per minute")
    both = [Services.open(settings), Services.open(settings)]
    both[0].desk().ensure_index()
    clients = [Client(create_app(settings, services), "en") for services in both]
    replies = [clients[n % 2].post("/ask", QUESTION, environ_base=THERE) for n in range(5)]
    assert [reply.status_code for reply in replies] == [303, 303, 303, 429, 429]
    assert [reply.headers["X-RateLimit-Remaining"] for reply in replies] == ["2", "1", "0", "0", "0"]
    assert int(replies[-1].headers["Retry-After"]) <= 60
    with both[0].store._database.reading() as connection:
        (row,) = connection.execute(sa.text("SELECT * FROM rates")).all()
    assert THERE["REMOTE_ADDR"] not in str(row), "addresses are not kept"
    for services in both:
        services.close()
