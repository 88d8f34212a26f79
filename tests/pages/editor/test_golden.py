"""Golden questions: listed, brought in and out, set apart when their labels break; what readers propose."""

from __future__ import annotations

import json
import re
from html import unescape
from io import BytesIO
from pathlib import Path

import pytest

from tests.client import Client
from tests.pages.editor.conftest import Site
from webapp.core.retrieval.model import Role

PAGE = "/admin/evaluation/questions"
PROPOSALS = "/admin/evaluation/proposals"
NEW = '{"id":"brakes" ,"question":"Do you adjust brakes?","answerable":false}'


def words(html: str) -> str:
    """The words of a page, tags left out."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def asked(html: str) -> list[str]:
    """The ids of the questions listed."""
    return re.findall(r'<li id="q-([^"]+)"', html)


@pytest.fixture
def file(site: Site) -> Path:
    """A small golden set of kestrel's."""
    path = site.folder / "golden.jsonl"
    chosen = ("return-bike", "gift-card-expiry", "bn-gift-card")
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    unanswerable = next(line for line in lines if '"answerable": false' in line)
    path.write_text(
        "".join([line for line in lines if json.loads(line)["id"] in chosen] + [unanswerable]), encoding="utf-8"
    )
    return path


def change_gift_cards(site: Site) -> None:
    page = site.folder / "gift-cards.md"
    page.write_text(page.read_text(encoding="utf-8").replace("expire 36 months after", "expire 24 months after"))


# The list


def test_questions_stand_with_the_lines_that_answer_them(editor: Client, file: Path) -> None:
    page = editor.get(PAGE).text
    assert len(asked(page)) == 4
    assert "Returns policy , line 11" in words(page)
    assert "4 questions" in words(page)
    assert "our pages don't answer it" in words(page)


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("kind=unanswerable", 1),
        ("kind=answerable", 3),
        ("kind=broken", 0),
        ("in=bn", 1),
        ("words=GIFT+cards", 1),
        ("kind=x", 4),
    ],
)
def test_the_list_can_be_narrowed(editor: Client, file: Path, query: str, count: int) -> None:
    assert len(asked(editor.get(f"{PAGE}?{query}").text)) == count


def test_a_long_list_is_paged(editor: Client, site: Site, file: Path) -> None:
    lines = [json.dumps({"id": f"n{n}", "question": f"Question {n}?", "answerable": False}) for n in range(45)]
    file.write_text("\n".join(lines), encoding="utf-8")
    found = [asked(editor.get(f"{PAGE}?page={page}&kind=unanswerable").text) for page in (1, 2, 3)]
    assert [len(one) for one in found] == [20, 20, 5]
    assert (
        "kind=unanswerable" in re.findall(r'href="([^"]*)" rel="next"', editor.get(f"{PAGE}?kind=unanswerable").text)[0]
    )


def test_without_questions_it_says_what_one_is(editor: Client, file: Path) -> None:
    file.unlink()
    assert "There are none yet" in editor.get(PAGE).text


def test_a_file_that_is_no_text_is_said(editor: Client, file: Path) -> None:
    file.write_bytes(b"\xff")
    for address in (PAGE, f"{PAGE}/export"):
        response = editor.get(address)
        assert response.status_code == 422
        assert "not UTF-8" in response.text


# Labels that no longer hold


def test_a_broken_label_is_set_apart_with_where_its_text_went(editor: Client, site: Site, file: Path) -> None:
    change_gift_cards(site)
    page = editor.get(PAGE).text
    assert asked(page)[:2] == ["gift-card-expiry", "bn-gift-card"]
    shown = words(page)
    assert "2 with broken labels" in shown
    assert "The page “Gift cards” no longer says this. It said: expire 36 months after purchase" in shown
    assert "Perhaps it is here now: Gift cards , line 14" in shown


def test_a_suggestion_is_taken_with_one_press(editor: Client, site: Site, file: Path) -> None:
    change_gift_cards(site)
    form = re.search(r'<form[^>]*class="suggestion">.*?</form>', editor.get(PAGE).text, re.DOTALL)
    assert form
    fields = dict(re.findall(r'name="([^"]+)" value="([^"]*)"', form[0]))
    assert editor.post(f"{PAGE}/lines", fields).status_code == 303
    kept = site.services.golden.file("kestrel").find("gift-card-expiry")
    assert kept
    assert kept.question
    assert kept.question.labels[0].lines == (14, 14)
    assert "24 months" in (kept.question.labels[0].fact or "")
    assert json.loads(file.read_text(encoding="utf-8").splitlines()[0])["fact"] == "within 30 days of delivery"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda path: path.unlink(), "There is no page “kc-giftcards-v1” any more."),
        (
            lambda path: path.write_text(
                path.read_text(encoding="utf-8").replace("status: current", "status: archived")
            ),
            "The page “Gift cards” is no longer current: archived.",
        ),
    ],
)
def test_a_label_whose_page_is_gone_says_so(editor: Client, site: Site, file: Path, change: object, said: str) -> None:
    assert callable(change)
    change(site.folder / "gift-cards.md")
    assert said in words(editor.get(PAGE).text)


def close_gift_cards(site: Site) -> None:
    page = site.folder / "gift-cards.md"
    page.write_text(page.read_text(encoding="utf-8").replace("status: current", "status: current\naudience: staff"))
    settings = site.folder / "collection.toml"
    settings.write_text('groups = ["staff"]\n' + settings.read_text(encoding="utf-8"), encoding="utf-8")


def test_a_page_of_a_group_is_closed_to_editors_outside_it(site: Site, file: Path) -> None:
    close_gift_cards(site)
    shown = words(site.client(Role.EDITOR).get(PAGE).text)
    assert "gift cards" not in shown.lower()
    assert "months" not in shown


# In and out


def test_the_file_goes_out_as_it_is(editor: Client, file: Path) -> None:
    response = editor.get(f"{PAGE}/export")
    assert response.get_data() == file.read_bytes()
    assert response.headers["Content-Disposition"] == 'attachment; filename="golden.jsonl"'


def test_questions_about_a_closed_page_do_not_go_out(site: Site, file: Path) -> None:
    lines = file.read_bytes().splitlines(keepends=True)
    close_gift_cards(site)
    sent = site.client(Role.EDITOR).get(f"{PAGE}/export").get_data()
    assert sent == b"".join(line for line in lines if b"kc-giftcards-v1" not in line) != b"".join(lines)


def test_a_file_comes_in_and_leaves_the_rest_byte_for_byte(editor: Client, file: Path) -> None:
    before = file.read_bytes()
    sent = {"collection": "kestrel", "file": (BytesIO(f"{NEW}\n".encode()), "more.jsonl")}
    response = editor.post(f"{PAGE}/import", sent)
    assert response.status_code == 303
    assert "1 question is new." in editor.get(response.headers["Location"]).text
    assert file.read_bytes() == before + f"{NEW}\n".encode()


def test_lines_that_cant_be_used_are_named_and_nothing_is_lost(editor: Client, file: Path) -> None:
    before = file.read_bytes()
    pasted = f"{NEW}\n\n" + '{"id": "x", "question": "Why?", "answerable": true}\nnonsense'
    response = editor.post(f"{PAGE}/import", {"collection": "kestrel", "text": pasted})
    assert response.status_code == 422
    shown = words(response.text)
    assert 'line 3: an answerable question needs a "document"' in shown
    assert "line 4: Invalid JSON" in shown
    assert "nonsense</textarea>" in response.text
    assert file.read_bytes() == before


@pytest.mark.parametrize(("known", "said"), [("keep", "1 was left out"), ("replace", "1 was replaced.")])
def test_a_known_id_stays_or_is_replaced_as_wished(editor: Client, file: Path, known: str, said: str) -> None:
    other = '{"id": "return-bike", "question": "Other words?", "answerable": false}'
    response = editor.post(f"{PAGE}/import", {"collection": "kestrel", "text": other, "known": known})
    assert said in editor.get(response.headers["Location"]).text
    assert ("Other words?" in file.read_text(encoding="utf-8")) == (known == "replace")


@pytest.mark.parametrize("sent", [b"", b"\n \n", b"\xff\xfe{}"])
def test_a_file_without_a_question_is_said(editor: Client, file: Path, sent: bytes) -> None:
    response = editor.post(f"{PAGE}/import", {"collection": "kestrel", "file": (BytesIO(sent), "x.jsonl")})
    assert response.status_code == 422
    assert 'class="notice warning"' in response.text


def test_a_line_that_cant_be_used_is_mended_or_removed_in_place(editor: Client, site: Site, file: Path) -> None:
    before = file.read_text(encoding="utf-8")
    file.write_text('{"id": "x"}\n' + before, encoding="utf-8")
    page = editor.get(PAGE).text
    assert "line 1: question: Field required" in words(page)
    mark = re.search(r'name="mark" value="([^"]+)"', page)
    assert mark
    form = {"collection": "kestrel", "line": "1", "mark": mark[1], "do": "mend", "text": '{"id": "x"}'}
    assert editor.post(f"{PAGE}/line", form).status_code == 422
    assert editor.post(f"{PAGE}/line", form | {"text": NEW}).status_code == 303
    assert file.read_text(encoding="utf-8") == f"{NEW}\n{before}"
    assert editor.post(f"{PAGE}/line", form | {"do": "remove"}).status_code == 422
    line = site.services.golden.file("kestrel").lines[0]
    assert editor.post(f"{PAGE}/line", {"collection": "kestrel", "line": "1", "mark": line.mark}).status_code == 303
    assert file.read_text(encoding="utf-8") == before


def test_markup_in_a_question_is_text(editor: Client, file: Path) -> None:
    hostile = {"id": "<b>", "question": "<script>alert(1)</script> {{ 7*7 }}\u0000?", "answerable": False}
    file.write_text(json.dumps(hostile) + "\n<script>", encoding="utf-8")
    page = editor.get(PAGE).text
    assert "<script>alert" not in page
    assert "{{ 7*7 }}" in page


# Proposals


def test_proposals_are_listed_put_aside_and_brought_back(editor: Client, site: Site) -> None:
    proposed = site.services.golden.propose("kestrel", "Can I pay in instalments?", "reader", note="It said\nnothing")
    page = editor.get(PROPOSALS).text
    assert "Can I pay in instalments? from a reader" in words(page)
    assert "Proposals (1)" in words(page)
    form = {"collection": "kestrel", "proposal": proposed}
    aside = editor.get(editor.post(PROPOSALS, form).headers["Location"]).text
    assert "Put aside: “Can I pay in instalments?”." in words(aside)
    assert "Nothing is proposed." in aside
    assert site.services.golden.waiting("kestrel") == 0
    editor.post(PROPOSALS, form | {"back": "1"})
    assert site.services.golden.waiting("kestrel") == 1
    assert editor.post(PROPOSALS, form | {"proposal": "nothing"}).status_code == 404


def test_it_is_in_the_readers_language(site: Site, file: Path) -> None:
    for address in (PAGE, PROPOSALS, f"{PAGE}/edit"):
        assert "Golden questions" not in words(site.client(Role.EDITOR, "bn").get(address).text)
