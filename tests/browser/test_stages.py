"""While a question is on its way the page says how far it is; without being told, the page asks all the same."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

Open = Callable[..., Page]
QUESTION = "How long do I have to return a bike?"
WATCH = """() => {
    const line = document.querySelector(".progress");
    window.shown = [];
    new MutationObserver(() => window.shown.push(line.textContent)).observe(line, {childList: true});
}"""


def ask(page: Page) -> None:
    page.locator("#question").fill(QUESTION)
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator("h1")).to_have_text(QUESTION)


def test_the_line_says_what_the_server_does(open_page: Open) -> None:
    page = open_page("/")
    page.evaluate(WATCH)
    ask(page)
    assert page.evaluate("() => window.shown")[:2] == ["Looking through 12 pages…", "Checking the sources…"]
    assert "/answers/" in page.url
    assert "question=" not in page.url


@pytest.mark.parametrize(
    "told",
    [
        {"status": 404},
        {"status": 429, "body": "{}"},
        {"status": 200, "content_type": "text/event-stream", "body": ""},
        {"status": 200, "content_type": "text/event-stream", "body": "event: retrieving\ndata: {}\n\nevent: do"},
        {"status": 200, "content_type": "text/event-stream", "body": 'event: failed\ndata: {"message": "late"}\n\n'},
        {"status": 200, "content_type": "text/html", "body": "<p>a proxy of the house says no</p>\n\n"},
    ],
)
def test_without_being_told_the_page_asks_all_the_same(open_page: Open, told: dict[str, object]) -> None:
    def answer(route: Route) -> None:
        route.fulfill(**told)  # type: ignore[arg-type]

    page = open_page("/")
    page.route("**/api/v1/ask/stages", answer)
    ask(page)


def test_u07_an_answer_that_was_not_told_of_is_not_made_again(open_page: Open) -> None:
    """U07: the reply is cut off after the answer is kept; the form's token finds it."""
    told: list[str] = []

    def cut(route: Route) -> None:
        told.append(route.fetch().text())
        route.fulfill(status=200, content_type="text/event-stream", body="event: retrieving\ndata: {}\n\n")

    page = open_page("/")
    page.route("**/api/v1/ask/stages", cut)
    ask(page)
    assert f'"url": "{page.url[page.url.index("/answers/") :]}"' in told[0]
