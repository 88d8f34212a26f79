"""By keyboard alone: signing in, an agent's and an editor's way; focus is where the reader was, and never lost."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import leaves_sign_in, served
from tests.browser.gallery import QUESTION, Gallery
from tests.conftest import PASSWORD

Open = Callable[..., Page]
MOST = 60  # steps of the Tab key, before somebody gives up

scripts = pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])


@pytest.fixture
def start(browser: Browser, gallery: Gallery) -> Iterator[Open]:
    """Open a page of the gallery in a fresh browser session, signed in or not."""
    with served(gallery.services, gallery.app) as address:
        contexts = []

        def open_(path: str, signed_in: bool = True, scripts: bool = True) -> Page:
            context = browser.new_context(base_url=address, locale="en", java_script_enabled=scripts)
            context.set_default_timeout(20_000)
            contexts.append(context)
            if signed_in:
                context.add_cookies([{"name": "evidencedesk", "value": gallery.cookie, "url": address}])
            page = context.new_page()
            page.goto(path)
            return page

        yield open_
        for context in contexts:
            context.close()


def tab_to(page: Page, name: str) -> None:
    """Go on with the Tab key from where the focus is, to the link, button or field of that name, and no further."""
    for _ in range(MOST):
        page.keyboard.press("Tab")
        focused = page.locator(":focus")
        if focused.count() and (focused.get_attribute("name") == name or focused.inner_text().strip().startswith(name)):
            return
    raise AssertionError(f"the Tab key does not lead to {name!r}")


@scripts
def test_a_wrong_password_is_mended_where_it_was_typed(start: Open, scripts: bool) -> None:
    page = start("/sign-in?next=/sessions", signed_in=False, scripts=scripts)
    tab_to(page, "email")
    page.keyboard.type("ada@bikes.example")
    tab_to(page, "password")
    page.keyboard.type("a wrong password")
    page.keyboard.press("Enter")
    page.locator("#problem").wait_for()
    expect(page.locator("#email")).to_be_focused()
    expect(page.locator("#email")).to_have_accessible_description(re.compile("^The address or the password is wrong"))
    tab_to(page, "password")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    leaves_sign_in(page)
    tab_to(page, "Sign out")
    page.keyboard.press("Enter")
    page.wait_for_url("**/")


@scripts
def test_an_agent_finds_an_answer_and_asks_it_again(start: Open, scripts: bool) -> None:
    page = start("/agent/answers", scripts=scripts)
    tab_to(page, "Skip to the text")
    page.keyboard.press("Enter")
    tab_to(page, QUESTION)
    page.keyboard.press("Enter")
    page.wait_for_url("**/agent/answers/*")
    tab_to(page, "Ask again today")
    page.keyboard.press("Enter")
    expect(page.locator(".again h2")).to_be_focused()


@scripts
def test_an_editor_mends_what_was_forgotten(start: Open, scripts: bool) -> None:
    page = start("/admin/evaluation/questions/edit", scripts=scripts)
    tab_to(page, "question")
    page.keyboard.press("Enter")
    page.locator("#question-error").wait_for()
    expect(page.locator("#question")).to_be_focused()
    page.keyboard.type("Do you sell unicycles?")
    tab_to(page, "lang")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(".notice")).to_contain_text("Kept.")


def test_a_draft_is_written_and_looked_over(start: Open) -> None:
    page = start("/admin/drafts")
    tab_to(page, "path")
    page.keyboard.type("new-page.md")
    tab_to(page, "Begin with this text")
    page.keyboard.press("Enter")
    page.wait_for_url("**/admin/drafts/*")
    tab_to(page, "text")
    page.keyboard.type("## Hours")
    tab_to(page, "Save and look over")
    page.keyboard.press("Enter")
    page.wait_for_url("**saved=1")
