"""Erasing: one answer, or all by the same asker; what is left says that it is gone."""

from __future__ import annotations

import re

from tests.client import Client
from tests.conftest import PASSWORD, Desks
from webapp.core.retrieval.model import Reader, Role
from webapp.services.model import AskOptions


def admin_of(desks: Desks) -> Client:
    accounts = desks.services.accounts
    return Client(desks.app).enter(accounts.accept(accounts.invite("admin@lamps.example", Role.ADMIN), "", PASSWORD))


def asked_by(desks: Desks, asker: str, *questions: str) -> list[str]:
    options = AskOptions(asker=asker)
    return [desks.services.desk().ask(question, Reader(), options).id for question in questions]


def test_an_admin_erases_one_answer(desks: Desks) -> None:
    one, other = asked_by(desks, "a", "Within how many days can I return a lamp?", "What does delivery cost?")
    client = admin_of(desks)
    page = client.get(f"/agent/answers/{one}/erase").text
    assert "Erase all 2 by the same asker for good" in page
    assert client.post(f"/agent/answers/{one}/erase").status_code == 303
    gone = client.get(f"/answers/{one}")
    assert gone.status_code == 410
    assert "It was erased on request" in gone.text
    assert client.get(f"/answers/{other}").status_code == 200


def test_an_admin_erases_all_that_one_person_asked(desks: Desks) -> None:
    mine = asked_by(desks, "a", "Within how many days can I return a lamp?", "What does delivery cost?")
    (others,) = asked_by(desks, "b", "Which bulb fits?")
    client = admin_of(desks)
    client.post(f"/agent/answers/{mine[0]}/erase", {"all": "1"})
    assert [client.get(f"/answers/{one}").status_code for one in (*mine, others)] == [410, 410, 200]
    assert re.findall("return a lamp|delivery", client.get("/agent/answers.jsonl").text) == []


def test_where_nobody_knows_who_asked_one_can_be_erased(desks: Desks) -> None:
    one = desks.services.desk().ask("Which bulb fits?", Reader()).id
    client = admin_of(desks)
    page = client.get(f"/agent/answers/{one}/erase").text
    assert "It is not known who asked this" in page
    assert "by the same asker" not in page
    client.post(f"/agent/answers/{one}/erase", {"all": "1"})
    assert client.get(f"/answers/{one}").status_code == 410


def test_an_answer_that_does_not_open_or_is_gone_is_not_found(desks: Desks) -> None:
    secret = desks.services.desk().ask("What discount do members of staff get?", Reader(groups=frozenset({"staff"})))
    assert secret.citations
    client = admin_of(desks)  # without the group
    for id_ in (secret.id, "nothing"):
        assert client.get(f"/agent/answers/{id_}/erase").status_code == 404
        assert client.post(f"/agent/answers/{id_}/erase").status_code == 404
    desks.services.history.erase(secret.id)
    assert client.get(f"/agent/answers/{secret.id}/erase").status_code == 404
