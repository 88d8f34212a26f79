"""Every page and state, for everyone: axe finds nothing, nothing runs over, focus is seen, languages are named.

Each page is looked at in both languages, both themes, at every width and in forced colours, but not in all that these
come to together: `--every-setting` does that, as part of `make soak`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.axe import violations
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
THEMES = ("light", "dark")
AXE: dict[str, Any] = {"rules": {"target-size": {"enabled": True}}}
# Where colours are forced axe reads those that were written, not those that are shown: "faint" looks at these.
FORCED: dict[str, Any] = {"rules": AXE["rules"] | {"color-contrast": {"enabled": False}}}
TARGETS: dict[str, Any] = AXE | {"runOnly": ["target-size"]}
# Parts that come by themselves have come, and what was pressed has settled.
SETTLED = """selector => new Promise((then, fail) => {
    const until = Date.now() + 20000;
    const look = () => {
        if (!document.querySelector(selector)) then();
        else if (Date.now() > until) fail(new Error(`still there: ${selector}`));
        else setTimeout(look, 10);
    };
    look();
})"""
COMING, SETTLING = "[hx-trigger='load']", ".htmx-settling"
UNFOLD = "document.querySelectorAll('main details').forEach((one) => { one.open = true })"
Media = tuple[str, str]  # a theme, and whether colours are forced
Windows = list[tuple[int, dict[str, Any] | None]]  # a width, and what axe looks at there


def looks(locale: str, theme: str) -> dict[Media, Windows]:
    """Return how a page in that language and theme is looked at. Sizes of targets and outlines of what has the focus
    are the same in every language."""
    in_english = locale == "en"
    plain: Windows = [(PHONE, AXE), (REFLOWED, None), (ZOOMED, None), (WIDE, TARGETS if in_english else None)]
    return {(theme, "none"): plain} | ({(theme, "active"): [(PHONE, None)]} if in_english else {})


EVERY_LOOK: dict[Media, Windows] = {
    (theme, forced): [(width, AXE if forced == "none" else FORCED) for width in (PHONE, REFLOWED, ZOOMED, WIDE)]
    for theme, forced in product(THEMES, ("none", "active"))
}


class Visitor:
    """Looks at scenes in one language, from one window for whoever is signed in and one for whoever is not."""

    def __init__(self, browser: Browser, gallery: Gallery, address: str, locale: str) -> None:
        self.locale = locale
        self._pages: dict[str, Page] = {}
        self._browser, self._cookie, self._address = browser, gallery.cookie, address

    def come(self, scene: Scene, theme: str) -> Page:
        """Open the page and bring it into its state."""
        page = self._window(scene.who)
        page.context.set_offline(False)
        _appear(page, (theme, "none"), PHONE)
        page.goto(scene.path, wait_until="load")
        if "#" in scene.path:
            page.reload()  # where only that differs from the page before, nothing was opened
        page.evaluate(SETTLED, COMING)
        _act(page, scene)
        page.context.set_offline(True)  # it stays as it is now
        page.evaluate(UNFOLD)
        page.evaluate(EVERYONE)
        return page

    def _window(self, who: str) -> Page:
        if who not in self._pages:
            opened = self._browser.new_context(base_url=self._address, locale=self.locale)
            opened.set_default_timeout(20_000)
            if who != NOBODY:
                opened.add_cookies([{"name": "evidencedesk", "value": self._cookie, "url": self._address}])
            self._pages[who] = opened.new_page()
        return self._pages[who]

    def leave(self) -> None:
        """Close the windows."""
        for page in self._pages.values():
            page.context.close()


def _act(page: Page, scene: Scene) -> None:
    """Fill in, press and focus as the scene says, and wait for what comes of it."""
    for selector, words in scene.fill:
        page.locator(selector).fill(words)
    if scene.press:
        page.evaluate("window.stayed = true")  # unless another page comes
        page.locator(scene.press).first.press("Enter")
        page.locator(scene.shows).first.wait_for()
        page.evaluate(SETTLED, SETTLING)
    if scene.focus:
        page.locator(scene.focus).first.focus()


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
def test_a_page_is_for_everyone(
    visitors: list[Visitor], gallery: Gallery, route: str, request: pytest.FixtureRequest
) -> None:
    whole = request.config.getoption("--every-setting")
    wrong = [
        f"{scene} in {visitor.locale}: {words}"
        for number, scene in enumerate(gallery.scenes.get(route, FAILURES))
        for turn, visitor in enumerate(visitors, number)
        for words in minded(visitor, scene, THEMES[turn % 2], whole)
    ]
    assert wrong == []


def minded(visitor: Visitor, scene: Scene, theme: str, whole: bool) -> list[str]:
    """All that is wrong with a page in a language: looked at in one theme, in the `whole` in every way there is."""
    page = visitor.come(scene, theme)
    found = _every(page, "lost", "unsaid", "untabled", "unnamed", "moving", "spaced")
    for media, windows in (EVERY_LOOK if whole else looks(visitor.locale, theme)).items():
        for width, axe in windows:
            _appear(page, media if width == windows[0][0] else None, width)
            found += [f"{media}, {width} wide: {words}" for words in _seen(page, media, width, axe)]
    return found


def _appear(page: Page, media: Media | None, width: int) -> None:
    """Let the page be shown so; None: in colours as before."""
    if media:
        theme, forced = media
        page.emulate_media(color_scheme=theme, forced_colors=forced, reduced_motion="reduce")  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 740})


def _seen(page: Page, media: Media, width: int, axe: dict[str, Any] | None) -> list[str]:
    forced = media[1] == "active"
    found = violations(page, **axe) if axe else []
    found += _every(page, "over", "cut", *(["faint"] if forced or axe is AXE else []))
    return found + (_every(page, "unfocused") if forced or width == WIDE else [])


def _every(page: Page, *checks: str) -> list[str]:
    called = ", ".join(f"...everyone.{name}()" for name in checks)
    found: list[str] = page.evaluate(f"[{called}]")
    return found
