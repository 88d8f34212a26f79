"""An editor's whole way: paste a draft, compare, read the verdict, publish, see the answer change, go back."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pydantic import SecretStr

from tests.browser.conftest import at_work, served, sign_in
from webapp.core.retrieval.model import Role
from webapp.paths import shared
from webapp.services.root import Services
from webapp.settings import Settings

Open = Callable[..., Page]

EMAIL, PASSWORD = "editor@kestrel.example", "a long password here"
QUESTION = "Do you mend punctures on Sundays?"
DRAFT = """---
id: punctures
title: Mending punctures
status: current
lang: en
---

## On Sundays
We mend punctures on Sundays from ten to four, without an appointment.
"""


@pytest.fixture
def site(services: Services, tmp_path: Path) -> Iterator[str]:
    """The kestrel collection on an address of its own, where it may be written to."""
    shutil.copytree(shared("corpus") / "kestrel", tmp_path / "corpus" / "kestrel")
    shutil.copytree(services.settings.instance / "vectors", tmp_path / "instance" / "vectors")
    often, places = "10000 per minute", {"instance": tmp_path / "instance", "corpus": tmp_path / "corpus"}
    settings = Settings.model_validate(
        places | {"secret_key": SecretStr("k" * 40), "ask_rate": often, "sign_in_rate": often}
    )
    own = Services.open(settings)
    own.accounts.accept(own.accounts.invite(EMAIL, Role.EDITOR), EMAIL, PASSWORD)
    own.desk().ensure_index()
    with served(own) as place, at_work(own):
        yield place
    own.close()


@pytest.fixture
def page(open_page: Open, site: str, request: pytest.FixtureRequest) -> Page:
    page = open_page(f"{site}/admin/drafts", **getattr(request, "param", {}))
    sign_in(page, EMAIL, PASSWORD)
    return page


def see_what_came_of_it(page: Page) -> None:
    """Wait for a job, by itself or by looking again, and go to its result."""
    result = page.get_by_role("link", name="See what came of it")
    for _ in range(120):
        if result.count():
            break
        again = page.get_by_role("link", name="Look again")
        if again.count() and again.is_visible():
            again.click()
        page.wait_for_timeout(500)
    result.click()


def answer_to(page: Page, site: str, question: str) -> str:
    page.goto(site)
    page.locator("#question").fill(question)
    page.locator(".ask button").click()
    page.wait_for_url("**/answers/*")
    return page.locator("article, main").first.inner_text()


@pytest.mark.parametrize(
    "page",
    [{"java_script_enabled": True}, {"java_script_enabled": False}],
    ids=["scripts", "no scripts"],
    indirect=True,
)
def test_from_a_draft_to_the_answer_and_back(page: Page, site: str) -> None:
    assert "punctures on Sundays from ten to four" not in answer_to(page, site, QUESTION)
    page.goto(f"{site}/admin/chunking")
    page.get_by_label("A draft").check()
    page.get_by_label("Paste a page").fill(DRAFT)
    page.get_by_role("button", name="Compare", exact=True).click()
    page.wait_for_url("**draft=**")
    expect(page.locator(".cut-table thead th")).to_have_count(5)
    expect(page.locator(".verdict")).to_contain_text("No key facts are kept for this text.")
    page.get_by_role("link", name="What would change?").click()
    page.get_by_role("button", name="Find out").click()
    see_what_came_of_it(page)
    expect(page.locator("main")).to_contain_text("Now answered")
    expect(page.locator(".changes")).to_contain_text(QUESTION)
    page.get_by_role("link", name="Publish", exact=True).click()
    page.get_by_label("What this changes").fill("Sundays, too")
    page.get_by_role("button", name="Publish now").click()
    see_what_came_of_it(page)
    expect(page.locator("main")).to_contain_text("It is live")
    assert "punctures on Sundays from ten to four" in answer_to(page, site, QUESTION)
    page.goto(f"{site}/admin/publications")
    expect(page.locator("main")).to_contain_text("Sundays, too")
    page.get_by_role("button", name="Go back to the version before").click()
    page.wait_for_url("**/admin/index**")
    assert "punctures on Sundays from ten to four" not in answer_to(page, site, QUESTION)


@pytest.mark.parametrize(
    "page",
    [{"java_script_enabled": True}, {"java_script_enabled": False}],
    ids=["scripts", "no scripts"],
    indirect=True,
)
def test_u06_back_in_the_list_stands_what_was_saved(page: Page, site: str) -> None:
    page.goto(f"{site}/admin/drafts")
    page.locator("[name=path]").fill("first-name.md")
    page.get_by_role("button", name="Begin with this text").click()
    page.wait_for_url("**/admin/drafts/*")
    page.goto(f"{site}/admin/drafts")
    page.get_by_role("link", name="first-name.md").click()
    page.locator("[name=path]").fill("other-name.md")
    page.get_by_role("button", name="Save and look over").click()
    page.wait_for_url("**/admin/drafts/*saved=1")
    page.go_back()
    page.go_back()
    expect(page.get_by_role("link", name="other-name.md")).to_be_visible()
    expect(page.locator("main")).not_to_contain_text("first-name.md")
