"""The operating contract: what is covered, when there is no answer, how good it is, whom to ask; always as of now."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

from tests.client import Client
from tests.pages.editor.conftest import Site
from webapp.core.retrieval.model import Role
from webapp.services.meter import today
from webapp.services.worker import do_next
from webapp.store.spending import Spent

PAGE = "/admin/contract"


def words(html: str) -> str:
    """The words of a page, tags left out."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def test_it_says_what_is_covered(editor: Client, site: Site) -> None:
    (site.folder / "broken.md").write_text("---\ntitle: never closed\n\nText.\n", encoding="utf-8")
    page = words(editor.get(PAGE).text)
    assert "From 12 current pages, and from nothing else." in page
    assert "English (8), Bangla (4)" in page
    assert re.search(r"newest page 2 Nov 2026, oldest \d+ \w+ 20\d\d", page)
    assert "current (12), superseded (1)" in page
    assert "1 file that can't be used as it is: broken.md" in page


def test_it_says_when_there_is_no_answer_and_what_a_wrong_one_may_cost(editor: Client) -> None:
    page = words(editor.get(PAGE).text)
    assert "Refusing is a feature" in page
    assert re.search(r"\(limit 0\.\d\d\)", page)
    assert "at most 5% of those that nothing answers are answered" in page


def test_a_collection_without_a_golden_set_says_that_no_figure_can_be_given(editor: Client, site: Site) -> None:
    (site.folder / "golden.jsonl").unlink()
    page = words(editor.get(PAGE).text)
    assert "No limit could be chosen on golden questions of this collection" in page
    assert "Nobody has measured it yet" in page


def test_figures_are_of_the_newest_run_and_older_ones_are_called_so(editor: Client, site: Site) -> None:
    file = site.folder / "golden.jsonl"
    file.write_text("".join(file.read_text(encoding="utf-8").splitlines(keepends=True)[:4]), encoding="utf-8")
    site.services.jobs.ask("kestrel", "evaluate")
    do_next(site.services)
    page = words(editor.get(PAGE).text)
    assert "Measured on 4 questions that our pages answer" in page
    assert "That is a small sample" in page
    assert "of an earlier version" not in page
    shops = site.folder / "shops.md"
    shops.write_text(shops.read_text(encoding="utf-8") + "\nOne more line.\n", encoding="utf-8")
    assert "these figures are of an earlier version" in words(editor.get(PAGE).text)


def test_it_says_whom_to_ask(editor: Client, site: Site) -> None:
    assert "Write to help@kestrelcycles.example" in editor.get(PAGE).text
    settings = site.folder / "collection.toml"
    text = re.sub(r"\[contact\].*?\n\n", "", settings.read_text(encoding="utf-8"), flags=re.DOTALL)
    settings.write_text(text, encoding="utf-8")
    assert "No contact is set for this collection." in editor.get(PAGE).text


def test_the_sheet_for_printing_leaves_out_what_is_pressed(site: Site) -> None:
    sheet = site.client().get("/static/evaluation.css").text
    assert "@media print" in sheet
    assert 'class="on-screen"' in site.client(Role.EDITOR).get(PAGE).text


def test_it_says_what_the_model_costs_what_was_spent_and_that_no_more_may_be(
    make_site: Callable[..., Site],
) -> None:
    site = make_site(
        model="openai_compatible",
        model_name="tiny",
        model_prices=("tiny=0.25/2",),
        daily_cap=("0.5",),
        after_cap="unavailable",
    )
    editor = site.client(Role.EDITOR)
    page = words(editor.get(PAGE).text)
    assert "A million tokens cost 0.25 USD sent and 2.00 USD received." in page
    assert "A day (UTC) may cost 0.50 USD; today has cost 0.00 USD." in page
    spent = Spent("kestrel", today(), "tiny", 1200, 3, 2_000_000, 1234, nanos=502_468_000)
    site.services.store.spending.add(spent)
    page = words(editor.get(PAGE).text)
    assert "Today's money is spent: until midnight (UTC) there are no answers." in page
    assert "tiny 1200 (3 estimated) 2,000,000 1234 0.5025 USD" in page
    assert "১২০০" in site.client(Role.EDITOR, "bn").get(PAGE).text


def test_it_says_nothing_of_money_where_nothing_costs_any(editor: Client) -> None:
    assert "What it costs" not in editor.get(PAGE).text
