from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import pytest

from webapp.core.answering.model import Answer, Citation, Reason, RetrievedChunk
from webapp.core.documents.config import CollectionConfig
from webapp.core.documents.reading import document_from_bytes
from webapp.core.evaluation.evaluate import Ask, Evaluation, NoQuestions, evaluate
from webapp.core.evaluation.questions import Label, Question

TEXT = """---
id: fees
title: Fees
status: current
---
## Late fee
The late fee
is Rs 500.
### When
After the 10th.
## Refunds
Half is paid back.
"""
OTHER = TEXT.replace("id: fees", "id: other")
DOCUMENTS = [
    document_from_bytes(text.encode(), f"{name}.md", CollectionConfig(name="c"))
    for name, text in (("fees", TEXT), ("other", OTHER))
]

Lines = tuple[str, int, int]


def asks(
    answers: Mapping[str, tuple[float, Sequence[Lines], Sequence[Lines]]],
) -> Ask:
    """Answer each question (by id) with a probability, what was retrieved, and what was cited (nothing: abstained)."""

    def ask(question: Question) -> Answer:
        probability, retrieved, cited = answers[question.id]
        return Answer(
            id="x",
            question=question.question,
            lang="en",
            collection="c",
            index_version="v",
            model="m",
            created_at=datetime(2025, 1, 1, tzinfo=UTC),
            abstained=not cited,
            reason=Reason.OK if cited else Reason.WEAK_EVIDENCE,
            confidence="high" if cited else None,
            answer="…",
            retrieved=tuple(
                RetrievedChunk(
                    chunk_id=f"{name}:c{n}", document_id=name, title="", heading="", first_line=a, last_line=b, score=-n
                )
                for n, (name, a, b) in enumerate(retrieved)
            ),
            citations=tuple(_citation(n, *place) for n, place in enumerate(cited, 1)),
            probability=probability,
        )

    return ask


def _citation(marker: int, name: str, first_line: int, last_line: int) -> Citation:
    return Citation(
        marker=marker,
        chunk_id=f"{name}:c0",
        document_id=name,
        title="",
        version="1",
        status="current",
        lang="en",
        updated=None,
        heading="",
        first_line=first_line,
        last_line=last_line,
        label="",
    )


def asked(number: str, *labels: Label) -> Question:
    return Question(id=number, question="?", answerable=bool(labels), labels=labels)


LATE = Label(document="fees", lines=(7, 8))
REFUND = Label(document="fees", fact="Half is paid back")


def test_each_chunk_stands_for_the_sections_it_overlaps_in_order() -> None:
    coarse = [("fees", 6, 12)]
    done = evaluate([asked("a", LATE), asked("b", REFUND)], DOCUMENTS, asks({n: (0.5, coarse, []) for n in "ab"}))
    assert [row.section_rank for row in done.rows] == [1, 3]
    assert [row.document_rank for row in done.rows] == [1, 1]


def test_sections_and_documents_are_counted_once() -> None:
    retrieved = [("other", 7, 7), ("other", 8, 8), ("fees", 12, 12), ("fees", 7, 8)]
    (row,) = evaluate([asked("a", LATE)], DOCUMENTS, asks({"a": (0.5, retrieved, [])})).rows
    assert (row.section_rank, row.document_rank) == (3, 2)


def test_only_ten_retrieved_chunks_count() -> None:
    retrieved = [("other", 7, 7)] * 10 + [("fees", 7, 8)]
    (row,) = evaluate([asked("a", LATE)], DOCUMENTS, asks({"a": (0.5, retrieved, [])})).rows
    assert (len(row.retrieved), row.section_rank) == (10, 0)


def test_a_section_past_the_tenth_has_no_reciprocal_rank() -> None:
    many = "---\nid: many\n---\n" + "".join(f"### Part {n}\n\nText.\n\n" for n in range(12))
    document = document_from_bytes(many.encode(), "many.md", CollectionConfig(name="c"))
    ask = asks({"a": (0.5, [("many", 4, 51), ("fees", 7, 8)], [])})
    done = evaluate([asked("a", LATE)], [*DOCUMENTS, document], ask)
    assert done.rows[0].section_rank == 13
    assert done.as_dict()["retrieval"]["mrr10"]["value"] == 0


def test_the_figures_are_what_the_rows_say() -> None:
    done = evaluate(
        [asked("a", LATE), asked("b", REFUND), asked("c", LATE), asked("d"), asked("e")],
        DOCUMENTS,
        asks(
            {
                "a": (0.9, [("fees", 7, 8)], [("fees", 8, 8)]),
                "b": (0.8, [("fees", 7, 8), ("fees", 12, 12)], [("fees", 7, 8)]),
                "c": (0.2, [("other", 7, 8)], []),
                "d": (0.6, [("fees", 7, 8)], [("fees", 7, 8)]),
                "e": (0.1, [], []),
            }
        ),
    ).as_dict()
    assert (done["questions"], done["answerable"], done["unanswerable"], done["label_broken"]) == (5, 3, 2, 0)
    assert done["retrieval"]["section_recall"]["1"]["value"] == 0.3333
    assert done["retrieval"]["section_recall"]["5"]["value"] == 0.6667
    assert done["retrieval"]["document_recall"]["1"]["value"] == 0.6667
    assert done["retrieval"]["mrr10"]["value"] == 0.5
    abstention = {name: figure["value"] for name, figure in done["abstention"].items()}
    assert abstention == {
        "auc": 0.8333,
        "answered_when_answerable": 0.6667,
        "abstained_when_unanswerable": 0.5,
        "wrong_answers": 0.5,
        "wrong_source": 0.5,
    }
    assert done["rows"][0]["retrieved"] == ({"document_id": "fees", "first_line": 7, "last_line": 8, "score": 0.0},)
    assert done["rows"][0]["citations"] == ({"document_id": "fees", "first_line": 8, "last_line": 8},)
    assert all(0 <= figure["low"] <= figure["high"] <= 1 for figure in done["abstention"].values())


def test_answered_when_it_should_and_abstained_when_it_should_are_both_told() -> None:
    ask = asks({n: (0.9, [("fees", 7, 8)], [("fees", 8, 8)] if n in "ad" else []) for n in "abcde"})
    done = evaluate([asked("a", LATE), asked("b", LATE), asked("c"), asked("d"), asked("e")], DOCUMENTS, ask).as_dict()
    told = {name: done["abstention"][name]["value"] for name in done["abstention"] if name.startswith("a")}
    assert told == {"auc": 0.5, "answered_when_answerable": 0.5, "abstained_when_unanswerable": 0.6667}
    assert all(figure["low"] is not None for figure in done["abstention"].values())


def test_broken_labels_are_counted_and_not_scored() -> None:
    gone = asked("a", Label(document="gone", lines=(1, 2)))
    done = evaluate([gone], DOCUMENTS, asks({"a": (0.5, [("fees", 7, 8)], [])})).as_dict()
    assert done["label_broken"] == 1
    assert done["retrieval"]["section_recall"]["1"] == {"value": None, "low": None, "high": None}


def test_without_questions_there_is_nothing_to_evaluate() -> None:
    with pytest.raises(NoQuestions, match="no labelled questions"):
        evaluate([], DOCUMENTS, asks({}))


def test_languages_are_told_apart() -> None:
    done = evaluate([asked("a", LATE)], DOCUMENTS, asks({"a": (0.5, [], [])}))
    assert len(done.of("en").rows) == 1
    assert done.of("bn") == Evaluation((), done.seconds)


def test_a_threshold_could_be_read_off_the_curve() -> None:
    done = evaluate([asked("a", LATE), asked("d")], DOCUMENTS, asks({"a": (0.9, [], []), "d": (0.4, [], [])}))
    assert done.risk_coverage() == [(0.9, 0.5, 0.0), (0.4, 1.0, 0.5)]


def test_failures_say_why_and_what_came_first() -> None:
    done = evaluate(
        [asked("good", LATE), asked("missed", REFUND), asked("shy", LATE), asked("made-up"), asked("fine"),
         asked("stale", Label(document="fees", fact="long gone"))],
        DOCUMENTS,
        asks(
            {
                "good": (0.9, [("fees", 7, 8)], [("fees", 8, 8)]),
                "missed": (0.8, [("fees", 7, 8), ("fees", 12, 12)], [("fees", 7, 8)]),
                "shy": (0.2, [("other", 7, 8)], []),
                "made-up": (0.6, [("other", 7, 8)], [("other", 7, 8)]),
                "fine": (0.1, [], []),
                "stale": (0.1, [], []),
            }
        ),
    ).as_dict()  # fmt: skip
    found = {one["id"]: (one["why"], one["first"] and one["first"]["document_id"]) for one in done["failures"]}
    assert found == {
        "missed": ("answered from a wrong place; the right section came at rank 2", "fees"),
        "shy": ("abstained (weak_evidence, probability 0.20); the right section came nowhere", "other"),
        "made-up": ("answered, though nothing answers it", "other"),
        "stale": ("its label no longer holds in the files", None),
    }


def test_languages_are_figured_apart_and_the_curve_is_there() -> None:
    given = {"a": (0.9, [("fees", 7, 8)], [("fees", 8, 8)]), "b": (0.4, [("other", 7, 7)], [])}
    questions = [asked("a", LATE), asked("b", LATE).model_copy(update={"lang": "bn"})]
    done = evaluate(questions, DOCUMENTS, asks(given)).as_dict()
    recall = {lang: one["retrieval"]["section_recall"]["1"]["value"] for lang, one in done["languages"].items()}
    assert recall == {"en": 1.0, "bn": 0.0}
    assert done["risk_coverage"] == [
        {"threshold": 0.9, "answered": 0.5, "wrong": 0.0},
        {"threshold": 0.4, "answered": 1.0, "wrong": 0.0},
    ]
    assert evaluate(questions[:1], DOCUMENTS, asks(given)).as_dict()["languages"] == {}
