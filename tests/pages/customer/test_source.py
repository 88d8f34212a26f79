"""The source page: the file's own lines, the cited ones told apart, the quoted words marked, never in a wrong place."""

from __future__ import annotations

import re

import html5lib
import pytest

from tests.pages.customer.conftest import Site
from webapp.core.answering.model import Statement
from webapp.core.retrieval.model import Role

LINE = re.compile(r'<div class="line([^"]*)" id="L(\d+)".*?<span dir="auto">(.*?)</span></div>', re.DOTALL)


def lines(page: str) -> dict[int, tuple[str, str]]:
    """Class and inner HTML of each line."""
    return {int(number): (classes, inner) for classes, number, inner in LINE.findall(page)}


def cited(page: str) -> list[int]:
    return [number for number, (classes, _) in lines(page).items() if "cited" in classes.split()]


def marks(page: str) -> list[tuple[int, str]]:
    return [
        (number, words)
        for number, (_, inner) in lines(page).items()
        for words in re.findall("<mark>(.*?)</mark>", inner)
    ]


def source_of(answer: str, document_id: str, lines: str, marker: int, more: str = "") -> str:
    return f"/c/bikes/sources/{document_id}?lines={lines}&answer={answer.rpartition('/')[2]}&n={marker}{more}"


def test_the_whole_file_is_shown_line_by_line(site: Site) -> None:
    page = site.client.get("/sources/returns").text
    shown = html5lib.parse(page, namespaceHTMLElements=False)
    texts = ["".join(one.itertext()) for one in shown.iterfind(".//div[@class]") if one.get("id", "").startswith("L")]
    assert texts == site.document("returns").text.split("\n")[:-1]


def test_both_addresses_show_it_and_a_trailing_slash_changes_nothing(site: Site) -> None:
    for address in ("/sources/returns", "/c/bikes/sources/returns", "/sources/returns/"):
        assert site.client.get(address).status_code == 200


def test_line_numbers_are_links_whose_digits_are_not_text(site: Site) -> None:
    page = site.client.get("/sources/returns").text
    assert '<a href="#L10" data-n="10" aria-label="Line 10" lang="en"></a>' in page
    assert 'data-n="১০" aria-label="লাইন ১০" lang="bn"' in site.client.get("/sources/returns?lang=bn").text


def test_cited_lines_and_quoted_words_are_told_apart(site: Site) -> None:
    page = site.client.get(source_of(site.keep_returns(), "returns", "10-11", 1)).text
    assert cited(page) == [10, 11]
    assert marks(page) == [(10, "Return a bike in **30"), (11, "days**.")]
    assert '<div class="line cited" id="L10" tabindex="-1">' in page


def test_the_copy_that_was_cited_is_marked_and_no_other(site: Site) -> None:
    answer = site.keep_copies()
    for marker, line in ((1, 16), (2, 10), (3, 13)):
        page = site.client.get(source_of(answer, "copies", str(line), marker)).text
        assert (cited(page), marks(page)) == ([line], [(line, "Same words here.")])


def test_without_a_number_all_quotes_of_the_answer_are_marked(site: Site) -> None:
    answer = site.keep_copies().rpartition("/")[2]
    page = site.client.get(f"/sources/copies?lines=10,13&answer={answer}").text
    assert cited(page) == [10, 13]
    assert [line for line, _ in marks(page)] == [10, 13, 16]


def test_a_sentence_cut_across_two_chunks_is_marked_whole_and_once(site: Site) -> None:
    first, second = site.quote(1, "long", "Part 7 tells"), site.quote(2, "long", "tells a thing.", "Part 7 tells")
    both = [site.cite(marker, "long", (28, 28), "Part 7") for marker in (1, 2)]
    answer = site.keep([Statement(text="It tells.", markers=(1, 2), quotes=(first, second))], both)
    for marker in (1, 2):
        assert marks(site.client.get(source_of(answer, "long", "28", marker)).text) == [(28, "Part 7 tells a thing.")]


def test_the_way_leads_to_the_other_citations_and_back(site: Site) -> None:
    answer = site.keep_copies()
    page = site.client.get(source_of(answer, "copies", "10", 2)).text
    assert "Citation 2 of 3" in page
    assert re.search(r'href="[^"]*n=1#L16" rel="prev"', page)
    assert re.search(r'href="[^"]*n=3#L13" rel="next"', page)
    assert f'href="{answer}#cite-2"' in page
    assert 'rel="prev"' not in site.client.get(source_of(answer, "copies", "16", 1)).text


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("lines=10-9999", [10, 11]),
        ("lines=9999", []),
        ("lines=abc&n=x&view=y", []),
        ("lines=%3Cscript%3E,11&n=-1", [11]),
        ("lines=11-10", [10, 11]),
        ("lines=&n=99999999999999999999", []),
    ],
)
def test_bad_addresses_are_borne(site: Site, query: str, wanted: list[int]) -> None:
    response = site.client.get(f"/sources/returns?{query}")
    assert response.status_code == 200
    assert cited(response.text) == wanted


def test_a_changed_file_is_shown_as_it_was_cited(site: Site) -> None:
    answer = site.keep_returns()
    site.edit("returns", "## Bikes\n", "## Bikes\nA new first line.\n")
    page = site.client.get(source_of(answer, "returns", "10-11", 1)).text
    assert "A new first line." not in page
    assert marks(page) == [(10, "Return a bike in **30"), (11, "days**.")]
    assert "This page has changed since" in page
    assert '<a href="/c/bikes/sources/returns">Read the page as it is now</a>' in page


def test_nothing_is_marked_when_the_answer_is_gone(site: Site) -> None:
    answer = site.keep_returns()
    site.services.store.answers.erase(answer.rpartition("/")[2])
    page = site.client.get(source_of(answer, "returns", "10-11", 1)).text
    assert (cited(page), marks(page)) == ([], [])
    assert "no longer kept, so the lines it cited are not marked" in page


def test_a_replaced_page_names_its_successor(site: Site) -> None:
    page = site.client.get("/sources/returns-2").text
    assert "superseded" in page
    assert '<a href="/c/bikes/sources/returns">Read “Returns”</a>' in page


def test_an_old_answers_link_to_a_page_that_was_replaced_opens_and_names_its_successor(site: Site) -> None:
    address = source_of(site.keep_returns(), "returns", "10-11", 1)
    assert "superseded" not in site.client.get(address).text
    site.edit("returns", "status: current", "status: superseded\nsuperseded_by: copies")
    page = site.client.get(address).text
    assert cited(page)
    assert "superseded" in page
    assert '<a href="/c/bikes/sources/copies">' in page


def test_a_withdrawn_page_is_closed_to_customers_and_open_to_staff(site: Site) -> None:
    address = source_of(site.keep_returns(), "returns", "10-11", 1)
    site.edit("returns", "status: current", "status: withdrawn")
    for view in ("", "&view=text", "&view=file"):
        response = site.client.get(address + view)
        assert "This page has been withdrawn, so its text is not shown." in response.text
        assert "Return a bike in" not in response.text
    assert "Return a bike in" in site.as_role(Role.AGENT).get(address).text


def test_unknown_and_closed_documents_look_the_same(site: Site) -> None:
    for view in ("", "?view=file", "?view=text"):
        pages = [site.client.get(f"/sources/{id_}{view}") for id_ in ("secret", "draft", "made-up", "../returns")]
        assert {page.status_code for page in pages} == {404}
        assert len({re.sub(r"[0-9a-f]{12}|(nonce|value)=\S+|href=\S+", "", page.text) for page in pages}) == 1
    assert site.as_role(Role.AGENT).get("/sources/secret").status_code == 200


def test_hostile_text_and_titles_are_text(site: Site) -> None:
    page = site.client.get("/sources/hostile").text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;</h1>" in page
    assert "&lt;svg onload=alert(3)&gt;" in page
    for view in ("", "?view=text"):
        page = site.client.get(f"/sources/hostile{view}").text
        inside = html5lib.parse(page, namespaceHTMLElements=False).iterfind(".//main//*")
        assert not [one for one in inside if one.tag in ("script", "img", "svg", "style", "iframe")]


def test_the_text_view_is_the_rendered_page_with_the_passage_marked(site: Site) -> None:
    page = site.client.get(source_of(site.keep_returns(), "returns", "10-11", 1, "&view=text")).text
    assert (
        '<mark id="cited" tabindex="-1">Return a bike in </mark><strong><mark>30\ndays</mark></strong><mark>.</mark>'
        in page
    )
    assert 'href="https://box.example"' in page
    assert 'href="/c/bikes/sources/copies?view=text"' in page
    assert "title: Returns" not in page


def test_the_text_view_of_lines_marks_them(site: Site) -> None:
    page = site.client.get("/sources/copies?lines=13-13&view=text").text
    assert page.count("<mark") == 1
    assert '<h2>B</h2>\n<p><mark id="cited" tabindex="-1">Same words here.</mark></p>' in page


def test_links_to_closed_pages_are_words_only(site: Site) -> None:
    site.edit("returns", "(copies.md)", "(secret.md)")
    page = site.client.get("/sources/returns?view=text").text
    assert "copies</a>" in page
    assert "secret" not in page


def test_code_keeps_its_tabs_and_unbreakable_blanks(site: Site) -> None:
    shown = lines(site.client.get("/sources/code").text)
    assert [inner for _, inner in shown.values()][10:14] == ["```", "if\u00a0x:", "\ty = 1", "\t\tz = 2"]


def test_the_file_is_saved_not_shown(site: Site) -> None:
    response = site.client.get("/sources/hostile?view=file")
    assert response.mimetype == "text/plain"
    assert response.headers["Content-Disposition"] == "attachment; filename*=UTF-8''hostile.md"
    assert response.text == site.document("hostile").text


def test_a_danda_never_starts_a_line(site: Site) -> None:
    assert 'দিন<span class="keep"> ।</span> বাক্স' in site.client.get("/sources/ferot").text


def test_state_and_language_are_named_in_the_readers_language(site: Site) -> None:
    assert "version 1.10 · current · English" in site.client.get("/sources/copies").text
    assert "সংস্করণ ১.১০ · চলতি · ইংরেজি" in site.client.get("/sources/copies?lang=bn").text


def test_a_long_file_is_shown_in_parts_and_opens_at_the_cited_line(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webapp.pages.customer.source_page.MOST_LINES", 50)
    monkeypatch.setattr("webapp.pages.customer.source_page.BEFORE", 10)
    whole = site.document("long").text.split("\n")[:-1]
    seen: dict[int, str] = {}
    address = "/sources/long?lang=en"
    for _ in range(4):
        page = site.client.get(address).text
        seen |= {number: inner for number, (_, inner) in lines(page).items()}
        following = re.search(r'<a href="([^"]+)">Later lines</a>', page)
        address = following[1].replace("&amp;", "&") if following else ""
    assert (list(seen), list(seen.values()), address) == ([*range(1, len(whole) + 1)], whole, "")
    cited_page = site.client.get("/sources/long?lines=120").text
    assert (min(lines(cited_page)), max(lines(cited_page)), cited(cited_page)) == (110, 159, [120])
    assert f"Lines 110-159 of {len(whole)}" in cited_page
    assert "from=60" in cited_page
    assert "from=160" in cited_page
    assert list(lines(site.client.get("/sources/long?from=999999999").text)) == [len(whole)]
    assert len(lines(site.client.get("/sources/long?from=x").text)) == 50
    assert "Lines 1-" not in site.client.get("/sources/returns").text
