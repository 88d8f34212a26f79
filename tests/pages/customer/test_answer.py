"""The answer's page: every claim with its number, every number with its lines, or why there is no answer."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import html5lib
import pytest

from tests.pages.customer.conftest import Site
from webapp.core.answering.model import Caution, NearestPage, Reason, Statement
from webapp.core.retrieval.model import Role

HOSTILE = "<script>alert(1)</script><b onclick=x>{{ 7*7 }}"


def text_of(page: str) -> str:
    """What a reader reads, white space folded."""
    bodies = html5lib.parse(page, namespaceHTMLElements=False).iterfind("body")
    return " ".join("".join("".join(body.itertext()) for body in bodies).split())


def cards(page: str) -> list[str]:
    return re.findall(r'<li id="source-\d+">.*?</li>', page, re.DOTALL)


def test_a_statement_carries_its_number_and_the_card_its_lines(site: Site) -> None:
    page = site.client.get(site.keep_returns()).text
    assert '<span lang="en">Return a bike in 30 days.</span>' in page
    assert 'href="#source-1" id="cite-1"' in page
    read = text_of(page)
    assert "[1] Returns Bikes, lines 10-11 “Return a bike in 30 days.” version 3 · current Open source" in read
    assert f"From: Returns, version 3 · answered {datetime.now(UTC).day}" in read


def test_the_card_opens_the_lines_as_they_were_cited(site: Site) -> None:
    address = site.keep_returns()
    card = cards(site.client.get(address).text)[0]
    answer_id = address.rpartition("/")[2]
    assert f'href="/c/bikes/sources/returns?lines=10-11&amp;answer={answer_id}&amp;n=1#L10"' in card


def test_number_title_and_link_of_a_citation_mean_the_same_document(site: Site) -> None:
    found = cards(site.client.get(site.keep_copies()).text)
    lines = [re.search(r"lines=(\d+).*?n=(\d)#L(\d+)", card) for card in found]
    assert [match.groups() for match in lines if match] == [("16", "1", "16"), ("10", "2", "10"), ("13", "3", "13")]
    assert [re.findall(r"\[(\d)\]</a>", card)[0] for card in found] == ["1", "2", "3"]
    assert [re.findall(r"lang=\"en\">([ABC])</span>", card)[0] for card in found] == ["C", "A", "B"]


def test_a_source_cited_twice_has_one_number_and_one_card(site: Site) -> None:
    quote = site.quote(1, "copies", "Same words here.")
    statements = [Statement(text=f"Claim {n}.", markers=(1,), quotes=(quote,)) for n in (1, 2)]
    page = site.client.get(site.keep(statements, [site.cite(1, "copies", (10, 10), "A")])).text
    assert len(cards(page)) == 1
    assert page.count('href="#source-1"') == 2
    assert page.count('id="cite-1"') == 1
    assert cards(page)[0].count("<blockquote") == 1


def test_a_tip_holds_the_quote_and_without_one_the_place(site: Site) -> None:
    statement = Statement(text="A paraphrase.", markers=(1,))
    page = site.client.get(site.keep([statement], [site.cite(1, "returns", (10, 11), "Bikes")])).text
    assert re.search(r'aria-describedby="tip-0-1".*id="tip-0-1" lang="en"><span>Returns: Bikes</span>', page, re.DOTALL)
    assert "“Return a bike in 30 days.”" in site.client.get(site.keep_returns()).text


def test_everything_is_escaped(site: Site) -> None:
    statement = Statement(text=HOSTILE, markers=(1,), quotes=(site.quote(1, "hostile", "Oil it."),))
    cited = site.cite(1, "hostile", (10, 10), "<img src=x onerror=alert(2)>")
    for address in (
        site.keep([statement], [cited], question=HOSTILE),
        site.keep([], [], question=HOSTILE, nearest=(NearestPage(document_id="hostile", title="x"),)),
    ):
        page = site.client.get(address).text
        assert "<script>alert" not in page
        assert "onerror" not in re.sub(r"&lt;.*?&gt;", "", page)
        assert "{{ 7*7 }}" in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_cautions_stand_above_the_answer(site: Site) -> None:
    page = site.client.get(site.keep_returns(caution=Caution.UNCERTAIN)).text
    assert page.index("We are not sure that this answers your question") < page.index('class="answer"')
    page = site.client.get(site.keep_returns(caution=Caution.DISAGREEING)).text
    assert page.index("Our pages do not agree on this.") < page.index('class="answer"')
    page = site.client.get(site.keep_returns(caution=Caution.OTHER_LANGUAGE, lang="bn", question="কত দিন?")).text
    assert "Our pages say this in another language: English." in page


def test_texts_are_in_the_language_they_are_in(bangla_site: Site) -> None:
    quote = bangla_site.quote(1, "ferot", "ত্রিশ দিনের মধ্যে ফেরত দিন ।")
    statement = Statement(text="ত্রিশ দিনের মধ্যে ফেরত দিন ।", markers=(1,), quotes=(quote,))
    cited = bangla_site.cite(1, "ferot", (10, 10), "সাইকেল")
    page = bangla_site.client.get(bangla_site.keep([statement], [cited], lang="bn", question="কত দিন?")).text
    assert '<html lang="bn">' in page
    assert '<span lang="bn">ত্রিশ দিনের মধ্যে ফেরত দিন<span class="keep"> ।</span></span>' in page
    read = text_of(page)
    assert "[১] ফেরত সাইকেল, লাইন ১০" in read
    assert not re.search(r"[A-Za-z]{3,}", read.replace("English", "")), "words that are not Bangla"
    assert not re.search(r"[0-9]", read), "digits that are not Bangla"


@pytest.mark.parametrize(("lang", "why"), [("en", "Why: "), ("bn", "কারণ: ")])
def test_no_answer_says_why_in_words_and_never_as_a_code(site: Site, lang: str, why: str) -> None:
    for reason in (one for one in Reason if one is not Reason.OK):
        page = site.client.get(site.keep([], [], reason=reason, question="Instalments?") + f"?lang={lang}").text
        assert reason.value not in page
        assert why in page
        assert not cards(page)
        assert "Sources" not in text_of(page)


def test_no_answer_names_nearest_pages_and_a_person(site: Site) -> None:
    nearest = tuple(NearestPage(document_id=id_, title=id_) for id_ in ("returns", "secret", "gone"))
    page = site.client.get(site.keep([], [], question="Instalments?", nearest=nearest)).text
    read = text_of(page)
    assert read.count("We found no answer to “Instalments?” in our documents") == 1
    assert "none of our 6 current pages deals with this" in read
    assert '<a href="/c/bikes/sources/returns" lang="en">Returns</a>' in page
    assert "Pay of staff" not in read
    assert 'href="mailto:help@bikes.example"' in page
    assert "We keep the question" in read
    assert "[1]" not in read


def test_search_engines_are_asked_to_stay_away(site: Site) -> None:
    response = site.client.get(site.keep_returns())
    assert '<meta name="robots" content="noindex">' in response.text
    assert response.headers["X-Robots-Tag"] == "noindex"


def test_screen_readers_hear_one_word_about_the_outcome(site: Site) -> None:
    assert 'data-announce="Answer ready"' in site.client.get(site.keep_returns()).text
    page = site.client.get(site.keep([], [], reason=Reason.WEAK_EVIDENCE)).text
    assert 'data-announce="No answer: our pages touch on this' in page


def test_a_changed_source_is_told_on_its_card_and_the_question_can_be_asked_again(site: Site) -> None:
    address = site.keep_returns(filters={"shop": "North"})
    assert "Ask again" not in site.client.get(address).text
    site.edit("returns", "**30", "**40")
    page = site.client.get(address).text
    read = text_of(page)
    assert "Return a bike in 30 days." in read
    assert "version 3 · current · changed since" in read
    assert "has changed since. Ask again" in read
    assert '<input type="hidden" name="filter-shop" value="North">' in page


def test_a_withdrawn_source_takes_the_answer_with_it(site: Site) -> None:
    address = site.keep_returns()
    site.edit("returns", "status: current", "status: withdrawn")
    read = text_of(site.client.get(address).text)
    assert "a page it came from has been withdrawn" in read
    assert "see what our pages say today. Ask again" in read
    assert "30 days" not in read


def test_unknown_answers_and_those_with_closed_sources_look_the_same(site: Site) -> None:
    cited = site.cite(1, "secret", (11, 11), "Pay")
    closed = site.keep([Statement(text="On Fridays.", markers=(1,))], [cited])
    pages = [site.client.get(address) for address in (closed, "/answers/" + "x" * 22)]
    assert [page.status_code for page in pages] == [404, 404]
    assert len({re.sub(r"[0-9a-f]{12}|nonce-\S+|nonce=\S+", "", text_of(page.text)) for page in pages}) == 1


def test_an_erased_answer_says_that_it_is_gone(site: Site) -> None:
    address = site.keep_returns()
    site.services.store.answers.erase(address.rpartition("/")[2])
    response = site.client.get(address)
    assert response.status_code == 410
    assert "It was erased on request" in text_of(response.text)
    assert "30 days" not in response.text


def test_an_answer_past_its_time_says_that_it_is_gone(site: Site) -> None:
    response = site.client.get(site.keep_returns(created_at=datetime.now(UTC) - timedelta(days=400)))
    assert response.status_code == 410
    assert "Answers are kept for a limited time" in text_of(response.text)


def test_staff_see_how_it_was_made_and_customers_do_not(site: Site) -> None:
    address = site.keep([], [], reason=Reason.WEAK_EVIDENCE, probability=0.25)
    assert "How this answer was made" not in site.client.get(address).text
    read = text_of(site.as_role(Role.AGENT).get(address).text)
    assert "How this answer was made" in read
    assert "weak_evidence" in read
    assert "25.0%" in read


def test_an_answer_from_another_language_offers_the_pages_of_ones_own(site: Site) -> None:
    page = site.client.get(site.keep_returns(lang="bn", caution=Caution.OTHER_LANGUAGE, filters={"shop": "North"})).text
    assert '<input type="hidden" name="only_lang" value="bn">' in page
    assert '<input type="hidden" name="filter-shop" value="North">' in page
    assert 'name="only_lang"' not in site.client.get(site.keep_returns()).text


def test_bangla_in_latin_letters_shows_how_it_was_read_or_asks_for_another_spelling(site: Site) -> None:
    page = site.client.get(site.keep_returns(question="koto din?", lang="bn", read_as="কত দিন")).text
    assert 'Read as: <span lang="bn">কত দিন</span>' in page.replace("</p>", "")
    page = site.client.get(site.keep([], [], question="koto zumtar?", read_as="")).text
    assert "Please type it in Bangla letters, or in English." in page
    assert "Latin letters" not in site.client.get(site.keep_returns()).text
