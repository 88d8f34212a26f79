"""Rendered Markdown: quoted words marked in it, and nothing in it that a page must not hold."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.core.documents.model import Span
from webapp.web.rendered import render_markdown, web_link

CHARACTERS = [*"ab \n*_`#>|-[]()<>!&\\\"'/:=~1.é", "।", "\r", "<script>", "<mark>", "<title>"]
MARKUP = st.lists(st.sampled_from(CHARACTERS), max_size=60).map("".join)


def rendered(text: str, *quoted: str) -> str:
    spans = [Span(text.index(words), text.index(words) + len(words)) for words in quoted]
    return str(render_markdown(text, spans, web_link))


def marked(page: str) -> list[str]:
    return [re.sub(r"<[^>]+>", "", found) for found in re.findall(r"<mark[^>]*>(.*?)</mark>", page, re.DOTALL)]


def test_quoted_words_are_marked_through_markup() -> None:
    page = rendered("You can **return it** in [30 days](https://a.example).", "return it** in [30")
    assert "".join(marked(page)) == "return it in 30"
    assert '<strong><mark id="cited" tabindex="-1">return it</mark></strong><mark> in </mark>' in page


def test_quoted_words_are_marked_across_lines_and_in_bangla() -> None:
    assert marked(rendered("নতুন সাইকেল\nফেরত দিন। বাকিটা নয়।", "সাইকেল\nফেরত দিন।")) == ["সাইকেল\nফেরত দিন।"]


def test_entities_and_code_are_marked_whole() -> None:
    assert marked(rendered("a `x < y` b &amp; c", "x < y", "&amp;")) == ["x &lt; y", "&amp;"]


def test_offsets_are_those_of_the_whole_file() -> None:
    text = "---\nid: x\n---\n\nKeep the box.\n"
    start = text.index("the")
    assert marked(str(render_markdown(text, [Span(start, start + 3)], web_link, text.index("\nKeep")))) == ["the"]


def test_headings_stand_below_the_pages_title_and_skip_no_level() -> None:
    assert re.findall(r"<h\d>", rendered("# a\n\n#### b\n\n## c\n\n###### d\n")) == ["<h2>", "<h3>", "<h2>", "<h3>"]


def test_images_give_their_words_and_load_nothing() -> None:
    page = rendered("![A *red* bike ![in](b.png)](https://a.example/x.png) <img src=https://a.example/y.png>")
    assert '<span class="image">[A <em>red</em> bike in]</span>' in page
    assert "img" not in page
    assert "a.example" not in page


def test_tables_lists_and_footnotes_are_rendered() -> None:
    page = rendered("|a|b|\n|-|-|\n|1|2|\n\n3. x\n4. y\n\n- [x] done[^1]\n\n[^1]: note\n")
    assert '<th scope="col">a</th>' in page
    assert "<td>2</td>" in page
    assert '<ol start="3"><li>x</li>' in page
    assert "☑ done<sup>[1]</sup>" in page
    assert '<div class="footnote">[1] <p>note</p>' in page


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>ok",
        "<img src=x onerror=alert(1)>ok",
        "<svg><script>alert(1)</script></svg>ok",
        "[ok](javascript:alert(1))",
        "[ok](JaVaScRiPt&#58;alert(1))",
        "[ok](data:text/html,x)",
        "[ok](//evil.example)",
        "<a href='vbscript:x' onclick=x style='position:fixed'>ok</a>",
        "<iframe src=//evil.example></iframe>ok",
        "<form action=/ask><button>ok</button></form>",
        "<style>*{display:none}</style>ok",
        "<div class='skip' id='main'>ok</div>",
        "<h1>ok</h1>",
        "<mark>ok</mark>",
        "<div\n onmouseover\n=alert(1)>ok</div>",
        "`<script>`ok",
    ],
)
def test_hostile_markup_is_harmless(text: str) -> None:
    page = rendered(text)
    assert "ok" in page
    assert not re.search(r"<(?!/?(?:p|a|code|div)\b)|\bon\w+=|style=|javascript|vbscript|evil|data:|id=", page.lower())


def test_what_html_forbids_is_replaced() -> None:
    assert "a\ufffd[31m b" in rendered("a\x1b[31m b")


def test_links_are_resolved_by_the_page() -> None:
    page = render_markdown("[a](b.md) [c](http://d.example) [e](#f)", [], {"b.md": "/sources/b"}.get)
    assert page.count("href") == 1
    assert 'href="/sources/b"' in page


def test_endless_markup_takes_no_endless_time() -> None:
    for text in ("<div\n" + "<" * 200_000, "<div>\n" + "<mark " * 50_000, " " * 200_000 + "x ।"):
        start = time.process_time()
        render_markdown(text, [Span(0, len(text))], web_link)
        assert time.process_time() - start < 5


@pytest.mark.parametrize("mark", ["> ", "1. ", "- > "])
def test_what_stands_in_a_thousand_quotes_is_shown_without_them(mark: str) -> None:
    page = rendered(f"{mark * 1000}the end", "the end")
    assert marked(page) == ["the end"]
    assert page.count("<blockquote>") + page.count("<ol>") + page.count("<ul>") <= 60


def test_raw_markup_is_opened_so_deep_and_no_deeper_while_line_breaks_go_on() -> None:
    assert rendered("<div>" * 5000 + "ok").count("<div>") == 2000
    assert rendered("a<br>" * 5000).count("<br>") == 5000


@settings(deadline=None)
@given(MARKUP, st.lists(st.tuples(st.integers(0, 80), st.integers(0, 80)), max_size=4))
def test_any_text_renders_and_marks_pair_up(text: str, pairs: list[tuple[int, int]]) -> None:
    page = str(render_markdown(text, [Span(min(pair), max(pair)) for pair in pairs], web_link))
    assert "<script" not in page
    assert page.count("<mark") == page.count("</mark>")
    assert page.count('id="cited"') <= 1
