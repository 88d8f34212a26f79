from __future__ import annotations

import pytest

from tests.core.answering.fakes import chunk
from webapp.core.answering.announcing import announces
from webapp.core.documents.model import Chunk, Sentence


def page(text: str, lead: str = "", heading: str = "Returns") -> tuple[Chunk, Sentence]:
    made = chunk("page", 0, [text], heading=heading, item_lead=lead)
    return made, made.sentences[0]


@pytest.mark.parametrize(
    "text",
    [
        "Learn how to return a bike.",
        "Learn more about our returns.",
        "Find out what you can send back.",
        "Find out if you can send it back.",
        "In this article:",
        "This guide outlines the steps for a return.",
        "This page explains returns.",
        "On this page you can find our rules.",
        "For more information, visit our returns page.",
        "See also our warranty.",
        "এই পাতায় ফেরতের নিয়ম আছে।",
        "কীভাবে সাইকেল ফেরত দেবেন, তা জানুন।",
    ],
)
def test_what_says_only_what_a_page_is_about_announces(text: str) -> None:
    assert announces(*page(text))


@pytest.mark.parametrize(
    "text",
    [
        "Learners need a helmet.",
        "You can return a bike within 30 days.",
        "Read the serial number under the bracket.",
        "This page is updated on Fridays.",
        "See a mechanic before you ride again.",
        "ক্লাসে এসে সাইকেল চালানো শেখা যায়।",
    ],
)
def test_what_tells_something_does_not(text: str) -> None:
    assert not announces(*page(text))


def test_an_entry_of_a_table_of_contents_and_a_link_announce_too() -> None:
    assert announces(*page("Returning a bike", lead="In this article:"))
    assert announces(*page("The warranty of bikes", heading="Further reading"))
