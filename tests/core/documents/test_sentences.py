"""Sentence ends, against cases checked by hand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from webapp.core.documents.sentences import ends_sentence, sentence_spans

DATA = Path(__file__).parents[2] / "data"


def golden(lang: str) -> list[str]:
    lines = (DATA / f"sentences_{lang}.txt").read_text(encoding="utf-8").split("\n")
    return [line for line in lines if line and not line.startswith("#")]


def split(text: str, lang: str = "en") -> list[str]:
    return [text[span.start : span.end] for span in sentence_spans(text, lang)]


@pytest.mark.parametrize("lang", ["en", "bn"])
def test_there_are_enough_cases(lang: str) -> None:
    assert len(set(golden(lang))) >= 150


@pytest.mark.parametrize(("lang", "case"), [(lang, case) for lang in ("en", "bn") for case in golden(lang)])
def test_golden(lang: str, case: str) -> None:
    text = case.replace(" | ", " ").replace("|", "")
    assert split(text, lang) == re.split(r" \| |\|", case)


def test_danda_stays_with_the_sentence_before() -> None:
    text = "দোকান খোলা। রাত আটটায় বন্ধ। কাল ছুটি। আবার আসবেন।"
    assert [sentence[-1] for sentence in split(text, "bn")] == ["।"] * 4


def test_danda_stop_question_and_quote_in_one_bangla_paragraph() -> None:
    text = "দোকান খোলা। ওজন ৩.৫ কেজি. “কবে আসবেন?” তিনি বললেন, “কাল আসব।” ডা. রহমান কি রাজি? হ্যাঁ!"
    assert split(text, "bn") == [
        "দোকান খোলা।",
        "ওজন ৩.৫ কেজি.",
        "“কবে আসবেন?”",
        "তিনি বললেন, “কাল আসব।”",
        "ডা. রহমান কি রাজি?",
        "হ্যাঁ!",
    ]


def test_no_sentence_is_empty_and_nothing_is_lost() -> None:
    text = '  “আমি যাব।” সে বলল!?  Then, "Why?" (No.)\n\n\n... \n  end '
    sentences = split(text)
    assert all(sentences)
    assert "".join("".join(sentences).split()) == "".join(text.split())


def test_blank_line_ends_a_sentence() -> None:
    assert split("No mark here\n \nbut two parts") == ["No mark here", "but two parts"]


@pytest.mark.parametrize("text", ["", "   ", "\n\n", "\u2028"])
def test_blank_text_has_no_sentence(text: str) -> None:
    assert split(text) == []


@pytest.mark.parametrize("text", ["。", "是的。好！真的？", "هل هذا صحيح؟ نعم.", "यह है। वह है।"])
def test_other_scripts_are_cut_sanely(text: str) -> None:
    sentences = split(text)
    assert all(ends_sentence(sentence) for sentence in sentences)
    assert len(sentences) == sum(text.count(mark) for mark in "。！？؟.।")


@pytest.mark.parametrize(
    "text", ["It ends.", "Ends?", "Ends!", "শেষ।", "শেষ॥", '"It ends."', "(It ends.) ", "**It ends.**", "…"]
)
def test_text_that_ends_in_an_end_mark(text: str) -> None:
    assert ends_sentence(text)


@pytest.mark.parametrize("text", ["", "It goes", "It goes,", "Steps:", "v1.2", "**bold**", "শেষ"])
def test_text_that_does_not(text: str) -> None:
    assert not ends_sentence(text)


def test_stop_without_a_blank_cuts_neither_the_text_nor_the_count() -> None:
    text = "It ends here.It goes on"
    assert split(text) == [text]
    assert not ends_sentence(text)


@pytest.mark.parametrize("mark", [".", "!?", "।", ")", "\n \n"])
def test_long_rows_of_marks_are_read(mark: str) -> None:
    assert split("a" + mark * 50_000 + "x. End")[-1].endswith("End")
