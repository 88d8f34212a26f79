"""What the API takes and gives, described for programs."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from typing import Any

from flask import Blueprint, jsonify
from flask.typing import ResponseReturnValue
from pydantic import BaseModel, Field
from pydantic.json_schema import models_json_schema

from webapp.core.answering.model import Answer
from webapp.pages.api.ask import Question
from webapp.pages.api.feedback import Ballot, KeptVote
from webapp.pages.api.refresh import Refresh

blueprint = Blueprint("openapi", __name__, url_prefix="/api/v1")


class Failure(BaseModel):
    """Why a request could not be met; `request_id` stands in the server's log too."""

    error: str
    message: str = Field(description="In the request's language")
    detail: str = Field("", description="In English, where `message` is in another language and says less")
    request_id: str


_FAILURES = {
    400: "The body is not the JSON that is asked for",
    401: "There is no such key, or it is revoked",
    403: "The key is not for this page, this collection or this kind of request",
    404: "There is no such collection, language, filter or earlier answer",
    413: "The body is too large",
    415: "The body is not sent as application/json",
    429: "Too many questions, or none left today for this key; Retry-After says when to come back",
    500: "The mistake is ours",
    503: "Not ready; try again",
}

_WITH_OR_WITHOUT_KEY: list[dict[str, list[str]]] = [{}, {"key": []}]


@blueprint.get("/openapi.json")
def show() -> ResponseReturnValue:
    """Return the OpenAPI document."""
    return jsonify(document())


@cache
def document() -> dict[str, Any]:
    """Return the OpenAPI 3.1 document, drawn from the models that the API uses."""
    models: list[tuple[type[BaseModel], Any]] = [
        (model, "validation") for model in (Question, Answer, Ballot, KeptVote, Refresh, Failure)
    ]
    _, schemas = models_json_schema(models, ref_template="#/components/schemas/{model}")
    return {
        "openapi": "3.1.0",
        "info": {"title": "EvidenceDesk", "version": version("evidencedesk")},
        "paths": {
            "/api/v1/ask": {"post": _ask()},
            "/api/v1/ask/stages": {"post": _stages()},
            "/api/v1/answers/{answer_id}/feedback": {"post": _feedback()},
            "/api/v1/collections/{collection}/refresh": {"post": _refresh()},
        },
        "components": {
            "schemas": schemas["$defs"],
            "securitySchemes": {
                "key": {"type": "http", "scheme": "bearer", "description": "A key that an editor makes at /admin/keys"},
                "refreshToken": {"type": "http", "scheme": "bearer"},
            },
        },
    }


def _ask() -> dict[str, Any]:
    answered = _content("An answer, or an abstention that says why", "Answer")
    failures = {str(code): _content(words, "Failure") for code, words in _FAILURES.items()}
    return {
        "summary": "Ask a question",
        "description": "`retrieved` is given to signed-in staff alone.",
        "operationId": "ask",
        "security": _WITH_OR_WITHOUT_KEY,
        "requestBody": {"required": True} | _content("The question", "Question"),
        "responses": {"200": answered} | failures,
    }


def _stages() -> dict[str, Any]:
    told = (
        "Server-sent events, each with JSON: `retrieving` {pages}, `checking` {}, then `done` {url, answer, caution, "
        "why, fallback: {text, lang}, contact: {text, lang}} with an Answer that is checked to its end, and words for "
        "readers in the request's language: what to be careful about, why there is no answer, what is said instead, "
        "whom to ask; or `failed` {message}"
    )
    event = {
        "type": "object",
        "required": ["event", "data"],
        "properties": {
            "event": {"enum": ["retrieving", "checking", "done", "failed"]},
            "data": {"type": "string", "contentMediaType": "application/json"},
        },
    }
    stream = {"description": told, "content": {"text/event-stream": {"schema": event}}}
    asked = _ask()
    return asked | {
        "summary": "Ask a question, and hear how far it is",
        "operationId": "stages",
        "responses": asked["responses"] | {"200": stream},
    }


def _feedback() -> dict[str, Any]:
    failures = _FAILURES | {
        401: "Nothing says who votes, or there is no such key",
        404: "There is no such answer, or it is not open to whoever asks",
        410: "The answer is no longer kept",
        429: "Too many votes, or none left today for this key; Retry-After says when to come back",
    }
    return {
        "summary": "Vote on an answer",
        "description": "One vote for each reader and answer: the last one counts, null takes it back.",
        "operationId": "vote",
        "security": _WITH_OR_WITHOUT_KEY,
        "parameters": [{"name": "answer_id", "in": "path", "required": True, "schema": {"type": "string"}}],
        "requestBody": {"required": True} | _content("The vote", "Ballot"),
        "responses": {"200": _content("The vote as it is kept", "KeptVote")}
        | {str(code): _content(words, "Failure") for code, words in sorted(failures.items())},
    }


def _refresh() -> dict[str, Any]:
    failures = {
        401: "The token is missing or wrong",
        404: "There is no such collection, or no token is set",
        503: "Not ready; try again",
    }
    return {
        "summary": "Say that a collection's files have changed",
        "description": "A worker then builds an index of them; changes that follow one another quickly make one.",
        "operationId": "refresh",
        "security": [{"refreshToken": []}],
        "parameters": [{"name": "collection", "in": "path", "required": True, "schema": {"type": "string"}}],
        "responses": {"202": _content("The job that was asked for", "Refresh")}
        | {str(code): _content(words, "Failure") for code, words in failures.items()},
    }


def _content(words: str, model: str) -> dict[str, Any]:
    schema = {"$ref": f"#/components/schemas/{model}"}
    return {"description": words, "content": {"application/json": {"schema": schema}}}
