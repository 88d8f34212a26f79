"""Settings side by side: the figures of the main collection, and what must not go wrong with any other."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from webapp.core.chunking.cut import cut
from webapp.core.documents.collection import load_collection
from webapp.core.documents.config import CollectionConfig
from webapp.core.documents.model import Chunk, Document
from webapp.core.documents.reading import document_from_bytes
from webapp.core.evaluation.compare import (
    DEFAULT_SETTINGS,
    Comparison,
    Setting,
    SettingFigures,
    compare,
    recall_at,
    settings_of,
)
from webapp.core.evaluation.facts import KeyFact, read_facts
from webapp.core.evaluation.questions import Label, Question
from webapp.core.evaluation.verdict import VerdictCode

KESTREL = Path(__file__).parents[3] / "corpus" / "kestrel"
HELMETS = "Opened helmets cannot be returned"
TWO = (Setting("paragraph"), Setting("fixed", {"size": 100, "overlap": 20}))


def page(text: str, document_id: str = "a", status: str = "current") -> Document:
    head = f"---\nid: {document_id}\ntitle: Page\nstatus: {status}\n---\n"
    return document_from_bytes(f"{head}{text}".encode(), f"{document_id}.md", CollectionConfig(name="c"))


def question(words: str, fact: str, document: str = "a") -> Question:
    return Question(id=words, question=words, answerable=True, labels=(Label(document=document, fact=fact),))


class InOrder:
    """A search that gives the chunks in the order of the documents, and remembers what it was asked."""

    def __init__(self) -> None:
        self.searched: list[tuple[str, ...]] = []

    def __call__(
        self, documents: Sequence[Document], setting: Setting, questions: Sequence[Question], depth: int
    ) -> list[list[Chunk]]:
        self.searched.append(tuple(document.id for document in documents))
        chunks = [chunk for document in documents for chunk in cut(document, setting.strategy, setting.options)]
        return [chunks[:depth] for _ in questions]


@pytest.fixture(scope="module")
def kestrel() -> Comparison:
    read = load_collection(KESTREL)
    return compare(read.documents, settings_of(read.config), read_facts(KESTREL / "facts.jsonl"))


def figures(comparison: Comparison, label: str) -> SettingFigures:
    return next(one for one in comparison.settings if one.setting.label == label)


def test_kestrel_compares_the_four_settings(kestrel: Comparison) -> None:
    labels = [one.setting.label for one in kestrel.settings]
    assert labels == ["paragraph", "sentence 100", "fixed 100/20", "fixed 100/40"]


def test_kestrel_paragraphs_are_its_sections_and_end_with_a_sentence(kestrel: Comparison) -> None:
    paragraph = figures(kestrel, "paragraph")
    assert (paragraph.chunks, paragraph.cut_mid_sentence) == (36, 0)


def test_kestrel_sentences_are_never_cut(kestrel: Comparison) -> None:
    assert figures(kestrel, "sentence 100").cut_mid_sentence == 0
    assert figures(kestrel, "fixed 100/20").cut_mid_sentence > 0


def test_kestrel_loses_the_helmets_to_short_overlap_alone(kestrel: Comparison) -> None:
    lost = {one.setting.label: [(lost.fact.fact, lost.halves) for lost in one.facts.lost] for one in kestrel.settings}
    assert lost == {
        "paragraph": [],
        "sentence 100": [],
        "fixed 100/20": [(HELMETS, ("kc-returns-v3:c3", "kc-returns-v3:c4"))],
        "fixed 100/40": [],
    }
    assert [len(one.facts.whole) for one in kestrel.settings] == [8, 8, 7, 8]
    assert kestrel.facts_absent == ()


def test_kestrel_verdict_names_the_broken_fact(kestrel: Comparison) -> None:
    assert kestrel.verdict.code is VerdictCode.NO_QUESTIONS
    assert f"fixed 100/20 breaks 1 of 8 key facts: “{HELMETS}”" in kestrel.verdict.text


def test_as_dict_has_the_names_the_command_prints(kestrel: Comparison) -> None:
    printed = kestrel.as_dict()
    fixed = printed["settings"][2]
    assert fixed["options"] == {"size": 100, "overlap": 20}
    assert fixed["facts_whole"] == 7
    assert fixed["facts_lost"] == [
        {"fact": HELMETS, "document": "kc-returns-v3", "halves": ["kc-returns-v3:c3", "kc-returns-v3:c4"]}
    ]
    assert fixed["recall"]["1"] == {"value": None, "low": None, "high": None}
    assert printed["verdict"] == kestrel.verdict.text


def test_histograms_share_their_bars_and_hold_every_chunk(kestrel: Comparison) -> None:
    bars = {tuple((bar.low, bar.high) for bar in one.histogram) for one in kestrel.settings}
    assert len(bars) == 1
    assert len(next(iter(bars))) <= 10
    assert all(sum(bar.chunks for bar in one.histogram) == one.chunks for one in kestrel.settings)


def test_lengths_are_characters_of_the_folded_text() -> None:
    result = compare([page("## A\nOne line\nand two.\n\n## B\nShort.\n")], TWO)
    paragraph = result.settings[0]
    assert (paragraph.shortest, paragraph.median, paragraph.longest) == (6, 11.5, 17)


def test_recall_counts_chunks_that_share_a_line_with_the_label() -> None:
    document = page("## A\nFirst fact.\n\n## B\nSecond fact.\n")
    asked = [question("one", "First fact"), question("two", "Second fact")]
    result = compare([document], TWO, questions=asked, retrieve=InOrder())
    recall = result.settings[0].recall
    assert [recall[k].value for k in (1, 3, 5)] == [0.5, 1.0, 1.0]
    low, high = recall[1].low, recall[1].high
    assert low is not None
    assert high is not None
    assert low < 0.5 < high
    assert result.verdict.code is VerdictCode.TOO_CLOSE
    assert result.verdict.step == 0.5


def test_labels_survive_any_cutting() -> None:
    document = page("## A\n" + "Filler words stand here. " * 6 + "The fee is Rs 500.\n")
    settings = (Setting("paragraph"), Setting("fixed", {"size": 40, "overlap": 0}), Setting("sentence"))
    result = compare([document], settings, questions=[question("fee", "The fee is Rs 500")], retrieve=InOrder())
    assert {one.recall[5].value for one in result.settings} == {1.0}


def test_a_clear_winner_is_named() -> None:
    lines = [f"## S{n}\nFact number {n}.\n" for n in range(20)]
    asked = [question(str(n), f"Fact number {n}.") for n in range(20)]

    def only_paragraphs_find(
        documents: Sequence[Document], setting: Setting, questions: Sequence[Question], depth: int
    ) -> list[list[Chunk]]:
        chunks = cut(documents[0], setting.strategy, setting.options)
        return [[chunks[n]] if setting.strategy == "paragraph" else [] for n in range(len(questions))]

    verdict = compare([page("\n".join(lines))], TWO, questions=asked, retrieve=only_paragraphs_find).verdict
    assert (verdict.code, verdict.best, verdict.worse) == (VerdictCode.WINNER, "paragraph", ("fixed 100/20",))


def test_a_draft_takes_the_place_of_its_page_when_recall_is_measured() -> None:
    draft, other = page("## A\nNew words.\n"), page("## B\nOther words.\n", "b")
    search = InOrder()
    asked = [question("new", "New words"), question("other", "Other words", "b")]
    result = compare([draft], TWO, questions=asked, retrieve=search, beside=[page("## A\nOld words.\n"), other])
    assert search.searched == [("a", "b"), ("a", "b")]
    assert result.questions == 2
    assert result.settings[0].chunks == 1  # of the draft alone


def test_without_labelled_questions_nothing_is_searched_and_recall_is_empty() -> None:
    search = InOrder()
    unanswerable = Question(id="u", question="Who won?", answerable=False)
    broken = question("gone", "words that stand nowhere")
    result = compare([page("## A\nText.\n")], TWO, questions=[unanswerable, broken], retrieve=search)
    assert search.searched == []
    assert result.settings[0].recall[1].value is None
    assert (result.verdict.code, result.questions) == (VerdictCode.NO_QUESTIONS, 0)


def test_more_asked_for_than_there_are_chunks_is_no_error() -> None:
    result = compare([page("## A\nText.\n")], TWO, questions=[question("q", "Text")], retrieve=InOrder())
    assert result.settings[0].recall[5].value == 1.0


@pytest.mark.parametrize("text", ["", "   \n\n", "## Only a heading\n"])
def test_a_page_without_text_has_no_chunks_and_no_figures(text: str) -> None:
    result = compare([page(text)], DEFAULT_SETTINGS)
    assert [(one.chunks, one.shortest, one.median, one.longest) for one in result.settings] == [
        (0, None, None, None)
    ] * 4
    assert result.settings[0].histogram == ()
    assert result.verdict.code is VerdictCode.NO_TEXT


def test_a_fact_that_its_page_does_not_say_is_told_apart() -> None:
    fact = KeyFact(fact="not said", document="a")
    result = compare([page("## A\nText.\n")], TWO, [fact])
    assert result.facts_absent == (fact,)
    assert result.settings[0].facts.lost == ()


@pytest.mark.parametrize("number", [0, 1, 7])
def test_too_few_or_too_many_settings_are_refused(number: int) -> None:
    with pytest.raises(ValueError, match="compare 2 to 6"):
        compare([], [Setting("paragraph")] * number)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (Setting("nonsense"), "unknown chunking strategy 'nonsense'; there are: "),
        (Setting("fixed", {"size": 10, "overlap": 10}), "fixed 10/10: overlap must be smaller than size"),
        (Setting("fixed", {"size": 0, "overlap": 0}), "fixed 0/0: size: Input should be greater than"),
        (Setting("paragraph", {"size": 10}), "paragraph 10: size: Extra inputs are not permitted"),
    ],
)
def test_settings_that_do_not_fit_are_refused_in_one_line_before_any_search(wrong: Setting, words: str) -> None:
    search = InOrder()
    with pytest.raises(ValueError, match=words) as refused:
        compare([page("## A\nText.\n")], [TWO[0], wrong], questions=[question("q", "Text")], retrieve=search)
    assert "\n" not in str(refused.value)
    assert search.searched == []


def test_recall_at_a_k_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        recall_at([1], 0)


def test_a_collection_that_names_no_settings_gets_the_default_ones() -> None:
    assert settings_of(CollectionConfig(name="c")) == DEFAULT_SETTINGS
