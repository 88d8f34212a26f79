from __future__ import annotations

from dataclasses import replace

from webapp.store.runs import Run
from webapp.store.store import Store

ROW = {"id": "a", "retrieved": [{"document_id": "bulbs", "first_line": 9, "last_line": 10, "score": 0.5}]}
RUN = Run("shop", "v1", "extractive", 1, {"questions": 1}, [ROW], "ada@example.org")


def test_a_run_comes_back_with_its_rows_to_its_own_collection(store: Store) -> None:
    assert store.runs.add(RUN) == RUN.id
    assert store.runs.get(RUN.id, "shop") == RUN
    assert store.runs.get(RUN.id, "school") is None
    assert store.runs.get("nothing", "shop") is None


def test_the_newest_are_listed_first_without_rows(store: Store) -> None:
    first = store.runs.add(replace(RUN, id="1"))
    second = store.runs.add(Run("shop", "v2", "extractive", 1, {}, [ROW]))
    assert [one.id for one in store.runs.latest("shop", 10)] == [second, first]
    assert [one.id for one in store.runs.latest("shop", 1, 1)] == [first]
    assert [one.rows for one in store.runs.latest("shop", 10)] == [(), ()]
    assert store.runs.latest("school") == []
