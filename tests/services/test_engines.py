"""The desk over the engine postgres: what it answers, and how it fares, is as over the local one."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.client import Client
from tests.conftest import SHOP, Desks, make_settings, write_files
from tests.services.test_root import CUSTOMER, MEMBER, RETURN, ask, edit
from webapp.app import create_app
from webapp.core.answering.model import Answer
from webapp.core.registry import UnknownPart
from webapp.services.root import Services

QUESTIONS = (
    RETURN,
    "What does delivery cost?",
    "Which sokcet does a bulb need?",
    "How many watts may a bulb have?",
    "What discount do members of staff get?",
    "When does the museum open?",
    "বাতি কত দিনের মধ্যে ফেরত দেওয়া যায়?",
)


def installed(folder: Path, shared: Desks, **changes: object) -> Desks:
    shutil.copytree(shared.settings.instance / "vectors", folder / "instance" / "vectors")
    write_files(folder / "corpus" / "shop", SHOP)
    settings = make_settings(folder, engine="postgres", **changes)
    services = Services.open(settings)
    return Desks(folder, settings, services, create_app(settings, services), {})


@pytest.fixture
def shop(tmp_path: Path, shared_desks: Desks, database_url: str) -> Iterator[Desks]:
    """An installation whose indexes are in a database."""
    desks = installed(tmp_path, shared_desks, index_url=SecretStr(database_url))
    yield desks
    desks.services.close()


def told(answer: Answer) -> dict[str, object]:
    """All of an answer that doesn't differ from one time to the next; figures to three places."""
    apart = dict.fromkeys(("id", "created_at", "index_version", "retrieved", "probability"), True)
    given = answer.model_dump(exclude=apart | {"citations": {"__all__": {"url"}}})  # addresses name the answer
    chunks = [(one.chunk_id, round(one.score, 3)) for one in answer.retrieved]
    return given | {"retrieved": chunks, "probability": round(answer.probability, 3)}


def test_it_answers_as_over_the_local_engine(shop: Desks, shared_desks: Desks) -> None:
    for question in QUESTIONS:
        for reader in (CUSTOMER, MEMBER):
            here, there = (desks.services.desk().ask(question, reader) for desks in (shop, shared_desks))
            assert told(here) == told(there)


def test_edits_switches_and_trials_go_as_over_the_local_engine(shop: Desks) -> None:
    desk = shop.services.desk()
    first = ask(shop).index_version
    with desk.trying({"returns.md": SHOP["returns.md"].replace("45 days", "60 days").encode()}) as version:
        assert "60 days" in version.document_text("returns")
    assert "45 days" in ask(shop).answer
    edit(shop, "returns.md", "45 days", "50 days")
    assert "50 days" in ask(shop).answer
    assert [one.id for one in desk.versions()][1] == first
    desk.rollback(first)
    assert "45 days" in ask(shop).answer
    assert not desk.verify_index()
    assert not list((shop.settings.instance / "indexes" / "shop").glob("[0-9]*")), "no version is kept in files"


def test_another_machine_serves_what_the_first_one_built(
    shop: Desks, tmp_path: Path, shared_desks: Desks, database_url: str
) -> None:
    built = ask(shop).index_version
    other = installed(tmp_path / "other", shared_desks, index_url=SecretStr(database_url))
    assert ask(other).index_version == built
    edit(shop, "returns.md", "45 days", "50 days")
    assert "50 days" in ask(shop).answer
    assert "50 days" in ask(other).answer, "its own copy of the files is older"
    other.services.close()


def test_a_machine_that_leaves_building_to_others_knows_when_they_have_built(
    shop: Desks, tmp_path: Path, shared_desks: Desks, database_url: str
) -> None:
    built = ask(shop).index_version
    other = installed(tmp_path / "other", shared_desks, index_url=SecretStr(database_url))
    asked: list[bool] = []

    def build_there() -> None:
        asked.append(shop.services.desk().ensure_index() is not None)

    desk = other.services.desk()
    desk.leave_building(build_there)
    assert (ask(other).index_version, asked, desk.problem()) == (built, [], "")
    for each in (shop, other):
        edit(each, "returns.md", "45 days", "50 days")
    assert "50 days" in ask(other).answer
    assert (asked, desk.problem()) == ([True], "")
    other.services.close()


def test_readers_are_told_while_the_database_is_away(tmp_path: Path, shared_desks: Desks) -> None:
    shop = installed(tmp_path, shared_desks, index_url=SecretStr("postgresql:///x?host=/nowhere"))
    reply = Client(shop.app).get("/readyz")
    assert reply.status_code == 503
    problems = shop.services.problems()
    assert list(problems) == ["index shop"]
    assert "can't be used" in problems["index shop"]
    shop.services.close()


def test_the_database_of_answers_serves_when_no_other_is_named(tmp_path: Path) -> None:
    settings = make_settings(tmp_path, engine="postgres", database_url=SecretStr("postgresql+psycopg://db/x"))
    assert settings.index_database == "postgresql+psycopg://db/x"
    assert make_settings(tmp_path, index_url=SecretStr("postgresql://y/x")).index_database == "postgresql://y/x"
    assert make_settings(tmp_path).index_database == ""


def test_an_unknown_engine_is_named(tmp_path: Path) -> None:
    write_files(tmp_path / "corpus" / "shop", SHOP)
    with pytest.raises(UnknownPart, match="unknown engine 'oracle'; there are: local, postgres"):
        Services.open(make_settings(tmp_path, engine="oracle"))
