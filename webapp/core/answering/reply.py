"""What a model's reply must be. One JSON object, nothing around it but at most one code fence; anything else is
withheld, with the reason why."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator, model_validator
from pydantic_core import PydanticCustomError

from webapp.core.answering.model import ModelReply, Reason, Withheld

_UNCITED = "uncited_statement"


class _Shape(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class CitedStatement(_Shape):
    """One sentence of the answer and the exact ids of the chunks it rests on."""

    text: str
    cited_ids: list[str]

    @field_validator("text")
    @classmethod
    def _say_something(cls, text: str) -> str:
        """Checked here, not by a constraint: providers refuse schemas with keywords they don't know."""
        if not any(map(str.isalnum, text)):
            raise PydanticCustomError("empty_statement", "a statement has words")
        return text.strip()


class Reply(_Shape):
    """An answer: at least one statement, each with a citation. An abstention: no citation anywhere."""

    status: Literal["answered", "abstained"]
    confidence: Literal["high", "medium", "low"]
    statements: list[CitedStatement]

    @model_validator(mode="before")
    @classmethod
    def _accept_flat(cls, data: Any) -> Any:
        """The flat form, with `answer` and `cited_ids`, is the same with one statement."""
        if not isinstance(data, dict) or "statements" in data or not {"answer", "cited_ids"} <= data.keys():
            return data
        rest = {key: value for key, value in data.items() if key not in ("answer", "cited_ids")}
        if data["answer"] in ("", None) and data["cited_ids"] == []:
            return rest | {"statements": []}
        return rest | {"statements": [{"text": data["answer"], "cited_ids": data["cited_ids"]}]}

    @model_validator(mode="after")
    def _keep_the_contract(self) -> Reply:
        cited = [bool(statement.cited_ids) for statement in self.statements]
        if self.status == "abstained" and any(cited):
            raise PydanticCustomError("cited_abstention", "an abstention cites nothing")
        if self.status == "answered" and not cited:
            raise PydanticCustomError("empty_answer", "an answer has at least one statement")
        if self.status == "answered" and not all(cited):
            raise PydanticCustomError(_UNCITED, "every statement of an answer has a citation")
        return self


def reply_schema() -> dict[str, Any]:
    """Return the JSON schema of a reply, for providers that take one: every object closed, every key required."""
    return Reply.model_json_schema()


def parse_reply(reply: ModelReply, sent: Collection[str]) -> Reply:
    """Return the answer a model gave, citing nothing but `sent` chunk ids. Raises Withheld, and nothing else.

    Judged in this order: stop reason, JSON, schema, status, ids, citations on every statement.
    """
    text = reply.text.strip()
    if reply.truncated:
        raise Withheld(Reason.TRUNCATED, "cut short" if text else "cut short (empty)")
    if reply.refused:
        raise Withheld(Reason.MODEL_ABSTAINED, f"the model refused: {text[:200]}")
    data = _json_object(text)
    try:
        parsed = Reply.model_validate(data)
    except ValidationError as error:
        raise _schema_problem(error, data, sent) from None
    if parsed.status == "abstained":
        raise Withheld(Reason.MODEL_ABSTAINED, "the model found no answer in the evidence")
    _check_ids([id_ for statement in parsed.statements for id_ in statement.cited_ids], sent)
    return parsed


_FENCE = re.compile(r"```(?:json)?[ \t]*\n(?P<inside>.*)\n[ \t]*```", re.DOTALL | re.IGNORECASE)


def _json_object(text: str) -> dict[str, Any]:
    fenced = _FENCE.fullmatch(text)
    try:
        data = json.loads(fenced["inside"] if fenced else text, object_pairs_hook=_unique, parse_constant=_refuse)
        json.dumps(data, ensure_ascii=False).encode()  # half a surrogate pair can be neither shown nor kept
    except (ValueError, RecursionError) as error:
        raise Withheld(Reason.INVALID_JSON, f"not one JSON object: {error}" if text else "empty reply") from None
    if not isinstance(data, dict):
        raise Withheld(Reason.INVALID_JSON, f"not one JSON object but a {type(data).__name__}")
    return data


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A key given twice could say "abstained" and "answered" at once."""
    data = dict(pairs)
    if len(data) < len(pairs):
        raise ValueError("a key is given twice")
    return data


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _schema_problem(error: ValidationError, data: dict[str, Any], sent: Collection[str]) -> Withheld:
    problems = error.errors(include_url=False, include_input=False)
    detail = "; ".join(f"{'.'.join(map(str, problem['loc'])) or 'reply'}: {problem['msg']}" for problem in problems[:3])
    if {problem["type"] for problem in problems} != {_UNCITED}:
        return Withheld(Reason.INVALID_SCHEMA, detail)
    try:  # an unknown id weighs more than a missing one
        _check_ids([id_ for one in data.get("statements", ()) for id_ in one["cited_ids"]], sent)
    except Withheld as unknown:
        return unknown
    return Withheld(Reason.UNCITED_STATEMENT, detail)


def _check_ids(cited: list[str], sent: Collection[str]) -> None:
    unknown = [id_ for id_ in cited if id_ not in sent]
    if unknown:
        raise Withheld(Reason.UNKNOWN_CITATION, f"cites what was not sent: {', '.join(unknown[:3])}")
