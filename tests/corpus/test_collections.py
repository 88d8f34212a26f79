"""The sample collections say what the desks said: ids, counts, lines, figures, labels."""

import json
import re
import unicodedata
from pathlib import Path

import pytest

from webapp.core.documents.collection import load_collection
from webapp.core.documents.model import Collection, Document, Status
from webapp.core.documents.sentences import ends_sentence
from webapp.core.evaluation.questions import find_fact, label_is_broken, places, read_questions

CORPUS = Path(__file__).parents[2] / "corpus"
NAMES = ("cityops", "handbook", "kestrel")
GOLDEN = {"cityops": 20, "handbook": 20, "kestrel": 40}
KEY_FACTS = {
    "within 30 days of delivery",
    "within 14 days if unopened",
    "Opened helmets cannot be returned",
    "within 5 business days",
    "serial numbers starting with RD2-24",
    "expire 36 months after purchase",
    "4 to 7 business days",
    "5-year warranty",
}
KESTREL_IDS = {
    "kc-returns-v3",
    "kc-returns-v2",
    "kc-giftcards-v1",
    "kc-recalls-v1",
    "kc-shipping-v1",
    "kc-warranty-v2",
    "kc-sizing-v1",
}
RECALL_LABELS = {
    "How long do I have to return a bike?": "kc-returns-v3",
    "When do gift cards expire?": "kc-giftcards-v1",
    "What is the RD2-24 recall?": "kc-recalls-v1",
    "How much does delivery cost?": "kc-shipping-v1",
    "How long is the frame warranty?": "kc-warranty-v2",
    "Which sizes of bike do you sell?": "kc-sizing-v1",
}
HANDBOOK_LABELS = {
    "What attendance is needed for exams?": "4.1 Attendance",
    "When will I get my hall ticket?": "7.3 Hall tickets",
    "What is the late fee?": "6.1 Fees",
    "I was ill for a week, will my absence count?": "4.2 Medical leave",
    "Can I bunk classes and still sit the exam?": "4.1 Attendance",
}
CITYOPS_LABELS = {
    "huge pothole damaged my car": "PROC-POT-003",
    "is my recycling bin contaminated": "PROC-REC-005",
    "missed garbage collection what do i do": "PROC-SAN-001",
    "construction noise on sunday morning": "PROC-NOI-002",
    "water flooding the street": "PROC-WAT-004",
    "graffiti on the bus stop": "PROC-GRA-006",
    "my trash wasn't collected": "PROC-SAN-001",
}
REFUSED = {
    "kestrel": {"Can I pay in instalments?"},
    "handbook": {"Who won the college cricket tournament?"},
    "cityops": {"zebra migration patterns", "when does the library close", "can I dispute a parking ticket"},
}


def collection(name: str) -> Collection:
    return load_collection(CORPUS / name)


def document(of: Collection, document_id: str) -> Document:
    return next(found for found in of.documents if found.id == document_id)


def facts(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (CORPUS / name / "facts.jsonl").read_text(encoding="utf-8").splitlines()]


def files() -> list[Path]:
    return [file for name in NAMES for file in sorted((CORPUS / name).iterdir())]


@pytest.mark.parametrize("name", NAMES)
def test_every_file_is_read_and_nothing_is_held_back(name: str) -> None:
    read = collection(name)
    assert read.problems == ()
    assert len(read.documents) == len(list((CORPUS / name).glob("*.md")))
    assert read.config.status_when_missing == "held_back"


@pytest.mark.parametrize("file", files(), ids=lambda file: f"{file.parent.name}/{file.name}")
def test_texts_are_composed_unicode_with_plain_line_ends(file: Path) -> None:
    text = file.read_bytes().decode("utf-8")
    assert unicodedata.is_normalized("NFC", text)
    assert "\r" not in text
    assert text.endswith("\n")


@pytest.mark.parametrize("name", NAMES)
def test_sections_have_no_blank_line_inside_and_end_with_a_sentence(name: str) -> None:
    for read in collection(name).documents:
        for section in read.sections:
            body = section.text.strip()
            assert body, f"{read.path}: {section.heading} is empty"
            assert not re.search(r"\n\s*\n", body), f"{read.path}: {section.heading}"
            assert ends_sentence(body), f"{read.path}: {section.heading}"


@pytest.mark.parametrize("name", NAMES)
def test_updated_is_given_and_ids_are_unique(name: str) -> None:
    documents = collection(name).documents
    assert len({read.id for read in documents}) == len(documents)
    assert all(read.updated for read in documents)


@pytest.mark.parametrize("name", NAMES)
def test_golden_labels_resolve_and_questions_are_unique(name: str) -> None:
    read, questions = collection(name), read_questions(CORPUS / name / "golden.jsonl")
    assert len(questions) >= GOLDEN[name]
    assert len({question.question for question in questions}) == len(questions)
    assert not [question.id for question in questions if label_is_broken(question, read.documents)]
    assert all(question.lang in read.config.languages for question in questions)
    assert {question.answerable for question in questions} == {True, False}


@pytest.mark.parametrize("name", NAMES)
def test_every_label_stands_in_one_section(name: str) -> None:
    read = collection(name)
    for question in read_questions(CORPUS / name / "golden.jsonl"):
        for place in places(question, read.documents):
            headings = _headings(document(read, place.document_id), place.first_line, place.last_line)
            assert len(headings) == 1, f"{question.id}: {headings}"


@pytest.mark.parametrize("name", NAMES)
def test_no_label_points_into_a_page_the_public_may_not_see(name: str) -> None:
    read = collection(name)
    for question in read_questions(CORPUS / name / "golden.jsonl"):
        for place in places(question, read.documents):
            assert "public" in document(read, place.document_id).audience


@pytest.mark.parametrize("name", NAMES)
def test_the_named_questions_are_refused(name: str) -> None:
    questions = {question.question: question for question in read_questions(CORPUS / name / "golden.jsonl")}
    assert all(not questions[text].answerable for text in REFUSED[name])


@pytest.mark.parametrize("name", NAMES)
def test_key_facts_stand_in_a_current_document(name: str) -> None:
    read = collection(name)
    for fact in facts(name):
        source = document(read, fact["document"])
        assert source.status is Status.CURRENT
        assert source.lang == fact["lang"]
        assert fact["fact"] in " ".join(source.text.split())
        assert len(find_fact(fact["fact"], source)) == 1


@pytest.mark.parametrize("name", NAMES)
def test_settings_to_compare_are_named(name: str) -> None:
    config = collection(name).config
    assert 2 <= len(config.compare) <= 4
    assert config.compare[0] == {"strategy": config.strategy} | ({"options": config.options} if config.options else {})


def test_kestrel_has_thirteen_documents_and_thirty_six_sections() -> None:
    read = collection("kestrel")
    assert len(read.documents) == 13
    assert sum(len(one.sections) for one in read.documents) == 36
    assert {one.id for one in read.documents} >= KESTREL_IDS
    assert {one.lang for one in read.documents} == {"en", "bn"}
    assert read.config.strategy == "paragraph"


def test_kestrel_has_one_superseded_page_whose_limit_was_fourteen_days() -> None:
    read = collection("kestrel")
    old = [one for one in read.documents if one.status is not Status.CURRENT]
    assert [(one.id, one.status, one.superseded_by) for one in old] == [
        ("kc-returns-v2", Status.SUPERSEDED, "kc-returns-v3")
    ]
    assert "within 14 days of delivery" in old[0].text


def test_kestrel_returns_policy_stands_on_its_lines() -> None:
    returns = document(collection("kestrel"), "kc-returns-v3")
    assert returns.path == "returns-policy.md"
    bike, accessories = returns.sections[:2]
    assert (bike.heading, _lines(returns, 0)) == ("Returning a bike", (11, 12))
    assert 181 <= len(bike.text.strip()) <= 260
    assert (accessories.heading, _lines(returns, 1)) == ("Returning accessories", (15, 15))


def test_kestrel_gift_card_expiry_stands_on_line_fourteen() -> None:
    cards = document(collection("kestrel"), "kc-giftcards-v1")
    assert (cards.sections[1].heading, _lines(cards, 1)) == ("Expiry", (14, 14))


def test_kestrel_key_facts_are_the_eight() -> None:
    assert {fact["fact"] for fact in facts("kestrel")} == KEY_FACTS
    assert len(facts("kestrel")) == 8


def test_kestrel_labelled_questions_name_their_pages() -> None:
    questions = {one.question: one for one in read_questions(CORPUS / "kestrel" / "golden.jsonl")}
    assert {text: questions[text].labels[0].document for text in RECALL_LABELS} == RECALL_LABELS
    assert questions["How do I get my money back?"].labels[0].document == "kc-returns-v3"


def test_kestrel_asks_answerable_and_unanswerable_questions_in_both_languages() -> None:
    asked = read_questions(CORPUS / "kestrel" / "golden.jsonl")
    assert {(one.lang, one.answerable) for one in asked} == {
        (lang, ok) for lang in ("en", "bn") for ok in (True, False)
    }


def test_kestrel_has_questions_that_only_the_other_language_answers() -> None:
    read = collection("kestrel")
    pairs = {
        (question.lang, document(read, label.document).lang)
        for question in read_questions(CORPUS / "kestrel" / "golden.jsonl")
        for label in question.labels
    }
    assert {("bn", "en"), ("en", "bn")} <= pairs


def test_kestrel_returns_policy_is_found_by_meaning_not_by_letters() -> None:
    text = document(collection("kestrel"), "kc-returns-v3").text.lower()
    assert "money" not in text
    assert "back" not in text


def test_handbook_questions_name_their_numbered_sections() -> None:
    read = collection("handbook")
    questions = {one.question: one for one in read_questions(CORPUS / "handbook" / "golden.jsonl")}
    for text, heading in HANDBOOK_LABELS.items():
        place = places(questions[text], read.documents)[0]
        assert _headings(document(read, place.document_id), place.first_line, place.last_line) == [heading]
    assert all(re.match(r"\d\.\d ", section.heading) for one in read.documents for section in one.sections)


def test_handbook_keeps_some_pages_to_staff() -> None:
    read = collection("handbook")
    assert {one.id for one in read.documents if one.audience == {"staff"}} == {"hb-invigilation", "hb-moderation"}
    assert set(read.config.groups) == {"students", "staff"}


@pytest.mark.parametrize("name", ["cityops", "handbook"])
def test_word_windows_are_the_default_of_the_other_two(name: str) -> None:
    config = collection(name).config
    assert (config.strategy, config.options) == ("words", {"size": 40, "overlap": 10})


def test_cityops_has_the_six_procedures_with_their_titles() -> None:
    assert {one.id: one.title for one in collection("cityops").documents} == {
        "PROC-SAN-001": "Missed Garbage Collection",
        "PROC-NOI-002": "Noise Complaints",
        "PROC-POT-003": "Pothole Repair",
        "PROC-WAT-004": "Water Main Breaks",
        "PROC-REC-005": "Recycling Contamination",
        "PROC-GRA-006": "Graffiti Removal",
    }


def test_cityops_questions_name_their_procedures() -> None:
    questions = {one.question: one for one in read_questions(CORPUS / "cityops" / "golden.jsonl")}
    assert {text: questions[text].labels[0].document for text in CITYOPS_LABELS} == CITYOPS_LABELS


def test_cityops_never_says_trash() -> None:
    read = collection("cityops")
    assert not [one.id for one in read.documents if "trash" in one.text.lower()]
    assert not read.config.synonyms


def _lines(of: Document, index: int) -> tuple[int, int]:
    """First and last line of a section's text, blank lines around it left out."""
    section = of.sections[index]
    start = section.start + len(section.text) - len(section.text.lstrip())
    return of.line_at(start), of.line_at(start + len(section.text.strip()) - 1)


def _headings(of: Document, first: int, last: int) -> list[str]:
    """The headings of the sections whose text shares a line with those lines."""
    spans = [(section.heading, _lines(of, index)) for index, section in enumerate(of.sections)]
    return [heading for heading, (start, end) in spans if start <= last and first <= end]
