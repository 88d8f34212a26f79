from __future__ import annotations

import json

import pytest

from tests.core.answering.fakes import BIKE, hits
from tests.core.answering.models.model_server import breaks_off, refuses, sends, serving
from webapp.core.answering.model import ModelReply, ModelRequest, ModelUnavailable
from webapp.core.answering.models._remote import Persistence
from webapp.core.answering.models.anthropic import Anthropic, AnthropicOptions
from webapp.core.answering.prompt import DEFAULT_BUDGET, build_request


def request() -> ModelRequest:
    return build_request("How long do I have to return a bike?", "en", hits(BIKE), DEFAULT_BUDGET)


def model(url: str, retries: int = 0) -> Anthropic:
    options = AnthropicOptions.model_validate(
        {"base_url": url.removesuffix("/v1"), "api_key": "sk-secret", "model": "claude-x", "max_retries": retries}
    )
    return Anthropic(options, Persistence(retries, lambda seconds: None))


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
