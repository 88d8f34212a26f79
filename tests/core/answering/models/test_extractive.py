from __future__ import annotations

import json
from dataclasses import replace

from tests.core.answering.fakes import BIKE, GIFT_CARDS, chunk, hits
from webapp.core.answering.model import ModelReply
from webapp.core.answering.models.base import models
from webapp.core.answering.prompt import DEFAULT_BUDGET, build_request
from webapp.core.answering.reply import parse_reply
from webapp.core.answering.support import check_support
from webapp.core.documents.model import Chunk, Sentence
from webapp.core.retrieval.model import Hit


def reply(question: str, *evidence: Chunk, **options: object) -> ModelReply:
    part = models.get("extractive")
    return part.make(part.parse(options)).reply(build_request(question, "en", hits(*evidence), DEFAULT_BUDGET))


def listed(*lead_and_text: tuple[str, str]) -> Chunk:
    sentences = [
        Sentence(text, 20 * n, 20 * n + 10, n + 1, n + 1, lead) for n, (lead, text) in enumerate(lead_and_text)
    ]
    return replace(chunk("page", 0, [text for _, text in lead_and_text], heading="Claims"), sentences=tuple(sentences))


def test_it_is_the_default_and_stays_on_this_machine():
    part = models.get("extractive")
    model = part.make(part.parse({}))
    assert (model.name, model.external) == ("extractive", False)


def test_its_reply_is_one_that_any_model_could_give():
    said = parse_reply(reply("How long do I have to return a bike?", BIKE, GIFT_CARDS), {BIKE.id, GIFT_CARDS.id})
    assert [(one.text, one.cited_ids) for one in said.statements] == [(BIKE.sentences[0].text, [BIKE.id])]


def test_without_evidence_it_abstains():
    assert json.loads(reply("How long?").text) == {"status": "abstained", "confidence": "low", "statements": []}


def test_a_list_is_led_into_once_and_is_borne_out():
    claim = listed(
        ("", "Bring to the shop:"), ("Bring to the shop:", "The bike"), ("Bring to the shop:", "The receipt")
    )
    said = parse_reply(reply("What do I bring to the shop?", claim), {claim.id})
    assert [one.text for one in said.statements] == ["Bring to the shop:", "The bike", "The receipt"]
    for one in said.statements:
        check_support(one.text, [claim], "en")


def test_an_item_alone_is_said_with_its_lead():
    claim = listed(("Bring to the shop:", "The receipt of the bike"))
    said = parse_reply(reply("Do I bring the receipt of the bike?", claim), {claim.id})
    assert [one.text for one in said.statements] == ["Bring to the shop: The receipt of the bike"]
    check_support(said.statements[0].text, [claim], "en")


def test_a_table_row_is_said_with_its_columns():
    fees = listed(("What | Price", "Bike box | 20 euros"), ("What | Price", "Assembly | 35 euros"))
    said = parse_reply(reply("What is the price of a bike box?", fees), {fees.id})
    assert said.statements[0].text == "What: Bike box; Price: 20 euros"
    check_support(said.statements[0].text, [fees], "en")


def test_a_line_that_leads_into_a_list_within_a_list_does_not_bring_the_first_one_again():
    claim = listed(("", "Do this:"), ("Do this:", "Choose one:"), ("Choose one:", "A box."), ("Do this:", "Send it."))
    said = parse_reply(reply("How do I do this?", claim), {claim.id})
    assert [one.text for one in said.statements] == ["Do this: Choose one:", "A box.", "Send it."]


def test_what_two_pages_say_in_the_same_words_is_said_once_and_cites_both():
    copy = replace(BIKE, id="kc-faq:c0", document_id="kc-faq", title="Questions")
    close = tuple(Hit(one, score, meaning=0.9) for one, score in ((BIKE, 1.0), (copy, 0.99), (GIFT_CARDS, 0.0)))
    request = build_request("Can I return a bike?", "en", close, DEFAULT_BUDGET)
    part = models.get("extractive")
    said = parse_reply(part.make(part.parse({})).reply(request), {one.chunk.id for one in close})
    assert (said.statements[0].text, said.statements[0].cited_ids) == (BIKE.sentences[0].text, [BIKE.id, copy.id])
    assert len(said.statements) == len({one.text for one in said.statements})


def test_every_row_of_a_table_is_said_with_its_columns():
    fees = listed(("What | Price", "Bike box | 20 euros"), ("What | Price", "Small box | 5 euros"))
    said = parse_reply(reply("What do boxes cost?", fees), {fees.id})
    assert [one.text for one in said.statements] == [
        "What: Bike box; Price: 20 euros",
        "What: Small box; Price: 5 euros",
    ]


def test_it_is_as_brief_as_it_is_told_to_be():
    said = parse_reply(reply("What about a bike?", BIKE, sentences=1), {BIKE.id})
    assert len(said.statements) == 1
