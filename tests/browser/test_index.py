"""Index versions in a browser: one is built, called off, taken back; with and without scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import at_work, sign_in
from webapp.core.retrieval.model import Role
from webapp.services.root import Services

Open = Callable[..., Page]

EMAIL, PASSWORD = "index@kestrel.example", "a long password here"
PAGE = "/admin/index"
LONG = 120_000  # milliseconds: embedding takes its time on a busy machine


@pytest.fixture(scope="session")
def indexer(services: Services) -> str:
    """Make an editor's account; return its address."""
    services.accounts.accept(services.accounts.invite(EMAIL, Role.EDITOR), EMAIL, PASSWORD)
    return EMAIL


@pytest.fixture
def enter(open_page: Open, indexer: str, services: Services) -> Iterator[Open]:
    """Open the page of index versions, signed in; afterwards the version is served again that was, and no job waits."""
    desk = services.desk("kestrel")
    before = desk.live().manifest.id
    for job in services.jobs.active("kestrel"):  # that others have asked for
        services.jobs.cancel(job.id)

    def open_(**options: object) -> Page:
        page = open_page(PAGE, **options)
        sign_in(page, indexer, PASSWORD)
        return page

    yield open_
    for job in services.jobs.active("kestrel"):
        services.jobs.cancel(job.id)
        services.jobs.cancelled(job)  # where the test has taken the worker's part
    desk.rollback(before)


def ask_for_sections(page: Page) -> None:
    """Ask for a version cut by sections, whose vectors are those of paragraphs here."""
    page.locator("details.slot > summary").click()
    page.get_by_label("section", exact=True).check()
    page.get_by_role("button", name="Build", exact=True).click()
    page.wait_for_url(f"**{PAGE}?collection=kestrel")


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_a_version_is_built_served_and_taken_back(enter: Open, services: Services, scripts: bool) -> None:
    page = enter(java_script_enabled=scripts)
    ask_for_sections(page)
    card = page.locator(".job")
    expect(card).to_contain_text("Waiting for its turn")
    with at_work(services):
        if scripts:
            expect(card).to_contain_text("Done", timeout=LONG)
            card.get_by_role("link", name="See what came of it").click()
        else:
            card.get_by_role("link", name="Look again").click()
            while "Done" not in page.locator(".job").inner_text():
                page.reload()
            page.get_by_role("link", name="See what came of it").click()
        page.wait_for_url("**/admin/index?*")
    expect(page.locator(".versions li[aria-current]")).to_contain_text("Cut by section")
    earlier = page.locator(".versions > li", has_text="Cut by paragraph").first
    earlier.get_by_role("button", name="Serve this version").click()
    expect(page.locator(".versions li[aria-current]")).to_contain_text("Cut by paragraph")


def test_each_state_is_said_once_and_focus_stays(enter: Open, services: Services) -> None:
    page = enter()
    ask_for_sections(page)
    running = services.jobs.claim(("kestrel",))
    assert running
    page.evaluate(
        """() => {
          window.said = [];
          new MutationObserver(() => window.said.push(document.getElementById("announce").textContent))
            .observe(document.getElementById("announce"), { childList: true });
        }"""
    )
    for done in range(3):
        services.jobs.report(running, "embedding", done, 3)
        expect(page.locator(".job")).to_contain_text(f"{done} of 3")
    stop = page.get_by_role("button", name="Call it off")
    stop.focus()
    page.wait_for_timeout(1500)
    expect(stop).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Stopping")).to_be_focused()
    services.jobs.cancelled(running)
    expect(page.locator(".job")).to_contain_text("Called off")
    said = [words for words in page.evaluate("window.said") if words]
    assert said == [f"Building the index: {state}" for state in ("Under way", "Stopping", "Called off")]
