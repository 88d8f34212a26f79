from __future__ import annotations

import pytest

from tests.conftest import SHOP, Desks
from webapp.core.evaluation.evaluate import NoQuestions
from webapp.core.evaluation.questions import QuestionsError
from webapp.services.work.evaluate import run
from webapp.services.worker import do_next

GOLDEN = (
    '{"id": "back", "question": "How long can I return a lamp?", "answerable": true,'
    ' "document": "returns", "fact": "45 days"}\n'
    '{"id": "swim", "question": "Can lamps swim?", "answerable": false}\n'
)


def quiet(stage: str, done: int, of: int) -> None:
    """Nobody watches."""


def test_a_run_is_kept_with_its_rows_and_where_each_question_is_answered(desks: Desks) -> None:
    (desks.shop / "golden.jsonl").write_text(GOLDEN, encoding="utf-8")
    seen: list[tuple[str, int, int]] = []
    result = run(desks.services, "shop", {"author": "ada"}, lambda *where: seen.append(where))
    kept = desks.services.store.runs.get(result["run"], "shop")
    assert kept
    assert (kept.author, kept.questions, kept.model) == ("ada", 2, "extractive")
    assert kept.index_version == desks.services.desk("shop").live().manifest.id
    assert [row["id"] for row in kept.rows] == ["back", "swim"]
    assert kept.rows[0]["right"] == [{"document_id": "returns", "first_line": 10, "last_line": 10}]
    assert kept.figures["retrieval"]["section_recall"]["1"]["value"] == 1.0
    assert 0 < kept.figures["threshold"] < 1
    assert "rows" not in kept.figures
    assert seen[-1] == ("asking", 2, 2)


def test_labels_of_lines_and_facts_hold_whatever_the_chunk_size(desks: Desks) -> None:
    lines = (
        '{"id": "late", "question": "When does a parcel arrive?", "answerable": true,'
        ' "document": "delivery", "lines": [10, 10]}\n'
    )
    (desks.shop / "golden.jsonl").write_text(GOLDEN + lines, encoding="utf-8")
    right = []
    for size in (30, 400):
        desks.services.desk("shop").index("fixed", {"size": size, "overlap": 10})
        kept = desks.services.store.runs.get(run(desks.services, "shop", {"author": ""}, quiet)["run"], "shop")
        assert kept
        assert kept.figures["label_broken"] == 0
        assert kept.figures["retrieval"]["section_recall"]["5"]["value"] == 1.0
        right.append([row["right"] for row in kept.rows])
    assert right[0] == right[1]


def test_it_is_a_job(desks: Desks) -> None:
    (desks.shop / "golden.jsonl").write_text(GOLDEN, encoding="utf-8")
    job = desks.services.jobs.ask("shop", "evaluate", {"author": "ada"})
    assert do_next(desks.services)
    ended = desks.services.jobs.get(job.id)
    assert ended
    assert ended.result == {"run": desks.services.store.runs.latest("shop")[0].id}


def test_without_questions_or_with_a_broken_file_nothing_is_kept(desks: Desks) -> None:
    with pytest.raises(NoQuestions):
        run(desks.services, "shop", {"author": ""}, quiet)
    (desks.shop / "golden.jsonl").write_text("{}", encoding="utf-8")
    with pytest.raises(QuestionsError, match="line 1"):
        run(desks.services, "shop", {"author": ""}, quiet)
    assert desks.services.store.runs.latest("shop") == []


def test_an_index_that_changes_under_way_is_asked_anew(desks: Desks) -> None:
    (desks.shop / "golden.jsonl").write_text(GOLDEN, encoding="utf-8")
    changes = iter([SHOP["bulbs.md"].replace("8 watts", "9 watts")])

    def change(stage: str, done: int, of: int) -> None:
        if (stage, done) == ("asking", 1) and (text := next(changes, None)):
            (desks.shop / "bulbs.md").write_text(text, encoding="utf-8")
            desks.services.desk("shop").ensure_index()

    result = run(desks.services, "shop", {"author": ""}, change)
    kept = desks.services.store.runs.get(result["run"], "shop")
    assert kept
    assert kept.index_version == desks.services.desk("shop").live().manifest.id
    assert len(desks.services.store.runs.latest("shop", 5)) == 1
