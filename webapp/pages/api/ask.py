"""Asking for programs: JSON in, an Answer out."""

from __future__ import annotations

from typing import Any, TypeVar

from flask import Blueprint, abort, jsonify, request
from flask.typing import ResponseReturnValue
from pydantic import BaseModel, Field, ValidationError

from webapp.core.answering.model import Answer
from webapp.core.answering.question import MAX_CHARACTERS, InvalidQuestion
from webapp.core.retrieval.model import Reader, Role
from webapp.services.desk import Desk
from webapp.services.model import AskOptions, InvalidWish, UnknownCollection
from webapp.web.access import current_reader
from webapp.web.asker import asker
from webapp.web.context import services
from webapp.web.i18n import current_language
from webapp.web.keys import current_key
from webapp.web.security import csrf

Body = TypeVar("Body", bound=BaseModel)

blueprint = Blueprint("api", __name__, url_prefix="/api/v1")
csrf.exempt(blueprint)  # a form of another site can't send JSON, and nothing else is taken


class Question(BaseModel, extra="forbid"):
    """What a program asks."""

    question: str = Field(
        min_length=1,
        max_length=MAX_CHARACTERS,
        description="The question, in any language; it has a letter or a digit",
        json_schema_extra={"pattern": r"[\p{L}\p{N}]"},
    )
    collection: str | None = Field(None, description="Name of the collection; default: the one at /")
    filters: dict[str, str] = Field({}, description="Documents with these values alone, by a filter of the collection")
    lang: str | None = Field(None, description="Documents of this language alone")
    follows: str | None = Field(None, description="Id of the answer whose question this one leans on")
    once: str | None = Field(
        None,
        max_length=100,
        description="A word of your own: the same question with the same word gives the answer that is there already",
    )


@blueprint.post("/ask")
def ask() -> ResponseReturnValue:
    """Answer a question."""
    asked, reader = body(Question), current_reader()
    try:
        desk, options = wished(asked, asker())
        return jsonify(written(desk.ask(asked.question, reader, options), reader))
    except (UnknownCollection, InvalidWish) as error:
        abort(404, str(error.args[0]))
    except InvalidQuestion as error:
        abort(400, error.message)


def wished(asked: Question, asker: str | None) -> tuple[Desk, AskOptions]:
    """Return where to ask, and what is wished beside the question. Raises UnknownCollection, InvalidWish."""
    desk = services().desk(collection_of_key(asked.collection))
    follows = services().followed(asked.follows, desk, current_reader()) if asked.follows else None
    lang = current_language()
    return desk, AskOptions(asked.lang, asked.filters, lang=lang, follows=follows, asker=asker, once=asked.once)


def written(answer: Answer, reader: Reader) -> dict[str, Any]:
    """Return an answer as JSON, with what was retrieved for staff alone."""
    hidden = {"retrieved"} if reader.role is Role.CUSTOMER else set()
    return answer.model_dump(mode="json", exclude=hidden)


def collection_of_key(named: str | None) -> str | None:
    """Return the collection that is named, else the one of the key; a key for another one ends the request here."""
    key = current_key()
    if key is None or key.collection is None:
        return named
    if named not in (None, key.collection):
        abort(403, f"this key is for the collection {key.collection}")
    return key.collection


def body(model: type[Body]) -> Body:
    """Return the request's body as that model has it; else the request ends here."""
    if not request.is_json:
        abort(415)
    try:
        return model.model_validate_json(request.get_data())
    except ValidationError as error:
        abort(400, "; ".join(_problem(list(one["loc"]), one["msg"]) for one in error.errors()))


def _problem(place: list[int | str], message: str) -> str:
    return f"{'.'.join(map(str, place))}: {message}" if place else message
