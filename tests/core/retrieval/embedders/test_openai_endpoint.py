"""The endpoint against the server that the default embedder's package ships, and against one that misbehaves."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.core.answering.models.model_server import ModelServer, breaks_off, drips, hangs, packs, pours, sends, serving
from webapp.core.registry import PartUnavailable
from webapp.core.remote import Retries
from webapp.core.retrieval.embedders.base import Remote, load_embedder
from webapp.core.retrieval.embedders.openai_endpoint import OpenAIEndpoint, OpenAIEndpointOptions

KEY = "sk-secret-0123456789"


def endpoint(url: str, waits: list[float] | None = None, **options: object) -> OpenAIEndpoint:
    parsed = OpenAIEndpointOptions.model_validate({"base_url": url, "model": "tiny", "timeout": 5} | options)
    return OpenAIEndpoint(parsed, Retries(parsed.max_retries, (waits if waits is not None else []).append))


def gives(handler: Any) -> None:
    """Send a vector for each text, in reverse order: its length, and one."""
    texts = json.loads(handler.body)["input"]
    data = [{"object": "embedding", "index": i, "embedding": [len(text), 1.0]} for i, text in enumerate(texts)]
    sends(json.dumps({"object": "list", "data": data[::-1], "model": "tiny", "usage": USAGE}))(handler)


USAGE = {"prompt_tokens": 1, "total_tokens": 1}


def gives_rows(*rows: list[float]) -> Callable[[Any], None]:
    data = [{"object": "embedding", "index": i, "embedding": row} for i, row in enumerate(rows)]
    return sends(json.dumps({"object": "list", "data": data, "model": "tiny", "usage": USAGE}))


ONE = gives_rows([3.0, 4.0])


# --- the real server


def test_it_gives_what_the_model_behind_the_server_gives(embedding_server: str) -> None:
    remote = endpoint(embedding_server, query_input_type="query", passage_input_type="passage")
    local = load_embedder("e5-small")
    question, passages = ["How do I get my money back?"], ["Refunds take 5 days.", "টাকা ফেরত", "Our shops are open."]
    assert np.allclose(remote.query(question), local.query(question), atol=1e-4)
    assert np.allclose(remote.passages(passages), local.passages(passages), atol=1e-4)
    assert remote.dim == local.dim


def test_prefixes_do_what_input_types_do(embedding_server: str) -> None:
    plain = endpoint(embedding_server)
    prefixed = endpoint(embedding_server, query_prefix="query: ")
    assert not np.allclose(plain.query(["a card"]), prefixed.query(["a card"]), atol=1e-3)


def test_batches_come_back_in_order(embedding_server: str) -> None:
    texts = [f"Card number {n}" for n in range(7)]
    small = endpoint(embedding_server, batch_size=2).passages(texts)
    assert np.allclose(small, endpoint(embedding_server).passages(texts), atol=1e-4)


# --- names


def test_its_name_changes_with_what_changes_vectors_alone() -> None:
    name = endpoint("http://127.0.0.1:1/v1").name
    assert name.startswith("openai-endpoint:tiny-")
    assert endpoint("http://127.0.0.1:1/v1", timeout=9, batch_size=3, concurrency=9, max_retries=0).name == name
    for changed in ({"model": "other"}, {"dimensions": 8}, {"query_prefix": "q "}, {"scripts": ["LATIN"]}):
        assert endpoint("http://127.0.0.1:1/v1", **changed).name != name
    assert endpoint("http://127.0.0.1:2/v1").name != name


def test_it_says_where_texts_go() -> None:
    assert endpoint("http://localhost:8080/v1").outside == ""
    outside = endpoint("https://user:pass@api.example.com/v1")
    assert isinstance(outside, Remote)
    assert outside.outside == "api.example.com"
    assert not isinstance(load_embedder("e5-small"), Remote)


# --- what is sent


def test_model_dimensions_types_and_key_are_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_KEY", KEY)
    with serving(ONE) as server:
        made = endpoint(
            server.url, api_key_env="SHOP_KEY", dimensions=2, passage_input_type="passage", max_characters=100
        )
        vector = made.passages(["x" * 300])
    assert np.allclose(vector, [[0.6, 0.8]])
    asked = server.requests[-1]
    assert (asked["path"], asked["model"], asked["dimensions"]) == ("/v1/embeddings", "tiny", 2)
    assert (asked["input"], asked["input_type"]) == (["x" * 100], "passage")
    assert server.headers[-1]["authorization"] == f"Bearer {KEY}"


def test_a_key_that_isn_t_set_is_asked_for_by_name() -> None:
    with pytest.raises(PartUnavailable, match="environment variable NO_SUCH_KEY_HERE: set it"):
        load_embedder("openai-endpoint", {"api_key_env": "NO_SUCH_KEY_HERE"})


def test_blank_texts_are_not_sent() -> None:
    with serving(ONE) as server:
        assert endpoint(server.url).passages(["", "  "]).tolist() == [[0, 0], [0, 0]]
    assert [request["input"] for request in server.requests] == [["a"]]  # for the size of vectors alone


# --- what goes wrong


def card(server: ModelServer, waits: list[float], **options: object) -> list[float]:
    """Embed one text, the size of vectors being known, and return the vector."""
    made = endpoint(server.url, waits, **options)
    made.__dict__["dim"] = 2
    vector: list[float] = made.passages(["a card"])[0].tolist()
    return vector


def test_what_can_pass_is_tried_again_when_the_server_says() -> None:
    waits: list[float] = []
    busy = sends('{"error": {"message": "slow down"}}', 429, Retry_After="30")
    with serving(busy, breaks_off, sends("{}", 503), ONE) as server:
        assert np.allclose(card(server, waits), [0.6, 0.8])
    assert waits == [30, 1, 2]


@pytest.mark.parametrize(
    ("behaviour", "seconds", "why"), [(drips, 0.2, "too long"), (pours, 30, "broke off"), (packs, 30, "broke off")]
)
def test_a_reply_without_end_is_not_waited_for(behaviour: Callable[[Any], None], seconds: float, why: str) -> None:
    with serving(behaviour) as server, pytest.raises(PartUnavailable, match=why):
        endpoint(server.url, timeout=seconds, max_retries=0).query(["a card"])


def test_a_question_is_not_kept_waiting_as_long_as_a_build() -> None:
    waits: list[float] = []
    busy = sends('{"error": {"message": "slow down"}}', 429, Retry_After="30")
    with serving(busy) as server, pytest.raises(PartUnavailable, match="refused with status 429"):
        endpoint(server.url, waits).query(["a card"])
    assert waits == []


@pytest.mark.parametrize("status", [400, 401, 404])
def test_what_can_t_pass_is_not_tried_again(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_KEY", KEY)
    refused = pytest.raises(PartUnavailable, match=rf"127.0.0.1:\d+ refused with status {status}")
    with serving(sends(json.dumps({"error": {"message": f"no {KEY}"}}), status)) as server, refused as caught:
        card(server, [], api_key_env="SHOP_KEY")
    assert len(server.requests) == 1
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    "reply",
    [
        sends("not JSON"),
        sends("[]"),
        sends('{"data": []}'),
        sends('{"data": [{"index": 0}]}'),
        sends('{"data": [{"index": 0, "embedding": ["a", "b"]}]}'),
        sends('{"data": [{"index": 0, "embedding": [NaN, 1]}]}'),
        gives_rows([1.0, 0.0], [0.0, 1.0]),
    ],
)
def test_a_reply_of_another_shape_is_refused(reply: Callable[[Any], None]) -> None:
    with serving(reply) as server, pytest.raises(PartUnavailable, match="something else than its protocol"):
        card(server, [])


def test_vectors_of_another_size_are_refused() -> None:
    with serving(gives_rows([1.0, 2.0, 3.0])) as server, pytest.raises(PartUnavailable, match="another size"):
        card(server, [])


def test_a_server_that_is_away_or_hangs_is_named() -> None:
    with serving(hangs) as server, pytest.raises(PartUnavailable, match="took too long"):
        card(server, [], timeout=0.2, max_retries=0)
    with pytest.raises(PartUnavailable, match=r"127.0.0.1:\d+ can't be reached.*see \[embedder_options\]"):
        endpoint(server.url, max_retries=0).query(["a card"])


def test_a_batch_that_is_too_large_is_halved() -> None:
    def at_most_two(handler: Any) -> None:
        texts = json.loads(handler.body)["input"]
        (gives if len(texts) <= 2 else sends("{}", 413))(handler)

    with serving(at_most_two) as server:
        vectors = endpoint(server.url, concurrency=1).passages(["a", "bb", "ccc", "dddd", "eeeee"])
    assert np.allclose(vectors[:, 0] / vectors[:, 1], [1, 2, 3, 4, 5], atol=1e-4)
    assert [len(request["input"]) for request in server.requests] == [1, 5, 2, 3, 1, 2]


def test_no_more_requests_are_on_their_way_than_allowed() -> None:
    lock, now, most, two = threading.Lock(), [0], [0], threading.Event()

    def counts(handler: Any) -> None:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
            if now[0] == 2:
                two.set()
        two.wait(20)
        time.sleep(0.05)  # for a third to come, if it may
        with lock:
            now[0] -= 1
        ONE(handler)

    with serving(counts) as server:
        made = endpoint(server.url, concurrency=2, batch_size=1)
        threads = [threading.Thread(target=made.passages, args=([f"card {n}", "bike"],)) for n in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert most[0] == 2
