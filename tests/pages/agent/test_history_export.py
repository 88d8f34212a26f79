"""All answers that are found, as a file: complete, streamed, harmless in a spreadsheet, and only what opens."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import Desks
from tests.pages.agent.test_answers import agent_of, ask
from webapp.core.retrieval.model import Reader
from webapp.pages.agent.history_export import COLUMNS, guarded
from webapp.store.feedback import Vote

CSV, LINES = "/agent/answers.csv", "/agent/answers.jsonl"


def rows(text: str) -> list[dict[str, str]]:
    """A CSV file's rows, by column."""
    assert text.startswith("\ufeff"), "Excel takes Bangla for something else without the mark"
    return list(csv.DictReader(io.StringIO(text[1:], newline="")))


def test_a_table_has_a_row_an_answer(desks: Desks) -> None:
    first, second = ask(desks, "Within how many days can I return a lamp?", "বাতি কি ভাড়া, নেওয়া যায়?")
    desks.services.store.feedback.put(first, "somebody", Vote(good=False))
    response = agent_of(desks).get(CSV)
    assert response.headers["Content-Disposition"] == "attachment; filename=answers.csv"
    assert response.mimetype == "text/csv"
    found = rows(response.text)
    assert list(found[0]) == list(COLUMNS)
    assert [one["id"] for one in found] == [second, first]
    assert [one["question"] for one in found] == ["বাতি কি ভাড়া, নেওয়া যায়?", "Within how many days can I return a lamp?"]
    assert found[1]["sources"].startswith("Returning lamps, Returning a lamp, line 10 [returns:c")
    assert (found[1]["outcome"], found[1]["up"], found[1]["down"]) == ("ok", "0", "1")


def test_json_lines_have_an_object_an_answer(desks: Desks) -> None:
    (one,) = ask(desks, "Within how many days can I return a lamp?")
    response = agent_of(desks).get(LINES)
    (found,) = map(json.loads, response.text.splitlines())
    assert found["id"] == one
    assert found["sources"][0]["document_id"] == "returns"
    assert (found["sources"][0]["first_line"], found["sources"][0]["last_line"]) == (10, 10)


@pytest.mark.parametrize("address", [CSV, LINES])
def test_a_file_holds_what_is_looked_for_in_its_order_however_much(
    desks: Desks, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webapp.store.finding._BATCH", 2)
    asked = ask(desks, *(f"Where is shop number {n}?" for n in range(5)), "Weather on Mars?")
    client = agent_of(desks)
    oldest = client.get(f"{address}?q=shop&order=oldest").text
    newest = client.get(address).text
    places = [[text.index(one) for one in asked[:5]] for text in (oldest, newest)]
    assert places[0] == sorted(places[0])
    assert places[1] == sorted(places[1], reverse=True)
    assert asked[5] in newest
    assert asked[5] not in oldest


@pytest.mark.parametrize("address", [CSV, LINES])
def test_nothing_of_a_closed_page_is_exported(desks: Desks, address: str) -> None:
    """P02, P04: by whatever is looked for."""
    member = Reader(groups=frozenset({"staff"}))
    secret = desks.services.desk().ask("What discount do members of staff get on lamps?", member)
    client = agent_of(desks)
    for query in ("", "?q=discount", "?document=discounts"):
        text = client.get(address + query).text
        assert secret.id not in text
        assert "percent" not in text
        assert "Discounts for staff" not in text


def test_what_came_near_or_was_retrieved_is_not_exported(desks: Desks) -> None:
    desks.services.desk().ask("Do members of staff get a rebate on chairs?", Reader(groups=frozenset({"staff"})))
    text = agent_of(desks).get(LINES).text
    assert text
    assert "discounts" not in text


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t", "\r", "＝"])
def test_no_cell_is_a_formula(begin: str) -> None:
    assert guarded(f"{begin}cmd|' /C calc'!A0") == f"'{begin}cmd|' /C calc'!A0"
    assert guarded("2+2") == "2+2"
    assert guarded(0) == "0"


def test_a_question_that_is_a_formula_is_harmless_in_the_file(desks: Desks) -> None:
    ask(desks, '=HYPERLINK("https://evil.example","lamp")')
    (row,) = rows(agent_of(desks).get(CSV).text)
    assert row["question"] == '\'=HYPERLINK("https://evil.example","lamp")'


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_guarded_cell_keeps_its_text_and_begins_like_no_formula(text: str) -> None:
    cell = guarded(text)
    assert cell.removeprefix("'") == text.removeprefix("'")
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))
