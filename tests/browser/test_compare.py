"""An editor's way: sign in, compare settings on a page and on a draft; with and without scripts, wide and narrow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import at_work, sign_in
from webapp.core.retrieval.model import Role
from webapp.services.root import Services

Open = Callable[..., Page]

EMAIL, PASSWORD = "editor@kestrel.example", "a long password here"
QUICK = "/admin/chunking?page=kc-returns-v3&setting=paragraph&setting=section"  # both are in the live index's cache
FOUR = (
    "/admin/chunking?page=kc-returns-v3&setting=paragraph&setting=sentence,max_chars%3D100"
    "&setting=fixed,size%3D100,overlap%3D20&setting=fixed,size%3D100,overlap%3D40"
)
SAID = """() => {
    const place = document.getElementById("announce");
    window.said = [];
    new MutationObserver(() => window.said.push(place.textContent)).observe(place, {childList: true});
}"""
scripts = pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])


@pytest.fixture(scope="session")  # as the services: in random order a module's fixture is made more than once
def editor(services: Services) -> str:
    """Make an editor's account; return its address."""
    services.accounts.accept(services.accounts.invite(EMAIL, Role.EDITOR), EMAIL, PASSWORD)
    return EMAIL


@pytest.fixture
def enter(open_page: Open, editor: str) -> Open:
    """Open a page that needs signing in, and sign in."""

    def open_(path: str = "/admin/chunking", **options: object) -> Page:
        page = open_page(path, **options)
        sign_in(page, editor, PASSWORD)
        return page

    return open_


def lit(page: Page) -> list[str]:
    """The line numbers that stand out."""
    return page.locator("tr.chosen .number").all_inner_texts()


def test_from_signing_in_to_the_verdict(enter: Open, services: Services) -> None:
    page = enter()
    expect(page.locator("h1")).to_have_text("Compare chunking")
    expect(page.locator(".cut-table thead th")).to_have_count(5)
    expect(page.locator(".verdict")).to_contain_text("fixed 100/20 breaks 1 of 4 key facts.")
    figures = page.get_by_role("region", name="Figures of each setting")
    figures.focus()
    page.evaluate(SAID)
    with at_work(services):
        expect(page.locator(".verdict")).to_contain_text("Too close to call on", timeout=120_000)
    expect(page.locator(".whisker")).to_have_count(12)
    expect(figures).to_be_focused()  # what came by itself took nothing away
    said = page.evaluate("() => window.said")
    assert [words[:9] for words in said if not words.startswith("Measuring")] == ["Too close"]
    assert len(said) == len(set(said))


def test_choosing_a_chunk_shows_its_lines_in_every_column(enter: Open) -> None:
    page = enter(f"{QUICK}#a-c0")
    assert lit(page) == ["11", "12"]
    page.locator(".in-a [data-first='1']").first.click()
    assert lit(page) == ["15"]
    assert page.url.endswith("#a-c1")
    page.keyboard.press("Escape")
    assert lit(page) == []
    page.locator("#b-c2").focus()
    page.keyboard.press("Enter")
    assert lit(page) == ["18", "19"]
    expect(page.locator("#announce")).to_contain_text("lines 18-19")


@scripts
def test_changing_a_setting_leads_to_another_comparison(enter: Open, scripts: bool) -> None:
    page = enter(QUICK, java_script_enabled=scripts)
    page.locator(".slot").nth(1).locator("summary").click()
    page.get_by_role("group", name="Strategy of setting 2").get_by_label("fixed", exact=True).check()
    page.locator("#b-fixed-size").fill("40")
    page.locator("#b-fixed-overlap").fill("40")
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.locator("#b-fixed-overlap-error")).to_have_text("The overlap must be smaller than the size.")
    expect(page.locator("#b-fixed-size")).to_have_value("40")
    page.locator("#b-fixed-overlap").fill("5")
    page.get_by_role("button", name="Compare", exact=True).click()
    page.wait_for_url("**setting=fixed,size%3D40,overlap%3D5**")
    expect(page.locator(".cut-table thead th.in-b")).to_contain_text("fixed 40/5")


@scripts
def test_a_draft_is_pasted_or_uploaded(enter: Open, scripts: bool, tmp_path: Path) -> None:
    page = enter(QUICK, java_script_enabled=scripts)
    page.get_by_label("A draft").check()
    page.get_by_label("Paste a page").fill("## Hours\nWe open at nine. We close at six.\n")
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.locator(".cut-table")).to_contain_text("We open at nine. We close at six.")
    file = tmp_path / "draft.md"
    file.write_text("## Place\nThe shop stands by the river.\n", encoding="utf-8")
    page.get_by_label("Or upload").set_input_files(file)
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.locator(".cut-table")).to_contain_text("The shop stands by the river.")
    expect(page.get_by_label("Paste a page")).to_have_value("## Place\nThe shop stands by the river.\n")


def test_without_scripts_recall_is_a_button(enter: Open) -> None:
    page = enter(QUICK, java_script_enabled=False)
    page.get_by_role("button", name="Measure recall").click()
    expect(page.locator(".verdict")).to_contain_text("Too close to call on")


def test_a_narrow_page_shows_one_setting_at_a_time(enter: Open) -> None:
    page = enter(f"{FOUR}#c-c3", viewport={"width": 360, "height": 740}, java_script_enabled=True)
    shown = [page.locator(f".cut-table thead .in-{key}").is_visible() for key in "abcd"]
    assert shown == [False, False, True, False]
    page.locator(".one-at-a-time").get_by_text("sentence 100").click()
    assert page.locator(".cut-table thead .in-b").is_visible()
    assert not page.locator(".cut-table thead .in-c").is_visible()
    assert page.evaluate("() => document.documentElement.scrollWidth") == 360


def test_tags_stand_at_the_height_of_the_words_they_name(enter: Open) -> None:
    page = enter(FOUR)
    tags = page.locator(".tag:not(.crowded)").all()
    assert len(tags) > 20
    for tag in tags:
        mine, first = tag.bounding_box(), tag.locator("xpath=..").bounding_box()
        assert mine
        assert first
        assert abs((mine["y"] + mine["height"] / 2) - (first["y"] + first["height"] / 2)) < 12


def test_pointing_at_a_chunk_or_coming_to_its_name_links_it_to_its_lines(enter: Open) -> None:
    page = enter(QUICK)
    page.locator(".in-a [data-first='1']").first.hover()
    expect(page.locator(".number.near")).to_have_text(["15"])
    page.locator("#a-c0").focus()
    expect(page.locator(".number.near")).to_have_text(["11", "12"])
