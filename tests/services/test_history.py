"""The list of answers as services give it: pages, days, time that is over, copies that are closed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.conftest import Desks
from webapp.core.answering.model import Reason
from webapp.core.retrieval.model import Reader, Role
from webapp.services.history import OUTCOMES, Search
from webapp.services.model import AskOptions
from webapp.store.schema import searchable
from webapp.store.words import position_of

AGENT = Reader(Role.AGENT)
ANYTHING = Search()


def ask(desks: Desks, *questions: str, asker: str | None = None, reader: Reader = AGENT) -> list[str]:
    options = AskOptions(asker=asker)
    return [desks.services.desk().ask(question, reader, options).id for question in questions]


def ids(desks: Desks, search: Search, reader: Reader = AGENT) -> list[str]:
    return [one.answer.id for one in desks.services.history.page(search, reader).found]


def test_every_reason_can_be_looked_for() -> None:
    assert OUTCOMES.keys() == {"answered", "abstained"} | {reason.value for reason in Reason} - {"ok"}
    assert OUTCOMES["answered"] | OUTCOMES["abstained"] == {reason.value for reason in Reason}


def test_pages_lead_to_each_other_and_end(desks: Desks) -> None:
    asked = ask(desks, *(f"Where is shop {n}?" for n in range(5)))[::-1]
    history = desks.services.history
    first = history.page(ANYTHING, AGENT, size=2)
    second = history.page(ANYTHING, AGENT, first.after, size=2)
    third = history.page(ANYTHING, AGENT, second.after, size=2)
    shown = [[one.answer.id for one in page.found] for page in (first, second, third)]
    assert shown == [asked[:2], asked[2:4], asked[4:]]
    assert (first.before, third.after) == (None, None)
    back = history.page(ANYTHING, AGENT, second.before, back=True, size=2)
    assert back == first
    assert history.page(ANYTHING, AGENT, third.before, back=True, size=2) == second
    assert history.page(Search(words="nothing like it"), AGENT).found == ()


def test_days_are_whole_and_in_utc(desks: Desks) -> None:
    (one,) = ask(desks, "Which bulb fits?")
    noon = datetime(2026, 3, 5, 12, tzinfo=UTC)
    with desks.services.store._database.writing() as connection:
        connection.execute(searchable.update().values(position=position_of(noon)))
    day = noon.date()
    desks.services.settings.__dict__["retention_days"] = 0
    assert ids(desks, Search(since=day, until=day)) == [one]
    assert ids(desks, Search(since=day + timedelta(days=1))) == []
    assert ids(desks, Search(until=day - timedelta(days=1))) == []


def test_who_may_see_a_page_finds_its_answers_and_nobody_else(desks: Desks) -> None:
    """P02: by groups, not by roles."""
    member = Reader(groups=frozenset({"staff"}))
    (secret,) = ask(desks, "What discount do members of staff get on lamps?", reader=member)
    assert ids(desks, ANYTHING, Reader(Role.AGENT, frozenset({"staff"}))) == [secret]
    for role in (Role.AGENT, Role.EDITOR, Role.ADMIN):
        assert ids(desks, ANYTHING, Reader(role)) == []
        assert list(desks.services.history.all(ANYTHING, Reader(role))) == []


def test_opening_a_page_does_not_open_what_it_once_held(desks: Desks) -> None:
    member = Reader(groups=frozenset({"staff"}))
    ask(desks, "What discount do members of staff get on lamps?", reader=member)
    file = desks.shop / "discounts.md"
    file.write_text(file.read_text().replace("audience: staff\n", ""))
    desks.services.desk().ensure_index()
    assert ids(desks, ANYTHING) == []


def test_only_the_collections_that_have_answers_are_looked_at(desks: Desks, monkeypatch: pytest.MonkeyPatch) -> None:
    (one,) = ask(desks, "Within how many days can I return a lamp?")

    def fail(_: Reader) -> None:
        raise AssertionError("an index would be built that nobody asked for")

    monkeypatch.setattr(desks.services.desk("school"), "shelf", fail)
    assert ids(desks, ANYTHING) == [one]


def test_what_one_asker_asked_is_counted_and_erased(desks: Desks) -> None:
    mine = ask(desks, "Which bulb fits?", "What does delivery cost?", asker="a")
    (other,) = ask(desks, "Which bulb fits best?", asker="b")
    history = desks.services.history
    assert history.count_asked_by("a") == 2
    assert history.asker_of(mine[0], AGENT) == "a"
    assert history.asker_of("nothing", AGENT) is None
    assert history.erase_all_of("a") == 2
    assert ids(desks, ANYTHING) == [other]
