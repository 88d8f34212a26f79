from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from threading import Thread

from webapp.store.spending import NANOS, Spent
from webapp.store.store import Store

TODAY = date(2026, 11, 30)
ONE = Spent("shop", TODAY, "tiny-1", replies=1, estimated=0, tokens_in=12, tokens_out=5, nanos=NANOS // 4)


def test_what_is_spent_adds_up_by_collection_day_and_model(store: Store) -> None:
    yesterday, other = replace(ONE, day=TODAY - timedelta(days=1)), replace(ONE, model="tiny-2", estimated=1)
    for spent in (ONE, ONE, yesterday, other, replace(ONE, collection="school")):
        store.spending.add(spent)
    twice = replace(ONE, replies=2, tokens_in=24, tokens_out=10, nanos=NANOS // 2)
    assert store.spending.since(yesterday.day, "shop") == [twice, other, yesterday]
    assert store.spending.since(TODAY) == [replace(ONE, collection="school"), twice, other]
    assert store.spending.money("shop", TODAY) == Decimal("0.75")
    assert twice.money == 0.5


def test_nothing_is_spent_where_nothing_was_asked(store: Store) -> None:
    assert store.spending.money("shop", TODAY) == 0
    assert store.spending.since(TODAY) == []


def test_processes_that_add_at_once_lose_nothing(store: Store) -> None:
    def add() -> None:
        opened = Store.open(store._database.engine.url.render_as_string(hide_password=False))
        for _ in range(20):
            opened.spending.add(ONE)
        opened.close()

    threads = [Thread(target=add) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.spending.since(TODAY)[0].replies == 60
