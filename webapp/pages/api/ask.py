"""Asking for programs: JSON in, an Answer out."""

from __future__ import annotations

from typing import TypeVar

from flask import Blueprint, abort, jsonify, request
from flask.typing import ResponseReturnValue
from pydantic import BaseModel, Field, ValidationError

from webapp.core.answering.question import MAX_CHARACTERS, InvalidQuestion
from webapp.core.retrieval.model import Role
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


@blueprint.post("/ask")
def ask() -> ResponseReturnValue:
    """Answer a question."""
    asked = body(Question)
    reader = current_reader()
    try:
        desk = services().desk(collection_of_key(asked.collection))
        follows = services().followed(asked.follows, desk, reader) if asked.follows else None
        options = AskOptions(asked.lang, asked.filters, lang=current_language(), follows=follows, asker=asker())
        answer = desk.ask(asked.question, reader, options)
    except (UnknownCollection, InvalidWish) as error:
        abort(404, str(error.args[0]))
    except InvalidQuestion as error:
        abort(400, error.message)
    hidden = {"retrieved"} if reader.role is Role.CUSTOMER else set()
    return jsonify(answer.model_dump(mode="json", exclude=hidden))


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
