"""Every page and state, for everyone: axe finds nothing, nothing runs over, focus is seen, languages are named."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page

from tests.browser.conftest import served
from tests.browser.gallery import FAILURES, NOBODY, Gallery, Scene
from tests.web.test_routes import ROUTES

EVERYONE = Path(__file__).with_name("everyone.js").read_text(encoding="utf-8")
# Routes that no person looks at: files, what programs read, and steps on the way to a page.
NO_PAGES = {
    "GET /static/<path:filename>",
    "GET /widget.js",
    "GET /healthz",
    "GET /readyz",
    "GET /metrics",
    "GET /api/v1/openapi.json",
    "GET /agent/answers.csv",
    "GET /agent/answers.jsonl",
    "GET /admin/evaluation/questions/export",
    "GET /sign-in/organisation",
    "GET /sign-in/organisation/back",
}
PAGES = sorted(route for route in ROUTES if route.startswith("GET ") and route not in NO_PAGES)
PHONE, REFLOWED, ZOOMED, WIDE = 360, 320, 640, 1280  # 640: a window of 1280 at 200%
AXE: dict[str, Any] = {"resultTypes": ["violations"], "rules": {"target-size": {"enabled": True}}}
COLOURS: dict[str, Any] = {"resultTypes": ["violations"], "runOnly": ["color-contrast"]}
TARGETS: dict[str, Any] = AXE | {"runOnly": ["target-size"]}


def violations(page: Page, options: dict[str, Any] = AXE) -> list[str]:
    """Rule and place of all that axe minds."""
    found = Axe().run(page, options=options).response["violations"]
    return [f"{page.url} {one['id']}: {node['html'][:200]}" for one in found for node in one["nodes"]]


class Visitor:
    """Looks at scenes in one language, from one window for whoever is signed in and one for whoever is not."""

    def __init__(self, browser: Browser, gallery: Gallery, address: str, locale: str) -> None:
        self.locale = locale
        self._contexts: dict[str, BrowserContext] = {}
        self._browser, self._cookie, self._address = browser, gallery.cookie, address

    def come(self, scene: Scene) -> Page:
        """Open the page and bring it into its state."""
        page = self._window(scene.who).new_page()
        page.goto(scene.path, wait_until="load")
        page.locator("[hx-trigger='load']").wait_for(state="detached")
        for selector, words in scene.fill:
            page.locator(selector).fill(words)
        if scene.press:
            page.evaluate("window.stayed = true")  # unless another page comes
            page.locator(scene.press).first.press("Enter")
            page.locator(scene.shows).first.wait_for()
            page.locator(".htmx-settling").wait_for(state="detached")
        if scene.focus:
            page.locator(scene.focus).first.focus()
        page.route("**/*", lambda route: route.abort())  # it stays as it is now
        page.evaluate("document.querySelectorAll('main details').forEach((one) => { one.open = true })")
        page.evaluate(EVERYONE)
        return page

    def _window(self, who: str) -> BrowserContext:
        if who not in self._contexts:
            size = {"width": PHONE, "height": 740}
            opened = self._browser.new_context(base_url=self._address, locale=self.locale, viewport=size)  # type: ignore[arg-type]
            opened.set_default_timeout(20_000)
            if who != NOBODY:
                opened.add_cookies([{"name": "evidencedesk", "value": self._cookie, "url": self._address}])
            self._contexts[who] = opened
        return self._contexts[who]

    def leave(self) -> None:
        """Close the windows."""
        for opened in self._contexts.values():
            opened.close()


@pytest.fixture(scope="session")
def visitors(browser: Browser, gallery: Gallery) -> Iterator[list[Visitor]]:
    """One who reads English and one who reads Bangla."""
    with served(gallery.services, gallery.app) as address:
        both = [Visitor(browser, gallery, address, locale) for locale in ("en", "bn")]
        yield both
        for visitor in both:
            visitor.leave()


def test_every_page_is_looked_at(gallery: Gallery) -> None:
    assert sorted(gallery.scenes) == PAGES


@pytest.mark.parametrize("route", [*PAGES, "failures"])
def test_a_page_is_for_everyone(visitors: list[Visitor], gallery: Gallery, route: str) -> None:
    wrong = [
        f"{scene} in {visitor.locale}: {words}"
        for scene in gallery.scenes.get(route, FAILURES)
        for visitor in visitors
        for words in minded(visitor.come(scene), visitor.locale)
    ]
    assert wrong == []


def minded(page: Page, locale: str) -> list[str]:
    """All that is wrong with a page in a language; the page is closed. Colours are the same in every language."""
    found = [*violations(page, COLOURS), *_every(page, "faint")] if locale == "en" else []
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    found += [f"dark, {words}" for words in violations(page)]
    found += _every(page, "lost", "faint", "unsaid", "untabled", "unnamed", "moving", "spaced")
    for width in (REFLOWED, PHONE, ZOOMED, WIDE):
        page.set_viewport_size({"width": width, "height": 740})
        found += [f"{width} wide, {words}" for words in _every(page, "over", "cut")]
    if locale == "en":
        found += _every(page, "unfocused")
        found += [f"wide, {words}" for words in violations(page, TARGETS)]
        page.set_viewport_size({"width": PHONE, "height": 740})
        page.emulate_media(forced_colors="active")
        found += [f"forced colours, {words}" for words in _every(page, "unfocused", "faint")]
    page.close()
    return found


def _every(page: Page, *checks: str) -> list[str]:
    called = ", ".join(f"...everyone.{name}()" for name in checks)
    found: list[str] = page.evaluate(f"[{called}]")
    return found
