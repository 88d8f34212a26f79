from __future__ import annotations

from dataclasses import replace
from datetime import date

from tests.core.answering.fakes import ACCESSORIES, BIKE, GIFT_CARDS, REFUNDS, chunk, hits
from webapp.core.answering.citations import build_citations, citation_text, nearest_pages

CHUNKS = {one.id: one for one in (BIKE, ACCESSORIES, REFUNDS, GIFT_CARDS)}


def test_chunks_are_cited_in_the_order_cited_once_each():
    """O11, O12: one number for each source, the same everywhere."""
    cited = build_citations([GIFT_CARDS.id, BIKE.id, GIFT_CARDS.id], CHUNKS)
    assert [(one.marker, one.chunk_id) for one in cited] == [(1, GIFT_CARDS.id), (2, BIKE.id)]


def test_a_citation_says_what_the_index_knows():
    (cited,) = build_citations([BIKE.id], {BIKE.id: replace(BIKE, updated=date(2026, 11, 2))})
    assert (cited.title, cited.version, cited.status, cited.lang) == ("Returns policy", "3", "current", "en")
    assert (cited.heading, cited.first_line, cited.last_line) == ("Returning a bike", 11, 12)
    assert (cited.updated, cited.url) == (date(2026, 11, 2), "")


def test_a_citation_in_one_line():
    bike, card = build_citations([BIKE.id, GIFT_CARDS.id], CHUNKS)
    assert citation_text(bike) == "Returns policy (Returning a bike, lines 11-12) [kc-returns-v3:c0]"
    assert "(Expiry, lines 14-15)" in citation_text(card)


def test_the_nearest_pages_are_named_once_best_first():
    found = hits(BIKE, GIFT_CARDS, ACCESSORIES, *(chunk(f"d{n}", 0, ["x"], title=f"Page {n}") for n in range(4)))
    assert [page.title for page in nearest_pages(found)] == ["Returns policy", "Gift cards", "Page 0"]


def test_each_card_names_its_own_lines_whatever_the_order():
    cited = build_citations([GIFT_CARDS.id, REFUNDS.id, BIKE.id], CHUNKS)
    told = [(one.heading, one.first_line, one.last_line) for one in cited]
    assert told == [(one.location.heading, *one.location[1:3]) for one in (GIFT_CARDS, REFUNDS, BIKE)]
    assert [one.marker for one in cited] == [1, 2, 3]
