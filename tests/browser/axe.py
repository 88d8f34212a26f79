"""What axe finds on a page: the script is sent once, and only what is wrong comes back."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Frame, Page

_RUN = """([context, options]) =>
    axe.run(context ?? document, {resultTypes: ["violations"], ...options}).then((found) =>
    found.violations.flatMap((one) => one.nodes.map((node) => `${one.id}: ${node.html.slice(0, 200)}`)))"""


def violations(page: Page | Frame, context: str | None = None, **options: Any) -> list[str]:
    """Return rule and place of all that axe minds on a page, or in that part of it; the options are axe's own."""
    if page.evaluate("typeof axe === 'undefined'"):
        page.evaluate(AXE_SCRIPT)
    found: list[str] = page.evaluate(_RUN, [context, options])
    return found
