"""From a reader's thumb down to a page that is to be written, in a real browser: with scripts and without."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress

import pytest
from playwright.sync_api import Page, expect

from webapp.core.retrieval.model import Role
from webapp.services.accounts import AccountError
from webapp.services.root import Services

PASSWORD = "correct horse battery"
EDITOR = "votes@bikes.example"
Open = Callable[..., Page]


def ask(page: Page, question: str) -> None:
    page.goto("/")
    page.locator("#question").fill(question)
    page.locator(".ask.first button").click()
    page.locator("#feedback").wait_for()


def sign_in(page: Page, services: Services) -> None:
    with suppress(AccountError):  # another test has invited them already
        services.accounts.accept(services.accounts.invite(EDITOR, Role.ADMIN), "", PASSWORD)
    page.goto("/sign-in")
    page.locator("#email").fill(EDITOR)
    page.locator("#password").fill(PASSWORD)
    page.locator("main form button").click()
    page.locator("form[action='/sign-out']").wait_for()


def test_u02_a_thumb_keeps_its_focus_and_is_said_aloud(open_page: Open) -> None:
    """U02: the focus is never lost; U01: what was done is said once."""
    page = open_page("/")
    ask(page, "When do gift cards expire?")
    down = page.locator("#vote-down")
    down.focus()
    page.keyboard.press("Enter")
    expect(down).to_have_attribute("aria-pressed", "true")
    expect(down).to_be_focused()
    expect(page.locator("#announce")).to_have_text("Thank you.")
    page.get_by_label("It is out of date").check()
    page.get_by_label("In your words").fill("It is 24 months now")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#announce")).to_have_text("Thank you, your editors can see it.")
    expect(page.locator("#feedback")).to_be_focused()  # its button is folded away
    page.reload()
    expect(page.locator("#vote-down")).to_have_attribute("aria-pressed", "true")
    page.locator("#vote-down").click()
    expect(page.locator("#announce")).to_have_text("Your vote has been taken back.")
    expect(page.locator("#vote-down")).to_have_attribute("aria-pressed", "false")


@pytest.mark.parametrize("scripts", [True, False])
def test_from_a_thumb_down_to_the_page_that_is_missing(open_page: Open, services: Services, scripts: bool) -> None:
    question = f"Do you rent out tandems {'with' if scripts else 'without'} helmets?"
    page = open_page("/", java_script_enabled=scripts)
    ask(page, question)
    page.locator("#vote-down").click()
    page.get_by_text("What is the matter?").wait_for()
    page.get_by_label("Something is missing").check()
    page.get_by_role("button", name="Send").click()
    page.locator("#feedback").wait_for()
    sign_in(page, services)
    page.goto("/agent/answers?rating=down")
    page.get_by_role("link", name=question).click()
    expect(page.locator("#votes")).to_contain_text("Something is missing")
    page.goto("/admin/gaps")
    gap = page.locator(".gaps > li", has_text="tandems").first
    gap.get_by_role("button", name="Write this page").click()
    page.wait_for_url("**/admin/drafts/*")
    expect(page.locator("textarea").first).to_have_value(re.compile(re.escape(question)))


def test_all_that_was_asked_here_is_erased(open_page: Open) -> None:
    page = open_page("/")
    ask(page, "What is the RD2-24 recall?")
    answer = page.url
    page.goto("/asked")
    expect(page.get_by_role("link", name="What is the RD2-24 recall?")).to_be_visible()
    page.get_by_text("Erase this question").click()
    page.get_by_role("button", name="Erase for good").click()
    expect(page.get_by_text("All that you asked has been erased")).to_be_visible()
    response = page.request.get(answer)
    assert response.status == 410
