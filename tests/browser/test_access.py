"""Keys, accounts and sessions: axe finds nothing, nothing is wider than the page."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser.test_accessibility import violations
from webapp.core.retrieval.model import Role
from webapp.services.root import Services

Open = Callable[..., Page]
EMAIL, PASSWORD = "keeper@kestrel.example", "correct horse battery"


@pytest.fixture
def keeper(services: Services) -> str:
    """The address of an administrator."""
    if EMAIL not in [account.email for account in services.accounts.all()]:
        services.accounts.accept(services.accounts.invite(EMAIL, Role.ADMIN), "", PASSWORD)
    return EMAIL


@pytest.mark.parametrize(("width", "locale", "scheme"), [(1280, "en", "light"), (360, "bn", "dark")])
def test_axe_minds_nothing(open_page: Open, keeper: str, width: int, locale: str, scheme: str) -> None:
    page = open_page("/sign-in", color_scheme=scheme, locale=locale, viewport={"width": width, "height": 740})
    page.locator("#email").fill(keeper)
    page.locator("#password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/admin/**")
    minded = []
    for address in ("/admin/keys", "/admin/accounts", "/sessions"):
        page.goto(address)
        for details in page.locator("details").all():
            details.evaluate("one => { one.open = true }")
        minded += violations(page)
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), address
    page.goto("/admin/keys")
    page.locator("#name").fill("Shop")
    page.locator("#origins").fill("https://shop.example")
    page.locator("form[action='/admin/keys'] button").click()
    page.locator("pre.secret").wait_for()
    minded += violations(page)
    assert minded == []
