"""Asking: what is typed is never lost, and one press makes one answer."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.pages.customer.conftest import Site
from tests.pages.word_counts import WordCounts

HTMX = {"HX-Request": "true"}


def test_the_box_offers_the_collections_examples_in_the_readers_language(site: Site) -> None:
    page = site.client.get("/").text
    assert "Ask a question about our documents" in page
    assert 'value="How long can I keep it?" lang="en"' in page
    bangla = site.client.get("/?lang=bn").text
    assert 'value="How long can I keep it?" lang="en"' in bangla, "none of those in Bangla is answered"


def test_both_addresses_of_a_collection_show_its_box(site: Site) -> None:
    for address in ("/", "/c/bikes/", "/c/bikes"):
        assert site.client.get(address).status_code == 200
    assert site.client.get("/c/nothing/").status_code == 404


def test_the_box_says_through_how_many_pages_it_looks(site: Site) -> None:
    page = site.client.get("/").text
    assert "Answers come from our 6 current pages" in page
    assert 'data-looking="Looking through 6 pages…"' in page
    assert 'data-looking="৬টি পাতা দেখা হচ্ছে…"' in site.client.get("/?lang=bn").text


def test_a_question_leads_to_its_answer_which_can_be_loaded_again(site: Site) -> None:
    response = site.client.post("/ask", {"question": "Return a bike in 30 days"})
    assert response.status_code == 303
    first, second = (site.client.get(response.headers["Location"]) for _ in range(2))
    assert first.status_code == second.status_code == 200
    assert len(site.made) == 1


def test_htmx_gets_the_answer_alone_and_its_address(site: Site) -> None:
    response = site.client.post("/ask", {"question": "Return a bike in 30 days"}, headers=HTMX)
    address = response.headers["HX-Push-Url"]
    assert response.status_code == 200
    assert "<html" not in response.text
    assert "<h1" in response.text
    whole = site.client.get(address).text
    assert "<html" in whole
    for part in re.findall(r"<h1.*?</h1>|<h2.*?</h2>", response.text, re.DOTALL):
        assert part in whole


def test_u07_a_double_click_makes_one_answer(site: Site) -> None:
    form = {"question": "Return a bike in 30 days", "once": "token-of-the-form"}
    places = {site.client.post("/ask", form).headers["Location"] for _ in range(2)}
    assert len(places) == 1
    assert len(site.made) == 1


def test_after_back_the_same_form_asks_another_question(site: Site) -> None:
    for question in ("Return a bike in 30 days", "Keep the box"):
        site.client.post("/ask", {"question": question, "once": "token-of-the-form"})
    assert len(site.made) == 2


def test_each_box_has_a_token_of_its_own(site: Site) -> None:
    tokens = [re.findall(r'name="once" value="([^"]+)"', site.client.get("/").text) for _ in range(2)]
    assert tokens[0][0] != tokens[1][0]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "Please type a question."),
        (" \t\u00a0 ", "Please type a question."),
        ("😀 🚲 !?", "Please ask in words"),
        ("why " * 5000, "Please shorten the question to 2000 characters."),
        ('"><script>alert(1)</script>' * 400, "Please shorten the question"),
    ],
)
@pytest.mark.parametrize("headers", [{}, HTMX])
def test_a_question_that_cant_be_asked_is_kept_beside_its_error(
    site: Site, typed: str, said: str, headers: dict[str, str]
) -> None:
    response = site.client.post("/ask", {"question": typed}, headers=headers)
    assert response.status_code == 422
    assert said in response.text
    assert 'aria-describedby="question-error"' in response.text
    assert "<script>alert" not in response.text
    assert typed.strip()[:20].split("<")[0].replace('"', "&#34;").replace(">", "&gt;") in response.text
    assert len(site.made) == 0


def test_errors_are_in_the_readers_language_and_digits(bangla_site: Site) -> None:
    page = bangla_site.client.post("/ask", {"question": "কেন " * 5000}).text
    assert "অনুগ্রহ করে প্রশ্নটি ২০০০ অক্ষরের মধ্যে ছোট করুন।" in page


def test_a_form_without_its_token_is_refused(site: Site) -> None:
    response = site.client.send("POST", "/ask", data={"question": "Return a bike"})
    assert response.status_code == 400
    assert len(site.made) == 0


def test_an_unknown_collection_is_not_found(site: Site) -> None:
    assert site.client.post("/ask", {"question": "Return a bike", "collection": "nothing"}).status_code == 404


def test_the_page_says_when_questions_leave_the_house(make_site: Callable[..., Site]) -> None:
    settings = {
        "model": "openai_compatible",
        "model_base_url": "https://models.example/v1",
        "model_name": "outside-model",
    }
    page = make_site(**settings).client.get("/").text
    assert "sent to an outside service" in page


def test_the_page_says_when_questions_leave_the_house_to_be_searched_with(
    make_site: Callable[..., Site], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WordCounts, "outside", "vectors.example", raising=False)
    assert "sent to an outside service (vectors.example)" in make_site().client.get("/").text


def test_nothing_leaves_the_house_with_the_models_of_ours(site: Site) -> None:
    assert "outside service" not in site.client.get("/").text
