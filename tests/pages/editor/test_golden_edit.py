"""One golden question: typed, labelled by choosing lines, changed by two editors at once, taken from a proposal."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.client import Client
from tests.pages.editor.conftest import Site
from webapp.core.evaluation.questions import Question

EDIT = "/admin/evaluation/questions/edit"
LINES = "/admin/evaluation/questions/lines"


def words(html: str) -> str:
    """The words of a page, tags left out."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def form(**fields: Any) -> dict[str, Any]:
    return {"collection": "kestrel", "answerable": "yes"} | fields


def kept(site: Site, question_id: str) -> Question:
    line = site.services.golden.file("kestrel").find(question_id)
    assert line
    assert line.question
    return line.question


def mark(site: Site, question_id: str) -> str:
    line = site.services.golden.file("kestrel").find(question_id)
    assert line
    return line.mark


# A new question


def test_a_question_is_typed_and_its_lines_are_chosen_without_a_script(editor: Client, site: Site) -> None:
    assert "Add a golden question" in editor.get(EDIT).text
    typed = editor.post(EDIT, form(question=" How soon is  a bike here? ", document="kc-shipping-v1"))
    page = editor.get(typed.headers["Location"]).text
    assert "How soon is a bike here?" in page
    assert 'id="L11"' in page
    query = {name: value[0] for name, value in parse_qs(urlsplit(typed.headers["Location"]).query).items()}
    done = editor.post(LINES, query | {"first": "11", "last": ""})
    assert done.status_code == 303
    question = kept(site, "how-soon-is-a-bike")
    [label] = question.labels
    assert (label.document, label.lines) == ("kc-shipping-v1", (11, 11))
    assert label.fact
    assert label.fact.startswith("Delivery takes 4 to 7 business days")
    assert "Kept." in editor.get(done.headers["Location"]).text


def test_a_question_that_nothing_answers_needs_no_lines(editor: Client, site: Site) -> None:
    editor.post(EDIT, form(question="আমি কি ঘোড়া কিনতে পারি?", answerable="no", lang="bn"))
    question = kept(site, "আমি-কি-ঘোড়া-কিনতে-পারি")
    assert (question.answerable, question.lang, question.labels) == (False, "bn", ())


def test_an_empty_question_is_said_beside_its_field(editor: Client) -> None:
    response = editor.post(EDIT, form(question="  "))
    assert response.status_code == 422
    assert 'id="question-error"' in response.text


def test_ids_of_alike_questions_differ(editor: Client, site: Site) -> None:
    for _ in range(3):
        editor.post(EDIT, form(question="Do you sell horses?", answerable="no"))
    ids = [question.id for question in site.services.golden.file("kestrel").questions]
    assert ids[-3:] == ["do-you-sell-horses", "do-you-sell-horses-2", "do-you-sell-horses-3"]


# Lines


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({"first": "", "last": ""}, "as numbers"),
        ({"first": "x", "last": "12"}, "as numbers"),
        ({"first": "9" * 20}, "as numbers"),
        ({"first": "12", "last": "11"}, "up to 60 lines"),
        ({"first": "1", "last": "99"}, "up to 60 lines"),
        ({"first": "2"}, "These lines say nothing"),
        ({"first": "13"}, "These lines say nothing"),
        ({"first": "900"}, "These lines say nothing"),
        ({"first": "11", "fact": "60 days"}, "These words don't stand in these lines."),
    ],
)
def test_lines_that_are_no_place_are_said_and_nothing_is_kept(
    editor: Client, site: Site, chosen: dict[str, str], said: str
) -> None:
    before = (site.folder / "golden.jsonl").read_bytes()
    response = editor.post(LINES, form(question="How long?", document="kc-returns-v3", **chosen))
    assert response.status_code == 422
    assert said in words(response.text)
    assert "How long?" in response.text
    assert (site.folder / "golden.jsonl").read_bytes() == before


def test_the_words_that_matter_can_be_named(editor: Client, site: Site) -> None:
    sent = form(
        question="How long?", document="kc-returns-v3", first="১১", last="12", fact="within 30 days of  delivery"
    )
    assert editor.post(LINES, sent).status_code == 303
    [label] = kept(site, "how-long").labels
    assert (label.lines, label.fact) == ((11, 11), "within 30 days of delivery")


@pytest.mark.parametrize("document", ["nothing", "kc-returns-v2"])
def test_only_current_pages_that_the_editor_sees_can_answer(editor: Client, document: str) -> None:
    response = editor.get(f"{LINES}?question=Why&document={document}")
    assert response.status_code == 422
    assert "There is no such current page" in response.text
    assert editor.post(LINES, form(question="Why?", document=document, first="11")).status_code == 422


def test_without_a_page_one_is_to_be_chosen(editor: Client) -> None:
    page = editor.get(f"{LINES}?question=Why").text
    assert "Show this page" in page
    assert 'class="line' not in page


def test_a_long_page_is_shown_in_parts_around_what_was_chosen(editor: Client, site: Site) -> None:
    page = site.folder / "shops.md"
    page.write_text(page.read_text(encoding="utf-8") + "\n## More\n" + "One more line of text.\n\n" * 500)
    first = editor.get(f"{LINES}?question=Why&document=kc-shops-v1").text
    assert first.count('class="line') == 300 + 1  # and the box around them
    assert "Later lines" in first
    near = editor.get(f"{LINES}?question=Why&document=kc-shops-v1&first=700&last=702").text
    assert 'class="line cited" id="L701"' in near
    assert "Earlier lines" in near
    assert editor.get(f"{LINES}?question=Why&document=kc-shops-v1&from=99999").status_code == 200


# An existing question


def test_a_question_is_changed_in_its_line_alone(editor: Client, site: Site) -> None:
    file = site.folder / "golden.jsonl"
    before = file.read_text(encoding="utf-8").splitlines()
    sent = form(id="return-bike", mark=mark(site, "return-bike"), question="How long may I return a bike?", lang="en")
    assert editor.post(EDIT, sent).status_code == 303
    after = file.read_text(encoding="utf-8").splitlines()
    assert after[1:] == before[1:]
    assert json.loads(after[0]) == json.loads(before[0]) | {"question": "How long may I return a bike?"}


def test_of_two_editors_the_second_is_told(editor: Client, site: Site) -> None:
    seen = mark(site, "return-bike")
    editor.post(EDIT, form(id="return-bike", mark=seen, question="Hers?", lang="en"))
    response = editor.post(EDIT, form(id="return-bike", mark=seen, question="His?", lang="en"))
    assert response.status_code == 422
    assert "Somebody changed or removed this question" in response.text
    assert 'value="His?"' in response.text
    assert kept(site, "return-bike").question == "Hers?"


@pytest.mark.parametrize("address", [EDIT, LINES], ids=["words", "lines"])
@pytest.mark.parametrize("now", [b"{no json\n", b""], ids=["nonsense", "empty"])
def test_a_question_that_is_gone_from_the_file_can_be_added_anew(
    editor: Client, site: Site, address: str, now: bytes
) -> None:
    seen = mark(site, "return-bike")
    (site.services.desk().folder / "golden.jsonl").write_bytes(now)
    response = editor.post(address, form(id="return-bike", mark=seen, question="Typed with care?", lang="en"))
    assert response.status_code == 422
    assert "This question is no longer in the golden file" in response.text
    assert 'value="Typed with care?"' in response.text
    again = editor.post(EDIT, form(question="Typed with care?", answerable="no", lang="en"))
    assert again.status_code == 303
    assert kept(site, "typed-with-care").question == "Typed with care?"


def test_a_golden_file_that_became_no_text_is_said_and_left(editor: Client, site: Site) -> None:
    open_already = {"id": "return-bike", "mark": mark(site, "return-bike")}
    file = site.services.desk().folder / "golden.jsonl"
    file.write_bytes(b"\x00\xff")
    for question in (open_already, {}):
        response = editor.post(EDIT, form(question="Typed?", answerable="no", **question))
        assert response.status_code == 422
        assert "The golden file is not UTF-8 text" in response.text
    assert file.read_bytes() == b"\x00\xff"


def test_places_are_added_changed_and_left_out(editor: Client, site: Site) -> None:
    def sent(**more: str) -> dict[str, Any]:
        return form(id="return-bike", mark=mark(site, "return-bike"), question="How long?", lang="en", **more)

    added = editor.post(EDIT, sent(do="pick"))
    assert "place=1" in added.headers["Location"]
    editor.post(LINES, sent(place="1", document="kc-returns-v3", first="15"))
    assert [label.lines for label in kept(site, "return-bike").labels] == [None, (15, 15)]
    changed = editor.post(EDIT, sent(do="pick:1"))
    assert {"document=kc-returns-v3", "first=15", "last=15"} <= set(
        urlsplit(changed.headers["Location"]).query.split("&")
    )
    editor.post(EDIT, sent(do="drop:0"))
    assert [label.lines for label in kept(site, "return-bike").labels] == [(15, 15)]


def test_a_question_that_is_answered_no_more_loses_its_places(editor: Client, site: Site) -> None:
    sent = form(id="return-bike", mark=mark(site, "return-bike"), question="How long?", answerable="no")
    editor.post(EDIT, sent)
    assert kept(site, "return-bike").labels == ()
    page = editor.get(f"{EDIT}?id=return-bike").text
    assert 'value="no" checked' in page


def test_a_question_is_removed_after_asking_once(editor: Client, site: Site) -> None:
    page = editor.get(f"{EDIT}?id=return-bike").text
    assert "Remove this question" in page
    sent = {"collection": "kestrel", "line": "1", "mark": mark(site, "return-bike")}
    after = editor.post("/admin/evaluation/questions/line", sent)
    assert "The question was removed." in editor.get(after.headers["Location"]).text
    assert editor.get(f"{EDIT}?id=return-bike").status_code == 404


def test_a_label_of_lines_alone_says_that_it_wont_follow(editor: Client, site: Site) -> None:
    loose = {"id": "loose", "question": "Sizes?", "answerable": True, "document": "kc-sizing-v1", "lines": [11, 11]}
    file = site.folder / "golden.jsonl"
    file.write_text(json.dumps(loose) + "\n" + file.read_text(encoding="utf-8"), encoding="utf-8")
    assert "held by line numbers alone" in editor.get(f"{EDIT}?id=loose").text


# From a proposal


def test_a_proposal_is_taken_with_what_is_known_of_its_place(editor: Client, site: Site) -> None:
    label = {"document": "kc-returns-v3", "lines": [15, 15]}
    proposed = site.services.golden.propose("kestrel", "May helmets go back?", "agent", None, label)
    page = editor.get(f"{EDIT}?proposal={proposed}").text
    assert 'value="May helmets go back?"' in page
    assert '<option value="kc-returns-v3" selected>' in page
    sent = form(question="May helmets go back?", document="kc-returns-v3", proposal=proposed)
    on = editor.post(EDIT, sent).headers["Location"]
    assert "first=15" in on
    query = {name: value[0] for name, value in parse_qs(urlsplit(on).query).items()}
    editor.post(LINES, query)
    assert kept(site, "may-helmets-go-back").labels[0].lines == (15, 15)
    assert site.services.golden.waiting("kestrel") == 0


@pytest.mark.parametrize(
    "label", [None, {}, {"document": 7, "lines": "x"}, {"document": "kc-returns-v3", "lines": [1]}]
)
def test_a_proposal_that_knows_little_is_taken_all_the_same(editor: Client, site: Site, label: Any) -> None:
    proposed = site.services.golden.propose("kestrel", "May helmets go back?", "reader", None, label)
    assert editor.get(f"{EDIT}?proposal={proposed}").status_code == 200
    sent = form(question="May helmets go back?", document="kc-returns-v3", proposal=proposed)
    assert editor.get(editor.post(EDIT, sent).headers["Location"]).status_code == 200
