"""Retrieval from question to hits, over an embedder that knows shared words only. Rows R of the awkward inputs too."""

from datetime import date
from pathlib import Path

import pytest

from tests.core.retrieval.helpers import Broken, Hashing, a_collection, built, write_page
from webapp.core.documents.collection import load_collection
from webapp.core.registry import PartUnavailable
from webapp.core.retrieval.model import Query, Reader, Retrieval, Role
from webapp.core.retrieval.retriever import Retriever

TODAY = date(2025, 6, 1)
PAGES = {
    "returns": "## Bikes\n\nA bike can go back within 30 days.\n\n## Helmets\n\nOpened helmets cannot be returned.",
    "errors": "## ERR-0942\n\nThe display shows ERR-0942 when the battery is empty.\n\n## ERR-0943\n\nCall us.",
    "warranty": "## Frame\n\nEvery frame has a 5-year warranty.",
}
SETTINGS = """
languages = ["en", "bn"]
groups = ["staff"]
staff_see_groups = true
filters = ["product"]
[synonyms]
"money back" = ["refund"]
"""


def ask(folder: Path, text: str, **query: object) -> Retrieval:
    version = built(load_collection(folder), folder.parent / "index")
    lang = "bn" if text > "\u0980" else "en"
    return Retriever(version, Hashing()).retrieve(Query(text, lang, **{"today": TODAY, **query}))  # type: ignore[arg-type]


def ids(retrieval: Retrieval) -> list[str]:
    return [hit.chunk.id for hit in retrieval.hits]


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    a_collection(tmp_path / "docs", PAGES, SETTINGS)
    return tmp_path / "docs"


def test_bangla_words_reach_their_page(docs: Path) -> None:
    write_page(docs, "ferot", "## সাইকেল ফেরত\n\nডেলিভারির ৩০ দিনের মধ্যে সাইকেল ফেরত দেওয়া যায়।", lang="bn")
    write_page(docs, "somoy", "## দোকানের সময়\n\nদোকান সকাল ১০টায় খোলে।", lang="bn")
    assert ids(ask(docs, "সাইকেলটি ফেরত দিতে কত দিন সময় পাব?"))[0] == "ferot:c0"


@pytest.mark.parametrize("text", ["επιστροφές ποδηλάτων", "возврат велосипеда"])
def test_words_of_other_scripts_are_found(docs: Path, text: str) -> None:
    write_page(docs, "other", f"## Other\n\n{text}")
    found = ask(docs, text)
    assert ids(found)[0] == "other:c0"
    assert found.hits[0].coverage == 1.0


def test_joiners_in_the_question_change_nothing(docs: Path) -> None:
    write_page(docs, "kshoti", "## ক্ষতিপূরণ\n\nক্ষতি হলে জানান।", lang="bn")
    plain, joined = ask(docs, "ক্ষতি হলে?"), ask(docs, "ক্\u200dষতি হলে?")
    assert ids(plain) == ids(joined)
    assert joined.hits[0].coverage == plain.hits[0].coverage


def test_the_exact_code_comes_first_and_is_never_forgiven_a_typo(docs: Path) -> None:
    assert ids(ask(docs, "What does ERR-0942 mean?"))[0] == "errors:c0"
    assert ids(ask(docs, "What does ERR-0943 mean?"))[0] == "errors:c1"
    unknown = ask(docs, "What does ERR-0944 mean?")
    assert (unknown.signals["code_missing"], unknown.signals["code_held"]) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("question", "held"),
    [
        ("ERR-0942", 1.0),
        ("What does ERR-0942 mean?", 1.0),
        ("What does ERR-0942 cost?", 0.0),
        ("Is the battery empty?", 0.0),
    ],
)
def test_a_code_is_held_where_a_chunk_has_it_and_all_else_that_is_asked(docs: Path, question: str, held: float) -> None:
    assert ask(docs, question).signals["code_held"] == held


def test_a_name_known_in_part_is_noticed(docs: Path) -> None:
    assert ask(docs, "Is there a warranty on the Frame Ultra?").signals["name_missing"] == 1.0
    assert ask(docs, "Is there a warranty on the Frame?").signals["name_missing"] == 0.0


@pytest.mark.parametrize(
    ("question", "other_kind"),
    [
        ("How much is the medium plan?", True),
        ("How much is the small plan?", False),
        ("How much is the little plan?", False),  # another word for the same
        ("How much is the cheapest medium plan?", False),  # two words are lacking: it may be said otherwise
        ("How much is a plan?", False),
        ("মাঝারি প্ল্যানের দাম কত?", True),
        ("ছোট প্ল্যানের দাম কত?", False),
        ("দাম জানাতে প্ল্যানের কথা", False),  # a verb tells nothing of the word after it
    ],
)
def test_another_kind_of_thing_than_headings_name_is_noticed(tmp_path: Path, question: str, other_kind: bool) -> None:
    docs = tmp_path / "docs"
    a_collection(docs, PAGES, SETTINGS)
    write_page(docs, "plans", "## Small plan\n\nMuch is in it. It costs 9 dollars.")
    write_page(docs, "plans-bn", "## ছোট প্ল্যান\n\nদাম ৯ টাকা। এই কথা জানুন।", lang="bn")
    assert bool(ask(docs, question).signals["other_kind"]) is other_kind


def test_everyday_words_for_a_word_are_held_and_not_searched(docs: Path) -> None:
    write_page(docs, "fresh", "## Milk\n\nMilk stays fresh in the refrigerator.")
    found = ask(docs, "milk fridge")
    assert found.signals["held"] == 1
    assert found.signals["coverage"] < 1
    assert "fresh:c0" not in ids(ask(docs, "fridge"))


def test_one_edit_typos_reach_the_right_page(docs: Path) -> None:
    found = ask(docs, "frame waranty")
    assert ids(found)[0] == "warranty:c0"
    assert found.signals["unknown"] == 0.0


def test_synonyms_of_the_collection_count_as_the_word(docs: Path) -> None:
    write_page(docs, "refunds", "## Refund\n\nA refund takes 5 days.")
    assert ids(ask(docs, "When do I get my money back?"))[0] == "refunds:c0"


def test_a_synonym_of_several_words_may_hold_small_ones(docs: Path) -> None:
    settings = (docs / "collection.toml").read_text(encoding="utf-8")
    (docs / "collection.toml").write_text(f'{settings}"other countries" = ["abroad"]\n', encoding="utf-8")
    write_page(docs, "abroad", "## Where\n\nWe do not deliver abroad.")
    found = ask(docs, "Do you deliver to other countries?")
    assert ids(found)[0] == "abroad:c0"
    assert found.signals["held"] == 1.0


@pytest.mark.parametrize(
    ("question", "held"),
    [("How long is the frame warranty?", 1.0), ("stolen frame warranty", 1 / 2), ("paint a stolen frame", 1 / 3)],
)
def test_how_many_words_the_first_chunks_lack_is_a_signal(docs: Path, question: str, held: float) -> None:
    assert ask(docs, question).signals["held"] == held


def test_only_current_valid_and_visible_documents_are_retrieved(docs: Path) -> None:
    body = "## Bikes\n\nA bike can go back within 14 days."
    write_page(docs, "old", body, status="superseded")
    write_page(docs, "past", body, valid_until="2025-05-31")
    write_page(docs, "closed", body, audience="staff")
    question = "How many days until a bike can go back?"
    public = {"returns", "errors", "warranty"}
    staff = Reader(Role.CUSTOMER, frozenset({"staff"}))
    assert {hit.chunk.document_id for hit in ask(docs, question).hits} <= public
    assert {hit.chunk.document_id for hit in ask(docs, question, reader=staff).hits} >= {"closed"}
    assert {hit.chunk.document_id for hit in ask(docs, question, reader=Reader(Role.AGENT)).hits} >= {"closed"}


def test_pages_that_a_reader_may_not_see_can_not_be_felt(docs: Path) -> None:
    before = ask(docs, "secret merger of the bike frame")
    for number in range(5):
        body = f"## Merger\n\nThe secret merger of bike and frame. {'It is long. ' * 10 * number}"
        write_page(docs, f"closed{number}", body, audience="staff")
    after = ask(docs, "secret merger of the bike frame")
    assert ids(after) == ids(before)
    assert after.signals == before.signals
    assert [(hit.score, hit.words) for hit in after.hits] == [(hit.score, hit.words) for hit in before.hits]


def test_a_question_without_a_vector_of_numbers_is_not_ranked(docs: Path) -> None:
    version = built(load_collection(docs), docs.parent / "index")
    with pytest.raises(PartUnavailable, match="the embedder hashing gave something that is no number"):
        Retriever(version, Broken()).retrieve(Query("frame warranty", "en", today=TODAY))


def test_filters_come_before_ranking(docs: Path) -> None:
    write_page(docs, "lamps", "## Bikes\n\nA bike lamp can go back within 7 days.", product="lamp")
    assert ids(ask(docs, "bike go back days", attributes={"product": "lamp"})) == ["lamps:c0"]
    assert ids(ask(docs, "bike go back days", attributes={"product": "tent"})) == []


def test_a_question_is_answered_in_its_own_language_first(docs: Path) -> None:
    write_page(docs, "ferot", "## Bikes\n\nA bike can go back within 30 days. সাইকেল ফেরত।", lang="bn")
    assert ids(ask(docs, "When can a bike go back?"))[0] == "returns:c0"
    assert ids(ask(docs, "সাইকেল ফেরত bike go back"))[0] == "ferot:c0"
    assert ids(ask(docs, "When can a bike go back?", only_lang="bn")) == ["ferot:c0"]


def test_near_duplicates_give_way_to_what_says_something_else(docs: Path) -> None:
    write_page(docs, "copy", PAGES["warranty"], title="Warranty")
    write_page(docs, "forks", "## Fork\n\nA fork has a 2-year warranty.")
    write_page(docs, "parts", "## Parts\n\nParts have no warranty.")
    assert ids(ask(docs, "frame warranty")) == ["copy:c0", "forks:c0", "parts:c0", "warranty:c0"]
    version = built(load_collection(docs), docs.parent / "index")
    found = Retriever(version, Hashing()).retrieve(Query("frame warranty", "en", today=TODAY), depth=3)
    assert [(out.chunk_id, out.why) for out in found.left_out] == [("warranty:c0", "near_duplicate")]


def test_documents_can_be_left_out_as_if_they_did_not_exist(docs: Path, tmp_path: Path) -> None:
    found = ask(docs, "frame warranty", without=frozenset({"warranty"}))
    a_collection(tmp_path / "less" / "docs", {name: PAGES[name] for name in ("returns", "errors")}, SETTINGS)
    less = ask(tmp_path / "less" / "docs", "frame warranty")
    assert ids(found) == ids(less)
    assert found.signals == pytest.approx(dict(less.signals))


def test_hits_carry_what_each_search_thought(docs: Path) -> None:
    hit = ask(docs, "frame warranty").hits[0]
    assert hit.coverage == 1.0
    assert hit.words is not None
    assert hit.meaning is not None
    assert len(hit.sentence_scores) == len(hit.chunk.sentences)


def test_never_more_than_wanted_and_best_first(docs: Path) -> None:
    version = built(load_collection(docs), docs.parent / "index")
    retrieval = Retriever(version, Hashing()).retrieve(Query("bike frame warranty", "en", today=TODAY), depth=2)
    assert len(retrieval.hits) == 2
    assert retrieval.hits[0].score >= retrieval.hits[1].score


def test_chunks_with_no_likeness_at_all_are_not_retrieved(docs: Path) -> None:
    assert ids(ask(docs, "zebra migration patterns")) == []


def test_an_empty_collection_has_no_evidence(tmp_path: Path) -> None:
    a_collection(tmp_path / "docs", {"empty": ""})
    found = ask(tmp_path / "docs", "anything")
    assert ids(found) == []
    assert found.signals["meaning"] == 0.0
