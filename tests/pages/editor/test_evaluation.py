"""The evaluation pages: a run in the background, its figures and misses, two runs compared, the limit and its cost."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from html import unescape

import pytest

from tests.client import Client
from tests.pages.editor.conftest import Site
from webapp.core.retrieval.model import Role
from webapp.services.worker import do_next
from webapp.store.runs import Run

PAGE = "/admin/evaluation"


def words(html: str) -> str:
    """The words of a page, tags left out."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


@pytest.fixture
def run(site: Site) -> Run:
    """A run of a part of kestrel's golden set: eight questions that its pages answer, two in Bangla, and four more."""
    file = site.folder / "golden.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    answerable = [line for line in lines if '"answerable": true' in line]
    bangla = [line for line in answerable if '"lang": "bn"' in line]
    others = [line for line in lines if '"answerable": false' in line]
    file.write_text("".join([*answerable[:6], *bangla[:2], *others[:4]]), encoding="utf-8")
    site.services.jobs.ask("kestrel", "evaluate", {"author": "ada@kestrel.example"})
    do_next(site.services)
    [listed] = site.services.store.runs.latest("kestrel")
    kept = site.services.store.runs.get(listed.id, "kestrel")
    assert kept
    return kept


def shown(editor: Client, run: Run, query: str = "") -> str:
    return editor.get(f"{PAGE}/runs/{run.id}{query}").text


# Who may, and what there is without a run


@pytest.mark.parametrize("address", [PAGE, f"{PAGE}/", "/admin/contract", "/admin/contract/"])
def test_signed_out_leads_to_signing_in(site: Site, address: str) -> None:
    response = site.client().get(address)
    assert (response.status_code, response.headers["Location"].split("?")[0]) == (302, "/sign-in")
    assert site.client(Role.EDITOR).get(address).status_code == 200
    assert site.client(Role.AGENT).get(address).status_code == 403


def test_without_golden_questions_it_says_what_to_do(site: Site, editor: Client) -> None:
    (site.folder / "golden.jsonl").unlink()
    page = editor.get(PAGE).text
    assert "no golden questions yet" in page
    assert "Evaluate now" not in page
    assert "/admin/evaluation/questions/edit" in page


def test_a_golden_file_that_is_no_text_is_said(site: Site, editor: Client) -> None:
    (site.folder / "golden.jsonl").write_bytes(b"\xff")
    assert "not UTF-8" in editor.get(PAGE).text


# In the background


def test_a_run_is_asked_for_and_watched(site: Site, editor: Client) -> None:
    response = editor.post(PAGE, {"collection": "kestrel"})
    assert response.status_code == 303
    page = editor.get(response.headers["Location"]).text
    assert "Waiting for its turn" in page
    do_next(site.services)
    job = site.services.jobs.latest("kestrel", "evaluate")
    assert job
    [run] = site.services.store.runs.latest("kestrel")
    assert re.fullmatch(r"editor-\d@kestrel.example", run.author)
    after = editor.get(f"{PAGE}?job={job.id}")
    assert after.headers["Location"] == f"{PAGE}/runs/{run.id}?collection=kestrel"


def test_a_run_that_failed_says_why(site: Site, editor: Client) -> None:
    (site.folder / "golden.jsonl").write_text('{"id": "a"}\n', encoding="utf-8")
    editor.post(PAGE, {"collection": "kestrel"})
    do_next(site.services)
    assert "golden.jsonl, line 1: question: Field required" in editor.get(PAGE).text


# A run


def test_its_figures_stand_with_their_intervals_and_limits(editor: Client, run: Run) -> None:
    page = words(editor.get(PAGE).text)
    assert re.search(r"Right section first of the questions that our pages answer \d+% \[\d+%–\d+%\]", page)
    assert "All questions Bangla English" in page
    assert "Measured on 8 questions that our pages answer and 4 that they don't." in page
    assert "points. That is a small sample" in page
    assert "served now" in page
    assert "ada@kestrel.example" in page


def test_every_miss_is_one_click_from_what_was_found_instead(editor: Client, site: Site, run: Run) -> None:
    rows = [dict(row) for row in run.rows]
    rows[0] |= {"right_source": False}
    again = replace(run, id="1" * 32, rows=rows)
    site.services.store.runs.add(again)
    page = shown(editor, again)
    miss = re.search(
        r"<details[^>]*>\s*<summary><span lang=\"en\">How long do I have to return a bike\?.*?</details>",
        page,
        re.DOTALL,
    )
    assert miss
    assert "answered from another place" in miss[0]
    assert "What was found" in miss[0]
    assert "/c/kestrel/sources/kc-returns-v3?lines=11-12#L11" in miss[0]
    assert "the right place" in miss[0]


def test_a_page_that_is_gone_has_no_text(editor: Client, site: Site, run: Run) -> None:
    (site.folder / "returns-policy.md").unlink()
    page = shown(editor, run, "?question=return-bike")
    assert "a page that is gone or closed to you" in page
    assert "The index has changed since" in page


def test_one_question_is_shown_open(editor: Client, run: Run) -> None:
    page = shown(editor, run, "?question=recall")
    assert "One question" in page
    assert page.count("<details open>") == 1


def test_an_unknown_run_is_not_found(editor: Client) -> None:
    assert editor.get(f"{PAGE}/runs/nothing").status_code == 404
    assert editor.post(f"{PAGE}/limit", {"run": "nothing", "max_wrong": "0.1"}).status_code == 404


def test_a_run_without_answerable_questions_has_dashes(editor: Client, site: Site) -> None:
    (site.folder / "golden.jsonl").write_text(
        '{"id": "a", "question": "When does the library close?", "answerable": false}\n', encoding="utf-8"
    )
    site.services.jobs.ask("kestrel", "evaluate")
    do_next(site.services)
    [listed] = site.services.store.runs.latest("kestrel")
    for address in (PAGE, f"{PAGE}/runs/{listed.id}", f"{PAGE}/runs/{listed.id}?limit=0", "/admin/contract"):
        page = words(editor.get(address).text)
        assert "Right section first of the questions that our pages answer –" in page


# Two runs


def test_two_runs_are_compared_question_by_question(editor: Client, site: Site, run: Run) -> None:
    rows = [dict(row) for row in run.rows]
    rows[0] |= {"section_rank": 0, "abstained": True, "reason": "weak_evidence"}
    other = replace(run, id="2" * 32, rows=rows)
    site.services.store.runs.add(other)
    page = editor.get(f"{PAGE}/compare?first={run.id}&second={other.id}").text
    assert "Compared on the 12 questions" in words(page)
    assert "too close to call: 0 better, 1 worse" in words(page)
    assert "no difference" in page
    assert f"/admin/evaluation/runs/{other.id}?collection=kestrel&amp;question=return-bike" in page
    assert "Compare these two" in editor.get(PAGE).text
    assert 'role="img" aria-labelledby="history-title' in editor.get(PAGE).text


@pytest.mark.parametrize("query", ["", "?first=x&second=y", "?first={id}&second={id}"])
def test_one_run_is_not_compared_with_itself_or_nothing(editor: Client, run: Run, query: str) -> None:
    response = editor.get(f"{PAGE}/compare{query.format(id=run.id)}")
    assert response.status_code == 422
    assert "Choose two different runs" in response.text


# The limit


def test_the_limit_can_be_tried_and_shows_what_it_costs(editor: Client, run: Run) -> None:
    page = words(shown(editor, run, "?limit=1"))
    assert "At a limit of 1.00:" in page
    assert "0 of 4 that they don't" in page
    assert "0 of 8 that our pages answer" in page
    everything = words(shown(editor, run, "?limit=০"))
    assert "4 of 4 that they don't" in everything


@pytest.mark.parametrize("limit", ["", "x", "nan", "2", "-1", "inf"])
def test_a_limit_that_cant_be_read_counts_as_none(editor: Client, run: Run, limit: str) -> None:
    assert f"At a limit of {run.figures['threshold']:.2f}:" in words(shown(editor, run, f"?limit={limit}"))


def test_the_curve_has_a_title_a_description_and_its_table(editor: Client, run: Run) -> None:
    page = shown(editor, run)
    chart = re.search(r'<svg[^>]*aria-labelledby="risk-title risk-words".*?</svg>', page, re.DOTALL)
    assert chart
    assert '<title id="risk-title">' in chart[0]
    assert '<desc id="risk-words">' in chart[0]
    assert "Share answered and share wrong, by limit" in page


def test_the_cost_is_kept_in_the_collections_settings_and_the_limit_follows(
    editor: Client, site: Site, run: Run
) -> None:
    before = site.services.desk().live().manifest
    response = editor.post(f"{PAGE}/limit", {"collection": "kestrel", "run": run.id, "max_wrong": "0.3333333"})
    assert response.status_code == 303
    assert "Kept." in editor.get(response.headers["Location"]).text
    settings = tomllib.loads((site.folder / "collection.toml").read_text(encoding="utf-8"))
    assert settings["max_wrong"] == 0.3334
    after = site.services.desk().live().manifest
    assert after.config.max_wrong == 0.3334
    assert before.calibration
    assert after.calibration
    assert after.calibration["threshold"] <= before.calibration["threshold"]


@pytest.mark.parametrize("cost", ["", "x", "0.6", "-0.1", "nan"])
def test_a_cost_that_means_nothing_changes_nothing(editor: Client, site: Site, run: Run, cost: str) -> None:
    before = (site.folder / "collection.toml").read_bytes()
    response = editor.post(f"{PAGE}/limit", {"collection": "kestrel", "run": run.id, "max_wrong": cost})
    assert response.status_code == 422
    assert (site.folder / "collection.toml").read_bytes() == before


def test_settings_that_cant_be_changed_are_left_and_said(editor: Client, site: Site, run: Run) -> None:
    file = site.folder / "collection.toml"
    file.write_text('"max_wrong" = 0.2\n' + file.read_text(encoding="utf-8"), encoding="utf-8")
    response = editor.post(f"{PAGE}/limit", {"collection": "kestrel", "run": run.id, "max_wrong": "0.1"})
    assert response.status_code == 422
    assert "write it into collection.toml by hand: max_wrong = 0.1" in response.text


def test_it_is_in_the_readers_language(site: Site, run: Run) -> None:
    bangla = site.client(Role.EDITOR, "bn")
    for address in (PAGE, f"{PAGE}/runs/{run.id}", "/admin/contract"):
        page = words(bangla.get(address).text)
        assert "Right section" not in page
        assert re.search("[০-৯]", page)
