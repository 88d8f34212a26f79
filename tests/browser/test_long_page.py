"""An answer from far down a long page: its link opens there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pydantic import SecretStr

from tests.browser.conftest import served
from webapp.services.root import Services
from webapp.settings import Settings

Open = Callable[..., Page]

SECTIONS, ASKED = 43, 40
FILL = "Nothing else is said here, but it takes its place on the page.\n" * 8


def section(number: int) -> str:
    """Comments make the page long without a word more to be read for its meaning."""
    words = "The lost property office closes at half past seven." if number == ASKED else f"Room {number} is upstairs."
    return f"## {number}. Room\n{words}\n\n<!--\n{FILL}-->\n\n"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One collection, of one long page."""
    folder = tmp_path_factory.mktemp("long")
    page: Path = folder / "corpus" / "rooms" / "rooms.md"
    page.parent.mkdir(parents=True)
    page.write_text("---\ntitle: Rooms\nlang: en\n---\n" + "".join(map(section, range(1, SECTIONS + 1))))
    settings = Settings(
        instance=folder / "instance", corpus=folder / "corpus", collection="rooms", secret_key=SecretStr("k" * 40)
    )
    services = Services.open(settings)
    services.desk().ensure_index()
    with served(services) as address:
        yield address
    services.close()


@pytest.mark.parametrize(("scripts", "width", "height"), [(True, 1280, 800), (False, 360, 640)])
def test_link_opens_at_the_fortieth_section(open_page: Open, site: str, scripts: bool, width: int, height: int) -> None:
    page = open_page(site, java_script_enabled=scripts, viewport={"width": width, "height": height})
    page.locator("#question").fill("When does the lost property office close?")
    page.get_by_role("button", name="Ask", exact=True).click()
    page.wait_for_url("**/answers/*")
    page.get_by_role("link", name="Open source").first.click()
    page.wait_for_url("**/sources/**")
    cited = page.locator(".line.cited").first
    expect(cited).to_contain_text("half past seven")
    expect(cited).to_be_in_viewport(ratio=1)
    box, scrolled = cited.bounding_box(), page.evaluate("scrollY")
    assert box
    assert scrolled > 10 * height  # far from the top
    assert box["y"] + box["height"] <= height
    assert page.locator(".line.cited").count() == 1
