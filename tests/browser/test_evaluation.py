"""An editor's way to a figure: a golden question, its lines, a run, the limit; with and without scripts."""

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
from webapp.store.runs import Run

Open = Callable[..., Page]
Enter = Callable[..., Page]

EMAIL, PASSWORD = "editor@kestrel.example", "a long password here"
QUESTION = "May I bring back a helmet I have unpacked?"
BROKEN = (
    '{"id": "gone", "question": "Where was it?", "answerable": true, "document": "kc-gone", '
    '"fact": "Gift cards expire 24 months after purchase"}\n'
)


@pytest.fixture
def own(services: Services, tmp_path: Path) -> Iterator[Services]:
    """The kestrel collection with a small golden set, where it may be written to."""
    folder = tmp_path / "corpus" / "kestrel"
    shutil.copytree(shared("corpus") / "kestrel", folder)
    shutil.copytree(services.settings.instance / "vectors", tmp_path / "instance" / "vectors")
    golden = folder / "golden.jsonl"
    lines = golden.read_text(encoding="utf-8").splitlines(keepends=True)
    others = [line for line in lines if '"answerable": false' in line]
    golden.write_text("".join([*lines[:6], *others[:4], BROKEN]), encoding="utf-8")
    settings = Settings(
        instance=tmp_path / "instance",
        corpus=tmp_path / "corpus",
        secret_key=SecretStr("k" * 40),
        ask_rate="10000 per minute",
        sign_in_rate="10000 per minute",
    )
    opened = Services.open(settings)
    opened.accounts.accept(opened.accounts.invite(EMAIL, Role.EDITOR), EMAIL, PASSWORD)
    opened.desk().ensure_index()
    yield opened
    opened.close()


@pytest.fixture
def site(own: Services) -> Iterator[str]:
    """Where that collection's own server answers."""
    with served(own) as place, at_work(own):
        yield place


@pytest.fixture
def enter(open_page: Open, site: str) -> Enter:
    """Open a page there, signed in."""

    def open_(path: str, **options: object) -> Page:
        page = open_page(f"{site}{path}", **options)
        sign_in(page, EMAIL, PASSWORD)
        return page

    return open_


def newest_run(own: Services, page: Page) -> Run:
    """Wait until the worker has kept one."""
    for _ in range(120):
        if found := own.store.runs.latest("kestrel"):
            return found[0]
        page.wait_for_timeout(250)
    raise AssertionError("no run was kept")


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_a_question_is_labelled_measured_and_the_limit_tried(
    enter: Enter, own: Services, site: str, scripts: bool
) -> None:
    page = enter("/admin/evaluation/questions/edit", java_script_enabled=scripts)
    page.locator("#question").fill(QUESTION)
    page.locator("#document").select_option("kc-returns-v3")
    page.get_by_role("button", name="Go on").click()
    if scripts:
        page.locator("#L11 > a").click()
        page.locator("#L12 > a").click()
        assert (page.locator("#first").input_value(), page.locator("#last").input_value()) == ("11", "12")
        expect(page.locator(".line.cited")).to_have_count(2)
        page.locator("#L15 > a").click()
    else:
        page.locator("#first").fill("15")
    page.get_by_role("button", name="Keep these lines").click()
    expect(page.locator(".notice")).to_contain_text("Kept.")
    line = own.golden.file("kestrel").find("may-i-bring-back-a")
    assert line
    assert line.question
    assert line.question.labels[0].lines == (15, 15)

    page.goto(f"{site}/admin/evaluation")
    page.get_by_role("button", name="Evaluate now").click()
    run = newest_run(own, page)
    assert run.questions == 12
    page.goto(f"{site}/admin/evaluation/runs/{run.id}")
    if scripts:
        page.locator("#limit-slider").press("End")
    else:
        page.locator("#limit-field").fill("1")
        page.get_by_role("button", name="Show what it costs").click()
    expect(page.locator(".limit-cost")).to_contain_text("At a limit of 1.00:")
    assert "limit=1" in page.url
    if scripts:
        expect(page.locator("#limit-slider")).to_be_focused()
        expect(page.locator("#announce")).to_contain_text("At a limit of 1.00: Answered")


def test_a_suggested_place_is_taken(enter: Enter, own: Services) -> None:
    page = enter("/admin/evaluation/questions")
    page.get_by_role("button", name="Use this place").click()
    expect(page.locator(".notice")).to_contain_text("Kept.")
    line = own.golden.file("kestrel").find("gone")
    assert line
    assert line.question
    assert line.question.labels[0].document == "kc-giftcards-v1"
