"""Filters and languages that readers choose: from what there is for them, and before anything is ranked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.conftest import Desks, write_files
from webapp.core.answering.model import Answer
from webapp.core.retrieval.model import Reader
from webapp.services.model import AskOptions, InvalidWish

CUSTOMER = Reader()
MEMBER = Reader(groups=frozenset({"staff"}))
OPENING = "When does it open in the morning?"


def _hall(name: str, hour: int, more: str = "") -> str:
    head = f"id: {name}\ntitle: Opening hours\nstatus: current\nlang: en\nhall: {name.title()}\n{more}"
    return f"---\n{head}---\n\n## Opening\nThe hall opens at {hour} in the morning.\n"


HALLS = {
    "collection.toml": 'languages = ["en", "bn"]\ngroups = ["staff"]\nfilters = ["hall", "floor"]\n',
    "east.md": _hall("east", 7),
    "west.md": _hall("west", 9),
    "cellar.md": _hall("cellar", 5, "audience: staff\n"),
    "old.md": _hall("ruin", 3).replace("current", "archived"),
    "bangla.md": "---\nid: bangla\ntitle: সময়\nlang: bn\nhall: East\n---\n\n## সময়\nহল সকাল ৭টায় খোলে।\n",
}


@pytest.fixture
def halls(desks: Desks) -> Desks:
    for file in desks.shop.iterdir():
        file.unlink()
    write_files(desks.shop, HALLS)
    desks.services.desk().ensure_index()
    return desks


def ask(halls: Desks, reader: Reader = CUSTOMER, **wishes: Any) -> Answer:
    return halls.services.desk().ask(OPENING, reader, AskOptions(**wishes))


def test_values_are_those_of_documents_that_the_reader_may_have_answers_from(halls: Desks) -> None:
    desk = halls.services.desk()
    assert desk.filters(CUSTOMER) == {"hall": ("East", "West")}
    assert desk.filters(MEMBER) == {"hall": ("Cellar", "East", "West")}


def test_only_documents_with_the_value_are_looked_at_and_the_answer_says_so(halls: Desks) -> None:
    for value, hour in (("East", "7"), ("west", "9")):
        answer = ask(halls, attributes={"hall": value})
        assert hour in answer.answer
        assert {one.document_id for one in answer.retrieved} <= {value.lower(), "bangla"}
        assert answer.filters == {"hall": value.title()}


def test_an_empty_filter_is_none(halls: Desks) -> None:
    assert ask(halls, attributes={"hall": " ", "nothing": ""}, only_lang="").filters == {}


def test_one_language_alone(halls: Desks) -> None:
    answer = ask(halls, only_lang="BN")
    assert {one.document_id for one in answer.retrieved} == {"bangla"}
    assert answer.only_lang == "bn"


def test_the_same_form_with_another_filter_is_another_question(halls: Desks) -> None:
    ids = {ask(halls, once="form", attributes={"hall": hall}).id for hall in ("East", "West", "West")}
    assert len(ids) == 2


@pytest.mark.parametrize(
    ("wishes", "words"),
    [
        ({"attributes": {"hall": "Cellar"}}, "no document has hall 'Cellar'; there are: East, West"),
        ({"attributes": {"hall": "Ruin"}}, "no document has hall 'Ruin'; there are: East, West"),
        ({"attributes": {"audience": "staff"}}, "there is no filter 'audience' here; there are: hall"),
        ({"attributes": {"floor": "1"}}, "there is no filter 'floor' here; there are: hall"),
        ({"only_lang": "fr"}, "no document is in the language 'fr'; there are: bn, en"),
    ],
)
def test_what_there_is_not_is_said_and_closed_values_are_not_told_from_it(
    halls: Desks, wishes: Mapping[str, Any], words: str
) -> None:
    with pytest.raises(InvalidWish) as problem:
        ask(halls, **wishes)
    assert str(problem.value) == words


def test_a_collection_without_filters_says_so(shared_desks: Desks) -> None:
    with pytest.raises(InvalidWish, match="there is no filter 'hall' here; there are none"):
        ask(shared_desks, attributes={"hall": "East"})


def test_the_form_offers_the_values_and_the_answer_keeps_the_choice(halls: Desks) -> None:
    client = halls.client()
    box = client.get("/").text
    assert '<select id="filter-hall" name="filter-hall">' in box
    assert "<option>East</option>" in box
    assert "Cellar" not in box
    page = client.get(client.post("/ask", {"question": OPENING, "filter-hall": "West"}).headers["Location"]).text
    assert "Only: hall = West" in page
    assert "<option selected>West</option>" in page


def test_a_form_with_a_value_that_is_gone_keeps_what_was_typed(halls: Desks) -> None:
    response = halls.client().post("/ask", {"question": OPENING, "filter-hall": "Moon"})
    assert response.status_code == 422
    assert "What you chose is not there any more. Please choose again." in response.text
    assert f'value="{OPENING}"' in response.text


def test_a_form_may_ask_for_one_language(halls: Desks) -> None:
    client = halls.client()
    place = client.post("/ask", {"question": OPENING, "only_lang": "bn"}).headers["Location"]
    assert "Only: language = Bangla" in client.get(place).text


def test_programs_choose_by_name(halls: Desks) -> None:
    client = halls.client()
    body = {"question": OPENING, "filters": {"hall": "west"}}
    answer = client.post_json("/api/v1/ask", body).get_json()
    assert "9" in answer["answer"]
    assert answer["filters"] == {"hall": "West"}
    refused = client.post_json("/api/v1/ask", body | {"filters": {"hall": "Cellar"}})
    assert refused.status_code == 404
    assert "no document has hall 'Cellar'" in refused.get_json()["message"]
    assert client.post_json("/api/v1/ask", body | {"lang": "fr"}).status_code == 404
