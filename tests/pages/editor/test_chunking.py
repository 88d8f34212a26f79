"""The compare page: who may open it, what it shows, what it says when something can't be used."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import TestResponse

from tests.client import Client
from tests.pages.editor.conftest import Site
from webapp.core.retrieval.model import Role

PAGE = "/admin/chunking"
SETTINGS = ("paragraph", "sentence,max_chars=100", "fixed,size=100,overlap=20", "fixed,size=100,overlap=40")
FOUR = "".join(f"&setting={one.replace('=', '%3D')}" for one in SETTINGS)
RETURNS = f"{PAGE}?page=kc-returns-v3{FOUR}"
DRAFT = "## Opening hours\nWe open at nine. We close at six.\n"


def form(**given: Any) -> dict[str, Any]:
    """What the form sends: a draft cut by two settings."""
    return {"source": "draft", "collection": "kestrel", "text": DRAFT, "a": "paragraph", "b": "section"} | given


def words(html: str) -> str:
    """The words of a page, tags left out."""
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


def rows(html: str) -> list[list[str]]:
    """The cells of the comparison table, without charts."""
    table = re.search(r'<table class="cards">.*?</table>', html, re.DOTALL)
    assert table
    bare = re.sub(r"<svg.*?</svg>", "", table[0], flags=re.DOTALL)
    lines = re.findall(r"<tr>(.*?)</tr>", bare, re.DOTALL)[1:]
    return [[words(cell) for cell in re.findall(r"<t[hd].*?</t[hd]>", line, re.DOTALL)] for line in lines]


# Who may


def test_signed_out_leads_to_signing_in_and_back(site: Site) -> None:
    response = site.client().get(RETURNS)
    assert response.status_code == 302
    assert response.headers["Location"].startswith("/sign-in?next=/admin/chunking")


@pytest.mark.parametrize("role", [Role.CUSTOMER, Role.AGENT])
def test_customers_and_agents_are_refused(site: Site, role: Role) -> None:
    client = site.client(role)
    assert client.get(PAGE).status_code == 403
    assert client.post(PAGE, form()).status_code == 403
    assert client.get("/admin/").status_code == 403


@pytest.mark.parametrize("role", [Role.EDITOR, Role.ADMIN])
@pytest.mark.parametrize("address", [PAGE, f"{PAGE}/"])
def test_editors_and_admins_see_it(site: Site, role: Role, address: str) -> None:
    assert site.client(role).get(address).status_code == 200


def test_a_form_without_its_token_is_refused(editor: Client) -> None:
    assert editor.post(PAGE, form(csrf_token="")).status_code == 400


def test_the_front_door_leads_to_it(editor: Client) -> None:
    page = editor.get("/admin/").text
    assert f'href="{PAGE}"' in page
    assert 'aria-label="You are here"' in editor.get(PAGE).text


# A page of the collection


def test_it_opens_on_a_page_with_key_facts_and_the_collections_settings(editor: Client) -> None:
    page = editor.get(PAGE).text
    assert '<option value="kc-returns-v3" selected>' in page
    assert [row[0] for row in rows(page)] == ["paragraph", "sentence 100", "fixed 100/20", "fixed 100/40"]


def test_the_figures_of_the_returns_policy(editor: Client) -> None:
    page = editor.get(RETURNS).text
    assert [row[7].removeprefix("⚠ ") for row in rows(page)] == ["4/4", "4/4", "3/4", "4/4"]
    assert "fixed 100/20 breaks 1 of 4 key facts." in words(page)


def test_marks_without_a_blank_after_them_are_cut_and_counted_as_the_page_says(editor: Client) -> None:
    text = "## Hours\nClosed.Come back.Tomorrow at nine.\n\nখোলা।বন্ধ।\n"
    sizes = {"a-sentence-max_chars": "5", "b-fixed-size": "20", "b-fixed-overlap": "0"}
    page = compared(editor, form(text=text, a="sentence", b="fixed") | sizes).text
    assert "a mark ends no sentence when no blank follows it" in words(page)
    by_sentence, by_size = rows(page)
    assert by_sentence[1] == "3"  # the line of three sentences is one, the dandas cut
    assert by_sentence[6] == "0"
    assert int(by_size[6].removeprefix("⚠ ")) > 0


def test_a_broken_fact_is_shown_in_both_halves(editor: Client) -> None:
    page = editor.get(RETURNS).text
    assert '<a href="#c-c3">c3</a>' in page
    assert "<mark>Opened helmets cannot be re</mark>" in page
    assert '<a href="#c-c4">c4</a>' in page
    assert "<mark>helmets cannot be returned</mark>" in page


def test_chunks_are_drawn_in_place(editor: Client, site: Site) -> None:
    page = editor.get(RETURNS).text
    assert '<span class="shared begins" data-first="3" data-last="4">' in page
    assert 'id="c-c4" data-chunk="4"' in page
    assert "c3 ends mid-sentence" in page
    lines = len((site.folder / "returns-policy.md").read_text(encoding="utf-8").splitlines())
    assert page.count('class="number"') == 1 + 1 + lines - 8  # the header, the folded head, the lines below it


def test_recall_comes_by_itself_or_with_a_button(editor: Client) -> None:
    page = editor.get(RETURNS).text
    assert "…" in rows(page)[0][-1]
    fetched = re.search(r'hx-get="([^"]+)"', page)
    assert fetched
    figures = editor.get(fetched[1].replace("&amp;", "&"), headers={"HX-Request": "true"}).text
    assert figures.startswith('<section id="figures"')
    assert re.fullmatch(r"[01]\.\d\d \[0\.\d\d–1?0?\.\d\d\]", rows(figures)[0][-1])
    assert "Too close to call on" in words(figures)
    assert "hx-get" not in figures
    assert '<button type="submit" class="plain" id="figures-measure" form="compare" name="measure" value="1">' in page


def test_without_script_recall_is_measured_with_the_page(editor: Client) -> None:
    response = editor.post(PAGE, form(source="page", page="kc-returns-v3", measure="1"))
    assert response.status_code == 303
    assert "measure=1" in response.headers["Location"]
    page = editor.get(response.headers["Location"]).text
    assert "labelled questions, searched in every page" in words(page)
    assert "<h1" in page


def test_a_page_without_facts_or_questions(site: Site) -> None:
    for name in ("golden.jsonl", "facts.jsonl"):
        (site.folder / name).unlink()
    page = site.client(Role.EDITOR).get(f"{RETURNS}&measure=1").text
    assert "No key facts are kept for this text." in words(page)
    assert "No labelled question has its answer here" in words(page)
    assert rows(page)[0][7:] == ["–"] * 4


def test_files_of_facts_and_questions_that_can_not_be_read_are_named(site: Site) -> None:
    (site.folder / "facts.jsonl").write_text("{", encoding="utf-8")
    (site.folder / "golden.jsonl").write_text("[]", encoding="utf-8")
    page = words(site.client(Role.EDITOR).get(f"{RETURNS}&measure=1").text)
    assert "facts.jsonl, line 1" in page
    assert "golden.jsonl, line 1" in page
    assert "fixed 100/20" in page


def test_sending_the_form_leads_to_an_address_that_can_be_passed_on(editor: Client) -> None:
    sent = form(source="page", page="kc-returns-v3", b="fixed") | {"b-fixed-size": "৬০", "b-fixed-overlap": "5"}
    response = editor.post(PAGE, sent)
    assert response.status_code == 303
    assert response.headers["Location"] == (
        "/admin/chunking?page=kc-returns-v3&setting=paragraph&setting=fixed,size%3D60,overlap%3D5"
    )
    assert [row[0] for row in rows(editor.get(response.headers["Location"]).text)] == ["paragraph", "fixed 60/5"]


def test_an_unknown_page_is_said_by_the_field(editor: Client) -> None:
    for response in (editor.get(f"{PAGE}?page=nothing"), editor.post(PAGE, form(source="page", page="nothing"))):
        assert response.status_code == 422
        assert "There is no such page" in words(response.text)


def test_pages_of_a_group_are_listed_only_for_those_who_may_see_them(site: Site) -> None:
    file = site.folder / "returns-policy.md"
    file.write_text(file.read_text(encoding="utf-8").replace("status:", "audience: board\nstatus:"), encoding="utf-8")
    config = site.folder / "collection.toml"
    config.write_text('groups = ["board"]\n' + config.read_text(encoding="utf-8"), encoding="utf-8")
    client = site.client(Role.EDITOR)
    assert "kc-returns-v3" not in client.get(PAGE).text
    assert client.get(RETURNS).status_code == 422


def test_hostile_titles_and_text_are_shown_as_text(site: Site) -> None:
    (site.folder / "x.md").write_text(
        "---\nid: x\ntitle: '<script>alert(1)</script>'\nstatus: current\n---\n"
        "<img src=x onerror=alert(2)> {{ 7*7 }}.\n",
        encoding="utf-8",
    )
    page = site.client(Role.EDITOR).get(f"{PAGE}?page=x&setting=section&setting=paragraph").text
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "{{ 7*7 }}" in page


# Drafts


def compared(editor: Client, sent: dict[str, Any]) -> TestResponse:
    """Send a draft, and go where the answer leads; `line` and `measure` come along."""
    response = editor.post(PAGE, sent)
    return editor.get(response.headers["Location"]) if response.status_code == 303 else response


def test_a_pasted_draft_has_an_address_and_is_kept_for_its_author(editor: Client, site: Site) -> None:
    sent = editor.post(PAGE, form())
    address = sent.headers["Location"]
    page = editor.get(address).text
    assert [row[:2] for row in rows(page)] == [["paragraph", "1"], ["section", "1"]]
    assert re.search(r"We open at nine\. We close at six\.\s+</textarea>", page)
    assert f'hx-get="{escape(address)}&amp;measure=1"' in page
    assert site.client(Role.EDITOR).get(address).status_code == 404
    assert "opening-hours.md" in page or "page.md" in page


def test_a_draft_that_is_sent_again_stays_one(editor: Client) -> None:
    draft = draft_in(editor.post(PAGE, form()).headers["Location"])
    again = editor.post(PAGE, form(text="## Hours\nWe open at ten.\n", draft=draft))
    assert draft_in(again.headers["Location"]) == draft
    assert "We open at ten." in editor.get(again.headers["Location"]).text


def draft_in(address: str) -> str:
    found = re.search(r"draft=([\w-]+)", address)
    assert found
    return found[1]


def test_an_uploaded_file_is_compared_and_put_into_the_form(editor: Client) -> None:
    page = compared(editor, form(text="", file=(io.BytesIO(b"\xef\xbb\xbf## A\r\nFrom a file.\r\n"), "a.md"))).text
    assert rows(page)[0][1] == "1"
    assert "From a file." in page


def test_a_draft_of_a_page_is_measured_in_its_place(editor: Client, site: Site) -> None:
    text = (
        (site.folder / "returns-policy.md").read_text(encoding="utf-8").replace("Opened helmets cannot", "Helmets can")
    )
    page = compared(editor, form(text=text, measure="1")).text
    assert "Not said by this text, however it is cut: “Opened helmets cannot be returned”" in words(page)
    assert "labelled questions, searched in every page" in words(page)


def test_nothing_typed_or_uploaded_touches_the_live_index(editor: Client, site: Site) -> None:
    version, files = site.live_version(), sorted(site.folder.iterdir())
    for sent in (form(measure="1"), form(text="", file=(io.BytesIO(b"Text of a file."), "b.md"), measure="1")):
        assert compared(editor, sent).status_code == 200
    editor.get(f"{RETURNS}&measure=1")
    assert (site.live_version(), sorted(site.folder.iterdir())) == (version, files)
    assert len(site.services.desk().versions()) == 1


@pytest.mark.parametrize("text", ["", "   \n \n", "## Only a heading", "---\ntitle: Only a head\n---\n"])
def test_nothing_to_cut_gives_dashes_and_a_plain_note(editor: Client, text: str) -> None:
    response = compared(editor, form(text=text, c="sentence", d="fixed"))
    assert response.status_code == 200
    assert [row[1:7] for row in rows(response.text)] == [["0", "–", "–", "–", "–", "–"]] * 4
    assert "There is no text to cut" in words(response.text)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"---\ntitle: never closed\n\nText.", "Line 1: the front matter"),
        (b"\x00\x01\x02\x00PNG\x00" * 50, "This is not a text"),
    ],
)
def test_a_draft_that_can_not_be_read_is_said_by_the_field(editor: Client, data: bytes, said: str) -> None:
    response = compared(editor, form(text="", file=(io.BytesIO(data), "draft.md")))
    assert response.status_code == 422
    assert said in words(response.text)
    assert 'aria-describedby="text-hint text-error"' in response.text


def test_a_file_above_the_limit_is_refused(make_site: Callable[..., Site]) -> None:
    client = make_site(upload_max_bytes=2000).client(Role.EDITOR)
    response = client.post(PAGE, form(file=(io.BytesIO(b"a" * 5000), "big.md")))
    assert response.status_code == 413
    assert "Too large" in response.text


# Settings


def test_fewer_than_two_settings_are_said(editor: Client) -> None:
    response = compared(editor, form(b=""))
    assert response.status_code == 422
    assert "Choose at least two settings." in words(response.text)


@pytest.mark.parametrize("sent", [("10", "10"), ("0", "0"), ("-1", "0"), ("", "0"), ("ten", "0")])
def test_options_that_do_not_fit_are_said_by_the_field_and_kept(editor: Client, sent: tuple[str, str]) -> None:
    size, overlap = sent
    response = compared(editor, form(a="fixed") | {"a-fixed-size": size, "a-fixed-overlap": overlap})
    assert response.status_code == 422
    assert f'name="a-fixed-size" value="{size}"' in response.text
    assert 'aria-invalid="true"' in response.text
    assert '<details class="slot wrong" open>' in response.text
    assert DRAFT.strip() in response.text


def test_the_same_is_said_of_an_address(editor: Client) -> None:
    response = editor.get(f"{PAGE}?page=kc-returns-v3&setting=paragraph&setting=fixed,size%3D10,overlap%3D10")
    assert response.status_code == 422
    assert "The overlap must be smaller than the size." in words(response.text)


def test_settings_that_make_too_many_chunks_are_refused_before_any_work(editor: Client) -> None:
    sent = form(text="word " * 200_000, a="fixed") | {"a-fixed-size": "1000", "a-fixed-overlap": "999"}
    response = compared(editor, sent)
    assert response.status_code == 422
    assert "fixed 1000/999 would cut this text into too many chunks" in words(response.text)


def test_long_texts_are_shown_page_by_page(editor: Client) -> None:
    text = "".join(f"Sentence number {n}.\n\n" for n in range(400))
    page = compared(editor, form(text=text)).text
    assert "Lines 1-300 of 800" in words(page)
    assert 'name="line" value="301">Later lines' in page
    later = compared(editor, form(text=text, line="301")).text
    assert "Lines 301-600 of 800" in words(later)
    assert 'id="a-c150" data-chunk="150"' in later


def test_very_dense_settings_draw_their_first_chunks(editor: Client) -> None:
    sent = form(text="a" * 3000, a="fixed") | {"a-fixed-size": "10", "a-fixed-overlap": "9"}
    assert "only its first chunks are drawn" in words(compared(editor, sent).text)


# Bangla


def test_everything_is_in_bangla(site: Site) -> None:
    client = site.client(Role.EDITOR, language="bn")
    page = client.get(f"{PAGE}?page=kc-returns-bn-v1{FOUR}&measure=1")
    assert page.status_code in (200, 422)
    shown = re.sub(
        r'<(tbody|option|span|strong|textarea)\b[^>]*lang="(en|bn)".*?</\1>',
        "",
        client.get(RETURNS).text,
        flags=re.DOTALL,
    )
    head = words(shown[: shown.index('class="cut-table')])
    assert not re.search(r"\b(Setting|Compare|Page|chunk|Line|draft)\b", head)
    assert '<html lang="bn">' in client.get(RETURNS).text
    assert "১০০/২০" in words(shown)
    wrong = client.get(f"{PAGE}?page=kc-returns-v3&setting=paragraph&setting=fixed,size%3Dten").text
    assert re.search(r'class="error"[^>]*>.*?[\u0980-\u09ff]', wrong, re.DOTALL)


# Speed and size


def test_a_long_page_appears(make_site: Callable[..., Site], tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    (folder / "collection.toml").write_text('title = "Many"\n', encoding="utf-8")
    body = "".join(
        f"## Part {n}\nThis is sentence one of part {n}. And this is the second one.\n\n" for n in range(300)
    )
    (folder / "long.md").write_text(f"---\nid: long\ntitle: Long\n---\n{body}", encoding="utf-8")
    client = make_site(folder).client(Role.EDITOR)
    client.get(PAGE)
    assert client.get(PAGE).status_code == 200
