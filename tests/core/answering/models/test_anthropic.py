from __future__ import annotations

import json

import pytest

from tests.core.answering.fakes import BIKE, hits
from tests.core.answering.fakes import ask as ask_desk
from tests.core.answering.fakes import parts as desk_parts
from tests.core.answering.models.model_server import breaks_off, drips, hangs, packs, pours, refuses, sends, serving
from webapp.core.answering.model import ModelReply, ModelRequest, ModelUnavailable, Reason
from webapp.core.answering.models._remote import Persistence
from webapp.core.answering.models.anthropic import Anthropic, AnthropicOptions
from webapp.core.answering.prompt import DEFAULT_BUDGET, build_request


def request() -> ModelRequest:
    return build_request("How long do I have to return a bike?", "en", hits(BIKE), DEFAULT_BUDGET)


ANSWER = json.dumps(
    {
        "status": "answered",
        "confidence": "high",
        "statements": [{"text": BIKE.sentences[0].text, "cited_ids": [BIKE.id]}],
    }
)


def model(url: str, retries: int = 0, waits: list[float] | None = None, **options: object) -> Anthropic:
    given = {"base_url": url.removesuffix("/v1"), "api_key": "sk-secret", "model": "claude-x", "max_retries": retries}
    sleep = (waits if waits is not None else []).append
    return Anthropic(AnthropicOptions.model_validate(given | options), Persistence(retries, sleep))


def says(text: str, stop: str = "end_turn"):
    message = {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": "claude-x-1",
        "content": [{"type": "text", "text": text}],
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": 9, "output_tokens": 3},
    }
    return sends(json.dumps(message))


def test_a_reply_comes_back():
    with serving(says("{}")) as server:
        reply = model(server.url).reply(request())
    assert reply == ModelReply("{}", model="claude-x-1", tokens_in=9, tokens_out=3)
    asked = server.requests[0]
    assert asked["path"] == "/v1/messages"
    assert asked["output_config"]["format"]["type"] == "json_schema"
    assert any("sk-secret" in value for value in server.headers[0].values())


def test_a_server_that_does_not_count_tokens_is_understood():
    message = {"id": "m1", "type": "message", "role": "assistant", "model": "x", "stop_reason": "end_turn"}
    with serving(sends(json.dumps(message | {"content": [{"type": "text", "text": "{}"}]}))) as server:
        assert model(server.url).reply(request()) == ModelReply("{}", model="x")


@pytest.mark.parametrize(("stop", "truncated", "refused"), [("max_tokens", True, False), ("refusal", False, True)])
def test_why_it_stopped_is_told(stop, truncated, refused):
    with serving(says("", stop)) as server:
        reply = model(server.url).reply(request())
    assert (reply.truncated, reply.refused) == (truncated, refused)


def test_a_model_without_schemas_is_asked_without_one():
    with serving(refuses(400, "output_config: unknown field"), says("{}")) as server:
        asking = model(server.url)
        asking.reply(request())
        asking.reply(request())
    assert ["output_config" in asked for asked in server.requests] == [True, False, False]


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (says(ANSWER), Reason.OK),
        (says(f"```json\n{ANSWER}\n```"), Reason.OK),
        (says(ANSWER[:40], "max_tokens"), Reason.TRUNCATED),
        (says(ANSWER[:40]), Reason.INVALID_JSON),
        (says(f"Here it is: {ANSWER}"), Reason.INVALID_JSON),
        (says("I can't help with that.", "refusal"), Reason.MODEL_ABSTAINED),
        (says(ANSWER.replace(BIKE.id, "kc-returns-v3:c9")), Reason.UNKNOWN_CITATION),
        (says('{"verdict": "yes"}'), Reason.INVALID_SCHEMA),
        (sends('{"content": [{"ty'), Reason.MODEL_UNAVAILABLE),
        (breaks_off, Reason.MODEL_UNAVAILABLE),
    ],
)
def test_whatever_it_says_ends_in_a_reason(behaviour, reason):
    with serving(behaviour) as server:
        answered, _ = ask_desk("How long do I have to return a bike?", desk_parts(BIKE, model=model(server.url)))
    assert answered.reason is reason


def test_it_waits_as_long_as_it_is_asked_to():
    waits: list[float] = []
    with serving(refuses(429, "slow down", Retry_After="3"), says("{}")) as server:
        assert model(server.url, 1, waits).reply(request()).text == "{}"
    assert waits == [3.0]


def test_a_slow_provider_is_given_up():
    with serving(hangs) as server, pytest.raises(ModelUnavailable, match="took too long"):
        model(server.url, timeout=0.1).reply(request())


@pytest.mark.parametrize(
    ("behaviour", "seconds", "why"), [(drips, 0.2, "too long"), (pours, 30, "broke off"), (packs, 30, "broke off")]
)
def test_a_reply_without_end_is_not_waited_for(behaviour, seconds, why):
    with serving(behaviour) as server, pytest.raises(ModelUnavailable, match=why):
        model(server.url, timeout=seconds).reply(request())


def test_an_overloaded_provider_is_tried_again():
    with serving(refuses(529, "overloaded"), says("{}")) as server:
        assert model(server.url, retries=1).reply(request()).text == "{}"


@pytest.mark.parametrize(
    ("behaviour", "retry"),
    [(refuses(401, "wrong key sk-secret"), False), (breaks_off, True), (sends('{"hello": 1}'), False)],
)
def test_what_fails_for_good_is_unavailable(behaviour, retry):
    with serving(behaviour) as server, pytest.raises(ModelUnavailable) as caught:
        model(server.url).reply(request())
    assert caught.value.retry is retry
    assert "sk-secret" not in str(caught.value)


def test_without_its_package_it_says_what_to_install(monkeypatch):
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr("webapp.core.answering.models.anthropic.importlib.import_module", missing)
    with pytest.raises(ModelUnavailable, match=r"install evidencedesk\[anthropic\]"):
        model("http://127.0.0.1:9/v1").reply(request())
