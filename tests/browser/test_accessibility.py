"""axe finds nothing on any page a customer can come to: light, dark, wide, narrow, English, Bangla."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

Open = Callable[..., Page]


def violations(page: Page) -> list[str]:
    """Rule and place of all that axe minds."""
    found = Axe().run(page).response["violations"]
    return [f"{page.url} {one['id']}: {node['html'][:200]}" for one in found for node in one["nodes"]]


def states(page: Page) -> list[str]:
    """Walk through every state of the customers' pages; return what axe minds in each."""
    minded = violations(page)
    page.locator("#question").fill("!?")
    page.locator(".ask button").click()
    page.locator("#question-error").wait_for()
    minded += violations(page)
    for question in ("How long do I have to return a bike?", "Can I pay in instalments?"):
        page.goto("/")
        page.locator("#question").fill(question)
        page.locator(".ask button").click()
        page.wait_for_url("**/answers/*")
        page.locator("article").wait_for()
        minded += violations(page)
        if page.locator(".marker").count():
            page.locator(".marker").first.focus()
            minded += violations(page)
            source = page.locator(".open").first.get_attribute("href") or ""
    for address in (source, source.replace("#", "&view=text#"), "/sources/kc-returns-v2", "/nothing", "/sign-in"):
        page.goto(address)
        minded += violations(page)
    return minded


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "locale"), [(1280, "en"), (360, "bn")])
def test_axe_minds_nothing(open_page: Open, scheme: str, width: int, locale: str) -> None:
    options = {"color_scheme": scheme, "viewport": {"width": width, "height": 740}, "locale": locale}
    page = open_page("/", **options)
    assert states(page) == []
