"""Two versions of a page side by side."""

from __future__ import annotations

import re
from html import unescape

import pytest

from tests.conftest import Desks
from tests.pages.agent.test_answer import agent_of, ask, edit, text_of
from webapp.core.documents.differences import compare_texts
from webapp.pages.agent.diff_view import view_difference

ADDRESS = "/agent/diff?document="


def test_a_page_and_the_one_that_replaced_it(shared_desks: Desks) -> None:
    page = shared_desks.client("agent").get(f"{ADDRESS}returns-1&one=now&other=page:returns").text
    assert re.search(r"within <del>10</del> days", page)
    assert re.search(r"within <ins>45</ins> days", page)
    assert "version 1, superseded, as it is now" in page
    assert "version 2, current, as it is now, returns" in page


@pytest.mark.parametrize("document_id", ["returns", "returns-1"])
def test_without_a_choice_the_older_page_stands_first(shared_desks: Desks, document_id: str) -> None:
    page = shared_desks.client("agent").get(f"{ADDRESS}{document_id}").text
    assert "<del>10</del>" in page
    assert "<ins>45</ins>" in page


def test_without_a_choice_the_last_change_is_shown(desks: Desks) -> None:
    address = ask(desks)
    edit(desks, "returns.md", "within 45 days", "within 60 days")
    client = agent_of(desks)
    page = client.get(f"{ADDRESS}returns").text
    assert "1 line differs." in page
    assert "<del>45</del>" in page
    assert "<ins>60</ins>" in page
    cited = re.search(r'href="(/agent/diff[^"]+one=copy:[^"]+)"', client.get(address).text)
    assert cited
    kept = client.get(unescape(cited[1])).text
    assert "<del>45</del>" in kept
    assert "as cited on" in kept


def test_one_version_alone_says_so(shared_desks: Desks) -> None:
    assert "only one version" in shared_desks.client("agent").get(f"{ADDRESS}bulbs").text


def test_the_same_twice_says_so(shared_desks: Desks) -> None:
    page = shared_desks.client("agent").get(f"{ADDRESS}returns&one=now&other=now").text
    assert "The two say the same, line by line." in page


@pytest.mark.parametrize(
    "query",
    [
        "discounts",
        "made-up",
        "returns&one=index:none",
        "returns&one=copy:none",
        "returns&one=page:discounts",
        "returns&one=x",
    ],
)
def test_what_is_closed_or_made_up_is_not_found(shared_desks: Desks, query: str) -> None:
    assert shared_desks.client("agent").get(ADDRESS + query).status_code == 404


def test_those_in_the_group_may_compare_its_pages(shared_desks: Desks) -> None:
    assert shared_desks.client("admin").get(f"{ADDRESS}discounts").status_code == 200


def test_text_of_pages_is_shown_as_text(desks: Desks) -> None:
    edit(desks, "returns.md", "## Returning", "<script>alert(1)</script>\n\n## Returning")
    page = agent_of(desks).get(f"{ADDRESS}returns-1&one=now&other=page:returns").text
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_what_did_not_change_is_folded_and_counted(desks: Desks) -> None:
    edit(desks, "returns.md", "## Returning", "".join(f"Line {number}.\n\n" for number in range(20)) + "## Returning")
    agent = agent_of(desks)
    agent.get("/agent/search")
    edit(desks, "returns.md", "within 45 days", "within 60 days")
    page = text_of(agent.get(f"{ADDRESS}returns").text)
    assert "46 unchanged lines" in page


def test_in_one_column_what_was_stands_before_what_is() -> None:
    from flask import Flask

    from webapp.web.i18n import init_i18n

    app = Flask(__name__)
    init_i18n(app, ("en",))
    with app.test_request_context():
        (part,) = view_difference(compare_texts("a\nb\nc", "x\ny\nc"), {2}).parts
        assert [row.kind for row in part.runs] == ["old", "old", "new", "new", "same"]
        assert [bool(row.old and row.old.cited) for row in part.rows] == [False, True, False]
        short = view_difference(compare_texts("a\nb\nc", "x\ny\nz"), most=1)
        assert (short.changed, short.more, sum(part.count for part in short.parts)) == (3, 2, 1)
