"""What each strategy cuts, and what chunks say of themselves."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest
from pydantic import ValidationError

from webapp.core.chunking.base import strategies
from webapp.core.chunking.cut import cut
from webapp.core.chunking.windows import windows
from webapp.core.documents.config import CollectionConfig
from webapp.core.documents.model import Chunk, Document
from webapp.core.documents.reading import document_from_bytes

EVERY = [part.name for part in strategies.all()]
STRUCTURAL = ["paragraph", "sentence", "structure"]
PARAGRAPH = "The same words stand here again. They say nothing new."


def read(text: str, head: str = "id: page\ntitle: T\nlang: en") -> Document:
    return document_from_bytes(f"---\n{head}\n---\n{text}".encode(), "page.md", CollectionConfig())


def pieces(text: str, strategy: str, **options: int) -> list[str]:
    return [chunk.text for chunk in cut(read(text), strategy, options)]


def spans(text: str, strategy: str, **options: int) -> list[tuple[int, int]]:
    return [(chunk.location.start, chunk.location.end) for chunk in cut(read(text), strategy, options)]


def lines(chunks: tuple[Chunk, ...]) -> list[tuple[int, int]]:
    return [(chunk.location.first_line, chunk.location.last_line) for chunk in chunks]


def numbered(count: int) -> str:
    return " ".join(f"w{n}" for n in range(count))


# Windows


def test_fixed_windows_of_a_section() -> None:
    assert spans("x" * 230, "fixed", size=100, overlap=20) == [(0, 100), (80, 180), (160, 230)]
    assert len(spans("x" * 230, "fixed", size=10, overlap=9)) == 221


def test_no_window_lies_wholly_inside_the_one_before() -> None:
    assert spans("x" * 1100, "fixed", size=1000, overlap=200) == [(0, 1000), (800, 1100)]


@pytest.mark.parametrize("size", range(1, 8))
@pytest.mark.parametrize("length", [0, 1, 2, 7, 8, 30])
def test_windows_end_with_the_text_whatever_the_step(length: int, size: int) -> None:
    for overlap in range(size):
        found = list(windows(length, size, overlap))
        assert bool(found) == bool(length)
        assert [window.end for window in found[:-1]] == [
            start * (size - overlap) + size for start in range(len(found) - 1)
        ]
        assert all(window.end < length for window in found[:-1])
        assert not found or found[-1].end == length


def test_windows_of_an_endless_text_are_made_one_by_one() -> None:
    first = list(islice(windows(10**15, 10, 9), 3))
    assert [window.end for window in first] == [10, 11, 12]


def test_windows_are_trimmed_of_white_space() -> None:
    assert spans("abc    def", "fixed", size=5, overlap=0) == [(0, 3), (7, 10)]


def test_word_windows() -> None:
    found = pieces(numbered(100), "words")
    assert [text.split()[0] for text in found] == ["w0", "w30", "w60"]
    assert [text.split()[-1] for text in found] == ["w39", "w69", "w99"]


@pytest.mark.parametrize("strategy", ["fixed", "words"])
@pytest.mark.parametrize(
    "options",
    [
        {"size": 10, "overlap": 10},
        {"size": 10, "overlap": 11},
        {"size": 0},
        {"size": -1},
        {"size": None},
        {"size": "ten"},
        {"overlap": -1},
        {"colour": 1},
    ],
)
def test_bad_options_are_refused_before_any_work(strategy: str, options: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as caught:
        cut(read("x " * 100_000), strategy, options)
    assert isinstance(caught.value, ValueError)
    assert caught.value.errors()[0]["msg"]


def test_overlap_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match=r"overlap must be smaller than size \(10\), not 12"):
        cut(read("x"), "fixed", {"size": 10, "overlap": 12})


def test_unknown_strategy_names_those_there_are() -> None:
    with pytest.raises(ValueError, match="unknown chunking strategy 'magic'; there are: fixed, paragraph"):
        cut(read("x"), "magic", {})


# Paragraphs, sentences, sections


def test_paragraphs_are_parted_by_blank_lines() -> None:
    assert pieces("## A\nOne\nmore.\n\nTwo.\n \nThree.\n", "paragraph") == ["One more.", "Two.", "Three."]


def test_code_with_blank_lines_is_one_paragraph() -> None:
    assert pieces("Run:\n```\na\n\nb\n```\n\nDone.\n", "paragraph") == ["Run: ``` a b ```", "Done."]


def test_sentences_are_packed_while_they_fit() -> None:
    text = "One two. Three four. Five six seven eight nine. Ten."
    assert pieces(text, "sentence", max_chars=21) == ["One two. Three four.", "Five six seven eight nine.", "Ten."]
    assert pieces(text, "sentence", max_chars=1) == ["One two.", "Three four.", "Five six seven eight nine.", "Ten."]


def test_bangla_sentences_are_packed_too() -> None:
    assert pieces("প্রথম বাক্য। দ্বিতীয় বাক্য। তৃতীয়?", "sentence", max_chars=15) == ["প্রথম বাক্য।", "দ্বিতীয় বাক্য।", "তৃতীয়?"]


def test_section_is_one_chunk_with_the_headings_inside_it() -> None:
    assert pieces("## A\nOne.\n### B\nTwo.\n## C\nThree.\n", "section") == ["One. ### B Two.", "Three."]


@pytest.mark.parametrize("strategy", EVERY)
@pytest.mark.parametrize(
    "text", ["", "  \n\n ", "# Only a heading\n", "## A\n## B\n", "<!-- c -->\n", "## A\n\n<!-- c\n\nd -->\n"]
)
def test_nothing_to_cut(strategy: str, text: str) -> None:
    assert cut(read(text), strategy, {}) == ()


# Structure


@pytest.mark.parametrize("strategy", STRUCTURAL)
def test_text_before_a_lower_heading_is_kept_and_apart(strategy: str) -> None:
    chunks = cut(read("## A\nBefore.\n### B\nAfter.\n"), strategy, {})
    assert [(chunk.text, chunk.location.heading_path) for chunk in chunks] == [
        ("Before.", ("A",)),
        ("After.", ("A", "B")),
    ]


@pytest.mark.parametrize("strategy", EVERY)
def test_each_heading_stays_with_its_own_table(strategy: str) -> None:
    table = "| a | b |\n|---|---|\n| {0} | {0} |\n"
    text = "".join(f"## H{n}\n{table.format(f'v{n}')}" for n in range(3))
    chunks = cut(read(text), strategy, {})
    assert all(f"v{n}" in chunk.text for n in range(3) for chunk in chunks if chunk.location.heading == f"H{n}")
    assert {chunk.location.heading for chunk in chunks} == {"H0", "H1", "H2"}


def test_long_table_is_cut_between_rows_and_later_chunks_know_the_columns() -> None:
    rows = "".join(f"| method {n} | about {n} business days |\n" for n in range(60))
    chunks = cut(read(f"| Method | Days |\n|---|---|\n{rows}"), "structure", {})
    assert len(chunks) > 2
    assert all(chunk.text.startswith("|") and chunk.text.endswith("|") for chunk in chunks)
    assert [chunk.lead for chunk in chunks] == [""] + ["Method | Days"] * (len(chunks) - 1)
    assert [(before[1] + 1) for before in lines(chunks)[:-1]] == [first for first, _ in lines(chunks)[1:]]
    assert chunks[-1].sentences[-1].lead == "Method | Days"


def test_structure_packs_what_fits_and_leaves_no_scrap() -> None:
    text = "\n\n".join(f"Paragraph {n} has exactly seven words here." for n in range(20))
    chunks = cut(read(text), "structure", {"size": 50})
    sizes = [len(chunk.text.split()) for chunk in chunks]
    assert max(sizes) <= 50
    assert min(sizes) >= 25


def test_structure_cuts_a_long_paragraph_between_sentences() -> None:
    chunks = cut(read(" ".join(f"This is sentence number {n}." for n in range(100))), "structure", {})
    assert len(chunks) > 3
    assert all(chunk.text.endswith(".") for chunk in chunks)


def test_structure_cuts_a_long_item_between_sentences() -> None:
    item = " ".join(f"This is sentence number {n}." for n in range(20))
    chunks = cut(read(f"- {item}\n- short. Two.\n"), "structure", {"size": 30})
    assert len(chunks) > 2
    assert all(chunk.text.endswith(".") for chunk in chunks)
    assert [one.text for chunk in chunks for one in chunk.sentences][-2:] == [
        "This is sentence number 19.",
        "short. Two.",
    ]


def test_structure_keeps_code_that_fits_whole_and_cuts_what_does_not_at_lines() -> None:
    small, large = "\n".join(f"step {n}" for n in range(10)), "\n".join(f"run command {n} now" for n in range(100))
    chunks = cut(read(f"Text.\n\n```\n{small}\n```\n\n```\n{large}\n```\n"), "structure", {"size": 60})
    assert any(small.replace("\n", " ") in chunk.text for chunk in chunks)
    assert max(len(chunk.text.split()) for chunk in chunks) <= 60
    assert all(chunk.text.endswith(("now", "```", ".")) for chunk in chunks)


def test_structure_cuts_even_a_line_without_any_end() -> None:
    chunks = cut(read(numbered(1000)), "structure", {})
    assert max(len(chunk.text.split()) for chunk in chunks) <= 110


def test_lead_in_stays_with_its_list() -> None:
    filler = " ".join(f"Word {n}." for n in range(45))
    chunks = cut(
        read(f"{filler}\n\nYou need these:\n\n- a box\n- all parts\n- the receipt\n"), "structure", {"size": 95}
    )
    assert any("You need these:" in chunk.text and "the receipt" in chunk.text for chunk in chunks)


# Comments


@pytest.mark.parametrize("strategy", EVERY)
def test_chunk_is_one_span_and_never_begins_with_a_comment(strategy: str) -> None:
    document = read("## A\n<!-- first -->\nOne.\n<!-- mid -->\nTwo.\n\n<!-- last -->\n")
    chunks = cut(document, strategy, {})
    assert not any(chunk.text.startswith("<!--") for chunk in chunks)
    assert all(chunk.text == " ".join(document.text[chunk.start : chunk.end].split()) for chunk in chunks)
    assert "first" not in "".join(chunk.plain + chunk.text for chunk in chunks)
    assert " ".join(chunk.plain for chunk in chunks) == "One. Two."


# Lines, ids and sentences


@pytest.mark.parametrize("strategy", STRUCTURAL)
def test_the_same_paragraph_three_times_has_three_places(strategy: str) -> None:
    text = "".join(f"## H{n}\n\n{PARAGRAPH}\n\n" for n in range(3))
    assert lines(cut(read(text), strategy, {})) == [(8, 8), (12, 12), (16, 16)]


@pytest.mark.parametrize("strategy", EVERY)
def test_repeated_text_never_sends_a_window_back(strategy: str) -> None:
    document = read("\n\n".join([PARAGRAPH] * 3))
    chunks = cut(document, strategy, {})
    starts = [chunk.start for chunk in chunks]
    assert starts == sorted(set(starts))
    assert all(chunk.text == " ".join(document.text[chunk.start : chunk.end].split()) for chunk in chunks)


def test_lines_are_right_from_the_first_chunk_to_the_last() -> None:
    document = document_from_bytes(b"\nOne\ntwo three\n\nfour\nfive", "a.md", CollectionConfig())
    chunks = cut(document, "words", {"size": 2, "overlap": 1})
    assert [(chunk.text, *place) for chunk, place in zip(chunks, lines(chunks), strict=True)] == [
        ("One two", 2, 3),
        ("two three", 3, 3),
        ("three four", 3, 5),
        ("four five", 5, 6),
    ]


def test_larger_chunks_say_their_own_lines() -> None:
    document = read("## A\n" + "".join(f"Line {n} of it.\n" for n in range(9)))
    assert lines(cut(document, "sentence", {"max_chars": 20}))[0] == (7, 7)
    assert lines(cut(document, "sentence", {"max_chars": 500})) == [(7, 15)]


def test_fortieth_section_is_placed_in_the_file() -> None:
    document = read("".join(f"## H{n}\nText {n}.\n" for n in range(50)))
    chunk = cut(document, "paragraph", {})[39]
    assert (chunk.id, chunk.location.label) == ("page:c39", "H39, line 85")


def test_sentence_cut_by_a_border_gives_each_chunk_its_part() -> None:
    document = read("A **very long** sentence that goes on. Next one.")
    first, second = cut(document, "fixed", {"size": 26, "overlap": 0})
    assert [one.text for one in first.sentences] == ["A very long sentence t"]
    assert [one.text for one in second.sentences] == ["hat goes on.", "Next one."]
    assert first.sentences[-1].end == second.sentences[0].start


@pytest.mark.parametrize(
    "text", ["**Two** here.", "[Two](a.md) here.", '<img alt="Two"> here.', '<A title="Two">b</A>']
)
@pytest.mark.parametrize("size", range(4, 12))
def test_a_border_inside_marks_leaves_each_sentence_in_its_chunk(text: str, size: int) -> None:
    for chunk in cut(read(f"One here.\n\n{text}\n"), "fixed", {"size": size, "overlap": 0}):
        assert all(one.text and chunk.start <= one.start < one.end <= chunk.end for one in chunk.sentences)


def test_sentences_know_their_own_lines_and_characters() -> None:
    document = read("One is here.\nTwo is *here*. See [three\nhere](http://x.org). Four.\n")
    (chunk,) = cut(document, "section", {})
    told = [(one.text, one.first_line, one.last_line, document.text[one.start : one.end]) for one in chunk.sentences]
    assert told == [
        ("One is here.", 6, 6, "One is here."),
        ("Two is here.", 7, 7, "Two is *here*."),
        ("See three here.", 7, 8, "See [three\nhere](http://x.org)."),
        ("Four.", 8, 8, "Four."),
    ]


def test_no_sentence_ends_inside_a_link_or_code() -> None:
    (chunk,) = cut(read("See [Part one. Part two](http://x.org) now. Run `a. B` twice."), "section", {})
    assert [one.text for one in chunk.sentences] == ["See Part one. Part two now.", "Run a. B twice."]


@pytest.mark.parametrize("text", ["![a. B](u) ", "[a. B](u) c. ", "`a. B` c. ", "[![a. B](u). c](v) d. "])
def test_endless_links_and_code_are_read_at_once(text: str) -> None:
    sentences = [one for chunk in cut(read(text * 5000), "section", {}) for one in chunk.sentences]
    assert sentences


def test_items_rows_and_code_are_one_sentence_each() -> None:
    text = "You need:\n\n- one. Two.\n- three\n\n| a |\n|---|\n| b. C. |\n\n```\nx. Y.\n\nz\n```\n"
    (chunk,) = cut(read(text), "section", {})
    assert [(one.text, one.lead) for one in chunk.sentences] == [
        ("You need:", ""),
        ("one. Two.", "You need:"),
        ("three", "You need:"),
        ("a", ""),
        ("b. C.", "a"),
        ("x. Y. z", ""),
    ]


def test_metadata_is_in_no_chunk() -> None:
    for strategy in EVERY:
        chunks = cut(read("Text.\n", "id: a\neditor: Zanzibar"), strategy, {})
        assert "Zanzibar" not in "".join(chunk.text + chunk.plain for chunk in chunks)


def test_chunk_carries_what_its_document_says() -> None:
    head = "id: a\ntitle: Fees\nversion: 1.10\nstatus: superseded\nlang: bn\naudience: staff"
    (chunk,) = cut(read("Text.\n", head), "paragraph", {})
    assert (chunk.document_id, chunk.title, chunk.version, chunk.status, chunk.lang) == (
        "a",
        "Fees",
        "1.10",
        "superseded",
        "bn",
    )
    assert (chunk.audience, chunk.ordinal, chunk.context) == (frozenset({"staff"}), 0, "Fees")


def test_the_same_input_gives_the_same_chunks() -> None:
    text = "## A\nOne. Two.\n\n- x\n- y\n"
    for strategy in EVERY:
        assert cut(read(text), strategy, {}) == cut(read(text), strategy, {})


def test_every_strategy_cuts_a_new_document_into_the_same_words() -> None:
    text = (
        "First here. Second one?\n\nA list:\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n## B\n\nবাক্য। শেষ।\n"
    )
    document = read(text)
    for part in strategies.all():
        options = {"overlap": 0} if "overlap" in part.options.model_fields else {}
        told = "".join(chunk.text for chunk in cut(document, part.name, options))
        assert "".join(told.split()) == "".join(text.replace("## B", "").split()), part.name


def test_token_windows_are_near_what_tokenizers_count() -> None:
    text = "Returning accessories takes 14 days, or 1500 hours."
    assert pieces(text, "tokens", size=1, overlap=0) == [
        "Retu", "rnin", "g", "acce", "ssor", "ies", "take", "s", "14", "days", ",", "or", "150", "0", "hour", "s", "."
    ]  # fmt: skip
    assert pieces("ফেরত দিন।", "tokens", size=2, overlap=1) == ["ফেরত", "রত দি", "দিন।"]


def test_sentences_of_one_list_share_a_number_with_those_of_the_lists_inside_it() -> None:
    text = (
        "## A\n\nFirst so.\n\n1. One.\n2. Two. And more.\n\n   - Inside.\n\n"
        "## B\n\n- Other.\n\n> Quoted.\n\n| a |\n|---|\n| b |\n"
    )
    listed = {one.text: one.listed for chunk in cut(read(text), "structure", {}) for one in chunk.sentences}
    assert len({listed[one] for one in ("One.", "Two. And more.", "Inside.")}) == 1
    assert 0 < listed["One."] != listed["Other."] > 0
    assert {listed[one] for one in ("First so.", "Quoted.", "b")} == {0}
